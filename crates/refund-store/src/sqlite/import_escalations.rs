//! Conversations of an import, and their turns.

use refund_domain::Principal;
use refund_domain::escalation::TOOL;

use super::error::SqlError;
use super::import::{Import, is_taken};
use super::import_links::Link;
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
        if self.is_key_used(&principal, key, place, report)? {
            return Ok(());
        }
        let (owner, at) = ((&principal, key), record.counted_at);
        match escalations::insert_turn(self.conn, owner, turn, at) {
            Ok(()) => {
                idempotency_keys::claim(self.conn, owner, TOOL, None, at)?;
                self.count(place.entity, |counts| counts.added += 1);
            }
            Err(error) if is_taken(&error) => {
                let message = "this turn of the conversation was counted with another key already";
                report.record(place, None, Some("turn_count"), message);
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
