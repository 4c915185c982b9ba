//! One adjustment of a batch: decide by what is known, and the SQL of table `adjustments`.

use std::error::Error;

use deadpool_postgres::ClientWrapper;
use refund_domain::adjustment::{Facts, TOOL};
use refund_domain::ports::CustomerWriter;
use refund_domain::{
    AdjustBalance, Adjustment, AdjustmentSettled, Currency, CustomerId, IdempotencyKey, Money,
    Principal, Reason, StoreError, Timestamp,
};
use tokio_postgres::Row;

use super::audit::AuditRow;
use super::batch::Command;
use super::error::{SqlError, Untrue};
use super::facts::{Known, Owner, Used, Wanted};
use super::flight::{Flight, params};
use super::idempotency_keys::Claim;
use super::writes::Writes;
use super::{PostgresStore, text};
use crate::audit_entry;

const TABLE: &str = "adjustments";

/// The columns of [`read`], in its order, of a table named `j`.
macro_rules! columns {
    () => {
        "j.seq, j.customer_id, j.by_minor, j.currency, j.balance_minor, j.reason, j.at_ms, j.principal"
    };
}
pub(crate) use columns;

/// An adjustment that was made with a key or without.
#[derive(Debug, Clone)]
pub(crate) struct NewAdjustment {
    pub(crate) made: Adjustment,
    pub(crate) key: Option<IdempotencyKey>,
}

fn owner(command: &AdjustBalance) -> Option<Owner> {
    let key = command.idempotency_key.clone()?;
    Some((command.caller.principal.clone(), key))
}

impl CustomerWriter for PostgresStore {
    async fn adjust_balance(
        &self,
        command: AdjustBalance,
    ) -> Result<AdjustmentSettled, StoreError> {
        self.engine().submit(command).await
    }
}

impl Command for AdjustBalance {
    type Outcome = AdjustmentSettled;

    fn wants(&self, wanted: &mut Wanted) {
        wanted.customer(self.customer_id);
        if let Some(owner) = owner(self) {
            wanted.adjustment_key(owner);
        }
    }

    fn settle(&self, known: &mut Known, writes: &mut Writes) -> Result<Self::Outcome, SqlError> {
        let owner = owner(self);
        let facts = Facts {
            customer: known.customer(self.customer_id)?.cloned(),
            key_use: match &owner {
                Some(owner) => known.adjustment_key(owner)?,
                None => None,
            },
        };
        let settled = AdjustBalance::settle(self, &facts);
        let row = AuditRow::new(&audit_entry::of_adjustment(self, &settled))?;
        match &settled.outcome {
            Ok(adjustment) if !settled.replayed => {
                known.set_balance(self.customer_id, adjustment.after);
                let new = NewAdjustment {
                    made: adjustment.clone(),
                    key: self.idempotency_key.clone(),
                };
                writes.adjustment(new, row);
                if let Some(owner) = owner {
                    writes.claim(Claim {
                        owner: owner.clone(),
                        tool: TOOL,
                        refund_id: None,
                        at: adjustment.at,
                    });
                    known.claim(owner, Used::Adjustment(adjustment.clone()));
                }
            }
            _ => writes.call(row),
        }
        Ok(settled)
    }
}

/// Adds adjustments, each with the place of its audit row.
pub(crate) async fn insert(
    client: &ClientWrapper,
    adjustments: &[(NewAdjustment, i64)],
) -> Result<Flight, SqlError> {
    if adjustments.is_empty() {
        return Ok(Flight::none());
    }
    let sql =
        "INSERT INTO adjustments (customer_id, by_minor, currency, balance_minor, reason, at_ms,
             principal, audit_seq, idempotency_key)
         SELECT customer_id, by_minor, currency, balance_minor, reason, at_ms, principal, audit_seq,
             idempotency_key
         FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::int8[],
                 $7::text[], $8::int8[], $9::text[])
             AS w (customer_id, by_minor, currency, balance_minor, reason, at_ms, principal,
                 audit_seq, idempotency_key)
         ORDER BY audit_seq";
    let texts = |of: fn(&Adjustment) -> String| {
        adjustments
            .iter()
            .map(|(new, _)| of(&new.made))
            .collect::<Vec<String>>()
    };
    let numbers = |of: fn(&Adjustment) -> i64| {
        adjustments
            .iter()
            .map(|(new, _)| of(&new.made))
            .collect::<Vec<i64>>()
    };
    let keys: Vec<Option<String>> = adjustments
        .iter()
        .map(|(new, _)| new.key.as_ref().map(|key| key.as_str().to_owned()))
        .collect();
    let places: Vec<i64> = adjustments.iter().map(|(_, place)| *place).collect();
    let params = params![
        texts(|made| made.customer_id.to_string()),
        numbers(Adjustment::by_minor),
        texts(|made| made.after.currency().code().to_owned()),
        numbers(|made| made.after.minor()),
        texts(|made| text::encode(made.reason.as_str()).into_owned()),
        numbers(|made| made.at.unix_millis()),
        texts(|made| made.principal.as_str().to_owned()),
        places,
        keys,
    ];
    Flight::new(client, sql, params).await
}

/// The adjustment whose columns begin at `base`.
pub(crate) fn read(row: &Row, base: usize) -> Result<Adjustment, Untrue> {
    from_row(row, base).map_err(|cause| {
        let seq = row.try_get::<_, i64>(base).unwrap_or(-1);
        Untrue::new(TABLE, seq, cause)
    })
}

fn from_row(row: &Row, base: usize) -> Result<Adjustment, Box<dyn Error + Send + Sync>> {
    let currency = Currency::new(row.try_get(base + 3)?)?;
    let (by, after): (i64, i64) = (row.try_get(base + 2)?, row.try_get(base + 4)?);
    Ok(Adjustment {
        customer_id: CustomerId::new(row.try_get(base + 1)?)?,
        before: Money::from_minor(after.saturating_sub(by), currency)?,
        after: Money::from_minor(after, currency)?,
        reason: Reason::new(&text::decode(row.try_get(base + 5)?)?)?,
        at: Timestamp::from_unix_millis(row.try_get(base + 6)?)?,
        principal: Principal::new(row.try_get(base + 7)?)?,
    })
}
