//! The SQL of table `outbox`: the messages about returns.

use std::error::Error;

use refund_domain::{EmailAddress, Notification, NotificationWords, ReturnId, Timestamp};
use rusqlite::{Connection, Row, params};

use super::Mail;
use super::error::SqlError;

const TABLE: &str = "outbox";

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

/// Adds the message about a return, to be sent at once or never.
pub(crate) fn insert(
    conn: &Connection,
    id: ReturnId,
    message: &Notification,
    mail: Mail,
) -> Result<(), SqlError> {
    let handed_over_at = message.sent_at.unix_millis();
    let (status, next_attempt_at) = match mail {
        Mail::Simulated => ("simulated", None),
        Mail::Sent => ("waiting", Some(handed_over_at)),
    };
    let inserted = conn
        .prepare_cached(
            "INSERT INTO outbox (return_id, recipient, subject, body, handed_over_at_ms, status,
                 attempts, next_attempt_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7)",
        )?
        .execute(params![
            id.to_string(),
            message.to.as_str(),
            message.subject,
            message.body,
            handed_over_at,
            status,
            next_attempt_at,
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
