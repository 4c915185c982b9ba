//! The SQL of table `audit`.

use refund_domain::{Caller, RefundId, ReturnId, Timestamp};
use rusqlite::{Connection, params};
use serde::Serialize;

use super::error::SqlError;

const TABLE: &str = "audit";

/// What one call came to. `A` are its arguments with personal data masked: ids, amounts, and the
/// lengths of free texts.
pub(crate) struct Entry<'a, A> {
    pub(crate) at: Timestamp,
    pub(crate) caller: &'a Caller,
    pub(crate) tool: &'static str,
    pub(crate) arguments: A,
    /// `processed`, `replayed`, or the refusal's code.
    pub(crate) outcome: &'static str,
    pub(crate) trace: &'a [&'static str],
    /// The refund that was made, now or by the call that is replayed.
    pub(crate) refund_id: Option<RefundId>,
    /// The return, likewise.
    pub(crate) return_id: Option<ReturnId>,
}

/// An id that callers choose freely, or its length where it could be something else than an id: an
/// address, or a sentence.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum FreeId<'a> {
    Id(&'a str),
    Other { characters: usize },
}

impl<'a> FreeId<'a> {
    /// Letters, digits and `-_.:/#` are an id.
    pub(crate) fn new(text: &'a str) -> Self {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/#".contains(&byte);
        if text.bytes().all(known) {
            Self::Id(text)
        } else {
            let characters = text.chars().count();
            Self::Other { characters }
        }
    }
}

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
