//! The SQL of table `returns`.

use std::error::Error;

use refund_domain::returns::TOOL;
use refund_domain::{
    IdempotencyKey, OrderId, OrderReturn, Principal, ReturnId, ReturnReason, Timestamp,
};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;
use super::{idempotency_keys, outbox};
use crate::transfer::ReturnRecord;

const TABLE: &str = "returns";

/// The columns of [`read`], in its order.
macro_rules! select {
    () => {
        "SELECT seq, return_id, order_id, reason, processed_at_ms, principal, idempotency_key,
             import_seq
         FROM returns "
    };
}

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
    insert_by(conn, made, (Some(principal), key), None)
}

/// Adds a return that was made elsewhere, with the message about it, which is not sent, and its key.
pub(crate) fn insert_imported(
    conn: &Connection,
    record: &ReturnRecord,
    import_seq: i64,
) -> Result<(), SqlError> {
    let made = &record.made;
    let principal = record.principal.as_ref();
    let key = record.idempotency_key.as_ref();
    insert_by(conn, made, (principal, key), Some(import_seq))?;
    if let Some(message) = &record.message {
        outbox::insert_imported(conn, made.id, message)?;
    }
    if let (Some(principal), Some(key)) = (principal, key) {
        idempotency_keys::claim(conn, (principal, key), TOOL, None, made.processed_at)?;
    }
    Ok(())
}

/// A return that is there, and the audit row of the import that brought it.
pub(crate) struct There {
    pub(crate) record: ReturnRecord,
    pub(crate) import_seq: Option<i64>,
}

/// The return with this id, and that of this order.
pub(crate) fn alike(conn: &Connection, made: &OrderReturn) -> Result<[Option<There>; 2], SqlError> {
    let one = |sql: &str, value: &str| -> Result<Option<There>, SqlError> {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query([value])?;
        rows.next()?.map(|row| read(conn, row)).transpose()
    };
    Ok([
        one(
            concat!(select!(), "WHERE return_id = ?1"),
            &made.id.to_string(),
        )?,
        one(
            concat!(select!(), "WHERE order_id = ?1"),
            made.order_id.as_str(),
        )?,
    ])
}

/// Every return, the oldest first.
pub(crate) const EVERY: &str = concat!(select!(), "ORDER BY seq");

/// Every return, the oldest first, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(ReturnRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(conn, row)?.record)?;
    }
    Ok(())
}

pub(crate) fn read(conn: &Connection, row: &Row<'_>) -> Result<There, SqlError> {
    let seq: i64 = row.get(0)?;
    let untrue = |cause| SqlError::untrue(TABLE, seq, cause);
    let made = from_row(row).map_err(untrue)?;
    let (principal, idempotency_key) = owner(row).map_err(untrue)?;
    Ok(There {
        record: ReturnRecord {
            message: outbox::record_of(conn, made.id)?,
            made,
            principal,
            idempotency_key,
        },
        import_seq: row.get(7)?,
    })
}

type Owner = (Option<Principal>, Option<IdempotencyKey>);

fn owner(row: &Row<'_>) -> Result<Owner, Box<dyn Error + Send + Sync>> {
    let principal = row.get_ref(5)?.as_str_or_null()?;
    let key = row.get_ref(6)?.as_str_or_null()?;
    Ok((
        principal.map(Principal::new).transpose()?,
        key.map(IdempotencyKey::new).transpose()?,
    ))
}

fn insert_by(
    conn: &Connection,
    made: &OrderReturn,
    (principal, key): (Option<&Principal>, Option<&IdempotencyKey>),
    import_seq: Option<i64>,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO returns (return_id, order_id, reason, processed_at_ms, principal,
                 idempotency_key, import_seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            made.id.to_string(),
            made.order_id.as_str(),
            made.reason.as_str(),
            made.processed_at.unix_millis(),
            principal.map(Principal::as_str),
            key.map(IdempotencyKey::as_str),
            import_seq,
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
