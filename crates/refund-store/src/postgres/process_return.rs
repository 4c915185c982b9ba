//! One return of a batch: decide by what is known, and say what to save.

use refund_domain::ports::ReturnWriter;
use refund_domain::returns::{Facts, TOOL};
use refund_domain::settled::{Outcome, Settled};
use refund_domain::{AcceptedReturn, ProcessReturn, StoreError};

use super::audit::AuditRow;
use super::batch::Command;
use super::error::SqlError;
use super::facts::{Known, Owner, Used, Wanted};
use super::idempotency_keys::Claim;
use super::outbox::NewMessage;
use super::returns::NewReturn;
use super::writes::Writes;
use super::{Mail, PostgresStore};
use crate::{audit_entry, fault};

/// A return, and what becomes of the message about it.
struct SaveReturn {
    command: ProcessReturn,
    mail: Mail,
}

impl ReturnWriter for PostgresStore {
    async fn process_return(
        &self,
        command: ProcessReturn,
    ) -> Result<Settled<AcceptedReturn>, StoreError> {
        let mail = self.mail;
        self.engine().submit(SaveReturn { command, mail }).await
    }
}

impl SaveReturn {
    fn owner(&self) -> Option<Owner> {
        let key = self.command.request.idempotency_key.clone()?;
        Some((self.command.caller.principal.clone(), key))
    }
}

impl Command for SaveReturn {
    type Outcome = Settled<AcceptedReturn>;

    fn wants(&self, wanted: &mut Wanted) {
        wanted.order(&self.command.request.order_id);
        if let Some(owner) = self.owner() {
            wanted.return_key(owner);
        }
    }

    fn settle(&self, known: &mut Known, writes: &mut Writes) -> Result<Self::Outcome, SqlError> {
        let command = &self.command;
        let owner = self.owner();
        let facts = Facts {
            order: known.order(&command.request.order_id)?.cloned(),
            key_use: match &owner {
                Some(owner) => known.return_key(owner)?,
                None => None,
            },
        };
        let settled = command.settle(&facts);
        fault::point(fault::RETURN_DECIDED);
        let row = AuditRow::new(&audit_entry::of_return(command, &settled))?;
        match &settled.outcome {
            Outcome::Processed(accepted) => {
                let made = accepted.order_return.clone();
                known.set_returned(&made.order_id);
                if let Some(owner) = &owner {
                    writes.claim(Claim {
                        owner: owner.clone(),
                        tool: TOOL,
                        refund_id: None,
                        at: made.processed_at,
                    });
                    known.claim(owner.clone(), Used::Return(Box::new(accepted.clone())));
                }
                let message = NewMessage {
                    return_id: made.id,
                    message: accepted.notification.clone(),
                    mail: self.mail,
                };
                let new = NewReturn {
                    made,
                    principal: command.caller.principal.clone(),
                    key: command.request.idempotency_key.clone(),
                };
                writes.order_return(new, message, row);
            }
            Outcome::Replayed(_) | Outcome::Refused(_) => writes.call(row),
        }
        Ok(settled)
    }

    fn saved(&self) {
        fault::point(fault::RETURN_SAVED);
    }
}
