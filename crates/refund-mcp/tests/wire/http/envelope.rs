//! What is malformed is answered as on standard input, with a status beside it; nothing of it is
//! executed.

use serde_json::{Value, json};

use super::server::{HttpServer, Post, TOKEN, listen};
use crate::client::Start;
use crate::protocol::once_given;

const REFUND: &str = r#"{"customer_id":"CUST-00001","amount":10,"reason":"damaged item"}"#;

fn post(body: impl Into<Vec<u8>>) -> Post {
    Post::new(body).header("mcp-protocol-version", "2025-11-25")
}

fn nothing_moved(server: &HttpServer) {
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 500);
}

#[test]
fn what_is_no_request_is_400() {
    let server = listen(Start::memory());
    let call = format!(
        r#""method":"tools/call","params":{{"name":"trigger_refund","arguments":{REFUND}}}"#
    );
    let request = format!(r#"{{"jsonrpc":"2.0","id":5,{call}}}"#);
    let texts: [(String, i64); 22] = [
        (String::new(), -32700),
        ("  \r\n".to_owned(), -32700),
        ("hello".to_owned(), -32700),
        (request[..request.len() - 1].to_owned(), -32700),
        (format!("{request}{request}"), -32700),
        (format!("{request},"), -32700),
        ("{\"foo\":1}".to_owned(), -32600),
        ("42".to_owned(), -32600),
        ("null".to_owned(), -32600),
        ("\"x\"".to_owned(), -32600),
        ("[]".to_owned(), -32600),
        // A refund as a notification, under an id that is none, and under two ids.
        (format!(r#"{{"jsonrpc":"2.0",{call}}}"#), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":null,{call}}}"#), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":{{}},{call}}}"#), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":true,{call}}}"#), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":1.5,{call}}}"#), -32600),
        (
            format!(r#"{{"jsonrpc":"2.0","id":1,"id":2,{call}}}"#),
            -32600,
        ),
        // A batch, of one refund and of more.
        (format!("[{request}]"), -32600),
        (
            format!("[{request},{request},{{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}}]"),
            -32600,
        ),
        // Answers to nothing.
        (r#"{"jsonrpc":"2.0","id":9,"result":{}}"#.to_owned(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}"#.to_owned(),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","method":"foo/bar"}"#.to_owned(), -32600),
    ];
    for (text, code) in texts {
        let reply = server.send(&post(text.clone()));
        reply.error(400, &Value::Null, code);
        nothing_moved(&server);
    }
    server
        .send(&post(
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}".to_vec(),
        ))
        .error(400, &Value::Null, -32700);
}

// R-112, R-121, R-122: the same codes, and the same ids, as on standard input.
#[test]
fn malformed_requests_are_answered_with_their_id() {
    let server = listen(Start::memory());
    for (body, status, id, code) in [
        (r#"{"id":2,"method":"ping"}"#, 400, json!(2), -32600),
        (
            r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
            400,
            json!(3),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":5}"#,
            400,
            json!(4),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"ping"}"#,
            400,
            json!(5),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"\ud800"}"#,
            400,
            json!(6),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#,
            200,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"foo/bar"}"#,
            200,
            json!(8),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"notifications/initialized"}"#,
            200,
            json!("a"),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#,
            200,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            200,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nope","arguments":{}}}"#,
            200,
            json!(9),
            -32602,
        ),
    ] {
        server.send(&post(body)).error(status, &id, code);
    }
    for (arguments, issue) in [
        ("null", json!({ "path": [], "code": "required" })),
        ("[1]", json!({ "path": [], "code": "invalid_type" })),
        (
            r#"{"customer_id":"CUST-00001","amount":999,"amount":1,"reason":"damaged item"}"#,
            json!({ "path": ["amount"], "code": "duplicate_key" }),
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":1e400,"reason":"damaged item"}"#,
            json!({ "path": ["amount"], "code": "too_big" }),
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":10.000000000000000000001,"reason":"damaged item"}"#,
            json!({ "path": ["amount"], "code": "custom" }),
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":{"$serde_json::private::Number":"5"},"reason":"damaged item"}"#,
            json!({ "path": ["amount"], "code": "invalid_type" }),
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":{"$serde_json::private::RawValue":"5"},"reason":"damaged item"}"#,
            json!({ "path": ["amount"], "code": "invalid_type" }),
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":1,"reason":"\ud800 lone surrogate"}"#,
            json!({ "path": ["reason"], "code": "invalid_type" }),
        ),
    ] {
        let error =
            server
                .send(&Post::call("trigger_refund", arguments))
                .error(200, &json!(1), -32602);
        let issues = error["data"]["issues"].as_array().unwrap();
        let found = issues
            .iter()
            .any(|found| found["path"] == issue["path"] && found["code"] == issue["code"]);
        assert!(found, "{arguments} -> {error}");
    }
    nothing_moved(&server);
}

// R-034, for what stands beside a tool's arguments.
#[test]
fn parameters_are_given_once() {
    let server = listen(Start::memory());
    for (method, params, path, code) in once_given() {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let error = server.send(&post(body)).error(200, &json!(1), -32602);
        let issue = &error["data"]["issues"][0];
        assert_eq!((&issue["path"], &issue["code"]), (&path, &json!(code)));
    }
    nothing_moved(&server);
}

// R-103, R-104: a body comes in whatever pieces.
#[test]
fn a_body_may_come_in_pieces() {
    use std::io::Write as _;

    let server = listen(Start::memory());
    let reason = "Ünïcödé — 壊れた品 🙈";
    let refund = json!({ "customer_id": "CUST-00001", "amount": 1, "reason": reason });
    let bytes = Post::call("trigger_refund", &refund.to_string()).bytes();
    let mut stream = server.connect();
    stream.set_nodelay(true).unwrap();
    for byte in &bytes {
        stream.write_all(&[*byte]).unwrap();
    }
    let reply = super::server::receive(&mut stream);
    assert_eq!(
        reply.json()["result"]["structuredContent"]["reason"],
        reason
    );

    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "trigger_refund", "arguments": refund } }).to_string();
    let mut chunked = String::new();
    for piece in body.as_bytes().chunks(7) {
        // A chunk is bytes: it may end within a letter.
        chunked += &format!("{:x}\r\n", piece.len());
        chunked += &piece
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>();
        chunked += "\r\n";
    }
    chunked += "0\r\n\r\n";
    let latin: Vec<u8> = chunked
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect();
    let reply = server.send(&post(latin).header("transfer-encoding", "chunked"));
    assert_eq!(
        reply.json()["result"]["structuredContent"]["reason"],
        reason,
        "{reply:?}"
    );
}

// A gateway must not be able to read another request than we do.
#[test]
fn requests_cannot_be_smuggled() {
    let server = listen(Start::memory());
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"trigger_refund","arguments":{REFUND}}}}}"#
    );
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\nconnection: close\r\n"
    );
    for framing in [
        format!(
            "content-length: 5\r\ncontent-length: {}\r\n\r\n{call}",
            call.len()
        ),
        format!("content-length: +{}\r\n\r\n{call}", call.len()),
        format!("content-length : {}\r\n\r\n{call}", call.len()),
        format!(
            "transfer-encoding: chunked, identity\r\n\r\n{:x}\r\n{call}\r\n0\r\n\r\n",
            call.len()
        ),
        format!(
            "transfer-encoding: xchunked\r\n\r\n{:x}\r\n{call}\r\n0\r\n\r\n",
            call.len()
        ),
    ] {
        let reply = server.send_bytes(format!("{head}{framing}").as_bytes());
        assert_eq!(reply.status, 400, "{framing}: {reply:?}");
    }
    nothing_moved(&server);
}

// T-16: input that other parsers broke on, as bodies and as arguments of a refund.
#[cfg(unix)]
#[test]
fn what_broke_other_parsers_breaks_nothing_here() {
    let server = super::server::listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &["--rate-limit", "100000", "--rate-burst", "100000"],
    );
    for case in crate::reliability::suite().into_iter().flatten() {
        let reply = server.send(&post(case.input.clone()));
        assert_eq!(reply.status, 400, "{}: {reply:?}", case.name);
        let mut call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trigger_refund","arguments":"#.to_vec();
        call.extend_from_slice(&case.input);
        call.extend_from_slice(b"}}");
        let reply = server.send(&post(call));
        assert!(
            reply.json().get("error").is_some(),
            "{}: {reply:?}",
            case.name
        );
    }
    nothing_moved(&server);
}
