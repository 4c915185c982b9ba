//! The SQL of table `warranties`.

use refund_domain::warranty::{SerialNumber, TierName, Warranty};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;
use crate::rows::{self, warranty_columns};
use crate::transfer::WarrantyRecord;

const TABLE: &str = "warranties";
/// How a row is called in an error: a serial number is a customer's affair.
const ROW: &str = "of a unit";

macro_rules! select {
    () => {
        concat!("SELECT ", warranty_columns!(), " FROM warranties ")
    };
}

/// The warranties of a unit, by their first days, plans and tiers.
pub(crate) fn of(conn: &Connection, serial: &SerialNumber) -> Result<Vec<Warranty>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        select!(),
        "WHERE serial_number = ?1 ORDER BY start_date, plan_name, tier"
    ))?;
    let mut rows = statement.query([serial.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?.warranty);
    }
    Ok(found)
}

/// The warranty of the same unit, plan, tier and first day. It is the same warranty, whatever else has
/// become of it: an end that moved, or a revocation.
pub(crate) fn same(
    conn: &Connection,
    record: &WarrantyRecord,
) -> Result<Option<WarrantyRecord>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        select!(),
        "WHERE serial_number = ?1 AND start_date = ?2 AND plan_name = ?3 AND tier = ?4"
    ))?;
    let warranty = &record.warranty;
    let mut rows = statement.query(params![
        record.serial.as_str(),
        warranty.period.start().to_string(),
        warranty.plan.as_str(),
        warranty.tier.as_str(),
    ])?;
    rows.next()?.map(read).transpose()
}

/// The tiers that warranties name, each once, by name.
pub(crate) fn tiers(conn: &Connection) -> Result<Vec<TierName>, SqlError> {
    // Sorted here: SQLite would sort a row for each warranty, in memory.
    let mut statement = conn.prepare_cached("SELECT DISTINCT tier FROM warranties")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        found.push(TierName::new(&name).map_err(|cause| SqlError::untrue(TABLE, ROW, cause))?);
    }
    found.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    Ok(found)
}

/// Adds a warranty.
pub(crate) fn insert(conn: &Connection, record: &WarrantyRecord) -> Result<(), SqlError> {
    let sql =
        "INSERT INTO warranties (serial_number, start_date, plan_name, tier, end_date, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    save(conn, sql, record)
}

/// Changes the last day of a warranty, and whether it counts.
pub(crate) fn update(conn: &Connection, record: &WarrantyRecord) -> Result<(), SqlError> {
    let sql = "UPDATE warranties SET end_date = ?5, active = ?6
         WHERE serial_number = ?1 AND start_date = ?2 AND plan_name = ?3 AND tier = ?4";
    save(conn, sql, record)
}

fn save(conn: &Connection, sql: &str, record: &WarrantyRecord) -> Result<(), SqlError> {
    let warranty = &record.warranty;
    let saved = conn.prepare_cached(sql)?.execute(params![
        record.serial.as_str(),
        warranty.period.start().to_string(),
        warranty.plan.as_str(),
        warranty.tier.as_str(),
        warranty.period.end().to_string(),
        warranty.active,
    ])?;
    if saved == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, ROW, "it was not saved"))
    }
}

/// Every warranty, by serial number.
pub(crate) const EVERY: &str = concat!(
    select!(),
    "ORDER BY serial_number, start_date, plan_name, tier"
);

/// Every warranty, by serial number, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(WarrantyRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row<'_>) -> Result<WarrantyRecord, SqlError> {
    rows::warranty(row).map_err(|cause| SqlError::untrue(TABLE, ROW, cause))
}
