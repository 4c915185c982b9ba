//! The SQL of table `open_returns`.

use std::collections::HashMap;

use refund_domain::Sku;
use refund_domain::warranty::{OpenReturn, RmaNumber, SerialNumber};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;
use crate::rows::{self, open_return_columns};
use crate::transfer::OpenReturnRecord;

const TABLE: &str = "open_returns";

macro_rules! select {
    () => {
        concat!("SELECT ", open_return_columns!(), " FROM open_returns ")
    };
}

/// The open returns of a unit, the oldest first, those of one instant by number.
pub(crate) fn of(conn: &Connection, serial: &SerialNumber) -> Result<Vec<OpenReturn>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        select!(),
        "WHERE serial_number = ?1 ORDER BY created_at_ms, rma_number"
    ))?;
    let mut rows = statement.query([serial.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?.open_return);
    }
    Ok(found)
}

/// How many units of each product have an open return; products without one are left out. Begins with
/// the open returns, of which there are far fewer than units.
pub(crate) fn units_by_product(conn: &Connection) -> Result<HashMap<String, u64>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT d.sku, count(*)
         FROM (SELECT DISTINCT serial_number FROM open_returns) o
             CROSS JOIN devices d ON d.serial_number = o.serial_number
         GROUP BY d.sku",
    )?;
    let mut rows = statement.query([])?;
    let mut counts = HashMap::new();
    while let Some(row) = rows.next()? {
        let count: i64 = row.get(1)?;
        counts.insert(row.get(0)?, count.unsigned_abs());
    }
    Ok(counts)
}

/// How many units of a product have an open return. Begins with the units.
pub(crate) fn units_of_product(conn: &Connection, sku: &Sku) -> Result<u64, SqlError> {
    let count: i64 = conn
        .prepare_cached(
            "SELECT count(*) FROM devices d WHERE d.sku = ?1
             AND EXISTS (SELECT 1 FROM open_returns o WHERE o.serial_number = d.serial_number)",
        )?
        .query_row([sku.as_str()], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// How many open returns there are.
pub(crate) fn count(conn: &Connection) -> Result<u64, SqlError> {
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM open_returns")?
        .query_row([], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// The open return with this number.
pub(crate) fn by_number(
    conn: &Connection,
    number: &RmaNumber,
) -> Result<Option<OpenReturnRecord>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(select!(), "WHERE rma_number = ?1"))?;
    let mut rows = statement.query([number.as_str()])?;
    rows.next()?.map(read).transpose()
}

/// Adds an open return.
pub(crate) fn insert(conn: &Connection, record: &OpenReturnRecord) -> Result<(), SqlError> {
    let sql = "INSERT INTO open_returns (rma_number, serial_number, status, created_at_ms)
         VALUES (?1, ?2, ?3, ?4)";
    save(conn, sql, record)
}

/// Changes everything but the number and the unit.
pub(crate) fn update(conn: &Connection, record: &OpenReturnRecord) -> Result<(), SqlError> {
    let sql = "UPDATE open_returns SET status = ?3, created_at_ms = ?4
         WHERE rma_number = ?1 AND serial_number = ?2";
    save(conn, sql, record)
}

fn save(conn: &Connection, sql: &str, record: &OpenReturnRecord) -> Result<(), SqlError> {
    let open = &record.open_return;
    let saved = conn.prepare_cached(sql)?.execute(params![
        open.rma_number.as_str(),
        record.serial.as_str(),
        open.status.as_str(),
        open.created_at.unix_millis(),
    ])?;
    if saved == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(
            TABLE,
            &open.rma_number,
            "it was not saved",
        ))
    }
}

/// Every open return, by number.
pub(crate) const EVERY: &str = concat!(select!(), "ORDER BY rma_number");

/// Every open return, by number, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(OpenReturnRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row<'_>) -> Result<OpenReturnRecord, SqlError> {
    let number: String = row.get(0)?;
    rows::open_return(row).map_err(|cause| SqlError::untrue(TABLE, number, cause))
}
