//! The SQL of table `outbox`: the messages about returns, and who delivers them when. Each step of a
//! delivery is one statement, so that it needs no batch.

use std::error::Error;

use deadpool_postgres::ClientWrapper;
use refund_domain::outbox::LONGEST_PAUSE;
use refund_domain::ports::Outbox;
use refund_domain::{
    ClaimedMessage, DeliveryFailure, EmailAddress, Notification, NotificationWords, ReturnId,
    StoreError, Timestamp,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::{SqlError, Untrue, untrue};
use super::flight::{Flight, params};
use super::{Mail, PostgresStore, text};
use crate::fault;

const TABLE: &str = "outbox";

/// The columns of [`read`], in its order, of a table named `m`.
macro_rules! columns {
    () => {
        "m.recipient, m.subject, m.body, m.handed_over_at_ms"
    };
}
pub(crate) use columns;

/// The messages that are due; the clock says $1, and $2 with the longest pause added.
macro_rules! due {
    () => {
        "outbox
         WHERE status = 'waiting' AND (next_attempt_at_ms <= $1 OR next_attempt_at_ms > $2)"
    };
}

impl Outbox for PostgresStore {
    async fn message_is_due(&self, at: Timestamp) -> Result<bool, StoreError> {
        self.engine()
            .read(move |session| Box::pin(async move { is_due(session, at).await }))
            .await
    }

    async fn claim_message(&self, at: Timestamp) -> Result<Option<ClaimedMessage>, StoreError> {
        self.engine()
            .write(move |session| Box::pin(async move { claim(session, at).await }))
            .await
    }

    async fn message_delivered(
        &self,
        claimed: ClaimedMessage,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let id = claimed.return_id;
        self.engine()
            .write(move |session| Box::pin(async move { delivered(session, id, at).await }))
            .await
    }

    async fn message_failed(
        &self,
        claimed: ClaimedMessage,
        failure: DeliveryFailure,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.engine()
            .write(move |session| {
                let (claimed, failure) = (claimed.clone(), failure.clone());
                Box::pin(async move { failed(session, &claimed, &failure, at).await })
            })
            .await
    }
}

async fn is_due(client: &ClientWrapper, at: Timestamp) -> Result<bool, SqlError> {
    let sql = concat!("SELECT EXISTS (SELECT 1 FROM ", due!(), ")");
    let rows = Flight::new(client, sql, clock(at))
        .await?
        .rows(client)
        .await?;
    let first = rows
        .first()
        .ok_or_else(|| untrue(TABLE, "due", "nothing was answered"))?;
    Ok(first.try_get(0)?)
}

fn clock(at: Timestamp) -> Vec<super::flight::Param> {
    params![at.unix_millis(), at.later(LONGEST_PAUSE).unix_millis()]
}

/// Rows that somebody else is claiming are left to them.
async fn claim(client: &ClientWrapper, at: Timestamp) -> Result<Option<ClaimedMessage>, SqlError> {
    let sql = concat!(
        "UPDATE outbox m SET attempts = m.attempts + 1, next_attempt_at_ms = $3
         WHERE m.seq = (SELECT seq FROM ",
        due!(),
        " ORDER BY next_attempt_at_ms, seq LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING ",
        columns!(),
        ", m.return_id, m.attempts"
    );
    let mut params = clock(at);
    params.extend(params![at.later(ClaimedMessage::CLAIM).unix_millis()]);
    let rows = Flight::new(client, sql, params).await?.rows(client).await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let return_id = ReturnId::from_uuid(row.try_get(4)?);
    let attempt = u32::try_from(row.try_get::<_, i64>(5)?)
        .map_err(|cause| untrue(TABLE, return_id, cause))?;
    fault::point(fault::MESSAGE_CLAIMED);
    Ok(Some(ClaimedMessage {
        return_id,
        message: read(row, 0, return_id)?,
        attempt,
    }))
}

/// Changes nothing where somebody else has delivered it too.
async fn delivered(client: &ClientWrapper, id: ReturnId, at: Timestamp) -> Result<(), SqlError> {
    let sql = "UPDATE outbox SET status = 'delivered', delivered_at_ms = $2,
             next_attempt_at_ms = NULL, last_failure = NULL
         WHERE return_id = $1 AND status = 'waiting'";
    let params = params![id.as_uuid(), at.unix_millis()];
    let _changed = Flight::new(client, sql, params)
        .await?
        .changes(client)
        .await?;
    fault::point(fault::MESSAGE_NOTED);
    Ok(())
}

/// Changes nothing where the claim has passed on: the number of the attempt tells.
async fn failed(
    client: &ClientWrapper,
    claimed: &ClaimedMessage,
    failure: &DeliveryFailure,
    at: Timestamp,
) -> Result<(), SqlError> {
    let what = match failure.code {
        Some(code) => format!("{} ({code})", failure.what),
        None => failure.what.to_owned(),
    };
    let sql = "UPDATE outbox SET next_attempt_at_ms = $3, last_failure = $4
         WHERE return_id = $1 AND status = 'waiting' AND attempts = $2";
    let params = params![
        claimed.return_id.as_uuid(),
        i64::from(claimed.attempt),
        claimed.next_attempt(failure, at).unix_millis(),
        what,
    ];
    let _changed = Flight::new(client, sql, params)
        .await?
        .changes(client)
        .await?;
    fault::point(fault::MESSAGE_NOTED);
    Ok(())
}

/// The message about a return, to be sent at once or never.
#[derive(Debug, Clone)]
pub(crate) struct NewMessage {
    pub(crate) return_id: ReturnId,
    pub(crate) message: Notification,
    pub(crate) mail: Mail,
}

/// Adds messages in this order.
pub(crate) async fn insert(
    client: &ClientWrapper,
    messages: &[NewMessage],
) -> Result<Flight, SqlError> {
    if messages.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "INSERT INTO outbox (return_id, recipient, subject, body, handed_over_at_ms, status,
             attempts, next_attempt_at_ms)
         SELECT return_id, recipient, subject, body, handed_over_at_ms, status, 0,
             CASE status WHEN 'waiting' THEN handed_over_at_ms END
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::text[])
             WITH ORDINALITY
             AS w (return_id, recipient, subject, body, handed_over_at_ms, status, place)
         ORDER BY w.place";
    let texts = |of: fn(&NewMessage) -> String| messages.iter().map(of).collect::<Vec<String>>();
    let ids: Vec<Uuid> = messages.iter().map(|new| new.return_id.as_uuid()).collect();
    let times: Vec<i64> = messages
        .iter()
        .map(|new| new.message.sent_at.unix_millis())
        .collect();
    let params = params![
        ids,
        texts(|new| new.message.to.as_str().to_owned()),
        texts(|new| text::encode(&new.message.subject).into_owned()),
        texts(|new| text::encode(&new.message.body).into_owned()),
        times,
        texts(|new| match new.mail {
            Mail::Simulated => "simulated".to_owned(),
            Mail::Sent => "waiting".to_owned(),
        }),
    ];
    Flight::new(client, sql, params).await
}

/// The message about a return, whose columns begin at `base`.
pub(crate) fn read(row: &Row, base: usize, id: ReturnId) -> Result<Notification, Untrue> {
    from_row(row, base).map_err(|cause| Untrue::new(TABLE, id, cause))
}

fn from_row(row: &Row, base: usize) -> Result<Notification, Box<dyn Error + Send + Sync>> {
    let words = NotificationWords {
        subject: text::decode(row.try_get(base + 1)?)?.into_owned(),
        body: text::decode(row.try_get(base + 2)?)?.into_owned(),
    };
    let to = EmailAddress::new(row.try_get(base)?)?;
    let sent_at = Timestamp::from_unix_millis(row.try_get(base + 3)?)?;
    Ok(Notification::new(to, words, sent_at))
}
