//! T-11, R-118, R-119: a call that its client takes back, and a client that goes away, at every point
//! of a refund. Before the transaction nothing happens; once it decides it finishes, nobody is told,
//! and the key tells.

use std::path::PathBuf;

use refund_store::fault;
use serde_json::json;

use super::lab::{Lab, cents, finish};
use super::oracle::{Ask, Journal};
use super::pipes::{Pipes, SOON};
use super::{Lots, volume};
use crate::client::{Client, Start, faulty};

/// The points where a refund, once there, is carried out whatever its client does.
fn finishes(point: &str) -> bool {
    ![fault::REFUND_BEGUN, CALL_BEGUN].contains(&point)
}

/// The call has been read, and has not reached the store.
const CALL_BEGUN: &str = "call.begun";

fn points() -> impl Iterator<Item = &'static str> {
    [CALL_BEGUN].into_iter().chain(fault::ALL)
}

/// A server that stops at a point until the file is there.
fn pausing(lab: &Lab, point: &str) -> (Start, PathBuf) {
    let resume = lab.directory.path().join("resume");
    let start = lab
        .traced()
        .binary(faulty())
        .variable("REFUND_FAULT", &format!("pause@{point}"))
        .variable("REFUND_FAULT_PASS", "1")
        .variable("REFUND_FAULT_RESUME", &resume.display().to_string());
    (start, resume)
}

fn ask(key: &str) -> Ask {
    Ask {
        key: key.to_owned(),
        customer: 1,
        cents: 1_000,
    }
}

fn take_back(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{id}","reason":"test"}}}}"#
    )
}

/// Whether the refund of this key is there; the balance, the list and a retry must say the same.
fn told_by_key(client: &mut Client, key: &str, others: u64) -> bool {
    let name = json!({ "idempotency_key": key });
    let found = client.call_text("get_refund", &name.to_string());
    let there = found["result"]["isError"] == false;
    if !there {
        assert_eq!(
            found["result"]["_meta"]["refund-mcp/code"],
            "REFUND_NOT_FOUND"
        );
    }
    let record = client.call(
        "get_customer_record",
        &json!({ "customer_id": "CUST-00001" }),
    );
    let refunds = others + u64::from(there);
    assert_eq!(
        cents(&record["refundableBalance"]),
        100_000 - 1_000 * refunds,
        "wholly there or not at all"
    );
    let list = client.call("list_refunds", &json!({ "customer_id": "CUST-00001" }));
    assert_eq!(list["total"], refunds);
    client.send(&ask(key).line(r#""retry""#));
    let retry = client.receive();
    let replayed = retry["result"]["structuredContent"]["replayed"] == true;
    assert_eq!(
        (&retry["id"], replayed),
        (&json!("retry"), there),
        "{retry}"
    );
    there
}

#[test]
fn taken_back_at_every_point() {
    for point in points() {
        let lab = Lab::new(1, 100_000);
        let (start, resume) = pausing(&lab, point);
        let mut client = start.connect();
        client.send(&ask("taken back").key_line("taken-back"));
        while !client.next_log_line().expect("a log").contains("paused at") {}
        client.send(&take_back("taken-back"));
        // There the one thread that serves is what was stopped. Everywhere else the store stands still,
        // and the server serves.
        let serving = point != CALL_BEGUN;
        if serving {
            // Waits behind the first, so that its transaction can't have begun.
            client.send(&ask("waits").key_line("waits"));
            client.send(&take_back("waits"));
            client.ping();
        }
        client.send(&ask("next").key_line("next"));
        std::fs::write(&resume, "").expect("a file");
        // No answer to the first two: the next message is the answer to the third.
        let next = client.receive();
        assert_eq!(next["id"], "next", "{point}");
        assert_eq!(next["result"]["isError"], false, "{point}");
        let there = told_by_key(&mut client, "K-taken-back", 1);
        assert!(there || !finishes(point), "{point}: it had been decided");
        // That one is there now.
        if serving {
            let waited = told_by_key(&mut client, "K-waits", 2);
            assert!(!waited, "{point}: it had not begun");
        }
        assert_eq!(
            finish(client).answers,
            [serde_json::Value::Null; 0],
            "{point}"
        );
        lab.check();
    }
}

impl Ask {
    /// With the id as its key too.
    fn key_line(&self, id: &str) -> String {
        let ask = Self {
            key: format!("K-{id}"),
            ..self.clone()
        };
        ask.line(format!("\"{id}\""))
    }
}

// Nobody reads any more, and nobody writes: the refund in the middle is whole or not there, and the
// process ends quietly.
#[test]
fn the_client_is_gone_at_every_point() {
    for point in points() {
        let lab = Lab::new(1, 100_000);
        let (start, resume) = pausing(&lab, point);
        let mut pipes = Pipes::connect(&start);
        pipes.send(&(ask("K").line(1) + "\n"));
        pipes.wait_for_log("paused at");
        pipes.stdout = None;
        pipes.stdin = None;
        std::fs::write(&resume, "").expect("a file");
        let (code, log) = pipes.end(SOON);
        assert_eq!(code, Some(0), "{point}: {log}");
        lab.check();
        let mut client = lab.start().connect();
        // All had been read when the client went, and the end of input lets calls finish.
        assert!(told_by_key(&mut client, "K", 0), "{point}");
        finish(client);
        lab.check();
    }
}

// Under load, without pauses: half of the calls are taken back at any moment.
#[test]
fn taken_back_under_load() {
    let mut lots = Lots::draw();
    let lab = Lab::new(3, 100_000_000);
    let mut journal = Journal::default();
    let mut client = lab.traced().connect();
    for _ in 0..volume(10, 200) {
        let mut lines = String::new();
        let mut kept = std::collections::BTreeSet::new();
        let mut waiting = Vec::new();
        for _ in 0..200 {
            let customer = u32::try_from(1 + lots.below(3)).expect("small");
            let index = journal.ask(customer, 1 + lots.below(5000));
            lines.push_str(&(journal.asks[index].line(index) + "\n"));
            if lots.below(2) == 0 {
                waiting.push(index);
            } else {
                kept.insert(index);
            }
            if lots.below(3) == 0 && !waiting.is_empty() {
                let index = waiting.swap_remove(lots.index(waiting.len()));
                lines.push_str(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{index}}}}}\n"
                ));
            }
        }
        kept.extend(waiting);
        client.write(lines.as_bytes());
        while !kept.is_empty() {
            let answer = client.receive();
            let index = answer["id"].as_u64().expect("an index");
            kept.remove(&usize::try_from(index).expect("small"));
            journal.answered(&answer);
        }
    }
    assert!(
        journal.answers.values().all(|answers| answers.len() == 1),
        "nobody is answered twice"
    );
    for answer in finish(client).answers {
        journal.answered(&answer);
    }
    journal.judge(&lab);
}
