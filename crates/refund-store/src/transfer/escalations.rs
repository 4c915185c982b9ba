//! The fields of a conversation that was handed to a person.

use refund_domain::{EscalationStatus, Principal, SessionId, TurnCount};

use super::Entity;
use super::fields::{Fields, Pass};

/// A conversation in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EscalationRecord {
    pub(crate) session_id: SessionId,
    pub(crate) turn_count: TurnCount,
    /// Whose it is; whoever imports it, where that is not told.
    pub(crate) principal: Option<Principal>,
}

impl Fields for EscalationRecord {
    const ENTITY: Entity = Entity::Escalations;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let session_id = pass.text("session_id", SessionId::new, |e| {
            e.session_id.as_str().into()
        });
        let turn_count = pass.whole("turn_count", TurnCount::new, |e| e.turn_count.number());
        let status = pass.text(
            "status",
            |word| {
                EscalationStatus::from_word(word)
                    .ok_or("must be active, confirm_close or force_closed")
            },
            |e| e.turn_count.status().as_str().into(),
        );
        let principal = pass.optional_text("principal", Principal::new, |e| {
            Some(e.principal.as_ref()?.as_str().into())
        });
        let _same = pass.check("status", || {
            let turns = turn_count?;
            let follows = turns.status();
            Some(if status? == follows {
                Ok(())
            } else {
                Err(format!(
                    "must be {} after {} turns",
                    follows.as_str(),
                    turns.number()
                ))
            })
        });
        Some(Self {
            session_id: session_id?,
            turn_count: turn_count?,
            principal,
        })
    }
}
