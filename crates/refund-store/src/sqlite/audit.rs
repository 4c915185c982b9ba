//! The SQL of table `audit`.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::error::SqlError;
pub(crate) use crate::audit_entry::Entry;

const TABLE: &str = "audit";

/// Records a call.
pub(crate) fn record<A: Serialize>(
    conn: &Connection,
    entry: &Entry<'_, A>,
) -> Result<(), SqlError> {
    record_at(conn, None, entry).map(|_seq| ())
}

/// The place of the next row, for as long as the caller holds the write lock.
pub(crate) fn next_seq(conn: &Connection) -> Result<i64, SqlError> {
    let sql = "SELECT coalesce(max(seq), 0) + 1 FROM audit";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}

/// Records a call at a place that [`next_seq`] gave, or at the next one, and gives the place.
pub(crate) fn record_at<A: Serialize>(
    conn: &Connection,
    seq: Option<i64>,
    entry: &Entry<'_, A>,
) -> Result<i64, SqlError> {
    let untrue = |cause: serde_json::Error| SqlError::untrue(TABLE, entry.tool, cause);
    let inserted = conn
        .prepare_cached(
            "INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id,
                 return_id, seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            entry.at.unix_millis(),
            entry.caller.principal.as_str(),
            entry.caller.role.as_str(),
            entry.tool,
            serde_json::to_string(&entry.arguments).map_err(untrue)?,
            entry.outcome,
            serde_json::to_string(entry.trace).map_err(untrue)?,
            entry.refund_id.map(|id| id.to_string()),
            entry.return_id.map(|id| id.to_string()),
            seq,
        ])?;
    if inserted == 1 {
        Ok(conn.last_insert_rowid())
    } else {
        Err(SqlError::untrue(TABLE, entry.tool, "it was not inserted"))
    }
}
