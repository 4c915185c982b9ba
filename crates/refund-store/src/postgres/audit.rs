//! The SQL of table `audit`, and how one of its rows proves that a transaction was committed.

use deadpool_postgres::ClientWrapper;
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::{SqlError, untrue};
use super::flight::{Flight, params};
use crate::audit_entry::Entry;

const TABLE: &str = "audit";

/// A row to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditRow {
    at_ms: i64,
    principal: String,
    role: &'static str,
    tool: &'static str,
    arguments: String,
    outcome: &'static str,
    trace: String,
    refund_id: Option<Uuid>,
    return_id: Option<Uuid>,
}

impl AuditRow {
    pub(crate) fn new<A: Serialize>(entry: &Entry<'_, A>) -> Result<Self, SqlError> {
        let json = |cause: serde_json::Error| untrue(TABLE, entry.tool, cause);
        Ok(Self {
            at_ms: entry.at.unix_millis(),
            principal: entry.caller.principal.as_str().to_owned(),
            role: entry.caller.role.as_str(),
            tool: entry.tool,
            arguments: serde_json::to_string(&entry.arguments).map_err(json)?,
            outcome: entry.outcome,
            trace: serde_json::to_string(entry.trace).map_err(json)?,
            refund_id: entry.refund_id.map(|id| id.as_uuid()),
            return_id: entry.return_id.map(|id| id.as_uuid()),
        })
    }
}

/// Adds rows in this order. Gives one row: their places, in the same order.
pub(crate) async fn insert(client: &ClientWrapper, rows: &[AuditRow]) -> Result<Flight, SqlError> {
    let sql = "WITH added AS (
             INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id,
                 return_id)
             SELECT at_ms, principal, role, tool, arguments, outcome, trace, refund_id, return_id
             FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                     $7::text[], $8::uuid[], $9::uuid[]) WITH ORDINALITY
                 AS w (at_ms, principal, role, tool, arguments, outcome, trace, refund_id,
                     return_id, place)
             ORDER BY w.place
             RETURNING seq)
         SELECT array_agg(seq ORDER BY seq) FROM added";
    let texts = |of: fn(&AuditRow) -> &str| {
        rows.iter()
            .map(|row| of(row).to_owned())
            .collect::<Vec<String>>()
    };
    let times: Vec<i64> = rows.iter().map(|row| row.at_ms).collect();
    let refund_ids: Vec<Option<Uuid>> = rows.iter().map(|row| row.refund_id).collect();
    let return_ids: Vec<Option<Uuid>> = rows.iter().map(|row| row.return_id).collect();
    let params = params![
        times,
        texts(|row| &row.principal),
        texts(|row| row.role),
        texts(|row| row.tool),
        texts(|row| &row.arguments),
        texts(|row| row.outcome),
        texts(|row| &row.trace),
        refund_ids,
        return_ids,
    ];
    Flight::new(client, sql, params).await
}

/// The places of rows that were added.
pub(crate) fn places(rows: &[Row]) -> Result<Vec<i64>, SqlError> {
    match rows.first() {
        Some(row) => Ok(row.try_get::<_, Option<Vec<i64>>>(0)?.unwrap_or_default()),
        None => Ok(Vec::new()),
    }
}

/// A row by which a transaction is known to have been committed: where it is there, so is everything
/// that was written with it.
pub(crate) struct Probe {
    seq: i64,
    row: AuditRow,
}

impl Probe {
    pub(crate) fn new(seq: i64, row: AuditRow) -> Self {
        Self { seq, row }
    }

    /// Whether it is there. Its contents are compared as well: a server that lost its last
    /// transactions may have given the place to another row.
    pub(crate) async fn is_there(&self, client: &ClientWrapper) -> Result<bool, SqlError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM audit
             WHERE seq = $1 AND at_ms = $2 AND principal = $3 AND tool = $4 AND arguments = $5
                 AND outcome = $6 AND refund_id IS NOT DISTINCT FROM $7
                 AND return_id IS NOT DISTINCT FROM $8)";
        let row = &self.row;
        let params = params![
            self.seq,
            row.at_ms,
            row.principal.clone(),
            row.tool,
            row.arguments.clone(),
            row.outcome,
            row.refund_id,
            row.return_id,
        ];
        let rows = Flight::new(client, sql, params).await?.rows(client).await?;
        let first = rows
            .first()
            .ok_or_else(|| untrue(TABLE, self.seq, "nothing was answered"))?;
        Ok(first.try_get(0)?)
    }
}
