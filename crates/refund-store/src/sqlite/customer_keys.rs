//! The SQL of table `customer_keys`, and of the other ways to find customers.

use std::collections::BTreeSet;

use refund_domain::warranty::{PhoneProbe, TextProbe, search_keys};
use refund_domain::{Customer, CustomerId, EmailAddress, ExternalId, PersonName};
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::customers;
use super::error::SqlError;

const TABLE: &str = "customer_keys";

/// Indexes the name of a customer that has none indexed.
pub(crate) fn insert(conn: &Connection, id: CustomerId, name: &PersonName) -> Result<(), SqlError> {
    let sql = "INSERT INTO customer_keys (key, number) VALUES (?1, ?2)";
    each_key(conn, sql, id, name)
}

/// Takes the keys of a name away.
pub(crate) fn remove(conn: &Connection, id: CustomerId, name: &PersonName) -> Result<(), SqlError> {
    let sql = "DELETE FROM customer_keys WHERE key = ?1 AND number = ?2";
    each_key(conn, sql, id, name)
}

fn each_key(
    conn: &Connection,
    sql: &str,
    id: CustomerId,
    name: &PersonName,
) -> Result<(), SqlError> {
    let mut statement = conn.prepare_cached(sql)?;
    for key in search_keys(name.as_str()) {
        if statement.execute(params![key, id.number()])? != 1 {
            let cause = "the keys of its name are not those that it should have";
            return Err(SqlError::untrue(TABLE, id, cause));
        }
    }
    Ok(())
}

/// At most `limit` customers whose name the probe finds.
pub(crate) fn named(
    conn: &Connection,
    probe: &TextProbe,
    limit: u32,
) -> Result<Vec<Customer>, SqlError> {
    let mut numbers = Numbers::new(limit);
    for key in probe.keys() {
        let sql = "SELECT number FROM customer_keys WHERE key = ?1 ORDER BY number LIMIT ?2";
        numbers.add(conn, sql, &[key, &limit])?;
    }
    let (from, below) = probe.squash_range();
    let sql =
        "SELECT number FROM customers WHERE name_squashed >= ?1 AND name_squashed < ?2 LIMIT ?3";
    numbers.add(conn, sql, &[&from, &below, &limit])?;
    numbers.customers(conn)
}

/// At most `limit` customers whose telephone number the probe finds.
pub(crate) fn with_phone(
    conn: &Connection,
    probe: &PhoneProbe,
    limit: u32,
) -> Result<Vec<Customer>, SqlError> {
    let mut numbers = Numbers::new(limit);
    for key in probe.shorter() {
        let sql = "SELECT number FROM customers WHERE phone_key = ?1 LIMIT ?2";
        numbers.add(conn, sql, &[&key.as_str(), &limit])?;
    }
    let (from, below) = probe.key_range();
    let sql = "SELECT number FROM customers WHERE phone_key >= ?1 AND phone_key < ?2 LIMIT ?3";
    numbers.add(conn, sql, &[&from, &below, &limit])?;
    numbers.customers(conn)
}

/// The customer with this address.
pub(crate) fn with_email(
    conn: &Connection,
    email: &EmailAddress,
) -> Result<Option<Customer>, SqlError> {
    customers::by_email(conn, email)
}

/// The customer with this number in another system, to the letter.
pub(crate) fn with_external_id(
    conn: &Connection,
    id: &ExternalId,
) -> Result<Option<Customer>, SqlError> {
    let number: Option<u32> = conn
        .prepare_cached("SELECT number FROM customers WHERE external_id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    number.map(|number| customer(conn, number)).transpose()
}

fn customer(conn: &Connection, number: u32) -> Result<Customer, SqlError> {
    let untrue = |cause: &'static str| SqlError::untrue("customers", number, cause);
    let id = CustomerId::new(&format!("CUST-{number:05}"))
        .map_err(|_| untrue("its number is not one of a customer"))?;
    customers::by_id(conn, id)?.ok_or_else(|| untrue("it is in an index alone"))
}

/// Numbers of customers that several queries find, each once, no more than are wanted.
struct Numbers {
    found: BTreeSet<u32>,
    limit: usize,
}

impl Numbers {
    fn new(limit: u32) -> Self {
        Self {
            found: BTreeSet::new(),
            limit: limit as usize,
        }
    }

    fn add(&mut self, conn: &Connection, sql: &str, values: &[&dyn ToSql]) -> Result<(), SqlError> {
        if self.found.len() >= self.limit {
            return Ok(());
        }
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            self.found.insert(row.get(0)?);
        }
        Ok(())
    }

    fn customers(self, conn: &Connection) -> Result<Vec<Customer>, SqlError> {
        self.found
            .into_iter()
            .take(self.limit)
            .map(|number| customer(conn, number))
            .collect()
    }
}
