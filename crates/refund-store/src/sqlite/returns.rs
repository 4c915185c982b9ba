//! The SQL of table `returns`.

use std::error::Error;

use refund_domain::{
    IdempotencyKey, OrderId, OrderReturn, Principal, ReturnId, ReturnReason, Timestamp,
};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;

const TABLE: &str = "returns";

/// The return that this principal made with this key.
pub(crate) fn by_key(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<OrderReturn>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, return_id, order_id, reason, processed_at_ms FROM returns
         WHERE principal = ?1 AND idempotency_key = ?2",
    )?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    match rows.next()? {
        Some(row) => {
            let seq: i64 = row.get(0)?;
            let found = from_row(row).map_err(|cause| SqlError::untrue(TABLE, seq, cause))?;
            Ok(Some(found))
        }
        None => Ok(None),
    }
}

/// Adds a return that this principal made, with a key or without.
pub(crate) fn insert(
    conn: &Connection,
    made: &OrderReturn,
    principal: &Principal,
    key: Option<&IdempotencyKey>,
) -> Result<(), SqlError> {
    insert_by(conn, made, Some(principal), key)
}

/// Adds a return that was made elsewhere.
pub(crate) fn insert_imported(conn: &Connection, made: &OrderReturn) -> Result<(), SqlError> {
    insert_by(conn, made, None, None)
}

/// The return with this id, and that of this order.
pub(crate) fn alike(
    conn: &Connection,
    made: &OrderReturn,
) -> Result<[Option<OrderReturn>; 2], SqlError> {
    let one = |sql: &str, value: &str| -> Result<Option<OrderReturn>, SqlError> {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query([value])?;
        rows.next()?.map(read).transpose()
    };
    let by_id = "SELECT seq, return_id, order_id, reason, processed_at_ms FROM returns
         WHERE return_id = ?1";
    let by_order = "SELECT seq, return_id, order_id, reason, processed_at_ms FROM returns
         WHERE order_id = ?1";
    Ok([
        one(by_id, &made.id.to_string())?,
        one(by_order, made.order_id.as_str())?,
    ])
}

/// Every return, the oldest first, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(OrderReturn) -> Result<(), E>,
) -> Result<(), E> {
    let sql = "SELECT seq, return_id, order_id, reason, processed_at_ms FROM returns ORDER BY seq";
    let mut statement = conn.prepare(sql).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<OrderReturn, SqlError> {
    let seq: i64 = row.get(0)?;
    from_row(row).map_err(|cause| SqlError::untrue(TABLE, seq, cause))
}

fn insert_by(
    conn: &Connection,
    made: &OrderReturn,
    principal: Option<&Principal>,
    key: Option<&IdempotencyKey>,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO returns (return_id, order_id, reason, processed_at_ms, principal,
                 idempotency_key)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            made.id.to_string(),
            made.order_id.as_str(),
            made.reason.as_str(),
            made.processed_at.unix_millis(),
            principal.map(Principal::as_str),
            key.map(IdempotencyKey::as_str),
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, made.id, "it was not inserted"))
    }
}

fn from_row(row: &Row<'_>) -> Result<OrderReturn, Box<dyn Error + Send + Sync>> {
    Ok(OrderReturn {
        id: ReturnId::new(row.get_ref(1)?.as_str()?)?,
        order_id: OrderId::new(row.get_ref(2)?.as_str()?)?,
        reason: ReturnReason::new(row.get_ref(3)?.as_str()?)?,
        processed_at: Timestamp::from_unix_millis(row.get(4)?)?,
    })
}
