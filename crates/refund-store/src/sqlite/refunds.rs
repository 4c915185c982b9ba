//! The SQL of table `refunds`.

use std::error::Error;

use refund_domain::{
    Currency, CustomerId, IdempotencyKey, Money, Principal, Reason, Refund, RefundId, RefundPage,
    RefundPosition, RefundStatus, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::customers;
use super::error::SqlError;

const TABLE: &str = "refunds";

/// The columns of [`read`], in its order.
macro_rules! columns {
    () => {
        "seq, refund_id, customer_id, amount_minor, currency, reason, status, processed_at_ms,
         remaining_minor, principal, idempotency_key"
    };
}

/// The refund with this id.
pub(crate) fn by_id(conn: &Connection, id: RefundId) -> Result<Option<Refund>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        columns!(),
        " FROM refunds WHERE refund_id = ?1"
    ))?;
    let mut rows = statement.query([id.to_string()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(read(row)?.1))
}

/// A page of a customer's refunds, newest first; `None` where there is no such customer.
pub(crate) fn page(
    conn: &Connection,
    id: CustomerId,
    limit: u32,
    before: Option<RefundPosition>,
) -> Result<Option<RefundPage>, SqlError> {
    let Some(total) = customers::refund_count(conn, id)? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        columns!(),
        " FROM refunds WHERE customer_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"
    ))?;
    // No row has the greatest number: positions are given from 1 up.
    let before = before.map_or(i64::MAX.unsigned_abs(), RefundPosition::number);
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    // One row more tells whether there is a next page.
    let mut rows = statement.query(params![id.to_string(), before, i64::from(limit) + 1])?;
    let mut refunds = Vec::new();
    let mut last = None;
    let mut next = None;
    while let Some(row) = rows.next()? {
        let (position, refund) = read(row)?;
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

/// Adds a refund as the newest.
pub(crate) fn insert(conn: &Connection, refund: &Refund) -> Result<(), SqlError> {
    insert_at(conn, refund, None, None)
}

/// Adds a refund that an import brought: at its place in the sequence, and with the import's audit
/// row.
pub(crate) fn insert_at(
    conn: &Connection,
    refund: &Refund,
    seq: Option<i64>,
    import_seq: Option<i64>,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO refunds (refund_id, customer_id, amount_minor, currency, reason, status,
                 processed_at_ms, remaining_minor, principal, idempotency_key, seq, import_seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            refund.id.to_string(),
            refund.customer_id.to_string(),
            refund.amount.minor(),
            refund.amount.currency().code(),
            refund.reason.as_str(),
            refund.status.as_str(),
            refund.processed_at.unix_millis(),
            refund.remaining_refundable_balance.minor(),
            refund.principal.as_str(),
            refund.idempotency_key.as_ref().map(IdempotencyKey::as_str),
            seq,
            import_seq,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, refund.id, "it was not inserted"))
    }
}

/// Every refund, the oldest first.
pub(crate) const EVERY: &str = concat!("SELECT ", columns!(), " FROM refunds ORDER BY seq");

/// Every refund, the oldest first, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(Refund) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?.1)?;
    }
    Ok(())
}

/// The place of the next refund, for as long as the caller holds the write lock.
pub(crate) fn next_seq(conn: &Connection) -> Result<i64, SqlError> {
    let sql = "SELECT coalesce(max(seq), 0) + 1 FROM refunds";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}

/// Whether there is a refund with this id.
pub(crate) fn exists(conn: &Connection, id: RefundId) -> Result<bool, SqlError> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM refunds WHERE refund_id = ?1")?
        .exists([id.to_string()])?)
}

/// The audit row of the import that brought a refund; `None` if it was made here.
pub(crate) fn import_seq(conn: &Connection, id: RefundId) -> Result<Option<i64>, SqlError> {
    Ok(conn
        .prepare_cached("SELECT import_seq FROM refunds WHERE refund_id = ?1")?
        .query_row([id.to_string()], |row| row.get(0))?)
}

/// The refund that has a principal's key.
pub(crate) fn owner_of_key(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<String>, SqlError> {
    Ok(conn
        .prepare_cached(
            "SELECT refund_id FROM refunds WHERE principal = ?1 AND idempotency_key = ?2",
        )?
        .query_row([principal.as_str(), key.as_str()], |row| row.get(0))
        .optional()?)
}

pub(crate) fn read(row: &Row<'_>) -> Result<(RefundPosition, Refund), SqlError> {
    let seq: i64 = row.get(0)?;
    let refund = from_row(row).map_err(|cause| SqlError::untrue(TABLE, seq, cause))?;
    let position = u64::try_from(seq)
        .ok()
        .and_then(RefundPosition::from_number)
        .ok_or_else(|| SqlError::untrue(TABLE, seq, "its number is negative"))?;
    Ok((position, refund))
}

fn from_row(row: &Row<'_>) -> Result<Refund, Box<dyn Error + Send + Sync>> {
    let currency = Currency::new(row.get_ref(4)?.as_str()?)?;
    Ok(Refund {
        id: RefundId::new(row.get_ref(1)?.as_str()?)?,
        customer_id: CustomerId::new(row.get_ref(2)?.as_str()?)?,
        amount: Money::from_minor(row.get(3)?, currency)?,
        reason: Reason::new(row.get_ref(5)?.as_str()?)?,
        status: RefundStatus::from_word(row.get_ref(6)?.as_str()?)
            .ok_or("its status is not a status")?,
        processed_at: Timestamp::from_unix_millis(row.get(7)?)?,
        remaining_refundable_balance: Money::from_minor(row.get(8)?, currency)?,
        principal: Principal::new(row.get_ref(9)?.as_str()?)?,
        idempotency_key: row
            .get_ref(10)?
            .as_str_or_null()?
            .map(IdempotencyKey::new)
            .transpose()?,
    })
}
