//! The SQL of table `returns`.

use std::error::Error;

use deadpool_postgres::ClientWrapper;
use refund_domain::{
    IdempotencyKey, OrderId, OrderReturn, Principal, ReturnId, ReturnReason, Timestamp,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::{SqlError, Untrue};
use super::flight::{Flight, params};
use super::text;

const TABLE: &str = "returns";

/// The columns of [`read`], in its order, of a table named `t`.
macro_rules! columns {
    () => {
        "t.seq, t.return_id, t.order_id, t.reason, t.processed_at_ms"
    };
}
pub(crate) use columns;

/// How many columns those are.
pub(crate) const COLUMNS: usize = 5;

/// A return that a principal made, with a key or without.
#[derive(Debug, Clone)]
pub(crate) struct NewReturn {
    pub(crate) made: OrderReturn,
    pub(crate) principal: Principal,
    pub(crate) key: Option<IdempotencyKey>,
}

/// Adds returns in this order.
pub(crate) async fn insert(
    client: &ClientWrapper,
    returns: &[NewReturn],
) -> Result<Flight, SqlError> {
    if returns.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "INSERT INTO returns (return_id, order_id, reason, processed_at_ms, principal,
             idempotency_key)
         SELECT return_id, order_id, reason, processed_at_ms, principal, idempotency_key
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::text[])
             WITH ORDINALITY
             AS w (return_id, order_id, reason, processed_at_ms, principal, idempotency_key, place)
         ORDER BY w.place";
    let texts = |of: fn(&NewReturn) -> String| returns.iter().map(of).collect::<Vec<String>>();
    let ids: Vec<Uuid> = returns.iter().map(|new| new.made.id.as_uuid()).collect();
    let times: Vec<i64> = returns
        .iter()
        .map(|new| new.made.processed_at.unix_millis())
        .collect();
    let keys: Vec<Option<String>> = returns
        .iter()
        .map(|new| new.key.as_ref().map(|key| key.as_str().to_owned()))
        .collect();
    let params = params![
        ids,
        texts(|new| text::encode(new.made.order_id.as_str()).into_owned()),
        texts(|new| text::encode(new.made.reason.as_str()).into_owned()),
        times,
        texts(|new| new.principal.as_str().to_owned()),
        keys,
    ];
    Flight::new(client, sql, params).await
}

/// The return whose columns begin at `base`.
pub(crate) fn read(row: &Row, base: usize) -> Result<OrderReturn, Untrue> {
    from_row(row, base).map_err(|cause| {
        let seq = row.try_get::<_, i64>(base).unwrap_or(-1);
        Untrue::new(TABLE, seq, cause)
    })
}

fn from_row(row: &Row, base: usize) -> Result<OrderReturn, Box<dyn Error + Send + Sync>> {
    Ok(OrderReturn {
        id: ReturnId::from_uuid(row.try_get(base + 1)?),
        order_id: OrderId::new(&text::decode(row.try_get(base + 2)?)?)?,
        reason: ReturnReason::new(&text::decode(row.try_get(base + 3)?)?)?,
        processed_at: Timestamp::from_unix_millis(row.try_get(base + 4)?)?,
    })
}
