//! The SQL of table `idempotency_keys`: which tool a principal used a key for. What the call came to
//! is in that tool's own table, which each of these queries joins.

use std::collections::HashMap;

use deadpool_postgres::ClientWrapper;
use refund_domain::{
    AcceptedReturn, IdempotencyKey, Principal, RefundId, Timestamp, ToolName, adjustment,
    escalation, refund, returns,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::{SqlError, Untrue};
use super::facts::{Owner, Used};
use super::flight::{Flight, params};
use super::{
    adjustments as adjustment_rows, escalations, outbox, refunds as refund_rows,
    returns as return_rows,
};

const TABLE: &str = "idempotency_keys";
/// The columns of the key itself; those of what it was used for follow.
const OWN: usize = 4;

macro_rules! select {
    ($columns:expr, $joins:expr) => {
        concat!(
            "SELECT k.principal, k.key, k.tool, k.refund_id, ",
            $columns,
            " FROM unnest($1::text[], $2::text[]) AS w (principal, key)
             JOIN idempotency_keys k ON k.principal = w.principal AND k.key = w.key ",
            $joins
        )
    };
}

type Loaded = HashMap<Owner, Result<Used, Untrue>>;

async fn of<'o>(
    client: &ClientWrapper,
    sql: &str,
    owners: impl ExactSizeIterator<Item = &'o Owner>,
) -> Result<Flight, SqlError> {
    if owners.len() == 0 {
        return Ok(Flight::none());
    }
    let (principals, keys): (Vec<String>, Vec<String>) = owners
        .map(|(principal, key)| (principal.as_str().to_owned(), key.as_str().to_owned()))
        .unzip();
    Flight::new(client, sql, params![principals, keys]).await
}

/// What refunds' keys were used for; the rows are for [`read_refunds`].
pub(crate) async fn of_refunds<'o>(
    client: &ClientWrapper,
    owners: impl ExactSizeIterator<Item = &'o Owner>,
) -> Result<Flight, SqlError> {
    let sql = select!(
        refund_rows::columns!(),
        "LEFT JOIN refunds r ON r.refund_id = k.refund_id"
    );
    of(client, sql, owners).await
}

/// What returns' keys were used for; the rows are for [`read_returns`].
pub(crate) async fn of_returns<'o>(
    client: &ClientWrapper,
    owners: impl ExactSizeIterator<Item = &'o Owner>,
) -> Result<Flight, SqlError> {
    let sql = select!(
        concat!(return_rows::columns!(), ", ", outbox::columns!()),
        "LEFT JOIN returns t ON t.principal = k.principal AND t.idempotency_key = k.key
         LEFT JOIN outbox m ON m.return_id = t.return_id"
    );
    of(client, sql, owners).await
}

/// What turns' keys were used for; the rows are for [`read_turns`].
pub(crate) async fn of_turns<'o>(
    client: &ClientWrapper,
    owners: impl ExactSizeIterator<Item = &'o Owner>,
) -> Result<Flight, SqlError> {
    let sql = select!(
        escalations::turn_columns!(),
        "LEFT JOIN escalation_turns n ON n.principal = k.principal AND n.idempotency_key = k.key"
    );
    of(client, sql, owners).await
}

/// What adjustments' keys were used for; the rows are for [`read_adjustments`].
pub(crate) async fn of_adjustments<'o>(
    client: &ClientWrapper,
    owners: impl ExactSizeIterator<Item = &'o Owner>,
) -> Result<Flight, SqlError> {
    let sql = select!(
        adjustment_rows::columns!(),
        "LEFT JOIN adjustments j ON j.principal = k.principal AND j.idempotency_key = k.key"
    );
    of(client, sql, owners).await
}

/// The rows of [`of_refunds`].
pub(crate) fn read_refunds(rows: &[Row]) -> Result<Loaded, SqlError> {
    read(rows, refund::TOOL, |row, (principal, key)| {
        let untrue = |cause: &'static str| Untrue::new(TABLE, key, cause);
        if row.try_get::<_, Option<Uuid>>(3).unwrap_or(None).is_none() {
            return Err(untrue("it names no refund"));
        }
        if row.try_get::<_, Option<i64>>(OWN).unwrap_or(None).is_none() {
            return Err(untrue("its refund is not there"));
        }
        let (_position, refund) = refund_rows::read(row, OWN)?;
        if refund.idempotency_key.as_ref() != Some(key) || refund.principal != *principal {
            return Err(untrue("its refund was made with another key"));
        }
        Ok(Used::Refund(refund))
    })
}

/// The rows of [`of_returns`].
pub(crate) fn read_returns(rows: &[Row]) -> Result<Loaded, SqlError> {
    read(rows, returns::TOOL, |row, (_principal, key)| {
        let untrue = |cause: &'static str| Untrue::new(TABLE, key, cause);
        if row.try_get::<_, Option<i64>>(OWN).unwrap_or(None).is_none() {
            return Err(untrue("its return is not there"));
        }
        let order_return = return_rows::read(row, OWN)?;
        let message = OWN + return_rows::COLUMNS;
        if row
            .try_get::<_, Option<&str>>(message)
            .unwrap_or(None)
            .is_none()
        {
            return Err(untrue("the message about its return is not there"));
        }
        let notification = outbox::read(row, message, order_return.id)?;
        Ok(Used::Return(Box::new(AcceptedReturn {
            order_return,
            notification,
        })))
    })
}

/// The rows of [`of_turns`].
pub(crate) fn read_turns(rows: &[Row]) -> Result<Loaded, SqlError> {
    read(rows, escalation::TOOL, |row, (_principal, key)| {
        if row
            .try_get::<_, Option<&str>>(OWN)
            .unwrap_or(None)
            .is_none()
        {
            return Err(Untrue::new(TABLE, key, "its turn is not there"));
        }
        Ok(Used::Turn(escalations::read_turn(row, OWN, key)?))
    })
}

/// The rows of [`of_adjustments`].
pub(crate) fn read_adjustments(rows: &[Row]) -> Result<Loaded, SqlError> {
    read(rows, adjustment::TOOL, |row, (_principal, key)| {
        if row.try_get::<_, Option<i64>>(OWN).unwrap_or(None).is_none() {
            return Err(Untrue::new(TABLE, key, "its adjustment is not there"));
        }
        Ok(Used::Adjustment(adjustment_rows::read(row, OWN)?))
    })
}

fn read(
    rows: &[Row],
    tool: &str,
    used: impl Fn(&Row, &Owner) -> Result<Used, Untrue>,
) -> Result<Loaded, SqlError> {
    rows.iter()
        .map(|row| {
            let key: &str = row.try_get(1)?;
            let owner = owner(row, key)?;
            let by: &str = row.try_get(2)?;
            let used = match by == tool {
                true => used(row, &owner),
                false => ToolName::new(by)
                    .map(Used::Other)
                    .map_err(|cause| Untrue::new(TABLE, key, cause)),
            };
            Ok((owner, used))
        })
        .collect()
}

fn owner(row: &Row, key: &str) -> Result<Owner, SqlError> {
    let principal = Principal::new(row.try_get(0)?);
    let principal = principal.map_err(|cause| Untrue::new(TABLE, key, cause))?;
    let key = IdempotencyKey::new(key).map_err(|cause| Untrue::new(TABLE, key, cause))?;
    Ok((principal, key))
}

/// A key that a call of a tool claims.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) owner: Owner,
    pub(crate) tool: &'static str,
    pub(crate) refund_id: Option<RefundId>,
    pub(crate) at: Timestamp,
}

/// Claims keys, in an order that is the same in every process.
pub(crate) async fn claim(
    client: &ClientWrapper,
    claims: &mut [Claim],
) -> Result<Flight, SqlError> {
    if claims.is_empty() {
        return Ok(Flight::none());
    }
    claims.sort_by(|left, right| {
        let name = |claim: &'_ Claim| -> (String, String) {
            (
                claim.owner.0.as_str().to_owned(),
                claim.owner.1.as_str().to_owned(),
            )
        };
        name(left).cmp(&name(right))
    });
    let sql = "INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
         SELECT principal, key, tool, refund_id, created_at_ms
         FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::int8[]) WITH ORDINALITY
             AS w (principal, key, tool, refund_id, created_at_ms, place)
         ORDER BY w.place";
    let texts = |of: fn(&Claim) -> &str| {
        claims
            .iter()
            .map(|claim| of(claim).to_owned())
            .collect::<Vec<String>>()
    };
    let refund_ids: Vec<Option<Uuid>> = claims
        .iter()
        .map(|claim| claim.refund_id.map(RefundId::as_uuid))
        .collect();
    let times: Vec<i64> = claims.iter().map(|claim| claim.at.unix_millis()).collect();
    let params = params![
        texts(|claim| claim.owner.0.as_str()),
        texts(|claim| claim.owner.1.as_str()),
        texts(|claim| claim.tool),
        refund_ids,
        times,
    ];
    Flight::new(client, sql, params).await
}
