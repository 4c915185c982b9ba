//! The SQL of table `idempotency_keys`.

use refund_domain::refund::{KeyUse, TOOL};
use refund_domain::{IdempotencyKey, Principal, Refund, RefundId, ToolName};
use rusqlite::{Connection, params};

use super::error::SqlError;
use super::refunds;

const TABLE: &str = "idempotency_keys";

/// What this principal used this key for.
pub(crate) fn find(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<KeyUse>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT tool, refund_id FROM idempotency_keys WHERE principal = ?1 AND key = ?2",
    )?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let untrue = |cause: &'static str| SqlError::untrue(TABLE, key, cause);
    let tool: String = row.get(0)?;
    if tool != TOOL {
        let tool = ToolName::new(&tool).map_err(|cause| SqlError::untrue(TABLE, key, cause))?;
        return Ok(Some(KeyUse::OtherTool(tool)));
    }
    let refund_id: Option<String> = row.get(1)?;
    let refund_id = refund_id.ok_or_else(|| untrue("it names no refund"))?;
    let refund_id =
        RefundId::new(&refund_id).map_err(|cause| SqlError::untrue(TABLE, key, cause))?;
    let refund =
        refunds::by_id(conn, refund_id)?.ok_or_else(|| untrue("its refund is not there"))?;
    if refund.idempotency_key.as_ref() != Some(key) || refund.principal != *principal {
        return Err(untrue("its refund was made with another key"));
    }
    Ok(Some(KeyUse::Refund(refund)))
}

/// Claims the key of a refund, if it was made with one.
pub(crate) fn claim(conn: &Connection, refund: &Refund) -> Result<(), SqlError> {
    let Some(key) = &refund.idempotency_key else {
        return Ok(());
    };
    let inserted = conn
        .prepare_cached(
            "INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            refund.principal.as_str(),
            key.as_str(),
            TOOL,
            refund.id.to_string(),
            refund.processed_at.unix_millis(),
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, key, "it was not inserted"))
    }
}
