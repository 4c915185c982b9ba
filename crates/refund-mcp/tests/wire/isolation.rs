//! Standard output carries the protocol and nothing else, whatever the code behind a tool does; and
//! what a panic does.

use serde_json::json;

use crate::client::{Start, faulty};

fn with(fault: &str) -> Start {
    Start::memory()
        .binary(faulty())
        .variable("REFUND_FAULT", fault)
}

// The client fails on the first line of stdout that is no JSON-RPC message.
#[test]
fn printing_code_cannot_reach_the_client() {
    let mut client = with("print@call.begun").connect();
    for _ in 0..20 {
        client.call(
            "get_customer_record",
            &json!({ "customer_id": "CUST-00001" }),
        );
    }
    client.send("not json");
    client.ping();
    let finished = client.finish_with_prints();
    assert_eq!(finished.status.code(), Some(0));
    assert!(finished.answers.is_empty(), "{:?}", finished.answers);
    // Not only absent from stdout: seen on stderr, beside the log.
    for print in [
        "printed by Rust at call.begun",
        "printed by C",
        "\"message\":\"call\"",
    ] {
        assert!(
            finished.log.matches(print).count() >= 20,
            "{print}: {}",
            finished.log
        );
    }
}

#[test]
fn a_panic_in_a_tool_is_an_internal_error_of_that_call() {
    let mut client = with("panic@call.begun").connect();
    for _ in 0..3 {
        let answer = client.call_text("get_customer_record", r#"{"customer_id":"CUST-00001"}"#);
        assert_eq!(
            answer["error"],
            json!({ "code": -32603, "message": "Internal error" })
        );
        client.ping();
    }
    let finished = client.finish();
    assert_eq!(finished.status.code(), Some(0));
    let panics: Vec<_> = finished
        .log
        .lines()
        .filter(|line| line.contains("\"panicked\""))
        .collect();
    assert_eq!(panics.len(), 3, "{}", finished.log);
    assert!(
        panics.iter().all(|line| line.contains("backtrace")),
        "{panics:?}"
    );
}

#[test]
fn a_panic_elsewhere_ends_the_process_in_good_order() {
    let mut client = with("panic@batch.before_commit").connect();
    let answer = client.call_text(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item","idempotency_key":"k"}"#,
    );
    let text = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("an answer");
    assert!(
        text.contains("outcome is unknown") && text.contains("idempotency_key"),
        "{answer}"
    );
    let finished = client.finish();
    assert_eq!(finished.status.code(), Some(1));
    assert!(finished.log.contains("\"panicked\""), "{}", finished.log);
}
