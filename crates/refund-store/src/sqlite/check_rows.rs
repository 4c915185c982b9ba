//! Every row, read as the tools read it: a value that no row may hold is a finding.

use std::error::Error;

use refund_domain::{EmailAddress, IdempotencyKey, Principal, RefundId, Role, Timestamp, ToolName};
use rusqlite::{Connection, Row};
use serde::de::IgnoredAny;

use super::check::Findings;
use super::error::{SqlError, is_damage};
use super::{adjustments, customers, escalations, orders, products, refunds, returns};

/// Looks at the rows of one table, one after the other.
pub(crate) type Look = fn(&Connection) -> Result<Findings, SqlError>;

/// One for each table.
pub(crate) const TABLES: [Look; 11] = [
    |conn| rows(conn, customers::EVERY, customers::read_with_keys),
    |conn| rows(conn, products::EVERY, products::read),
    |conn| rows(conn, orders::EVERY, orders::read),
    |conn| rows(conn, refunds::EVERY, refunds::read),
    |conn| rows(conn, adjustments::EVERY, adjustments::read),
    |conn| rows(conn, KEYS, |row| checked("idempotency_keys", row, key)),
    |conn| rows(conn, returns::EVERY, |row| returns::read(conn, row)),
    |conn| rows(conn, MESSAGES, |row| checked("outbox", row, message)),
    |conn| rows(conn, escalations::EVERY, escalations::read),
    |conn| rows(conn, escalations::EVERY_TURN, escalations::turn_record),
    |conn| rows(conn, AUDIT, |row| checked("audit", row, audited)),
];

// The first column is what names the row in a finding.
const KEYS: &str = "SELECT key, principal, tool, refund_id, created_at_ms
     FROM idempotency_keys ORDER BY principal, key";
const MESSAGES: &str = "SELECT CAST(seq AS TEXT), recipient, subject, body, handed_over_at_ms,
         next_attempt_at_ms, delivered_at_ms, last_failure
     FROM outbox ORDER BY seq";
const AUDIT: &str =
    "SELECT CAST(seq AS TEXT), at_ms, principal, role, tool, arguments, outcome, trace
     FROM audit ORDER BY seq";

type Cause = Box<dyn Error + Send + Sync>;

/// Reads each row of a query; what cannot be read is a finding.
pub(crate) fn rows<T>(
    conn: &Connection,
    sql: &str,
    read: impl Fn(&Row<'_>) -> Result<T, SqlError>,
) -> Result<Findings, SqlError> {
    let mut found = Findings::default();
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match read(row) {
            Ok(_) => {}
            Err(SqlError::Driver(error)) if !is_damage(&error) => return Err(error.into()),
            Err(error) if found.add(sentence(&error)) => {}
            Err(_) => break,
        }
    }
    Ok(found)
}

/// An error with its causes.
fn sentence(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn checked(
    table: &'static str,
    row: &Row<'_>,
    check: fn(&Row<'_>) -> Result<(), Cause>,
) -> Result<(), SqlError> {
    let name: String = row.get(0)?;
    check(row).map_err(|cause| SqlError::untrue(table, name, cause))
}

fn key(row: &Row<'_>) -> Result<(), Cause> {
    IdempotencyKey::new(row.get_ref(0)?.as_str()?)?;
    Principal::new(row.get_ref(1)?.as_str()?)?;
    ToolName::new(row.get_ref(2)?.as_str()?)?;
    if let Some(id) = row.get_ref(3)?.as_str_or_null()? {
        RefundId::new(id)?;
    }
    Timestamp::from_unix_millis(row.get(4)?)?;
    Ok(())
}

fn message(row: &Row<'_>) -> Result<(), Cause> {
    EmailAddress::new(row.get_ref(1)?.as_str()?)?;
    row.get_ref(2)?.as_str()?;
    row.get_ref(3)?.as_str()?;
    Timestamp::from_unix_millis(row.get(4)?)?;
    for column in [5, 6] {
        let at: Option<i64> = row.get(column)?;
        at.map(Timestamp::from_unix_millis).transpose()?;
    }
    row.get_ref(7)?.as_str_or_null()?;
    Ok(())
}

fn audited(row: &Row<'_>) -> Result<(), Cause> {
    Timestamp::from_unix_millis(row.get(1)?)?;
    Principal::new(row.get_ref(2)?.as_str()?)?;
    Role::from_word(row.get_ref(3)?.as_str()?).ok_or("its role is not one")?;
    ToolName::new(row.get_ref(4)?.as_str()?)?;
    serde_json::from_str::<IgnoredAny>(row.get_ref(5)?.as_str()?)
        .map_err(|_| "its arguments are no JSON")?;
    row.get_ref(6)?.as_str()?;
    serde_json::from_str::<Vec<IgnoredAny>>(row.get_ref(7)?.as_str()?)
        .map_err(|_| "its trace is no JSON array")?;
    Ok(())
}
