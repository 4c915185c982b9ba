//! How it starts and how it ends.

use std::io::{Read as _, Write as _};

use serde_json::json;

use super::server::{Post, TOKEN, listen, listen_with, receive};
use crate::client::Start;

// R-155: nobody is let in by accident.
#[test]
fn it_does_not_start_without_a_token() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("never.db");
    for more in [
        vec!["http"],
        vec!["http", "--host", "0.0.0.0"],
        vec!["http", "--host", "::"],
    ] {
        for token in [None, Some("")] {
            let mut start = Start::file(&path);
            for argument in &more {
                start = start.argument(argument);
            }
            if let Some(token) = token {
                start = start.variable("MCP_HTTP_TOKEN", token);
            }
            let (code, out, error) = start.run();
            assert_eq!((code, out.as_str()), (2, ""), "{error}");
            assert!(
                error.contains("needs a token") && error.contains("MCP_HTTP_TOKEN"),
                "{error}"
            );
        }
    }
    assert!(
        !path.exists(),
        "a server that lets nobody in makes no database"
    );
    let unsendable = Start::memory()
        .variable("MCP_HTTP_TOKEN", "two words")
        .argument("http");
    let (code, _, error) = unsendable.run();
    assert_eq!(code, 2);
    assert!(!error.contains("two words"), "{error}");
}

// What would not be obeyed, or is an accident, is said and not passed over.
#[test]
fn settings_that_mean_nothing_over_http_are_said() {
    let start = || {
        Start::memory()
            .variable("MCP_HTTP_TOKEN", TOKEN)
            .argument("http")
    };
    let short = |token: &str| {
        Start::memory()
            .variable("MCP_HTTP_TOKEN", token)
            .argument("http")
    };
    for (start, said) in [
        (
            start().argument("--role=viewer"),
            "the token says who calls",
        ),
        (
            start().variable("REFUND_ROLE", "agent"),
            "the token says who calls",
        ),
        (start().argument("--principal=desk"), "leave --principal"),
        (start().variable("HOST", ""), "HOST is set, but empty"),
        (start().argument("--allow-host=*"), "there are no wildcards"),
        (
            start().argument("--rate-limit=0"),
            "a whole number of at least 1",
        ),
        (
            start().argument("--client-timeout=0"),
            "a whole number of at least 1",
        ),
        (short(""), "MCP_HTTP_TOKEN is empty"),
        (
            short("").argument("--token-file=x.toml"),
            "MCP_HTTP_TOKEN is empty",
        ),
        (
            short("fifteen-letters").argument("--host=0.0.0.0"),
            "fewer than 16",
        ),
    ] {
        let (code, _, error) = start.run();
        assert_eq!(code, 2, "{error}");
        assert!(error.contains(said), "{error}");
    }
    let guessable = listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", "fifteen-letters"),
        &[],
    );
    guessable.wait_for_log("fewer than 32 characters");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let server = listen(Start::memory());
    let port = server.address.port().to_string();
    let (code, _, error) = Start::memory()
        .variable("MCP_HTTP_TOKEN", TOKEN)
        .variable("PORT", &port)
        .argument("http")
        .run();
    assert_eq!(code, 2, "{error}");
    assert!(
        error.contains(&format!("failed to listen on 127.0.0.1:{port}")),
        "{error}"
    );
}

// R-146: what is in flight is answered; connections that only wait do not hold it.
#[cfg(unix)]
#[test]
fn sigterm_finishes_what_is_in_flight() {
    let server = listen(Start::memory());
    let idle = server.connect();
    // A request that has begun: the server asks for its body, so that it has read its head.
    let refund = Post::call(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item"}"#,
    );
    let bytes = refund.header("expect", "100-continue").bytes();
    let head = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap()
        + 4;
    let mut begun = server.connect();
    begun.write_all(&bytes[..head]).unwrap();
    let mut go_on = [0; 25];
    begun.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.terminate();
    server.wait_for_log("asked to stop");
    begun.write_all(&bytes[head..]).unwrap();
    let reply = receive(&mut begun);
    assert_eq!(reply.json()["result"]["isError"], false, "{reply:?}");
    assert!(
        std::net::TcpStream::connect(server.address).is_err(),
        "nobody else is let in"
    );
    let (status, log) = server.finish();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("\"stopped\""), "{log}");
    drop(idle);
}

// No instance keeps what another would need.
#[test]
fn two_instances_are_as_one_and_a_restart_is_not_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.db");
    let import = Start::file(&path)
        .argument("import")
        .argument("--demo")
        .argument("refunds");
    assert_eq!(import.run().0, 0);
    let refund = json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item", "idempotency_key": "k" });
    let servers = [listen(Start::file(&path)), listen(Start::file(&path))];
    let first = servers[0].call(TOKEN, "trigger_refund", &refund);
    for server in &servers {
        let again = server.call(TOKEN, "trigger_refund", &refund);
        assert_eq!(
            (&again["refundId"], &again["replayed"]),
            (&first["refundId"], &json!(true))
        );
    }
    for turn in 1..=4 {
        let turn_of = json!({ "session_id": "s", "user_message": "hello" });
        let counted = servers[turn % 2].call(TOKEN, "escalate_to_human", &turn_of);
        assert_eq!(counted["turn_count"], turn);
    }
    drop(servers);
    let server = listen(Start::file(&path));
    assert_eq!(
        server.call(TOKEN, "trigger_refund", &refund)["refundId"],
        first["refundId"]
    );
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 499);
}
