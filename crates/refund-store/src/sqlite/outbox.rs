//! The SQL of table `outbox`: the messages about returns, and who delivers them when.

use std::error::Error;

use refund_domain::outbox::LONGEST_PAUSE;
use refund_domain::ports::Outbox;
use refund_domain::{
    ClaimedMessage, DeliveryFailure, EmailAddress, Notification, NotificationWords, ReturnId,
    StoreError, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::batch::Command;
use super::error::SqlError;
use super::{Mail, SqliteStore};
use crate::fault;
use crate::transfer::MessageRecord;

const TABLE: &str = "outbox";

/// The messages that are due; the clock says ?1, and ?2 with the longest pause added.
macro_rules! due {
    () => {
        "FROM outbox
         WHERE status = 'waiting' AND (next_attempt_at_ms <= ?1 OR next_attempt_at_ms > ?2)"
    };
}

impl Outbox for SqliteStore {
    async fn message_is_due(&self, at: Timestamp) -> Result<bool, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| {
            Ok(conn
                .prepare_cached(concat!("SELECT 1 ", due!()))?
                .exists(clock(at))?)
        })?)
    }

    async fn claim_message(&self, at: Timestamp) -> Result<Option<ClaimedMessage>, StoreError> {
        self.ready()?.writer.submit(Claim { at }).await
    }

    async fn message_delivered(
        &self,
        claimed: ClaimedMessage,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let writer = &self.ready()?.writer;
        writer.submit(Delivered { claimed, at }).await
    }

    async fn message_failed(
        &self,
        claimed: ClaimedMessage,
        failure: DeliveryFailure,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let writer = &self.ready()?.writer;
        writer
            .submit(Failed {
                claimed,
                failure,
                at,
            })
            .await
    }
}

struct Claim {
    at: Timestamp,
}

impl Command for Claim {
    type Outcome = Option<ClaimedMessage>;

    fn settle(&self, conn: &Connection) -> Result<Self::Outcome, SqlError> {
        let found = conn
            .prepare_cached(concat!(
                "SELECT seq, return_id, attempts ",
                due!(),
                " ORDER BY next_attempt_at_ms, seq LIMIT 1"
            ))?
            .query_row(clock(self.at), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((seq, return_id, attempts)): Option<(i64, String, u32)> = found else {
            return Ok(None);
        };
        let return_id =
            ReturnId::new(&return_id).map_err(|cause| SqlError::untrue(TABLE, seq, cause))?;
        let untrue = |cause: &'static str| SqlError::untrue(TABLE, return_id, cause);
        let message =
            of_return(conn, return_id)?.ok_or_else(|| untrue("it is in an index alone"))?;
        let attempt = attempts.saturating_add(1);
        let changed = conn
            .prepare_cached(
                "UPDATE outbox SET attempts = ?2, next_attempt_at_ms = ?3
                 WHERE seq = ?1 AND status = 'waiting' AND attempts < ?2",
            )?
            .execute(params![
                seq,
                attempt,
                self.at.later(ClaimedMessage::CLAIM).unix_millis()
            ])?;
        fault::point(fault::MESSAGE_CLAIMED);
        if changed == 1 {
            Ok(Some(ClaimedMessage {
                return_id,
                message,
                attempt,
            }))
        } else {
            Err(untrue("it cannot be claimed"))
        }
    }
}

struct Delivered {
    claimed: ClaimedMessage,
    at: Timestamp,
}

impl Command for Delivered {
    type Outcome = ();

    /// Changes nothing where somebody else has delivered it too.
    fn settle(&self, conn: &Connection) -> Result<(), SqlError> {
        let _changed = conn
            .prepare_cached(
                "UPDATE outbox SET status = 'delivered', delivered_at_ms = ?2,
                     next_attempt_at_ms = NULL, last_failure = NULL
                 WHERE return_id = ?1 AND status = 'waiting'",
            )?
            .execute(params![
                self.claimed.return_id.to_string(),
                self.at.unix_millis()
            ])?;
        fault::point(fault::MESSAGE_NOTED);
        Ok(())
    }
}

struct Failed {
    claimed: ClaimedMessage,
    failure: DeliveryFailure,
    at: Timestamp,
}

impl Command for Failed {
    type Outcome = ();

    /// Changes nothing where the claim has passed on: the number of the attempt tells.
    fn settle(&self, conn: &Connection) -> Result<(), SqlError> {
        let Self {
            claimed,
            failure,
            at,
        } = self;
        let what = match failure.code {
            Some(code) => format!("{} ({code})", failure.what),
            None => failure.what.to_owned(),
        };
        let _changed = conn
            .prepare_cached(
                "UPDATE outbox SET next_attempt_at_ms = ?3, last_failure = ?4
                 WHERE return_id = ?1 AND status = 'waiting' AND attempts = ?2",
            )?
            .execute(params![
                claimed.return_id.to_string(),
                claimed.attempt,
                claimed.next_attempt(failure, *at).unix_millis(),
                what,
            ])?;
        fault::point(fault::MESSAGE_NOTED);
        Ok(())
    }
}

fn clock(at: Timestamp) -> [i64; 2] {
    [at.unix_millis(), at.later(LONGEST_PAUSE).unix_millis()]
}

/// The message about a return.
pub(crate) fn of_return(conn: &Connection, id: ReturnId) -> Result<Option<Notification>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT recipient, subject, body, handed_over_at_ms FROM outbox WHERE return_id = ?1",
    )?;
    let mut rows = statement.query([id.to_string()])?;
    match rows.next()? {
        Some(row) => {
            let found = from_row(row).map_err(|cause| SqlError::untrue(TABLE, id, cause))?;
            Ok(Some(found))
        }
        None => Ok(None),
    }
}

/// The message about a return, and whether it arrived.
pub(crate) fn record_of(
    conn: &Connection,
    id: ReturnId,
) -> Result<Option<MessageRecord>, SqlError> {
    let Some(notification) = of_return(conn, id)? else {
        return Ok(None);
    };
    let delivered_at: Option<i64> = conn
        .prepare_cached("SELECT delivered_at_ms FROM outbox WHERE return_id = ?1")?
        .query_row([id.to_string()], |row| row.get(0))?;
    let delivered_at = delivered_at
        .map(Timestamp::from_unix_millis)
        .transpose()
        .map_err(|cause| SqlError::untrue(TABLE, id, cause))?;
    Ok(Some(MessageRecord {
        notification,
        delivered_at,
    }))
}

/// Adds the message about a return, to be sent at once or never.
pub(crate) fn insert(
    conn: &Connection,
    id: ReturnId,
    message: &Notification,
    mail: Mail,
) -> Result<(), SqlError> {
    let state = match mail {
        Mail::Simulated => State::Simulated,
        Mail::Sent => State::Waiting(message.sent_at),
    };
    insert_in(conn, id, message, state)
}

/// Adds the message about a return that was made elsewhere. Whether it arrived there or not, nobody
/// sends it from here.
pub(crate) fn insert_imported(
    conn: &Connection,
    id: ReturnId,
    message: &MessageRecord,
) -> Result<(), SqlError> {
    let state = message
        .delivered_at
        .map_or(State::Simulated, State::Delivered);
    insert_in(conn, id, &message.notification, state)
}

/// What becomes of a message that is added.
enum State {
    Simulated,
    Waiting(Timestamp),
    Delivered(Timestamp),
}

fn insert_in(
    conn: &Connection,
    id: ReturnId,
    message: &Notification,
    state: State,
) -> Result<(), SqlError> {
    let (status, next_attempt_at, delivered_at) = match state {
        State::Simulated => ("simulated", None, None),
        State::Waiting(at) => ("waiting", Some(at.unix_millis()), None),
        State::Delivered(at) => ("delivered", None, Some(at.unix_millis())),
    };
    let inserted = conn
        .prepare_cached(
            "INSERT INTO outbox (return_id, recipient, subject, body, handed_over_at_ms, status,
                 attempts, next_attempt_at_ms, delivered_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8)",
        )?
        .execute(params![
            id.to_string(),
            message.to.as_str(),
            message.subject,
            message.body,
            message.sent_at.unix_millis(),
            status,
            next_attempt_at,
            delivered_at,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, id, "it was not inserted"))
    }
}

fn from_row(row: &Row<'_>) -> Result<Notification, Box<dyn Error + Send + Sync>> {
    let words = NotificationWords {
        subject: row.get(1)?,
        body: row.get(2)?,
    };
    let to = EmailAddress::new(row.get_ref(0)?.as_str()?)?;
    let sent_at = Timestamp::from_unix_millis(row.get(3)?)?;
    Ok(Notification::new(to, words, sent_at))
}
