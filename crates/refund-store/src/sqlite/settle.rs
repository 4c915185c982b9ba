//! One refund inside an open transaction: load the facts, decide, save.

use refund_domain::refund::{Facts, TOOL};
use refund_domain::{IssueRefund, Outcome, Principal, RefundRequest, Settled};
use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::RawValue;

use super::batch::Command;
use super::error::SqlError;
use super::{audit, customers, idempotency_keys, refunds};
use crate::fault;

/// What the decision about a request needs to know.
pub(crate) fn facts(
    conn: &Connection,
    principal: &Principal,
    request: &RefundRequest,
) -> Result<Facts, SqlError> {
    let key_use = match &request.idempotency_key {
        Some(key) => idempotency_keys::find(conn, principal, key)?,
        None => None,
    };
    Ok(Facts {
        customer: customers::by_id(conn, request.customer_id)?,
        key_use,
    })
}

impl Command for IssueRefund {
    type Outcome = Settled;

    /// Settles the refund and saves the outcome, the key and the audit row.
    fn settle(&self, conn: &Connection) -> Result<Settled, SqlError> {
        let facts = facts(conn, &self.caller.principal, &self.request)?;
        let settled = IssueRefund::settle(self, &facts);
        fault::point(fault::REFUND_DECIDED);
        if let Outcome::Processed(refund) = &settled.outcome {
            customers::reduce_balance(conn, refund)?;
            refunds::insert(conn, refund)?;
            idempotency_keys::claim_for_refund(conn, refund)?;
        }
        record(conn, self, &settled)?;
        fault::point(fault::REFUND_SAVED);
        Ok(settled)
    }
}

/// The arguments as the audit trail keeps them: a reason may name a person, so only its length is
/// kept.
#[derive(Serialize)]
struct Masked<'a> {
    customer_id: String,
    amount: Box<RawValue>,
    reason_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<&'a str>,
}

fn record(conn: &Connection, command: &IssueRefund, settled: &Settled) -> Result<(), SqlError> {
    let request = &command.request;
    let amount = request.amount.decimal().normalize().to_string();
    let amount = RawValue::from_string(amount)
        .map_err(|cause| SqlError::untrue("refunds", command.refund_id, cause))?;
    audit::record(
        conn,
        &audit::Entry {
            at: command.at,
            caller: &command.caller,
            tool: TOOL,
            arguments: Masked {
                customer_id: request.customer_id.to_string(),
                amount,
                reason_characters: request.reason.as_str().chars().count(),
                idempotency_key: request.idempotency_key.as_ref().map(|key| key.as_str()),
            },
            outcome: settled.outcome.as_str(),
            trace: &settled.trace,
            refund_id: match &settled.outcome {
                Outcome::Processed(refund) | Outcome::Replayed(refund) => Some(refund.id),
                Outcome::Refused(_) => None,
            },
            return_id: None,
        },
    )
}
