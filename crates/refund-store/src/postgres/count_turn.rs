//! One turn of a conversation, of a batch: decide by what is known, and say what to save.

use refund_domain::escalation::{Facts, TOOL};
use refund_domain::ports::EscalationWriter;
use refund_domain::settled::{Outcome, Settled};
use refund_domain::{CountTurn, CountedTurn, StoreError, TurnCount};

use super::PostgresStore;
use super::audit::AuditRow;
use super::batch::Command;
use super::error::SqlError;
use super::escalations::NewTurn;
use super::facts::{Conversation, Known, Owner, Used, Wanted};
use super::idempotency_keys::Claim;
use super::writes::Writes;
use crate::{audit_entry, fault};

impl EscalationWriter for PostgresStore {
    async fn count_turn(&self, command: CountTurn) -> Result<Settled<CountedTurn>, StoreError> {
        self.engine().submit(command).await
    }
}

fn owner(command: &CountTurn) -> Option<Owner> {
    let key = command.request.idempotency_key.clone()?;
    Some((command.caller.principal.clone(), key))
}

fn conversation(command: &CountTurn) -> Conversation {
    (
        command.caller.principal.clone(),
        command.request.session_id.clone(),
    )
}

impl Command for CountTurn {
    type Outcome = Settled<CountedTurn>;

    fn wants(&self, wanted: &mut Wanted) {
        wanted.conversation(conversation(self));
        if let Some(owner) = owner(self) {
            wanted.turn_key(owner);
        }
    }

    fn settle(&self, known: &mut Known, writes: &mut Writes) -> Result<Self::Outcome, SqlError> {
        let conversation = conversation(self);
        let owner = owner(self);
        let so_far = known.turns(&conversation)?;
        let facts = Facts {
            so_far,
            key_use: match &owner {
                Some(owner) => known.turn_key(owner)?,
                None => None,
            },
        };
        let settled = CountTurn::settle(self, &facts);
        fault::point(fault::TURN_DECIDED);
        let row = AuditRow::new(&audit_entry::of_turn(self, &settled))?;
        match &settled.outcome {
            Outcome::Processed(turn) => {
                known.set_turns(conversation.clone(), turn.turn_count);
                let before = so_far.map_or(0, TurnCount::number);
                writes.turn(conversation, before, turn.turn_count.number(), row);
                if let Some(owner) = owner {
                    writes.claim(Claim {
                        owner: owner.clone(),
                        tool: TOOL,
                        refund_id: None,
                        at: self.at,
                    });
                    writes.keyed_turn(NewTurn {
                        owner: owner.clone(),
                        turn: turn.clone(),
                        at: self.at,
                    });
                    known.claim(owner, Used::Turn(turn.clone()));
                }
            }
            Outcome::Replayed(_) | Outcome::Refused(_) => writes.call(row),
        }
        Ok(settled)
    }

    fn saved(&self) {
        fault::point(fault::TURN_SAVED);
    }
}
