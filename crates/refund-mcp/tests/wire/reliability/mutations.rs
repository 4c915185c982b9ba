//! T-16: legal messages with bytes flipped, deleted and inserted, and members twice. Whatever they have
//! become, the server stays alive, and no money moves that nobody can have asked for.

use serde_json::json;

use super::lab::{CANARY, Lab, call, finish, ping};
use super::pipes::memory_is_flat;
use super::{Lots, volume};

/// Bytes that mean something in JSON, and some that mean trouble.
const TELLING: &[u8] = b"\"\\{}[]:,0123456789-+.eEtfnu \t\r\n\0\x7f\x80\xc3\xe2\xed\xf0\xff";

fn legal() -> Vec<String> {
    let refund = format!(
        r#"{{"customer_id":"CUST-00001","amount":12.34,"reason":"{CANARY} \u00e9 🦀 \"quoted\"","idempotency_key":"a-key"}}"#
    );
    let mut messages: Vec<String> = [
        r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"no"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    for (tool, arguments) in [
        ("trigger_refund", &*refund),
        ("preview_refund", &*refund),
        ("get_customer_record", r#"{"customer_id":"CUST-00001"}"#),
        ("get_refund", r#"{"idempotency_key":"a-key"}"#),
        ("list_refunds", r#"{"customer_id":"CUST-00001","limit":5}"#),
    ] {
        messages.push(call(r#""x""#, tool, arguments));
    }
    messages
}

fn mutated(lots: &mut Lots, message: &str) -> Vec<u8> {
    let mut bytes = message.as_bytes().to_vec();
    for _ in 0..=lots.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = lots.index(bytes.len());
        match lots.below(6) {
            0 => bytes[at] ^= 1 << lots.below(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, TELLING[lots.index(TELLING.len())]),
            3 => bytes[at] = TELLING[lots.index(TELLING.len())],
            4 => bytes.truncate(at),
            _ => {
                // A member twice, or whatever stands between two commas.
                let end = bytes[at..].iter().position(|byte| *byte == b',');
                let start = bytes[..at].iter().rposition(|byte| *byte == b',');
                if let (Some(start), Some(end)) = (start, end) {
                    let member = bytes[start..at + end].to_vec();
                    bytes.splice(start..start, member);
                }
            }
        }
    }
    bytes
}

#[test]
fn mutations_of_legal_messages() {
    let mut lots = Lots::draw();
    let lab = Lab::new(1, 100_000_000);
    let mut client = lab.traced().connect();
    let legal = legal();
    for number in 0..volume(3_000, 1_000_000) {
        let which = lots.index(legal.len());
        let message = mutated(&mut lots, &legal[which]);
        let id = json!(format!("ping {number}"));
        client.write(&[&*message, b"\n", ping(&id).as_bytes()].concat());
        // Every line is checked to be a response; those to the mutation may come before or later.
        while client.receive()["id"] != id {}
    }
    memory_is_flat(client.child.id());
    // Answers to the last mutations may still come before this one.
    client.send(&call(
        "\"the list\"",
        "list_refunds",
        r#"{"customer_id":"CUST-00001","limit":1}"#,
    ));
    let list = loop {
        let answer = client.receive();
        if answer["id"] == "the list" {
            break answer;
        }
    };
    let total = &list["result"]["structuredContent"]["total"];
    assert!(total.is_u64(), "{list}");
    eprintln!("{total} mutations were refunds still");
    finish(client);
    lab.check();
}
