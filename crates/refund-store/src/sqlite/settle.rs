//! One refund inside an open transaction: load the facts, decide, save.

use refund_domain::refund::Facts;
use refund_domain::{IssueRefund, Outcome, Principal, RefundRequest, Settled};
use rusqlite::Connection;

use super::batch::Command;
use super::error::SqlError;
use super::{audit, customers, idempotency_keys, refunds};
use crate::{audit_entry, fault};

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
        let entry = audit_entry::of_refund(self, &settled)
            .map_err(|cause| SqlError::untrue("refunds", self.refund_id, cause))?;
        audit::record(conn, &entry)?;
        drop(entry);
        fault::point(fault::REFUND_SAVED);
        Ok(settled)
    }
}
