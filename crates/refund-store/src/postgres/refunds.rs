//! The SQL of table `refunds`.

use std::error::Error;

use deadpool_postgres::ClientWrapper;
use refund_domain::{
    Currency, CustomerId, IdempotencyKey, Money, Principal, Reason, Refund, RefundId, RefundPage,
    RefundPosition, RefundStatus, Timestamp,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::{SqlError, Untrue, untrue};
use super::flight::{Flight, params};
use super::text;

const TABLE: &str = "refunds";

/// The columns of [`read`], in its order, of a table named `r`.
macro_rules! columns {
    () => {
        "r.seq, r.refund_id, r.customer_id, r.amount_minor, r.currency, r.reason, r.status,
         r.processed_at_ms, r.remaining_minor, r.principal, r.idempotency_key"
    };
}
pub(crate) use columns;

/// The refund with this id.
pub(crate) async fn by_id(
    client: &ClientWrapper,
    id: RefundId,
) -> Result<Option<Refund>, SqlError> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        " FROM refunds r WHERE r.refund_id = $1"
    );
    let found = Flight::new(client, sql, params![id.as_uuid()]).await?;
    let rows = found.rows(client).await?;
    Ok(rows
        .first()
        .map(|row| read(row, 0))
        .transpose()?
        .map(|(_, refund)| refund))
}

/// A page of a customer's refunds, newest first; `None` where there is no such customer.
pub(crate) async fn page(
    client: &ClientWrapper,
    id: CustomerId,
    limit: u32,
    before: Option<RefundPosition>,
) -> Result<Option<RefundPage>, SqlError> {
    // One statement, one snapshot; a customer without refunds is one row of nothing but the count.
    let sql = concat!(
        "SELECT c.refund_count, r.* FROM customers c
         LEFT JOIN LATERAL (SELECT ",
        columns!(),
        " FROM refunds r WHERE r.customer_id = c.customer_id AND r.seq < $2
              ORDER BY r.seq DESC LIMIT $3) r ON true
         WHERE c.customer_id = $1 ORDER BY r.seq DESC"
    );
    // No row has the greatest number: positions are given from 1 up.
    let before = before.map_or(i64::MAX.unsigned_abs(), RefundPosition::number);
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    // One row more tells whether there is a next page.
    let params = params![id.to_string(), before, i64::from(limit) + 1];
    let rows = Flight::new(client, sql, params).await?.rows(client).await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let total = u64::try_from(first.try_get::<_, i64>(0)?)
        .map_err(|cause| untrue("customers", id, cause))?;
    let mut refunds = Vec::new();
    let mut last = None;
    let mut next = None;
    for row in &rows {
        if row.try_get::<_, Option<i64>>(1)?.is_none() {
            break;
        }
        let (position, refund) = read(row, 1)?;
        if refunds.len() == limit as usize {
            next = last;
            break;
        }
        refunds.push(refund);
        last = Some(position);
    }
    Ok(Some(RefundPage {
        total,
        refunds,
        next,
    }))
}

/// Adds refunds as the newest, in this order.
pub(crate) async fn insert(client: &ClientWrapper, refunds: &[Refund]) -> Result<Flight, SqlError> {
    if refunds.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "INSERT INTO refunds (refund_id, customer_id, amount_minor, currency, reason, status,
             processed_at_ms, remaining_minor, principal, idempotency_key)
         SELECT refund_id, customer_id, amount_minor, currency, reason, status,
             processed_at_ms, remaining_minor, principal, idempotency_key
         FROM unnest($1::uuid[], $2::text[], $3::int8[], $4::text[], $5::text[], $6::text[],
                 $7::int8[], $8::int8[], $9::text[], $10::text[]) WITH ORDINALITY
             AS w (refund_id, customer_id, amount_minor, currency, reason, status,
                 processed_at_ms, remaining_minor, principal, idempotency_key, place)
         ORDER BY w.place";
    let texts = |of: fn(&Refund) -> String| refunds.iter().map(of).collect::<Vec<String>>();
    let numbers = |of: fn(&Refund) -> i64| refunds.iter().map(of).collect::<Vec<i64>>();
    let ids: Vec<Uuid> = refunds.iter().map(|refund| refund.id.as_uuid()).collect();
    let keys: Vec<Option<String>> = refunds
        .iter()
        .map(|refund| {
            refund
                .idempotency_key
                .as_ref()
                .map(|key| key.as_str().to_owned())
        })
        .collect();
    let params = params![
        ids,
        texts(|refund| refund.customer_id.to_string()),
        numbers(|refund| refund.amount.minor()),
        texts(|refund| refund.amount.currency().code().to_owned()),
        texts(|refund| text::encode(refund.reason.as_str()).into_owned()),
        texts(|refund| refund.status.as_str().to_owned()),
        numbers(|refund| refund.processed_at.unix_millis()),
        numbers(|refund| refund.remaining_refundable_balance.minor()),
        texts(|refund| refund.principal.as_str().to_owned()),
        keys,
    ];
    Flight::new(client, sql, params).await
}

/// The refund whose columns begin at `base`, and its place in the sequence.
pub(crate) fn read(row: &Row, base: usize) -> Result<(RefundPosition, Refund), Untrue> {
    let seq = row.try_get::<_, i64>(base).unwrap_or(-1);
    let refund = from_row(row, base).map_err(|cause| Untrue::new(TABLE, seq, cause))?;
    let position = u64::try_from(seq)
        .ok()
        .and_then(RefundPosition::from_number)
        .ok_or_else(|| Untrue::new(TABLE, seq, "its number is negative"))?;
    Ok((position, refund))
}

fn from_row(row: &Row, base: usize) -> Result<Refund, Box<dyn Error + Send + Sync>> {
    let of = |column: usize| row.try_get::<_, &str>(base + column);
    let currency = Currency::new(of(4)?)?;
    let key: Option<&str> = row.try_get(base + 10)?;
    Ok(Refund {
        id: RefundId::from_uuid(row.try_get(base + 1)?),
        customer_id: CustomerId::new(of(2)?)?,
        amount: Money::from_minor(row.try_get(base + 3)?, currency)?,
        reason: Reason::new(&text::decode(of(5)?)?)?,
        status: RefundStatus::from_word(of(6)?).ok_or("its status is not a status")?,
        processed_at: Timestamp::from_unix_millis(row.try_get(base + 7)?)?,
        remaining_refundable_balance: Money::from_minor(row.try_get(base + 8)?, currency)?,
        principal: Principal::new(of(9)?)?,
        idempotency_key: key.map(IdempotencyKey::new).transpose()?,
    })
}
