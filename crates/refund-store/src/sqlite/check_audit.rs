//! Whether each refund and each return that was made here is told of by one audit row, and by no other
//! than its own.
//!
//! In a file both tables grow in the same order, because a row and its audit row are saved together by one
//! writer at a time. So the two are read side by side, in no more memory than two rows take; there is no
//! index from an audit row's refund back to it, and ten million rows need none. Where several wrote at
//! once the audit rows are sorted first.

use refund_domain::{Currency, Money, refund, returns};
use rusqlite::{Connection, OptionalExtension, Row, Rows};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::check::Findings;
use super::error::SqlError;
use crate::audit_entry::FreeId;

/// What is made, and where.
struct Kind {
    /// In a finding.
    noun: &'static str,
    /// The tool whose audit rows tell of it.
    tool: &'static str,
    /// The rows that were made here, in their order.
    made: &'static str,
    read: fn(&Row<'_>) -> rusqlite::Result<Made>,
    /// The table, and its id, which audit rows have under the same name.
    table: &'static str,
    id: &'static str,
    /// From an id to the row's place, and whether an import brought it.
    place: &'static str,
}

const REFUNDS: Kind = Kind {
    noun: "refund",
    tool: refund::TOOL,
    made: "SELECT seq, refund_id, processed_at_ms, principal, customer_id, amount_minor, currency,
             reason, idempotency_key
         FROM refunds WHERE import_seq IS NULL ORDER BY seq",
    read: |row| {
        let minor: i64 = row.get(5)?;
        let currency: String = row.get(6)?;
        // Money that cannot be is a finding about the row; here it equals no amount.
        let amount = Currency::new(&currency)
            .ok()
            .and_then(|currency| Money::from_minor(minor, currency).ok())
            .map(|money| money.decimal().normalize().to_string());
        Ok(Made {
            seq: row.get(0)?,
            id: row.get(1)?,
            at: row.get(2)?,
            principal: row.get(3)?,
            arguments: Arguments {
                customer_id: row.get(4)?,
                order_id: None,
                amount: Some(amount.unwrap_or_default()),
                reason_characters: characters(row, 7)?,
                idempotency_key: row.get::<_, Option<String>>(8)?.map(Value::from),
            },
        })
    },
    table: "refunds",
    id: "refund_id",
    place: "SELECT seq, import_seq IS NOT NULL FROM refunds WHERE refund_id = ?1",
};

const RETURNS: Kind = Kind {
    noun: "return",
    tool: returns::TOOL,
    made: "SELECT seq, return_id, processed_at_ms, principal, order_id, reason, idempotency_key
         FROM returns WHERE import_seq IS NULL ORDER BY seq",
    read: |row| {
        let order_id: String = row.get(4)?;
        Ok(Made {
            seq: row.get(0)?,
            id: row.get(1)?,
            at: row.get(2)?,
            principal: row.get(3)?,
            arguments: Arguments {
                customer_id: None,
                order_id: serde_json::to_value(FreeId::new(&order_id)).ok(),
                amount: None,
                reason_characters: characters(row, 5)?,
                idempotency_key: row.get::<_, Option<String>>(6)?.map(Value::from),
            },
        })
    },
    table: "returns",
    id: "return_id",
    place: "SELECT seq, import_seq IS NOT NULL FROM returns WHERE return_id = ?1",
};

/// How many wrote the database at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writers {
    One,
    Many,
}

impl Kind {
    /// The processed audit rows with an id of this kind, in the order of what they tell of. One that tells
    /// of nothing is a finding of the invariants.
    fn told(&self, writers: Writers) -> String {
        let Self { table, id, .. } = self;
        let (from, order) = match writers {
            Writers::One => (String::new(), "a.seq"),
            Writers::Many => (format!("JOIN {table} m ON m.{id} = a.{id}"), "m.seq, a.seq"),
        };
        format!(
            "SELECT a.seq, a.{id}, a.at_ms, a.principal, a.tool, a.arguments FROM audit a {from}
             WHERE a.{id} IS NOT NULL AND a.outcome = 'processed' ORDER BY {order}"
        )
    }
}

fn characters(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let text: String = row.get(column)?;
    Ok(text.chars().count() as u64)
}

/// A row, with the arguments that its audit row must have.
struct Made {
    seq: i64,
    id: String,
    at: i64,
    principal: Option<String>,
    arguments: Arguments,
}

/// An audit row.
struct Told {
    seq: i64,
    id: String,
    at: i64,
    principal: Option<String>,
    tool: String,
    /// None where they are those of no such tool.
    arguments: Option<Arguments>,
}

/// The arguments as the audit trail keeps them.
#[derive(Debug)]
struct Arguments {
    customer_id: Option<String>,
    order_id: Option<Value>,
    /// Digits, without zeros at the end.
    amount: Option<String>,
    reason_characters: u64,
    idempotency_key: Option<Value>,
}

impl Arguments {
    fn read(json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Json<'a> {
            customer_id: Option<String>,
            order_id: Option<Value>,
            #[serde(borrow)]
            amount: Option<&'a RawValue>,
            reason_characters: u64,
            idempotency_key: Option<Value>,
        }
        let json: Json<'_> = serde_json::from_str(json).ok()?;
        Some(Self {
            customer_id: json.customer_id,
            order_id: json.order_id,
            amount: json.amount.map(|amount| amount.get().to_owned()),
            reason_characters: json.reason_characters,
            idempotency_key: json.idempotency_key,
        })
    }
}

/// Looks at the refunds.
pub(crate) fn refunds(conn: &Connection, writers: Writers) -> Result<Findings, SqlError> {
    side_by_side(conn, &REFUNDS, writers)
}

/// Looks at the returns.
pub(crate) fn returns(conn: &Connection, writers: Writers) -> Result<Findings, SqlError> {
    side_by_side(conn, &RETURNS, writers)
}

fn side_by_side(conn: &Connection, kind: &Kind, writers: Writers) -> Result<Findings, SqlError> {
    let mut findings = Findings::default();
    let told = kind.told(writers);
    let (mut all_made, mut all_told) = (conn.prepare(kind.made)?, conn.prepare(&told)?);
    let (mut all_made, mut all_told) = (all_made.query([])?, all_told.query([])?);
    let next_made = |rows: &mut Rows<'_>| rows.next()?.map(kind.read).transpose();
    let mut made = next_made(&mut all_made)?;
    let mut told = next_told(&mut all_told)?;
    let noun = kind.noun;
    loop {
        let listed = match (&made, &told) {
            (None, None) => break,
            (Some(row), Some(tale)) if row.id == tale.id => {
                let wrong = differences(row, tale, kind.tool);
                let said = wrong.is_empty()
                    || findings.add(format!(
                        "{noun} {}: audit row {} tells of another {}",
                        row.id,
                        tale.seq,
                        wrong.join(", ")
                    ));
                made = next_made(&mut all_made)?;
                told = next_told(&mut all_told)?;
                said
            }
            (Some(row), tale) if comes_first(conn, kind, row, tale.as_ref())? => {
                let said = findings.add(format!(
                    "{noun} {}: 0 audit rows say that it was processed, and not one",
                    row.id
                ));
                made = next_made(&mut all_made)?;
                said
            }
            (_, Some(tale)) => {
                // Rows that tell of nothing, and of what was imported, are found by the invariants.
                let said = match place(conn, kind, &tale.id)? {
                    Some((_, false)) => findings.add(format!(
                        "{noun} {}: audit row {} says again that it was processed",
                        tale.id, tale.seq
                    )),
                    _ => true,
                };
                told = next_told(&mut all_told)?;
                said
            }
            // The arm before the last takes every row that has no tale beside it.
            (Some(_), None) => break,
        };
        if !listed {
            break;
        }
    }
    Ok(findings)
}

/// Whether a row's own audit row would have come before this one.
fn comes_first(
    conn: &Connection,
    kind: &Kind,
    row: &Made,
    tale: Option<&Told>,
) -> rusqlite::Result<bool> {
    match tale {
        None => Ok(true),
        Some(tale) => {
            Ok(place(conn, kind, &tale.id)?
                .is_some_and(|(seq, imported)| !imported && seq > row.seq))
        }
    }
}

fn place(conn: &Connection, kind: &Kind, id: &str) -> rusqlite::Result<Option<(i64, bool)>> {
    conn.prepare_cached(kind.place)?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn next_told(rows: &mut Rows<'_>) -> rusqlite::Result<Option<Told>> {
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(Told {
        seq: row.get(0)?,
        id: row.get(1)?,
        at: row.get(2)?,
        principal: row.get(3)?,
        tool: row.get(4)?,
        arguments: Arguments::read(row.get_ref(5)?.as_str()?),
    }))
}

/// What an audit row says otherwise than the row.
fn differences(row: &Made, tale: &Told, tool: &str) -> Vec<&'static str> {
    let expected = &row.arguments;
    let mut wrong = vec![
        ("tool", tale.tool != tool),
        ("principal", tale.principal != row.principal),
        ("time", tale.at != row.at),
    ];
    match &tale.arguments {
        None => wrong.push(("call", true)),
        Some(told) => wrong.extend([
            ("customer", told.customer_id != expected.customer_id),
            ("order", told.order_id != expected.order_id),
            ("amount", told.amount != expected.amount),
            (
                "reason",
                told.reason_characters != expected.reason_characters,
            ),
            (
                "key",
                !is_told(&expected.idempotency_key, &told.idempotency_key),
            ),
        ]),
    }
    let wrong = wrong.into_iter().filter(|(_, differs)| *differs);
    wrong.map(|(what, _)| what).collect()
}

/// Whether an audit row tells of this key: masked where it could name a person, or as it is, which older
/// rows do.
fn is_told(key: &Option<Value>, told: &Option<Value>) -> bool {
    let masked = |key: &Value| serde_json::to_value(FreeId::made_up(key.as_str()?)).ok();
    key == told || key.as_ref().and_then(masked) == *told
}
