//! The SQL of table `idempotency_keys`: which tool a principal used a key for. What the call came to
//! is in that tool's own table.

use refund_domain::refund::{self, TOOL};
use refund_domain::settled::KeyUse;
use refund_domain::{IdempotencyKey, Principal, Refund, RefundId, Timestamp, ToolName};
use rusqlite::{Connection, OptionalExtension, params};

use super::error::SqlError;
use super::refunds;

const TABLE: &str = "idempotency_keys";

/// What this principal used this key for, if it was a refund.
pub(crate) fn find(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<refund::KeyUse>, SqlError> {
    let untrue = |cause: &'static str| SqlError::untrue(TABLE, key, cause);
    let read = |refund_id: Option<String>| {
        let refund_id = refund_id.ok_or_else(|| untrue("it names no refund"))?;
        let refund_id =
            RefundId::new(&refund_id).map_err(|cause| SqlError::untrue(TABLE, key, cause))?;
        let refund =
            refunds::by_id(conn, refund_id)?.ok_or_else(|| untrue("its refund is not there"))?;
        if refund.idempotency_key.as_ref() != Some(key) || refund.principal != *principal {
            return Err(untrue("its refund was made with another key"));
        }
        Ok(refund)
    };
    let used = used(conn, principal, key, TOOL, read)?;
    Ok(used.map(|used| match used {
        KeyUse::ThisTool(refund) => refund::KeyUse::Refund(refund),
        KeyUse::OtherTool(tool) => refund::KeyUse::OtherTool(tool),
    }))
}

/// What this principal used this key for, if it was a call of `tool`: `read` finds what the call
/// came to, and is given the id of a refund where the key has one.
pub(crate) fn used<T>(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
    tool: &str,
    read: impl FnOnce(Option<String>) -> Result<T, SqlError>,
) -> Result<Option<KeyUse<T>>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT tool, refund_id FROM idempotency_keys WHERE principal = ?1 AND key = ?2",
    )?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let owner: String = row.get(0)?;
    if owner == tool {
        return Ok(Some(KeyUse::ThisTool(read(row.get(1)?)?)));
    }
    let owner = ToolName::new(&owner).map_err(|cause| SqlError::untrue(TABLE, key, cause))?;
    Ok(Some(KeyUse::OtherTool(owner)))
}

/// The tool that this principal used this key for.
pub(crate) fn tool(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<String>, SqlError> {
    Ok(conn
        .prepare_cached("SELECT tool FROM idempotency_keys WHERE principal = ?1 AND key = ?2")?
        .query_row([principal.as_str(), key.as_str()], |row| row.get(0))
        .optional()?)
}

/// Claims the key of a refund, if it was made with one.
pub(crate) fn claim_for_refund(conn: &Connection, refund: &Refund) -> Result<(), SqlError> {
    let Some(key) = &refund.idempotency_key else {
        return Ok(());
    };
    let owner = (&refund.principal, key);
    claim(conn, owner, TOOL, Some(refund.id), refund.processed_at)
}

/// Claims a key for a call of a tool.
pub(crate) fn claim(
    conn: &Connection,
    (principal, key): (&Principal, &IdempotencyKey),
    tool: &str,
    refund_id: Option<RefundId>,
    at: Timestamp,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            principal.as_str(),
            key.as_str(),
            tool,
            refund_id.map(|id| id.to_string()),
            at.unix_millis(),
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, key, "it was not inserted"))
    }
}
