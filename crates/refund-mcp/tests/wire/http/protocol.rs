//! What good clients do: every revision, headers, endpoints for whoever watches over the server.

use serde_json::{Value, json};

use super::server::{Post, TOKEN, listen, listen_with};
use crate::client::Start;

const REFUND: &str = r#"{"customer_id":"CUST-00001","amount":10.10,"reason":"damaged item","idempotency_key":"k-1"}"#;

#[test]
fn every_revision_is_served_without_a_session() {
    let server = listen(Start::memory());
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // R-116: all else gets our newest handshake version, never an error.
        ("2026-07-28", "2025-11-25"),
        ("9999-01-01", "2025-11-25"),
    ] {
        let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body =
            json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params });
        let reply = server.send(&Post::new(body.to_string()));
        let answer = reply.json();
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(answer["id"], "init");
        assert_eq!(answer["result"]["protocolVersion"], given, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "refund-mcp");
        assert_eq!(reply.header("mcp-session-id"), None);

        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let reply = server.send(&Post::new(initialized).header("mcp-protocol-version", given));
        assert_eq!((reply.status, reply.body.as_str()), (202, ""));

        let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
        let reply = server.send(&Post::new(list).header("mcp-protocol-version", given));
        let names = |answer: &Value| {
            let tools = answer["result"]["tools"].as_array().unwrap().iter();
            tools.map(|tool| tool["name"].clone()).collect::<Vec<_>>()
        };
        assert!(
            names(&reply.json()).contains(&json!("trigger_refund")),
            "{reply:?}"
        );
        let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
        assert_eq!(server.send(&Post::new(ping)).json()["result"], json!({}));
    }
    server
        .send(&Post::stateless("ping", json!({})))
        .error(404, &json!(1), -32601);
    let discovered = server
        .send(&Post::stateless("server/discover", json!({})))
        .json();
    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    assert_eq!(versions.len(), 5, "{discovered}");
    assert!(versions.contains(&json!("2026-07-28")));
}

// Both transports read the same bytes the same way: an amount comes from its text, and a key is one
// key whatever revision it comes in.
#[test]
fn a_refund_is_paid_once_over_every_revision() {
    let server = listen(Start::memory());
    let first = server.send(&Post::call("trigger_refund", REFUND)).json();
    let receipt = &first["result"]["structuredContent"];
    assert_eq!(receipt["amount"], 10.1, "{first}");
    assert_eq!(receipt["replayed"], Value::Null, "{first}");
    let arguments: Value = serde_json::from_str(REFUND).unwrap();
    let call = json!({ "name": "trigger_refund", "arguments": arguments });
    let again = server.send(&Post::stateless("tools/call", call)).json();
    assert_eq!(
        again["result"]["structuredContent"]["replayed"], true,
        "{again}"
    );
    assert_eq!(
        again["result"]["structuredContent"]["refundId"],
        receipt["refundId"]
    );
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 489.9);
    // The key is that of a principal: the same from another one makes another refund.
    let reply = server.send(&Post::call("get_refund", r#"{"idempotency_key":"k-1"}"#));
    assert_eq!(
        reply.json()["result"]["structuredContent"]["refundId"],
        receipt["refundId"]
    );
}

// R-109, R-110, R-113.
#[test]
fn ids_come_back_to_the_letter() {
    let server = listen(Start::memory());
    for id in [
        "0",
        "42",
        "-1",
        "9007199254740993",
        "18446744073709551616",
        "1.0",
        "1e2",
        "\"\"",
        "\"1\"",
        "\"\\u00e9\"",
    ] {
        let reply = server.send(&Post::new(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#
        )));
        assert_eq!(
            reply.body,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
}

// R-152.
#[test]
fn what_a_client_accepts_is_not_held_against_it() {
    let server = listen(Start::memory());
    let ping = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    for accept in [
        "*/*",
        "application/json",
        "text/event-stream",
        "application/json;q=0.1, */*;q=0.0",
        "text/html",
        "",
    ] {
        assert_eq!(
            server.send(&ping.clone().header("accept", accept)).status,
            200,
            "{accept}"
        );
    }
    assert_eq!(server.send(&ping.clone().without("accept")).status, 200);
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        assert_eq!(
            server
                .send(&ping.clone().header("content-type", kind))
                .status,
            200,
            "{kind}"
        );
    }
    // A page can send these without asking, so they are not taken.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
    ] {
        server
            .send(&ping.clone().header("content-type", kind))
            .error(415, &json!(1), -32600);
    }
    server
        .send(&ping.clone().without("content-type"))
        .error(415, &json!(1), -32600);
}

// R-149, R-151.
#[test]
fn there_are_no_sessions_and_no_streams() {
    let server = listen(Start::memory());
    let list = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let stale = list.header("mcp-session-id", "01234567-89ab-cdef-0123-456789abcdef");
    server.send(&stale).error(404, &json!(1), -32600);
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-11-25" } });
    let again = Post::new(initialize.to_string()).header("mcp-session-id", "x");
    assert_eq!(server.send(&again).status, 200);
    // The stateless revision has no sessions, so that the header says nothing.
    let stateless = Post::stateless("tools/list", json!({})).header("mcp-session-id", "x");
    assert_eq!(server.send(&stateless).status, 200);
    for method in ["GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE"] {
        let reply = server.send(&Post::new("").line(&format!("{method} /mcp HTTP/1.1")));
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.header("allow"), Some("POST"), "{method}");
    }
}

// R-127: what a gateway has read must be what is executed.
#[test]
fn headers_that_disagree_with_the_body_execute_nothing() {
    let server = listen(Start::memory());
    let arguments: Value = serde_json::from_str(REFUND).unwrap();
    let refund = Post::stateless(
        "tools/call",
        json!({ "name": "trigger_refund", "arguments": arguments }),
    );
    for wrong in [
        refund.clone().header("mcp-method", "tools/list"),
        refund.clone().without("mcp-method"),
        refund.clone().and("mcp-method", "tools/call"),
        refund.clone().header("mcp-name", "get_refund"),
        refund.clone().without("mcp-name"),
        refund.clone().and("mcp-name", "trigger_refund"),
        refund.clone().header("mcp-protocol-version", "2025-11-25"),
        refund.clone().without("mcp-protocol-version"),
    ] {
        server.send(&wrong).error(400, &json!(1), -32020);
    }
    // Revisions that do not ask for these headers are no way around them.
    let legacy = Post::call("trigger_refund", REFUND);
    let bare = legacy.clone().without("mcp-protocol-version");
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let prompt =
        r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"support_desk"}}"#;
    for wrong in [
        legacy.clone().header("mcp-method", "tools/list"),
        bare.clone().header("mcp-method", "tools/list"),
        bare.header("mcp-name", "get_refund"),
        legacy.clone().header("mcp-name", "get_refund"),
        legacy
            .clone()
            .header("mcp-method", "tools/call")
            .and("mcp-method", "tools/list"),
        legacy
            .clone()
            .header("mcp-name", "trigger_refund")
            .and("mcp-name", "trigger_refund"),
        legacy.clone().and("mcp-protocol-version", "2025-11-25"),
        legacy.clone().and("mcp-protocol-version", "2026-07-28"),
        refund.clone().and("mcp-protocol-version", "2026-07-28"),
        Post::new(initialize).header("mcp-protocol-version", "2025-06-18"),
        Post::new(initialize).header("mcp-method", "ping"),
        Post::new(prompt).header("mcp-name", "other"),
    ] {
        server.send(&wrong).error(400, &json!(1), -32020);
    }
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    server
        .send(&Post::new(initialized).header("mcp-method", "tools/call"))
        .error(400, &Value::Null, -32020);
    let unknown = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    server
        .send(&unknown.header("mcp-protocol-version", "1999-01-01"))
        .error(400, &json!(1), -32600);
    let unsupported = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let unsupported = Post::new(unsupported)
        .header("mcp-protocol-version", "1999-01-01")
        .header("mcp-method", "tools/list");
    let reply = server.send(&unsupported);
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (400, &json!(-32022)),
        "{reply:?}"
    );
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 500);
    assert_eq!(server.send(&refund).status, 200);
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 489.9);
    let agreed = legacy
        .header("mcp-method", "tools/call")
        .header("mcp-name", "trigger_refund");
    let again = server.send(&agreed).json();
    assert_eq!(
        again["result"]["structuredContent"]["replayed"], true,
        "{again}"
    );
}

#[test]
fn whoever_watches_over_it_needs_no_token() {
    let server = listen(Start::memory());
    let get = |path: &str| {
        Post::new("")
            .line(&format!("GET {path} HTTP/1.1"))
            .without("authorization")
            .header("host", "10.1.2.3:3000")
    };
    assert_eq!(server.send(&get("/healthz")).status, 200);
    assert_eq!(server.send(&get("/readyz")).status, 200);
    assert_eq!(server.send(&get("/")).status, 404);
    // What is counted is nobody else's business.
    assert_eq!(server.send(&get("/metrics")).status, 403);
    assert_eq!(
        server
            .send(&get("/metrics").header("host", "localhost"))
            .status,
        401
    );
    server.balance(TOKEN, "CUST-00001");
    server.call(
        TOKEN,
        "trigger_refund",
        &json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item" }),
    );
    server.refused(
        TOKEN,
        "get_customer_record",
        &json!({ "customer_id": "CUST-99999" }),
    );
    let page = server.send(&get("/metrics").header("host", "localhost").token(TOKEN));
    assert_eq!(page.status, 200);
    for line in [
        r#"refund_mcp_calls_total{tool="get_customer_record",outcome="ok"} 1"#,
        r#"refund_mcp_calls_total{tool="get_customer_record",outcome="CUSTOMER_NOT_FOUND"} 1"#,
        r#"refund_mcp_call_seconds_count{tool="trigger_refund"} 1"#,
        r#"refund_mcp_http_responses_total{status="401"} 1"#,
        "refund_store_batch_commands_count 1",
        // How many is not said: those before may not have been tidied up.
        "\nrefund_mcp_http_connections ",
    ] {
        assert!(page.body.contains(line), "{line} is not in {}", page.body);
    }
    assert!(
        !page.body.contains("CUST-") && !page.body.contains("alice"),
        "{}",
        page.body
    );
}

// A store that does not answer is said by /readyz; tools then say so, and work again when it is back.
#[cfg(unix)]
#[test]
fn readiness_follows_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.db");
    std::fs::write(&path, b"").unwrap();
    // Another process holds the database from the beginning.
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (x)")
        .unwrap();
    let server = listen(Start::file(&path));
    let get = |path: &str| {
        server
            .send(&Post::new("").line(&format!("GET {path} HTTP/1.1")))
            .status
    };
    assert_eq!(get("/readyz"), 503);
    assert_eq!(get("/healthz"), 200);
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    assert_eq!(get("/readyz"), 200);
}

#[test]
fn pages_that_are_allowed_may_ask() {
    let server = listen_with(
        Start::memory().variable("MCP_HTTP_TOKEN", TOKEN),
        &[
            "--allow-origin",
            "https://app.example.com",
            "--allow-host",
            "mcp.example.com",
        ],
    );
    let page = |origin: &str| {
        Post::new("")
            .line("OPTIONS /mcp HTTP/1.1")
            .without("authorization")
            .header("host", "mcp.example.com")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,mcp-protocol-version",
            )
    };
    let reply = server.send(&page("https://app.example.com"));
    assert_eq!(reply.status, 200, "{reply:?}");
    let allowed = reply.header("access-control-allow-origin");
    assert_eq!(allowed, Some("https://app.example.com"));
    assert_eq!(reply.header("access-control-allow-methods"), Some("POST"));
    assert!(
        reply
            .header("access-control-allow-headers")
            .is_some_and(|names| names.contains("authorization"))
    );
    for origin in ["https://evil.example", "null"] {
        let reply = server.send(&page(origin));
        assert_eq!(reply.status, 403, "{origin}");
        assert_eq!(
            reply.header("access-control-allow-origin"),
            None,
            "{origin}"
        );
    }
}
