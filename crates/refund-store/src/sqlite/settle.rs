//! One refund inside an open transaction: load the facts, decide, save.

use refund_domain::refund::Facts;
use refund_domain::{IssueRefund, Outcome, Principal, RefundRequest, Settled};
use rusqlite::Connection;

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

/// Settles a command and saves the outcome, the key and the audit row. The caller holds the write
/// lock and commits.
pub(crate) fn settle(conn: &Connection, command: &IssueRefund) -> Result<Settled, SqlError> {
    let facts = facts(conn, &command.caller.principal, &command.request)?;
    let settled = command.settle(&facts);
    fault::point(fault::REFUND_DECIDED);
    if let Outcome::Processed(refund) = &settled.outcome {
        customers::reduce_balance(conn, refund)?;
        refunds::insert(conn, refund)?;
        idempotency_keys::claim(conn, refund)?;
    }
    audit::record(conn, command, &settled)?;
    fault::point(fault::REFUND_SAVED);
    Ok(settled)
}
