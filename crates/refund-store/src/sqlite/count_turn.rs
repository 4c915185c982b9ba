//! One turn of a conversation inside an open transaction: load the facts, decide, save.

use refund_domain::escalation::{Facts, TOOL};
use refund_domain::ports::EscalationWriter;
use refund_domain::settled::{KeyUse, Outcome, Settled};
use refund_domain::{CountTurn, CountedTurn, StoreError};
use rusqlite::Connection;

use super::batch::Command;
use super::error::SqlError;
use super::{SqliteStore, audit, escalations, idempotency_keys};
use crate::{audit_entry, fault};

impl EscalationWriter for SqliteStore {
    async fn count_turn(&self, command: CountTurn) -> Result<Settled<CountedTurn>, StoreError> {
        self.ready()?.writer.submit(command).await
    }
}

impl Command for CountTurn {
    type Outcome = Settled<CountedTurn>;

    /// Settles the turn and saves the count, the key and the audit row.
    fn settle(&self, conn: &Connection) -> Result<Self::Outcome, SqlError> {
        let principal = &self.caller.principal;
        let facts = Facts {
            so_far: escalations::turns(conn, principal, &self.request.session_id)?,
            key_use: key_use(conn, self)?,
        };
        let settled = CountTurn::settle(self, &facts);
        fault::point(fault::TURN_DECIDED);
        if let Outcome::Processed(turn) = &settled.outcome {
            escalations::count(conn, principal, turn)?;
            if let Some(key) = &self.request.idempotency_key {
                let owner = (principal, key);
                escalations::insert_turn(conn, owner, turn, self.at)?;
                idempotency_keys::claim(conn, owner, TOOL, None, self.at)?;
            }
        }
        audit::record(conn, &audit_entry::of_turn(self, &settled))?;
        fault::point(fault::TURN_SAVED);
        Ok(settled)
    }
}

fn key_use(
    conn: &Connection,
    command: &CountTurn,
) -> Result<Option<KeyUse<CountedTurn>>, SqlError> {
    let Some(key) = &command.request.idempotency_key else {
        return Ok(None);
    };
    let principal = &command.caller.principal;
    idempotency_keys::used(conn, principal, key, TOOL, |_no_refund| {
        escalations::turn_by_key(conn, principal, key)?
            .ok_or_else(|| SqlError::untrue("idempotency_keys", key, "its turn is not there"))
    })
}
