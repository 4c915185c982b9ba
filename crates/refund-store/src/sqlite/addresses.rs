//! The SQL of table `addresses`.

use refund_domain::CustomerId;
use refund_domain::warranty::{Address, AddressLine};
use rusqlite::{Connection, Row, params};

use super::customers;
use super::error::SqlError;
use crate::rows::{self, address_columns};
use crate::transfer::AddressRecord;

const TABLE: &str = "addresses";

/// As [`read`] reads them; the last column is the row's own number.
macro_rules! select {
    () => {
        concat!("SELECT ", address_columns!(), ", seq FROM addresses ")
    };
}

/// The addresses of a customer in the order in which they were added; `None` where there is no such
/// customer.
pub(crate) fn of(conn: &Connection, id: CustomerId) -> Result<Option<Vec<Address>>, SqlError> {
    let mut statement =
        conn.prepare_cached(concat!(select!(), "WHERE customer_id = ?1 ORDER BY seq"))?;
    let mut rows = statement.query([id.to_string()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?.1.address);
    }
    if found.is_empty() && customers::by_id(conn, id)?.is_none() {
        return Ok(None);
    }
    Ok(Some(found))
}

/// How many addresses each customer has, in the order of the ids.
pub(crate) fn counts(conn: &Connection, ids: &[CustomerId]) -> Result<Vec<u32>, SqlError> {
    let mut statement =
        conn.prepare_cached("SELECT count(*) FROM addresses WHERE customer_id = ?1")?;
    ids.iter()
        .map(|id| Ok(statement.query_row([id.to_string()], |row| row.get(0))?))
        .collect()
}

/// The customer's address with the same lines, and its row's number. It is the same address, whatever
/// it is called.
pub(crate) fn same(
    conn: &Connection,
    record: &AddressRecord,
) -> Result<Option<(i64, AddressRecord)>, SqlError> {
    let address = &record.address;
    let line = |line: &Option<AddressLine>| {
        let text = line.as_ref().map_or("", AddressLine::as_str);
        text.to_owned()
    };
    let mut statement = conn.prepare_cached(concat!(
        select!(),
        "WHERE customer_id = ?1 AND line1 = ?2 AND coalesce(line2, '') = ?3
             AND coalesce(line3, '') = ?4 AND city = ?5 AND coalesce(state_or_province, '') = ?6
             AND postal_code = ?7 AND country_code = ?8"
    ))?;
    let mut rows = statement.query(params![
        record.customer_id.to_string(),
        address.line1.as_str(),
        line(&address.line2),
        line(&address.line3),
        address.city.as_str(),
        line(&address.state_or_province),
        address.postal_code.as_str(),
        address.country_code.as_str(),
    ])?;
    rows.next()?.map(read).transpose()
}

/// The customer's default address, and its row's number.
pub(crate) fn default_of(
    conn: &Connection,
    id: CustomerId,
) -> Result<Option<(i64, AddressRecord)>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        select!(),
        "WHERE customer_id = ?1 AND is_default = 1"
    ))?;
    let mut rows = statement.query([id.to_string()])?;
    rows.next()?.map(read).transpose()
}

/// Adds an address.
pub(crate) fn insert(conn: &Connection, record: &AddressRecord) -> Result<(), SqlError> {
    let (id, address) = (record.customer_id, &record.address);
    let text = |line: &Option<AddressLine>| line.as_ref().map(|line| line.as_str().to_owned());
    let inserted = conn
        .prepare_cached(
            "INSERT INTO addresses (customer_id, label, line1, line2, line3, city,
                 state_or_province, postal_code, country_code, is_default)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id.to_string(),
            text(&address.label),
            address.line1.as_str(),
            text(&address.line2),
            text(&address.line3),
            address.city.as_str(),
            text(&address.state_or_province),
            address.postal_code.as_str(),
            address.country_code.as_str(),
            address.is_default,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, id, "it was not inserted"))
    }
}

/// Changes what an address is called, and whether it is the default.
pub(crate) fn update(conn: &Connection, seq: i64, record: &AddressRecord) -> Result<(), SqlError> {
    let label = record.address.label.as_ref().map(AddressLine::as_str);
    let changed = conn
        .prepare_cached("UPDATE addresses SET label = ?2, is_default = ?3 WHERE seq = ?1")?
        .execute(params![seq, label, record.address.is_default])?;
    if changed == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(
            TABLE,
            record.customer_id,
            "it was not updated",
        ))
    }
}

/// Every address, by customer and in the order in which they were added.
pub(crate) const EVERY: &str = concat!(select!(), "ORDER BY customer_id, seq");

/// Every address, by customer and in the order in which they were added, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(AddressRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?.1)?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row<'_>) -> Result<(i64, AddressRecord), SqlError> {
    let id: String = row.get(0)?;
    let record = rows::address(row).map_err(|cause| SqlError::untrue(TABLE, id, cause))?;
    Ok((row.get(10)?, record))
}
