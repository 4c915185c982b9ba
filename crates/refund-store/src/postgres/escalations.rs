//! The SQL of tables `escalation_sessions` and `escalation_turns`.

use std::collections::HashMap;
use std::error::Error;

use deadpool_postgres::ClientWrapper;
use refund_domain::{
    CountedTurn, IdempotencyKey, MessageDigest, Principal, SessionId, Timestamp, TurnCount,
};
use tokio_postgres::Row;

use super::error::{SqlError, Untrue};
use super::facts::{Conversation, Owner};
use super::flight::{Flight, params};
use super::text;

const SESSIONS: &str = "escalation_sessions";
const TURNS: &str = "escalation_turns";

/// The columns of [`read_turn`], in its order, of a table named `n`.
macro_rules! turn_columns {
    () => {
        "n.session_id, n.turn_count, n.message_sha256"
    };
}
pub(crate) use turn_columns;

/// How many turns conversations have had, locked against other changes in the order of their names.
pub(crate) async fn locked<'c>(
    client: &ClientWrapper,
    conversations: impl ExactSizeIterator<Item = &'c Conversation>,
) -> Result<Flight, SqlError> {
    if conversations.len() == 0 {
        return Ok(Flight::none());
    }
    let sql = "SELECT s.principal, s.session_id, s.turn_count
         FROM unnest($1::text[], $2::text[]) AS w (principal, session_id)
         JOIN escalation_sessions s
             ON s.principal = w.principal AND s.session_id = w.session_id
         ORDER BY s.principal, s.session_id FOR NO KEY UPDATE OF s";
    let (principals, sessions) = names(conversations);
    Flight::new(client, sql, params![principals, sessions]).await
}

fn names<'c>(conversations: impl Iterator<Item = &'c Conversation>) -> (Vec<String>, Vec<String>) {
    conversations
        .map(|(principal, id)| {
            (
                principal.as_str().to_owned(),
                text::encode(id.as_str()).into_owned(),
            )
        })
        .unzip()
}

/// The rows of [`locked`].
pub(crate) fn read_locked(
    rows: &[Row],
) -> Result<HashMap<Conversation, Result<TurnCount, Untrue>>, SqlError> {
    rows.iter()
        .map(|row| {
            let written: &str = row.try_get(1)?;
            let untrue = |cause| Untrue::new(SESSIONS, written, cause);
            let conversation = conversation(row).map_err(untrue)?;
            let turns: i64 = row.try_get(2)?;
            Ok((conversation, turn_count(turns).map_err(untrue)))
        })
        .collect()
}

fn conversation(row: &Row) -> Result<Conversation, Box<dyn Error + Send + Sync>> {
    let principal = Principal::new(row.try_get(0)?)?;
    Ok((principal, SessionId::new(&text::decode(row.try_get(1)?)?)?))
}

fn turn_count(turns: i64) -> Result<TurnCount, Box<dyn Error + Send + Sync>> {
    Ok(TurnCount::new(u32::try_from(turns)?)?)
}

/// What a batch makes of one conversation: the turns before (0 for a new one) and after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnChange {
    pub(crate) before: u32,
    pub(crate) after: u32,
}

/// Adds new conversations.
pub(crate) async fn insert(
    client: &ClientWrapper,
    changes: &[(&Conversation, TurnChange)],
) -> Result<Flight, SqlError> {
    if changes.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "INSERT INTO escalation_sessions (principal, session_id, turn_count)
         SELECT principal, session_id, turn_count
         FROM unnest($1::text[], $2::text[], $3::int8[]) AS w (principal, session_id, turn_count)
         ORDER BY principal, session_id";
    let (principals, sessions) = names(changes.iter().map(|(conversation, _)| *conversation));
    let after: Vec<i64> = changes
        .iter()
        .map(|(_, change)| change.after.into())
        .collect();
    Flight::new(client, sql, params![principals, sessions, after]).await
}

/// Notes how many turns conversations have had. The condition repeats what the decisions read, so that
/// a wrong one changes no row.
pub(crate) async fn update(
    client: &ClientWrapper,
    changes: &[(&Conversation, TurnChange)],
) -> Result<Flight, SqlError> {
    if changes.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "UPDATE escalation_sessions s SET turn_count = w.after
         FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[])
             AS w (principal, session_id, before, after)
         WHERE s.principal = w.principal AND s.session_id = w.session_id
             AND s.turn_count = w.before";
    let (principals, sessions) = names(changes.iter().map(|(conversation, _)| *conversation));
    let before: Vec<i64> = changes
        .iter()
        .map(|(_, change)| change.before.into())
        .collect();
    let after: Vec<i64> = changes
        .iter()
        .map(|(_, change)| change.after.into())
        .collect();
    Flight::new(client, sql, params![principals, sessions, before, after]).await
}

/// A turn that was counted with a key.
#[derive(Debug, Clone)]
pub(crate) struct NewTurn {
    pub(crate) owner: Owner,
    pub(crate) turn: CountedTurn,
    pub(crate) at: Timestamp,
}

/// Adds turns.
pub(crate) async fn insert_turns(
    client: &ClientWrapper,
    turns: &[NewTurn],
) -> Result<Flight, SqlError> {
    if turns.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "INSERT INTO escalation_turns (principal, idempotency_key, session_id, turn_count,
             message_sha256, counted_at_ms)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::bytea[],
             $6::int8[])";
    let texts = |of: fn(&NewTurn) -> String| turns.iter().map(of).collect::<Vec<String>>();
    let counts: Vec<i64> = turns
        .iter()
        .map(|new| new.turn.turn_count.number().into())
        .collect();
    let digests: Vec<Vec<u8>> = turns
        .iter()
        .map(|new| new.turn.message.as_bytes().to_vec())
        .collect();
    let times: Vec<i64> = turns.iter().map(|new| new.at.unix_millis()).collect();
    let params = params![
        texts(|new| new.owner.0.as_str().to_owned()),
        texts(|new| new.owner.1.as_str().to_owned()),
        texts(|new| text::encode(new.turn.session_id.as_str()).into_owned()),
        counts,
        digests,
        times,
    ];
    Flight::new(client, sql, params).await
}

/// The turn that was counted with this key, whose columns begin at `base`.
pub(crate) fn read_turn(
    row: &Row,
    base: usize,
    key: &IdempotencyKey,
) -> Result<CountedTurn, Untrue> {
    from_row(row, base).map_err(|cause| Untrue::new(TURNS, key, cause))
}

fn from_row(row: &Row, base: usize) -> Result<CountedTurn, Box<dyn Error + Send + Sync>> {
    let digest: &[u8] = row.try_get(base + 2)?;
    Ok(CountedTurn {
        session_id: SessionId::new(&text::decode(row.try_get(base)?)?)?,
        turn_count: turn_count(row.try_get(base + 1)?)?,
        message: MessageDigest::from_bytes(digest.try_into()?),
    })
}
