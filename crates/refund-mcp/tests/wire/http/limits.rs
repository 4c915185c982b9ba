//! Sizes, speed and numbers: what one client does must not cost the others.

use std::io::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

use super::server::{Post, TOKEN, listen, listen_with, receive};
use crate::client::{PATIENCE, Start};

const MIB: usize = 1024 * 1024;

fn ping() -> Post {
    Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
}

#[test]
fn bodies_are_bounded() {
    let server = listen(Start::memory());
    let call = |length: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"x":""}}}"#;
        let fill = "x".repeat(length - frame.len());
        frame.replace(r#""x":"""#, &format!(r#""x":"{fill}""#))
    };
    // A message of exactly the limit is read, and turned down for what it holds.
    server
        .send(&Post::new(call(MIB)))
        .error(200, &json!(7), -32602);
    server
        .send(&Post::new(call(MIB + 1)))
        .error(413, &json!(7), -32600);
    server
        .send(&Post::new(vec![b'x'; 8 * MIB]))
        .error(413, &Value::Null, -32600);
    // Nor is the length believed: here none is given.
    let mut endless = Post::new("").header("transfer-encoding", "chunked").bytes();
    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, "1".repeat(64 * 1024));
    for _ in 0..32 {
        endless.extend_from_slice(chunk.as_bytes());
    }
    assert_eq!(server.send_bytes(&endless).status, 413);
    assert_eq!(server.send(&ping()).status, 200);
}

#[test]
fn deep_and_wide_json_costs_no_memory() {
    let server = listen(Start::memory());
    for arguments in [
        "[".repeat(500_000) + &"]".repeat(500_000),
        format!("[{}1]", "1,".repeat(500_000)),
        r#"{"a":"#.repeat(100_000) + "1" + &"}".repeat(100_000),
        format!(
            "{{{}\"z\":1}}",
            (0..50_000)
                .map(|key| format!("\"k{key}\":1,"))
                .collect::<String>()
        ),
    ] {
        let reply = server.send(&Post::call("trigger_refund", &arguments));
        let answer = reply.json();
        assert!([200, 400].contains(&reply.status), "{reply:?}");
        assert!(answer.get("error").is_some(), "{answer}");
        assert!(reply.body.len() < 64 * 1024, "{}", reply.body.len());
    }
    assert_eq!(server.send(&ping()).status, 200);
    #[cfg(target_os = "linux")]
    assert!(crate::client::peak_memory(server.child.id()) < 200 * 1024);
}

#[test]
fn headers_are_bounded() {
    let server = listen(Start::memory());
    // docs/deployment.md says where the limits are.
    let head = ping().header("x-fill", "").bytes().len() - ping().bytes_of_body();
    let filled = |more: usize| ping().header("x-fill", &"x".repeat(32 * 1024 - head + more));
    assert_eq!(server.send(&filled(0)).status, 200);
    assert_eq!(server.send(&filled(1)).status, 431);
    assert_eq!(server.send(&filled(32 * 1024)).status, 431);
    let mut many = ping();
    // Those of every request here, and one more each time.
    let usual = ping().headers();
    for number in usual + 1..=64 {
        many = many.header(&format!("x-{number}"), "x");
    }
    assert_eq!(server.send(&many).status, 200);
    assert_eq!(server.send(&many.header("x-65", "x")).status, 431);
    let long = ping().line(&format!("POST /mcp?{} HTTP/1.1", "x".repeat(64 * 1024)));
    assert!([414, 431].contains(&server.send(&long).status));
    assert_eq!(server.send(&ping()).status, 200);
}

// Slow clients are given up, at each of the places where they can be slow, and the others do not wait.
#[test]
fn slow_clients_are_given_up() {
    let server = listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &["--client-timeout", "1"],
    );
    let bytes = Post::call(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item"}"#,
    )
    .bytes();
    let silent = server.connect();
    let mut slow_head = server.connect();
    slow_head.write_all(&bytes[..40]).unwrap();
    let mut slow_body = server.connect();
    slow_body.write_all(&bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(server.send(&ping()).status, 200);
    let reply = receive(&mut slow_body);
    reply.error(408, &Value::Null, -32600);
    for mut stream in [silent, slow_head] {
        let mut rest = Vec::new();
        // Closed without a word, or with a status.
        let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
        assert!(
            rest.is_empty() || rest.starts_with(b"HTTP/1.1 4"),
            "{rest:?}"
        );
    }
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 500);
}

// Clients that never read their answers hold neither memory nor their places for ever.
#[test]
fn clients_that_do_not_read_are_given_up() {
    let server = listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &[
            "--client-timeout",
            "1",
            "--rate-limit",
            "100000",
            "--rate-burst",
            "100000",
        ],
    );
    let list = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).bytes();
    let list = String::from_utf8(list)
        .unwrap()
        .replace("connection: close", "connection: keep-alive");
    let mut stream = server.connect();
    let begun = Instant::now();
    // It writes until the server does not take any more, which is when its answers are stuck.
    while stream.write_all(list.as_bytes()).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "the server reads on and on");
    }
    assert_eq!(server.send(&ping()).status, 200);
    #[cfg(target_os = "linux")]
    assert!(crate::client::peak_memory(server.child.id()) < 200 * 1024);
}

#[test]
fn more_connections_wait_until_there_is_room() {
    let server = listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &["--max-connections", "8", "--client-timeout", "1"],
    );
    let idle: Vec<_> = (0..64).map(|_| server.connect()).collect();
    // It is served once those before it have been given up; none of them ever says anything.
    assert_eq!(server.send(&ping()).status, 200);
    drop(idle);
    assert_eq!(server.send(&ping()).status, 200);
}

// The bucket is a principal's: another one is not held up, and what was turned away was not executed.
#[test]
fn each_principal_has_its_own_rate() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = super::tokens::Tokens::new(directory.path());
    let other = tokens.make("other", &["--role", "agent"]);
    let server = tokens.listen(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &["--rate-limit", "1", "--rate-burst", "5"],
    );
    let refund = Post::call(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item"}"#,
    );
    let mut paid = 0;
    let mut turned_away = 0;
    for _ in 0..50 {
        let reply = server.send(&refund);
        if reply.status == 200 {
            paid += 1;
        } else {
            turned_away += 1;
            reply.error(429, &Value::Null, -32600);
            let wait = reply
                .header("retry-after")
                .and_then(|seconds| seconds.parse::<u64>().ok());
            assert!(
                wait.is_some_and(|seconds| (1..=2).contains(&seconds)),
                "{reply:?}"
            );
        }
    }
    assert!(turned_away > 0 && paid >= 5, "{paid} {turned_away}");
    let left = server.balance(&other, "CUST-00001");
    assert_eq!(left, 500 - paid, "what was turned away was not executed");
}
