//! T-18, R-103, R-106, R-107: sizes, and memory that stays flat whatever comes.

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use serde_json::{Value, json};

use super::lab::{HANDSHAKE, Lab, call, finish, ping};
use super::pipes::{Pipes, SOON, memory_is_flat};
use super::volume;
use crate::client::{Client, Start};

/// The longest message.
const LIMIT: usize = 1024 * 1024;

/// Sends a line and a ping, and gives the answers to the line: as many as are expected, or more.
fn answers(client: &mut Client, line: &[u8], expected: usize) -> Vec<Value> {
    client.write(&[line, b"\n", ping("\"after\"").as_bytes()].concat());
    let (mut answers, mut pinged) = (Vec::new(), false);
    while !pinged || answers.len() < expected {
        let answer = client.receive();
        if answer["id"] == "after" {
            pinged = true;
        } else {
            answers.push(answer);
        }
    }
    answers
}

/// Sends a line that has no answer.
fn silence(client: &mut Client, line: &[u8]) {
    assert_eq!(answers(client, line, 0), [Value::Null; 0]);
}

/// Sends a line that is refused, and gives the code.
fn refused(client: &mut Client, line: &[u8]) -> i64 {
    let answers = answers(client, line, 1);
    assert_eq!((answers.len(), &answers[0]["id"]), (1, &json!(5)));
    let code = answers[0]["error"]["code"].as_i64();
    code.unwrap_or_else(|| panic!("{}", answers[0]))
}

/// A message that is filled up to a length at the place of the `*`.
fn filled(message: &str, length: usize) -> String {
    message.replace('*', &"x".repeat(length + 1 - message.len()))
}

// A message that is read is refused for its argument; one that is not, for its length.
#[test]
fn one_below_at_and_one_above_the_limit() {
    const READ: i64 = -32602;
    const TOO_LONG: i64 = -32600;
    let lab = Lab::new(1, 100_000);
    let mut client = lab.traced().connect();
    let refund = r#"{"customer_id":"CUST-00001","amount":1,"reason":"canary of a reason","idempotency_key":"*"}"#;
    let id_first = call(5, "trigger_refund", refund);
    let id_last = format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"trigger_refund","arguments":{refund}}},"id":5}}"#
    );
    for message in [&id_first, &id_last] {
        for length in [LIMIT - 1, LIMIT] {
            assert_eq!(
                refused(&mut client, filled(message, length).as_bytes()),
                READ
            );
        }
    }
    for length in [LIMIT + 1, LIMIT + 64 * 1024, 5_000_000, 17 * LIMIT] {
        assert_eq!(
            refused(&mut client, filled(&id_first, length).as_bytes()),
            TOO_LONG
        );
        // The id stands behind what is kept, so that nobody knows whose it is.
        silence(&mut client, filled(&id_last, length).as_bytes());
    }
    let spaces = " ".repeat(LIMIT - ping(5).len());
    assert_eq!(
        answers(
            &mut client,
            (ping(5).trim_end().to_owned() + &spaces).as_bytes(),
            1
        )
        .len(),
        1
    );
    assert_eq!(
        refused(
            &mut client,
            (ping(5).trim_end().to_owned() + &spaces + "  ").as_bytes()
        ),
        TOO_LONG
    );
    memory_is_flat(client.child.id());
    let list = client.call("list_refunds", &json!({ "customer_id": "CUST-00001" }));
    assert_eq!(list["total"], 0);
    finish(client);
}

#[test]
fn two_gibibytes_without_a_line_end() {
    let mut client = Start::memory().connect();
    let chunk = vec![b'x'; LIMIT];
    for _ in 0..2048 {
        client.write(&chunk);
    }
    memory_is_flat(client.child.id());
    silence(&mut client, b"");
    // The same as a request whose id can be read.
    client.write(br#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"fill":""#);
    for _ in 0..volume(16, 2048) {
        client.write(&chunk);
    }
    assert_eq!(refused(&mut client, br#""}}"#), -32600);
    memory_is_flat(client.child.id());
    finish(client);
}

#[test]
fn a_hundred_thousand_brackets() {
    let mut client = Start::memory().connect();
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"":"#, "}]")] {
        let count = 100_000;
        let half = open.repeat(count);
        let whole = format!("{half}0{}", close.repeat(count));
        for nested in [&half, &whole] {
            silence(&mut client, nested.as_bytes());
        }
        for message in [
            call(5, "trigger_refund", "*"),
            call(
                5,
                "trigger_refund",
                r#"{"customer_id":*,"amount":1,"reason":"x"}"#,
            ),
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":*}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":*}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":5,"method":*}"#.to_owned(),
        ] {
            let code = refused(&mut client, message.replace('*', &whole).as_bytes());
            assert!(
                [-32602, -32600].contains(&code),
                "{open} in {message}: {code}"
            );
            // Cut off in the middle it is no message.
            silence(&mut client, message.replace('*', &half).as_bytes());
        }
    }
    memory_is_flat(client.child.id());
    finish(client);
}

// R-103: a character that is split over reads is the same character.
#[test]
fn byte_by_byte() {
    let lab = Lab::new(1, 100_000);
    let mut pipes = Pipes::connect(&lab.traced());
    let reason = "canary — 🦀🏳️‍🌈 漢字 é ß \u{10ffff} end";
    let arguments = json!({ "customer_id": "CUST-00001", "amount": 1, "reason": reason, "idempotency_key": "K" });
    let line = call(1, "trigger_refund", &arguments.to_string()) + "\n";
    let mut stdin = pipes.stdin.take().expect("open");
    for byte in line.as_bytes() {
        stdin.write_all(&[*byte]).expect("the server reads");
        // The server has taken the byte before the next one is written.
        while rustix::io::ioctl_fionread(&stdin).expect("a pipe") > 0 {
            thread::yield_now();
        }
    }
    let answer = pipes.receive().expect("an answer");
    assert_eq!(answer["result"]["structuredContent"]["reason"], reason);
    drop(stdin);
    assert_eq!(pipes.end(SOON).0, Some(0));
    let mut client = lab.start().connect();
    let stored = client.call("get_refund", &json!({ "idempotency_key": "K" }));
    assert_eq!(stored["reason"], reason);
    finish(client);
}

// Long lines of many small values, which cost far more than their bytes once they are read as values.
#[test]
fn many_long_lines_of_arrays() {
    let mut client = Start::memory().connect();
    let list = |part: &str| {
        let parts = vec![part; (LIMIT - 200) / (part.len() + 1)];
        format!("[{}]", parts.join(","))
    };
    let lists = [
        list("0"),
        list("[]"),
        list("{}"),
        list(r#"{"a":0}"#),
        list(r#""""#),
        list("null"),
    ];
    for _ in 0..volume(1, 50) {
        for list in &lists {
            silence(&mut client, list.as_bytes());
            for message in [
                call(5, "trigger_refund", list),
                call(5, "trigger_refund", &format!(r#"{{"reason":{list}}}"#)),
                format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{list}}}"#),
                format!(
                    r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{{"_meta":{{"a":{list}}}}}}}"#
                ),
            ] {
                assert_eq!(refused(&mut client, message.as_bytes()), -32602);
            }
        }
        memory_is_flat(client.child.id());
    }
    // More at once than are held at once.
    const AT_ONCE: usize = 32;
    for id in 0..AT_ONCE {
        client.send(&call(id, "get_customer_record", &lists[0]));
    }
    for _ in 0..AT_ONCE {
        assert_eq!(client.receive()["error"]["code"], -32602);
    }
    memory_is_flat(client.child.id());
    finish(client);
}

// A batch is refused, and every id in it has its answer.
#[test]
fn a_batch_of_ids() {
    let mut client = Start::memory().connect();
    for method in [r#","method":"ping""#, ""] {
        let mut batch = String::from("[");
        let mut ids = 0;
        while batch.len() < LIMIT - 60 {
            batch.push_str(&format!(r#"{{"id":{ids}{method}}},"#));
            ids += 1;
        }
        batch.pop();
        batch.push(']');
        if method.is_empty() {
            // Objects that are no requests.
            silence(&mut client, batch.as_bytes());
        } else {
            let answers = answers(&mut client, batch.as_bytes(), ids);
            assert_eq!(answers.len(), ids);
            assert!(
                answers
                    .iter()
                    .all(|answer| answer["error"]["code"] == -32600)
            );
        }
        memory_is_flat(client.child.id());
    }
    finish(client);
}

// A client that never reads: the server stops reading too. Once it reads, every answer is there.
#[test]
fn a_client_that_never_reads() {
    const MOST: usize = 64 * LIMIT;
    for long in [false, true] {
        let mut pipes = Pipes::connect(&Start::memory());
        let stdin = pipes.stdin.as_mut().expect("open");
        rustix::io::ioctl_fionbio(&*stdin, true).expect("a pipe");
        let line = |id: usize| {
            if long {
                // Long questions with short answers.
                let fill = "x".repeat(100_000);
                call(
                    id,
                    "get_customer_record",
                    &format!(r#"{{"customer_id":"{fill}"}}"#),
                ) + "\n"
            } else {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\n")
            }
        };
        let (mut sent, mut accepted) = (0, 0);
        let mut rest = Vec::new();
        while accepted < MOST {
            if rest.is_empty() {
                rest = line(sent).into_bytes();
                sent += 1;
            }
            match stdin.write(&rest) {
                Ok(count) => {
                    accepted += count;
                    rest.drain(..count);
                }
                Err(error) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
                    let mut descriptors = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT)];
                    // A server that takes nothing for this long has stopped.
                    let long = Timespec {
                        tv_sec: 1,
                        tv_nsec: 0,
                    };
                    if poll(&mut descriptors, Some(&long)).expect("poll") == 0 {
                        break;
                    }
                }
            }
        }
        assert!(accepted < MOST, "it reads on and on");
        eprintln!("{accepted} bytes were accepted from a client that does not read");
        memory_is_flat(pipes.child.id());
        // Now it reads; the rest of the last line goes in, and nothing was dropped.
        rustix::io::ioctl_fionbio(&*stdin, false).expect("a pipe");
        let mut stdin = pipes.stdin.take().expect("open");
        thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(&rest).expect("the server reads"));
            let mut ids: Vec<u64> = std::iter::from_fn(|| pipes.receive())
                .map(|answer| answer["id"].as_u64().expect("an id"))
                .collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..sent as u64).collect::<Vec<_>>());
        });
        assert_eq!(pipes.end(SOON).0, Some(0));
    }
}

// Memory does not grow with the number of calls.
#[test]
fn very_many_calls() {
    let calls: u64 = volume(100_000, 1_000_000);
    let lab = Lab::new(1, 100_000_000);
    let mut pipes = Pipes::spawn(&lab.start().variable("LOG_LEVEL", "warn"));
    let mut stdin = pipes.stdin.take().expect("open");
    thread::scope(|scope| {
        scope.spawn(move || {
            stdin.write_all(HANDSHAKE.as_bytes()).expect("the server reads");
            for id in 0..calls {
                let line = match id % 10 {
                    0 => call(id, "trigger_refund", r#"{"customer_id":"CUST-00001","amount":0.01,"reason":"canary of a reason"}"#),
                    1 => call(id, "list_refunds", r#"{"customer_id":"CUST-00001","limit":1}"#),
                    2 => call(id, "trigger_refund", r#"{"amount":"many"}"#),
                    _ => call(id, "get_customer_record", r#"{"customer_id":"CUST-00001"}"#),
                };
                stdin.write_all((line + "\n").as_bytes()).expect("the server reads");
            }
        });
        for _ in 0..=calls {
            assert!(pipes.receive().is_some());
        }
        memory_is_flat(pipes.child.id());
    });
    assert!(pipes.receive().is_none());
    assert_eq!(pipes.end(SOON).0, Some(0));
    lab.check();
}
