//! One return inside an open transaction: load the facts, decide, save.

use refund_domain::ports::ReturnWriter;
use refund_domain::returns::{Facts, TOOL};
use refund_domain::settled::{KeyUse, Outcome, Settled};
use refund_domain::{AcceptedReturn, ProcessReturn, StoreError};
use rusqlite::Connection;

use super::batch::Command;
use super::error::SqlError;
use super::{Mail, SqliteStore, audit, idempotency_keys, orders, outbox, returns};
use crate::{audit_entry, fault};

/// A return, and what becomes of the message about it.
struct SaveReturn {
    command: ProcessReturn,
    mail: Mail,
}

impl ReturnWriter for SqliteStore {
    async fn process_return(
        &self,
        command: ProcessReturn,
    ) -> Result<Settled<AcceptedReturn>, StoreError> {
        let mail = self.mail;
        let writer = &self.ready()?.writer;
        writer.submit(SaveReturn { command, mail }).await
    }
}

impl Command for SaveReturn {
    type Outcome = Settled<AcceptedReturn>;

    /// Settles the return and saves it with the order's state, the message, the key and the audit row.
    fn settle(&self, conn: &Connection) -> Result<Self::Outcome, SqlError> {
        let command = &self.command;
        let facts = Facts {
            order: orders::details(conn, &command.request.order_id)?,
            key_use: key_use(conn, command)?,
        };
        let settled = command.settle(&facts);
        fault::point(fault::RETURN_DECIDED);
        if let Outcome::Processed(accepted) = &settled.outcome {
            let AcceptedReturn {
                order_return: made,
                notification,
            } = accepted;
            let principal = &command.caller.principal;
            let key = command.request.idempotency_key.as_ref();
            orders::mark_returned(conn, &made.order_id)?;
            returns::insert(conn, made, principal, key)?;
            outbox::insert(conn, made.id, notification, self.mail)?;
            if let Some(key) = key {
                idempotency_keys::claim(conn, (principal, key), TOOL, None, made.processed_at)?;
            }
        }
        audit::record(conn, &audit_entry::of_return(command, &settled))?;
        fault::point(fault::RETURN_SAVED);
        Ok(settled)
    }
}

fn key_use(
    conn: &Connection,
    command: &ProcessReturn,
) -> Result<Option<KeyUse<AcceptedReturn>>, SqlError> {
    let Some(key) = &command.request.idempotency_key else {
        return Ok(None);
    };
    let principal = &command.caller.principal;
    idempotency_keys::used(conn, principal, key, TOOL, |_no_refund| {
        let untrue = |cause: &'static str| SqlError::untrue("idempotency_keys", key, cause);
        let order_return = returns::by_key(conn, principal, key)?
            .ok_or_else(|| untrue("its return is not there"))?;
        let notification = outbox::of_return(conn, order_return.id)?
            .ok_or_else(|| untrue("the message about its return is not there"))?;
        Ok(AcceptedReturn {
            order_return,
            notification,
        })
    })
}
