//! The SQL of tables `escalation_sessions` and `escalation_turns`.

use std::error::Error;

use refund_domain::{
    CountedTurn, IdempotencyKey, MessageDigest, Principal, SessionId, Timestamp, TurnCount,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::SqlError;
use crate::transfer::{EscalationRecord, TurnRecord};

const SESSIONS: &str = "escalation_sessions";
const TURNS: &str = "escalation_turns";

/// The columns of [`turn_record`], in its order; the first three are those of [`from_row`].
macro_rules! turn_columns {
    () => {
        "SELECT session_id, turn_count, message_sha256, principal, idempotency_key, counted_at_ms
         FROM escalation_turns "
    };
}

/// How many turns a principal's conversation has had; `None` where there is none.
pub(crate) fn turns(
    conn: &Connection,
    principal: &Principal,
    session_id: &SessionId,
) -> Result<Option<TurnCount>, SqlError> {
    let turns: Option<u32> = conn
        .prepare_cached(
            "SELECT turn_count FROM escalation_sessions WHERE principal = ?1 AND session_id = ?2",
        )?
        .query_row([principal.as_str(), session_id.as_str()], |row| row.get(0))
        .optional()?;
    turns
        .map(TurnCount::new)
        .transpose()
        .map_err(|cause| SqlError::untrue(SESSIONS, session_id, cause))
}

/// Adds a conversation that has had so many turns elsewhere.
pub(crate) fn insert(
    conn: &Connection,
    principal: &Principal,
    session_id: &SessionId,
    turns: TurnCount,
) -> Result<(), SqlError> {
    let sql =
        "INSERT INTO escalation_sessions (principal, session_id, turn_count) VALUES (?1, ?2, ?3)";
    save(conn, sql, principal, session_id, turns)
}

/// Notes that a conversation has had more turns.
pub(crate) fn update(
    conn: &Connection,
    principal: &Principal,
    session_id: &SessionId,
    turns: TurnCount,
) -> Result<(), SqlError> {
    let sql = "UPDATE escalation_sessions SET turn_count = ?3
         WHERE principal = ?1 AND session_id = ?2 AND turn_count < ?3";
    save(conn, sql, principal, session_id, turns)
}

fn save(
    conn: &Connection,
    sql: &str,
    principal: &Principal,
    session_id: &SessionId,
    turns: TurnCount,
) -> Result<(), SqlError> {
    let changed = conn.prepare_cached(sql)?.execute(params![
        principal.as_str(),
        session_id.as_str(),
        turns.number()
    ])?;
    if changed == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(SESSIONS, session_id, "it was not saved"))
    }
}

/// Every conversation, by principal and id.
pub(crate) const EVERY: &str = "SELECT principal, session_id, turn_count FROM escalation_sessions
     ORDER BY principal, session_id";

/// Every turn that was counted with a key, by principal and conversation.
pub(crate) const EVERY_TURN: &str = concat!(
    turn_columns!(),
    "ORDER BY principal, session_id, turn_count"
);

/// Every conversation, by principal and id, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(EscalationRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

/// A row of [`EVERY`].
pub(crate) fn read(row: &Row<'_>) -> Result<EscalationRecord, SqlError> {
    let id: String = row.get(1)?;
    session(row, &id).map_err(|cause| SqlError::untrue(SESSIONS, id, cause))
}

fn session(row: &Row<'_>, id: &str) -> Result<EscalationRecord, Box<dyn Error + Send + Sync>> {
    Ok(EscalationRecord {
        session_id: SessionId::new(id)?,
        turn_count: TurnCount::new(row.get(2)?)?,
        principal: Some(Principal::new(row.get_ref(0)?.as_str()?)?),
    })
}

/// Every turn that was counted with a key, by principal and conversation, one at a time.
pub(crate) fn each_turn<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(TurnRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY_TURN).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(turn_record(row)?)?;
    }
    Ok(())
}

/// The turn that this principal had counted with this key, with all that is known of it.
pub(crate) fn record_by_key(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<TurnRecord>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        turn_columns!(),
        "WHERE principal = ?1 AND idempotency_key = ?2"
    ))?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    rows.next()?.map(turn_record).transpose()
}

pub(crate) fn turn_record(row: &Row<'_>) -> Result<TurnRecord, SqlError> {
    let key: String = row.get(4)?;
    let read = || -> Result<TurnRecord, Box<dyn Error + Send + Sync>> {
        Ok(TurnRecord {
            turn: from_row(row)?,
            idempotency_key: IdempotencyKey::new(&key)?,
            counted_at: Timestamp::from_unix_millis(row.get(5)?)?,
            principal: Some(Principal::new(row.get_ref(3)?.as_str()?)?),
        })
    };
    read().map_err(|cause| SqlError::untrue(TURNS, &key, cause))
}

/// Counts a turn. The condition repeats the decision's arithmetic, so that a wrong decision changes
/// no row.
pub(crate) fn count(
    conn: &Connection,
    principal: &Principal,
    turn: &CountedTurn,
) -> Result<(), SqlError> {
    let number = turn.turn_count.number();
    let sql = match number {
        1 => {
            "INSERT INTO escalation_sessions (principal, session_id, turn_count) VALUES (?1, ?2, ?3)"
        }
        _ => {
            "UPDATE escalation_sessions SET turn_count = ?3
             WHERE principal = ?1 AND session_id = ?2 AND turn_count = ?3 - 1"
        }
    };
    let changed = conn.prepare_cached(sql)?.execute(params![
        principal.as_str(),
        turn.session_id.as_str(),
        number
    ])?;
    if changed == 1 {
        Ok(())
    } else {
        let cause = "its count is not the one that was read";
        Err(SqlError::untrue(SESSIONS, &turn.session_id, cause))
    }
}

/// The turn that this principal had counted with this key.
pub(crate) fn turn_by_key(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<CountedTurn>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT session_id, turn_count, message_sha256 FROM escalation_turns
         WHERE principal = ?1 AND idempotency_key = ?2",
    )?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    match rows.next()? {
        Some(row) => {
            let turn = from_row(row).map_err(|cause| SqlError::untrue(TURNS, key, cause))?;
            Ok(Some(turn))
        }
        None => Ok(None),
    }
}

/// Adds a turn that this principal had counted with this key.
pub(crate) fn insert_turn(
    conn: &Connection,
    (principal, key): (&Principal, &IdempotencyKey),
    turn: &CountedTurn,
    at: Timestamp,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO escalation_turns (principal, idempotency_key, session_id, turn_count,
                 message_sha256, counted_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            principal.as_str(),
            key.as_str(),
            turn.session_id.as_str(),
            turn.turn_count.number(),
            turn.message.as_bytes(),
            at.unix_millis(),
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TURNS, key, "it was not inserted"))
    }
}

fn from_row(row: &Row<'_>) -> Result<CountedTurn, Box<dyn Error + Send + Sync>> {
    Ok(CountedTurn {
        session_id: SessionId::new(row.get_ref(0)?.as_str()?)?,
        turn_count: TurnCount::new(row.get(1)?)?,
        message: MessageDigest::from_bytes(row.get(2)?),
    })
}
