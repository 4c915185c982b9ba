//! The SQL of table `audit`.

use refund_domain::refund::TOOL;
use refund_domain::{IssueRefund, Outcome, Settled};
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::value::RawValue;

use super::error::SqlError;

const TABLE: &str = "audit";

/// The arguments of a refund with personal data masked: a reason may name a person, so only its
/// length is kept.
#[derive(Serialize)]
struct Masked<'a> {
    customer_id: String,
    amount: &'a RawValue,
    reason_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<&'a str>,
}

/// Records what a command came to.
pub(crate) fn record(
    conn: &Connection,
    command: &IssueRefund,
    settled: &Settled,
) -> Result<(), SqlError> {
    let refund_id = match &settled.outcome {
        Outcome::Processed(refund) | Outcome::Replayed(refund) => Some(refund.id.to_string()),
        Outcome::Refused(_) => None,
    };
    let json = |cause: serde_json::Error| SqlError::untrue(TABLE, command.refund_id, cause);
    let inserted = conn
        .prepare_cached(
            "INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            command.at.unix_millis(),
            command.caller.principal.as_str(),
            command.caller.role.as_str(),
            TOOL,
            masked(command).map_err(json)?,
            settled.outcome.as_str(),
            serde_json::to_string(&settled.trace).map_err(json)?,
            refund_id,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        let cause = "it was not inserted";
        Err(SqlError::untrue(TABLE, command.refund_id, cause))
    }
}

fn masked(command: &IssueRefund) -> Result<String, serde_json::Error> {
    let request = &command.request;
    let amount = RawValue::from_string(request.amount.decimal().normalize().to_string())?;
    serde_json::to_string(&Masked {
        customer_id: request.customer_id.to_string(),
        amount: &amount,
        reason_characters: request.reason.as_str().chars().count(),
        idempotency_key: request.idempotency_key.as_ref().map(|key| key.as_str()),
    })
}
