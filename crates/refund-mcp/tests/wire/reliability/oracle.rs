//! The oracle: what the client sent and was told, against what the store holds.
//!
//! - I1: every acknowledged refund is in the store exactly once, as it was acknowledged.
//! - I2: no key is there twice.
//! - I3: for each customer, the opening balance less the refunds is the balance, and not below zero.
//! - I4: every stored refund belongs to a request that was sent.
//! - I5: a retry with the key gives the same result. A request without an answer may have been carried
//!   out or not; the retry settles which.
//! - I6: the same key with other arguments is always refused.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use super::lab::{CANARY, Lab, call, cents, customer, decimal, finish};
use crate::client::Client;

/// A request for a refund.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) key: String,
    pub(super) customer: u32,
    pub(super) cents: u64,
}

impl Ask {
    /// The reason is the key's own, so that a refund tells which request it belongs to.
    pub(super) fn reason(&self) -> String {
        format!("{CANARY} — reason 🦀 of {}", self.key)
    }

    /// As a line, without its end.
    pub(super) fn line(&self, id: impl std::fmt::Display) -> String {
        let Self { key, cents, .. } = self;
        call(
            id,
            "trigger_refund",
            &format!(
                r#"{{"customer_id":"{}","amount":{},"reason":"{}","idempotency_key":"{key}"}}"#,
                customer(self.customer),
                decimal(*cents),
                self.reason(),
            ),
        )
    }
}

/// What the server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Paid(Receipt),
    Refused(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Receipt {
    pub(super) refund_id: String,
    pub(super) cents: u64,
    pub(super) remaining: u64,
    pub(super) processed_at: String,
    pub(super) replayed: bool,
}

impl Receipt {
    fn same(&self, other: &Self) -> bool {
        let first = |receipt: &Self| Self {
            replayed: false,
            ..receipt.clone()
        };
        first(self) == first(other)
    }
}

impl Answer {
    /// Reads a response to a call of `trigger_refund`, which must be a result.
    pub(super) fn read(message: &Value) -> Self {
        let result = &message["result"];
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        match &result["isError"] {
            Value::Bool(true) => Self::Refused(text(&result["_meta"]["refund-mcp/code"])),
            Value::Bool(false) => {
                let refund = &result["structuredContent"];
                assert_eq!(refund["status"], "processed", "{message}");
                Self::Paid(Receipt {
                    refund_id: text(&refund["refundId"]),
                    cents: cents(&refund["amount"]),
                    remaining: cents(&refund["remainingRefundableBalance"]),
                    processed_at: text(&refund["processedAt"]),
                    replayed: refund["replayed"] == true,
                })
            }
            _ => panic!("no result: {message}"),
        }
    }
}

/// Everything that was sent, and what came back.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) asks: Vec<Ask>,
    /// By the index of the ask; one may be sent many times.
    pub(super) answers: HashMap<usize, Vec<Answer>>,
}

/// A refund as the store has it.
#[derive(Debug)]
struct Row {
    refund_id: String,
    customer: String,
    cents: u64,
    reason: String,
    remaining: u64,
    key: String,
}

impl Journal {
    /// A new request, and its index.
    pub(super) fn ask(&mut self, customer: u32, cents: u64) -> usize {
        let index = self.asks.len();
        self.asks.push(Ask {
            key: format!("K-{index}"),
            customer,
            cents,
        });
        index
    }

    /// An answer to a request whose id was its index.
    pub(super) fn answered(&mut self, message: &Value) {
        let index = message["id"].as_u64().expect("an index");
        let index = usize::try_from(index).expect("an index");
        let answers = self.answers.entry(index).or_default();
        answers.push(Answer::read(message));
    }

    /// Holds the whole journal against the store.
    pub(super) fn judge(&mut self, lab: &Lab) {
        self.judge_part(lab, 0..self.asks.len());
    }

    /// Holds the whole journal against the store, but asks again only for a part of it.
    pub(super) fn judge_part(&mut self, lab: &Lab, part: Range<usize>) {
        lab.check();
        let before = self.stored(lab);
        let mut client = lab.asker().connect();
        let first = retry(&mut client, &self.asks, part.clone());
        for (index, now) in &first {
            let ask = &self.asks[*index];
            let known = self.answers.get(index).map_or(&[][..], Vec::as_slice);
            let acknowledged = known.iter().find_map(|answer| match answer {
                Answer::Paid(receipt) => Some(receipt),
                Answer::Refused(_) => None,
            });
            match (before.get(&ask.key), now) {
                (Some(row), Answer::Paid(receipt)) => {
                    assert!(receipt.replayed, "I5: {ask:?} was paid twice");
                    assert_eq!(receipt.refund_id, row.refund_id, "I5: {ask:?}");
                    assert_eq!(receipt.remaining, row.remaining, "I5: {ask:?}");
                    assert!(
                        acknowledged.is_none_or(|known| known.same(receipt)),
                        "I5: {ask:?}: {acknowledged:?} became {receipt:?}"
                    );
                }
                (Some(row), refused) => panic!("I5: {ask:?}: {refused:?}, but there is {row:?}"),
                (None, Answer::Paid(receipt)) => {
                    assert!(!receipt.replayed, "I5: {ask:?} replays what is not there");
                }
                (None, Answer::Refused(code)) => assert_eq!(code, "EXCEEDS_BALANCE", "{ask:?}"),
            }
        }
        for (index, again) in retry(&mut client, &self.asks, part) {
            let ask = &self.asks[index];
            match (&first[&index], &again) {
                (Answer::Paid(one), Answer::Paid(two)) => {
                    assert!(
                        one.same(two) && two.replayed,
                        "I5: {ask:?}: {one:?}, {two:?}"
                    );
                }
                (one, two) => assert_eq!(one, two, "I5: {ask:?}"),
            }
        }
        let others: Vec<Ask> = self.asks.iter().map(other).collect();
        let paid = first.iter().filter_map(|(index, answer)| {
            let paid = matches!(answer, Answer::Paid(_));
            paid.then_some(*index)
        });
        for (index, answer) in retry(&mut client, &others, paid) {
            let conflict = Answer::Refused("IDEMPOTENCY_CONFLICT".to_owned());
            assert_eq!(answer, conflict, "I6: {:?}", others[index]);
        }
        finish(client);
        for (index, answer) in first {
            self.answers.entry(index).or_default().push(answer);
        }
        lab.check();
        self.stored(lab);
    }

    /// I1 to I4, on the store's own rows.
    fn stored(&self, lab: &Lab) -> HashMap<String, Row> {
        let (rows, customers) = read(lab);
        let count = rows.len();
        let asks: HashMap<&str, &Ask> = self.asks.iter().map(|ask| (&*ask.key, ask)).collect();
        let mut paid: HashMap<&str, u64> = HashMap::new();
        for row in &rows {
            let ask = asks.get(&*row.key);
            let ask = ask.unwrap_or_else(|| panic!("I4: nobody asked for {row:?}"));
            assert_eq!(
                (&row.customer, row.cents, &row.reason),
                (&customer(ask.customer), ask.cents, &ask.reason()),
                "I4: {ask:?}"
            );
            *paid.entry(&row.customer).or_default() += row.cents;
        }
        for (id, opening, balance) in &customers {
            let paid = paid.get(&**id).copied().unwrap_or_default();
            assert!(*balance >= 0, "I3: {id}");
            assert_eq!(i64::try_from(paid), Ok(opening - balance), "I3: {id}");
        }
        let by_key: HashMap<String, Row> =
            rows.into_iter().map(|row| (row.key.clone(), row)).collect();
        assert_eq!(by_key.len(), count, "I2: a key is there twice");
        let mut ids: Vec<&str> = by_key.values().map(|row| &*row.refund_id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "I1: a refund is there twice");
        for (index, answers) in &self.answers {
            let ask = &self.asks[*index];
            for answer in answers {
                let Answer::Paid(receipt) = answer else {
                    continue;
                };
                let row = by_key.get(&ask.key);
                let row = row.unwrap_or_else(|| panic!("I1: {ask:?}: {receipt:?} is lost"));
                assert_eq!(
                    (&receipt.refund_id, receipt.cents, receipt.remaining),
                    (&row.refund_id, row.cents, row.remaining),
                    "I1: {ask:?}"
                );
            }
        }
        by_key
    }
}

/// The same key with something else in one of the other arguments.
fn other(ask: &Ask) -> Ask {
    let mut other = ask.clone();
    if ask.cents.is_multiple_of(2) {
        other.cents += 1;
    } else {
        other.customer = if ask.customer == 1 { 2 } else { 1 };
    }
    other
}

/// Asks for all of these, and gives the answers by index.
fn retry(
    client: &mut Client,
    asks: &[Ask],
    part: impl IntoIterator<Item = usize>,
) -> HashMap<usize, Answer> {
    let mut answers = HashMap::new();
    let part: Vec<usize> = part.into_iter().collect();
    // In portions, so that what the client holds stays small whatever the journal has.
    for indices in part.chunks(1000) {
        let mut lines = String::new();
        for index in indices {
            lines.push_str(&asks[*index].line(index));
            lines.push('\n');
        }
        client.write(lines.as_bytes());
        for _ in indices {
            let message = client.receive();
            let index = message["id"].as_u64().expect("an index");
            let index = usize::try_from(index).expect("an index");
            let twice = answers.insert(index, Answer::read(&message));
            assert!(twice.is_none(), "two answers to {message}");
        }
    }
    answers
}

type Customers = Vec<(String, i64, i64)>;

fn read(lab: &Lab) -> (Vec<Row>, Customers) {
    let refunds = lab.query(
        "SELECT refund_id, customer_id, amount_minor, reason, remaining_minor, idempotency_key
         FROM refunds",
    );
    let rows = refunds.into_iter().map(|row| {
        let [refund_id, customer, cents, reason, remaining, key] =
            row.try_into().expect("six columns");
        Row {
            refund_id,
            customer,
            cents: cents.parse().expect("cents"),
            reason,
            remaining: remaining.parse().expect("cents"),
            key,
        }
    });
    let customers = lab.query("SELECT customer_id, opening_minor, balance_minor FROM customers");
    let customers = customers.into_iter().map(|row| {
        let [id, opening, balance] = row.try_into().expect("three columns");
        let number = |text: String| text.parse().expect("cents");
        (id, number(opening), number(balance))
    });
    (rows.collect(), customers.collect())
}
