//! Conversations of an import, and their turns.

use refund_domain::Principal;

use super::error::SqlError;
use super::import::{Import, Link, is_taken};
use super::{escalations, idempotency_keys};
use crate::transfer::{EscalationRecord, Place, Report, TurnRecord};

impl Import<'_> {
    pub(crate) fn escalation(
        &mut self,
        record: &EscalationRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let Some(principal) = self.owner(record.principal.as_ref(), place, report) else {
            return Ok(());
        };
        let (id, turns) = (&record.session_id, record.turn_count);
        let there = match self.upsert {
            true => escalations::turns(self.conn, &principal, id)?,
            false => None,
        };
        let name = format!("{}\0{}", principal.as_str(), id.as_str());
        if self.is_repeated(&name, "session_id", place, report) {
            return Ok(());
        }
        let saved = match there {
            // It has gone on since; a conversation only gets longer.
            Some(there) if there >= turns => {
                self.unchanged(place);
                return Ok(());
            }
            Some(_) => escalations::update(self.conn, &principal, id, turns).map(|()| false),
            None => escalations::insert(self.conn, &principal, id, turns).map(|()| true),
        };
        let what = "a conversation of the principal with this id";
        self.saved(saved, "session_id", what, place, report)
    }

    pub(crate) fn turn(
        &mut self,
        record: &TurnRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let Some(principal) = self.owner(record.principal.as_ref(), place, report) else {
            return Ok(());
        };
        let (turn, key) = (&record.turn, &record.idempotency_key);
        let link = Link::Turn(principal.clone(), turn.session_id.clone(), turn.turn_count);
        self.link(link, place)?;
        let there = match self.upsert {
            true => escalations::record_by_key(self.conn, &principal, key)?,
            false => None,
        };
        let name = format!("{}\0{}", principal.as_str(), key.as_str());
        if self.is_repeated(&name, "idempotency_key", place, report) {
            return Ok(());
        }
        if let Some(there) = there {
            if there.turn == *turn && there.counted_at == record.counted_at {
                self.unchanged(place);
            } else {
                let message =
                    "there is another turn with this key already; turns are never changed";
                report.record(place, None, Some("idempotency_key"), message);
            }
            return Ok(());
        }
        let owner = (&principal, key);
        let at = record.counted_at;
        let saved = escalations::insert_turn(self.conn, owner, turn, at).and_then(|()| {
            idempotency_keys::claim(self.conn, owner, refund_domain::escalation::TOOL, None, at)
        });
        match saved {
            Ok(()) => self.count(place.entity, |counts| counts.added += 1),
            Err(error) if is_taken(&error) => {
                let tool = idempotency_keys::tool(self.conn, &principal, key)?;
                let (field, message) = match tool {
                    Some(tool) => (
                        "idempotency_key",
                        format!("the principal has used this key for {tool} already"),
                    ),
                    None => (
                        "turn_count",
                        "this turn of the conversation was counted with another key already"
                            .to_owned(),
                    ),
                };
                report.record(place, None, Some(field), message);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Whose a record is: the principal that it names, or whoever imports it.
    fn owner(
        &self,
        named: Option<&Principal>,
        place: &Place,
        report: &mut Report,
    ) -> Option<Principal> {
        let owner = named.or(self.importer.as_ref()).cloned();
        if owner.is_none() {
            report.record(place, None, Some("principal"), "is missing");
        }
        owner
    }
}
