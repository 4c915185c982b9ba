//! One refund of a batch: decide by what is known, and say what to save.

use refund_domain::refund::Facts;
use refund_domain::refund::TOOL;
use refund_domain::{IssueRefund, Outcome, Settled};

use super::audit::AuditRow;
use super::batch::Command;
use super::error::{SqlError, untrue};
use super::facts::{Known, Owner, Used, Wanted};
use super::idempotency_keys::Claim;
use super::writes::Writes;
use crate::{audit_entry, fault};

/// Whose key a refund came with.
pub(crate) fn owner(command: &IssueRefund) -> Option<Owner> {
    let key = command.request.idempotency_key.clone()?;
    Some((command.caller.principal.clone(), key))
}

impl Command for IssueRefund {
    type Outcome = Settled;

    fn wants(&self, wanted: &mut Wanted) {
        wanted.customer(self.request.customer_id);
        if let Some(owner) = owner(self) {
            wanted.refund_key(owner);
        }
    }

    fn settle(&self, known: &mut Known, writes: &mut Writes) -> Result<Settled, SqlError> {
        let owner = owner(self);
        let facts = Facts {
            customer: known.customer(self.request.customer_id)?.cloned(),
            key_use: match &owner {
                Some(owner) => known.refund_key(owner)?,
                None => None,
            },
        };
        let settled = IssueRefund::settle(self, &facts);
        fault::point(fault::REFUND_DECIDED);
        let entry = audit_entry::of_refund(self, &settled)
            .map_err(|cause| untrue("refunds", self.refund_id, cause))?;
        let row = AuditRow::new(&entry)?;
        drop(entry);
        match (&settled.outcome, facts.customer) {
            (Outcome::Processed(refund), Some(customer)) => {
                known.set_balance(refund.customer_id, refund.remaining_refundable_balance);
                writes.refund(refund.clone(), customer.refundable_balance, row);
                if let Some(owner) = owner {
                    writes.claim(Claim {
                        owner: owner.clone(),
                        tool: TOOL,
                        refund_id: Some(refund.id),
                        at: refund.processed_at,
                    });
                    known.claim(owner, Used::Refund(refund.clone()));
                }
            }
            _ => writes.call(row),
        }
        Ok(settled)
    }

    fn saved(&self) {
        fault::point(fault::REFUND_SAVED);
    }
}
