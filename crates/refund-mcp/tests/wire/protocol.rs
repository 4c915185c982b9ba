//! What the server does with each kind of line: every row of "On the wire" in `docs/architecture.md`,
//! and every case of the seeds' own lists. `R-…` are inputs that broke other systems.

use serde_json::{Value, json};

use crate::client::{Client, Start};

const REFUND: &str = r#"{"customer_id":"CUST-00001","amount":10,"reason":"damaged item"}"#;

fn balance(client: &mut Client) -> Value {
    client.call(
        "get_customer_record",
        &json!({ "customer_id": "CUST-00001" }),
    )["refundableBalance"]
        .clone()
}

/// Sends a line and expects an error with this id and code next.
fn error(client: &mut Client, line: &str, id: &Value, code: i64) -> Value {
    client.send(line);
    let answer = client.receive();
    assert_eq!(&answer["id"], id, "{line} -> {answer}");
    assert_eq!(answer["error"]["code"], code, "{line} -> {answer}");
    answer["error"].clone()
}

fn issues(error: &Value) -> Vec<(String, String)> {
    let list = error["data"]["issues"].as_array().expect("issues");
    list.iter()
        .map(|issue| {
            assert!(
                issue["message"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{issue}"
            );
            let path = issue["path"].as_array().unwrap();
            let path: Vec<_> = path.iter().map(|key| key.as_str().unwrap()).collect();
            (path.join("."), issue["code"].as_str().unwrap().to_owned())
        })
        .collect()
}

// R-098: what cannot be tied to a request gets no answer, and the next line is served.
#[test]
fn lines_without_an_answer() {
    let mut client = Start::memory().connect();
    let lines: [&[u8]; 24] = [
        b"hello",
        br#"{"jsonrpc":"2.0","id":7,"method":"ping""#,
        br#"{"jsonrpc":"2.0","id":7,"method":"ping",}"#,
        br#"{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}",
        br#"{"foo":1}"#,
        b"42",
        b"null",
        br#""x""#,
        b"[]",
        b"",
        b"   ",
        b"\xef\xbb\xbf",
        br#"& "$env:LO""#,
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1e-400,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}"#,
        br#"{"jsonrpc":"2.0","method":"foo/bar"}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
    ];
    for line in lines {
        client.write(line);
        client.write(b"\n");
        client.ping();
    }
    let finished = client.finish();
    assert_eq!(finished.status.code(), Some(0));
    assert!(
        finished.log.contains("message dropped without an answer"),
        "{}",
        finished.log
    );
}

// R-112, R-121: a refund that nobody could learn the result of is not made.
#[test]
fn nothing_is_executed_without_an_id_or_in_a_batch() {
    let mut client = Start::memory().connect();
    let call = format!(
        r#""method":"tools/call","params":{{"name":"trigger_refund","arguments":{REFUND}}}"#
    );
    client.send(&format!(r#"{{"jsonrpc":"2.0",{call}}}"#));
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":null,{call}}}"#));
    client.send(&format!(
        r#"[{{"jsonrpc":"2.0","id":"a",{call}}},{{"jsonrpc":"2.0",{call}}},{{"jsonrpc":"2.0","id":5,"method":"ping"}}]"#
    ));
    let mut answers = [client.receive(), client.receive()];
    answers.sort_by_key(|answer| answer["id"].is_number());
    for (answer, id) in answers.iter().zip([json!("a"), json!(5)]) {
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(-32600)),
            "{answer}"
        );
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("batches are not supported"));
    }
    assert_eq!(balance(&mut client), 500);
}

#[test]
fn malformed_requests_are_answered_with_their_id() {
    let mut client = Start::memory().connect();
    for (line, id, code) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"p","method":"tools/list","params":"x"}"#,
            json!("p"),
            -32602,
        ),
        (r#"{"id":2,"method":"ping"}"#, json!(2), -32600),
        (
            r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
            json!(3),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":4,"method":5}"#, json!(4), -32600),
        (r#"{"jsonrpc":"2.0","id":4}"#, json!(4), -32600),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"ping"}"#,
            json!(5),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"\ud800"}"#,
            json!(6),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#,
            json!(7),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"foo/bar"}"#,
            json!(8),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"foo/bar","params":{"_meta":5}}"#,
            json!(8),
            -32601,
        ),
        // R-115
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"notifications/initialized"}"#,
            json!("a"),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":null}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"\ud800"}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"get_refund","_meta":[]}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"get_refund","_meta":{"a":1e400}}}"#,
            json!(9),
            -32602,
        ),
    ] {
        error(&mut client, line, &id, code);
        client.ping();
    }
    let unknown =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope","arguments":{}}}"#;
    let unknown = error(&mut client, unknown, &json!(1), -32602);
    assert_eq!(unknown["message"], "Unknown tool: nope");
}

// R-034, R-121, R-122, R-124, and the smuggled private objects of serde_json.
#[test]
fn bad_arguments_are_answered_with_every_problem() {
    let mut client = Start::memory().connect();
    let cases: [(&str, &[(&str, &str)]); 16] = [
        ("null", &[("", "required")]),
        ("[1]", &[("", "invalid_type")]),
        ("5", &[("", "invalid_type")]),
        (r#""{}""#, &[("", "invalid_type")]),
        (
            "{}",
            &[
                ("customer_id", "required"),
                ("amount", "required"),
                ("reason", "required"),
            ],
        ),
        (
            r#"{"amonut":1,"customer_id":"cust-00001","amount":"10.00","reason":" short ","dry_run":true}"#,
            &[
                ("customer_id", "pattern"),
                ("amount", "invalid_type"),
                ("reason", "too_short"),
                ("amonut", "unknown_key"),
                ("dry_run", "unknown_key"),
            ],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":999,"amount":1,"reason":"damaged item"}"#,
            &[("amount", "duplicate_key")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":1e400,"reason":"damaged item"}"#,
            &[("amount", "too_big")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":{"$serde_json::private::Number":"5"},"reason":"damaged item"}"#,
            &[("amount", "invalid_type")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":{"$serde_json::private::RawValue":"5"},"reason":"damaged item"}"#,
            &[("amount", "invalid_type")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":10.000000000000000000001,"reason":"damaged item"}"#,
            &[("amount", "custom")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":-10,"reason":"damaged item"}"#,
            &[("amount", "too_small")],
        ),
        (
            r#"{"customer_id":null,"amount":true,"reason":5}"#,
            &[
                ("customer_id", "invalid_type"),
                ("amount", "invalid_type"),
                ("reason", "invalid_type"),
            ],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":1,"reason":"\ud800 lone surrogate"}"#,
            &[("reason", "invalid_type")],
        ),
        (
            r#"{"customer_id":"CUST-00001","amount":1,"reason":"          "}"#,
            &[("reason", "too_short")],
        ),
        (
            r#"{"customer_id":"CUST-٠٠٠٠١","amount":1,"reason":"damaged item"}"#,
            &[("customer_id", "pattern")],
        ),
    ];
    for (arguments, expected) in cases {
        let answer = client.call_text("trigger_refund", arguments);
        let error = &answer["error"];
        assert_eq!(error["code"], -32602, "{arguments} -> {answer}");
        assert_eq!(
            error["message"],
            "Invalid arguments for tool trigger_refund"
        );
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, code)| ((*path).to_owned(), (*code).to_owned()))
            .collect();
        let mut found = issues(error);
        // The schema's keys come first in the schema's order; which order that is, the schema says.
        if arguments.starts_with('{') {
            let order = schema_order(&mut client);
            found.sort_by_key(|(path, _)| order.iter().position(|key| key == path).unwrap_or(99));
            let mut sorted = expected.clone();
            sorted.sort_by_key(|(path, _)| order.iter().position(|key| key == path).unwrap_or(99));
            assert_eq!(found, sorted, "{arguments}");
            assert_eq!(issues(error), found, "in the schema's order: {arguments}");
        } else {
            assert_eq!(found, expected, "{arguments}");
        }
    }
    let precision = client.call_text(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":10.001,"reason":"damaged item"}"#,
    );
    assert_eq!(
        precision["error"]["data"]["issues"][0],
        json!({ "path": ["amount"], "code": "custom", "message": "amount must have at most 2 decimal places" })
    );
    // `arguments` not there at all.
    let absent =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trigger_refund"}}"#;
    let absent = error(&mut client, absent, &json!(1), -32602);
    assert_eq!(issues(&absent), [(String::new(), "required".to_owned())]);
    assert_eq!(balance(&mut client), 500, "nothing was executed");
}

fn schema_order(client: &mut Client) -> Vec<String> {
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().unwrap();
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "trigger_refund")
        .unwrap();
    tool["inputSchema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

// R-109, R-110, R-113.
#[test]
fn ids_come_back_as_they_were_sent() {
    let mut client = Start::memory().connect();
    for id in [
        "0",
        "42",
        "-1",
        "9007199254740993",
        "18446744073709551616",
        "1.0",
        r#""""#,
        r#""1""#,
        r#""req-abc""#,
        r#""\u00e9""#,
    ] {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        let line = String::from_utf8(client.receive_raw()).unwrap();
        assert!(line.contains(&format!(r#""id":{id},"#)), "{id} -> {line}");
    }
}

// R-100, R-101: CRLF, a byte order mark and white space around are fine; answers end with one LF.
#[test]
fn line_ends_and_white_space() {
    let mut client = Start::memory().connect();
    for line in [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n",
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        "  \t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}  \n",
    ] {
        client.write(line.as_bytes());
        assert_eq!(client.receive()["id"], 1);
    }
    let refund =
        json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "a zero \u{0} inside" });
    assert_eq!(
        client.call("trigger_refund", &refund)["reason"],
        "a zero \u{0} inside"
    );
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let mut client = Start::memory().connect();
    let call = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"trigger_refund","arguments":{REFUND}}}}}"#
        )
    };
    // Both lines in one write, so that the second is read while the first is being worked on.
    client.write(format!("{}\n{}\n", call("5"), call("5.0")).as_bytes());
    let answers = [client.receive(), client.receive()];
    let refused: Vec<_> = answers
        .iter()
        .filter(|answer| answer["error"]["code"] == -32600)
        .collect();
    assert_eq!(refused.len(), 1, "{answers:?}");
    assert_eq!(balance(&mut client), 490, "one refund");
    // Once it has been answered, an id may be used again, and "5" is another id.
    client.write(format!("{}\n{}\n", call("5"), call(r#""5""#)).as_bytes());
    assert!(
        [client.receive(), client.receive()]
            .iter()
            .all(|answer| answer.get("result").is_some())
    );
}

// R-116: no handshake fails on its version.
#[test]
fn every_version_gets_a_handshake() {
    for (version, answered) in [
        (r#""2024-11-05""#, "2024-11-05"),
        (r#""2025-03-26""#, "2025-03-26"),
        (r#""2025-06-18""#, "2025-06-18"),
        (r#""2025-11-25""#, "2025-11-25"),
        (r#""2026-07-28""#, "2025-11-25"),
        (r#""9999-01-01""#, "2025-11-25"),
        ("123", "2025-11-25"),
        (r#""""#, "2025-11-25"),
        ("null", "2025-11-25"),
    ] {
        let mut client = Start::memory().spawn();
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":{version},"capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
        ));
        let result = client.receive()["result"].clone();
        assert_eq!(result["protocolVersion"], answered, "{version}");
        assert_eq!(result["serverInfo"]["name"], "refund-mcp");
        assert_eq!(
            result["capabilities"],
            json!({ "prompts": {}, "tools": {} }),
            "only what works is advertised"
        );
        assert!(
            result["instructions"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        client.ping();
    }
    for params in [
        "",
        r#","params":{}"#,
        r#","params":{"clientInfo":5,"capabilities":[]}"#,
    ] {
        let mut client = Start::memory().spawn();
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}"#
        ));
        assert_eq!(
            client.receive()["result"]["protocolVersion"],
            "2025-11-25",
            "{params}"
        );
        // Twice is served as well.
        client.handshake();
        client.ping();
    }
}

// R-128, and nothing on stdout before the first request.
#[test]
fn before_the_handshake() {
    let mut client = Start::memory().spawn();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    client.ping();
    let early = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"trigger_refund","arguments":{REFUND}}}}}"#
    );
    let refused = error(&mut client, &early, &json!(1), -32600);
    assert!(
        refused["message"].as_str().unwrap().contains("initialize"),
        "{refused}"
    );
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#);
    client.handshake();
    assert_eq!(balance(&mut client), 500);
}

fn stateless(method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": "s", "method": method, "params": params })
}

/// A server that offers the tools of refunds and no others.
fn refunds_alone() -> Start {
    Start::memory().argument("--toolsets").argument("refunds")
}

#[test]
fn the_stateless_revision_needs_no_handshake() {
    let mut client = refunds_alone().spawn();
    let mut ask = |message: &Value| {
        client.send(&message.to_string());
        client.receive()
    };
    let discovered = ask(&stateless("server/discover", json!({})));
    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    for version in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28",
    ] {
        assert!(versions.contains(&json!(version)), "{discovered}");
    }
    let called = ask(&stateless(
        "tools/call",
        json!({ "name": "trigger_refund", "arguments": { "customer_id": "CUST-00001", "amount": 10.10, "reason": "damaged item" } }),
    ));
    assert_eq!(
        called["result"]["structuredContent"]["remainingRefundableBalance"], 489.9,
        "{called}"
    );
    assert_eq!(called["result"]["resultType"], "complete");
    let listed = ask(&stateless("tools/list", json!({})));
    assert_eq!(
        listed["result"]["tools"].as_array().map(Vec::len),
        Some(5),
        "{listed}"
    );
    assert!(listed["result"]["ttlMs"].is_number() && listed["result"]["cacheScope"].is_string());
    assert_eq!(ask(&stateless("ping", json!({})))["error"]["code"], -32601);
    let mut unknown = stateless("tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    assert_eq!(ask(&unknown)["error"]["code"], -32022);
    let mut incomplete = stateless("tools/list", json!({}));
    incomplete["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(ask(&incomplete)["error"]["code"], -32602);
}

// That revision has no ping, before a session and in one; asking begins nothing.
#[test]
fn a_stateless_ping_is_no_method() {
    let ping = || stateless("ping", json!({})).to_string();
    let mut client = refunds_alone().spawn();
    let asked = error(&mut client, &ping(), &json!("s"), -32601);
    assert_eq!(asked["message"], "Method not found: ping");
    client.handshake();
    client.ping();
    error(&mut client, &ping(), &json!("s"), -32601);

    let mut client = refunds_alone().spawn();
    client.send(&stateless("tools/list", json!({})).to_string());
    assert!(client.receive()["result"]["tools"].is_array());
    error(&mut client, &ping(), &json!("s"), -32601);
}

#[test]
fn malformed_stateless_requests_before_a_session_do_not_end_it() {
    let mut client = Start::memory().spawn();
    let mut incomplete = stateless("tools/list", json!({}));
    incomplete["params"]["_meta"] =
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    client.send(&incomplete.to_string());
    assert_eq!(client.receive()["error"]["code"], -32602);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#);
    client.handshake();
    client.ping();
}

#[test]
fn what_is_not_advertised_is_not_there() {
    let mut client = refunds_alone().connect();
    let reference = json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "b" } });
    // Those that rmcp has types for, and those that it has none for, in the same words.
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "support_desk" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "a:b" })),
        ("resources/subscribe", json!({ "uri": "a:b" })),
        ("resources/unsubscribe", json!({ "uri": "a:b" })),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("completion/complete", reference),
        ("tasks/get", json!({ "taskId": "x" })),
        ("tasks/cancel", json!({ "taskId": "x" })),
        ("tasks/list", json!({})),
        ("refunds/undo", json!({})),
    ] {
        let error = client.request(method, &params)["error"].clone();
        assert_eq!(error["code"], -32601, "{method}");
        assert_eq!(error["message"], format!("Method not found: {method}"));
    }
}

// The key a client may send by itself, and R-038, R-044.
#[test]
fn the_key_in_meta() {
    let mut client = Start::memory().connect();
    let call = |meta: &str, key: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{meta},"name":"trigger_refund","arguments":{{"customer_id":"CUST-00001","amount":10,"reason":"damaged item"{key}}}}}}}"#
        )
    };
    let mut ask = |meta: &str, key: &str| {
        client.send(&call(meta, key));
        client.receive()
    };
    let in_meta = r#"{"refund-mcp/idempotency-key":"K"}"#;
    let first = ask(in_meta, "");
    let id = first["result"]["structuredContent"]["refundId"].clone();
    assert!(id.is_string(), "{first}");
    assert!(
        first["result"]["structuredContent"]
            .get("replayed")
            .is_none()
    );
    for again in [
        ask(in_meta, ""),
        ask(in_meta, r#","idempotency_key":"K""#),
        ask("{}", r#","idempotency_key":"K""#),
    ] {
        assert_eq!(again["result"]["structuredContent"]["refundId"], id);
        assert_eq!(again["result"]["structuredContent"]["replayed"], true);
        assert_eq!(
            again["result"]["structuredContent"]["remainingRefundableBalance"],
            490
        );
    }
    for (meta, key) in [
        (in_meta, r#","idempotency_key":"other""#),
        (r#"{"refund-mcp/idempotency-key":5}"#, ""),
        (r#"{"refund-mcp/idempotency-key":""}"#, ""),
        (r#"{"refund-mcp/idempotency-key":"two words"}"#, ""),
        (
            r#"{"refund-mcp/idempotency-key":"a","refund-mcp/idempotency-key":"b"}"#,
            "",
        ),
    ] {
        let refused = ask(meta, key);
        assert_eq!(
            refused["error"]["code"], -32602,
            "{meta} {key} -> {refused}"
        );
    }
    assert_eq!(balance(&mut client), 490);
}

/// Requests with a key that is given twice, missing, or of no use: the method, its parameters, where, and which code. No
/// refund may come of any.
pub(crate) fn once_given() -> Vec<(&'static str, String, Value, &'static str)> {
    let refund = r#""name":"trigger_refund","arguments":{"customer_id":"CUST-00001","amount":10,"reason":"damaged item"}"#;
    let meta = |meta: &str| format!(r#"{{{refund},"_meta":{meta}}}"#);
    vec![
        (
            "tools/call",
            meta(r#"{"progressToken":1,"progressToken":2}"#),
            json!(["_meta", "progressToken"]),
            "duplicate_key",
        ),
        (
            "tools/call",
            meta(r#"{"a":[{"b":{"c":1,"\u0063":1}}]}"#),
            json!(["_meta", "a", 0, "b", "c"]),
            "duplicate_key",
        ),
        (
            "tools/call",
            meta(r#"{"refund-mcp/locale":"en","refund-mcp/locale":"ja"}"#),
            json!(["_meta", "refund-mcp/locale"]),
            "duplicate_key",
        ),
        (
            "tools/call",
            format!(r#"{{"_meta":{{}},{refund},"_meta":{{}}}}"#),
            json!(["_meta"]),
            "duplicate_key",
        ),
        (
            "tools/call",
            format!(r#"{{"name":"get_refund",{refund}}}"#),
            json!(["name"]),
            "duplicate_key",
        ),
        ("tools/call", "{}".to_owned(), json!(["name"]), "required"),
        (
            "tools/call",
            r#"{"name":null}"#.to_owned(),
            json!(["name"]),
            "invalid_type",
        ),
        (
            "initialize",
            r#"{"protocolVersion":"2024-11-05","capabilities":{},"protocolVersion":"2025-11-25"}"#
                .to_owned(),
            json!(["protocolVersion"]),
            "duplicate_key",
        ),
        (
            "initialize",
            r#"{"clientInfo":{"name":"a","name":"b","version":"1"}}"#.to_owned(),
            json!(["clientInfo", "name"]),
            "duplicate_key",
        ),
        (
            "tools/list",
            r#"{"_meta":{"x":{"y":1,"y":2}}}"#.to_owned(),
            json!(["_meta", "x", "y"]),
            "duplicate_key",
        ),
        (
            "prompts/get",
            r#"{"name":"support_desk","arguments":{"language":"en","lang\u0075age":"ja"}}"#
                .to_owned(),
            json!(["arguments", "language"]),
            "duplicate_key",
        ),
        (
            "tools/list",
            r#"{"cursor":"bm9uZQ"}"#.to_owned(),
            json!(["cursor"]),
            "custom",
        ),
        (
            "prompts/list",
            r#"{"cursor":5}"#.to_owned(),
            json!(["cursor"]),
            "invalid_type",
        ),
        (
            "ping",
            r#"{"_meta":{},"_meta":{}}"#.to_owned(),
            json!(["_meta"]),
            "duplicate_key",
        ),
    ]
}

// R-034, for what stands beside a tool's arguments.
#[test]
fn parameters_are_given_once() {
    let mut client = Start::memory().connect();
    for (method, params, path, code) in once_given() {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let error = error(&mut client, &line, &json!(1), -32602);
        let issues = error["data"]["issues"].as_array().unwrap();
        assert_eq!(issues.len(), 1, "{line} -> {error}");
        assert_eq!(issues[0]["path"], path, "{line} -> {error}");
        assert_eq!(issues[0]["code"], code, "{line} -> {error}");
    }
    assert_eq!(balance(&mut client), 500);
}

#[test]
fn refusals_are_word_for_word() {
    let mut client = Start::memory().connect();
    let refund = |customer: &str, amount: f64| json!({ "customer_id": customer, "amount": amount, "reason": "damaged item" });
    for (tool, arguments, code, text) in [
        (
            "get_customer_record",
            json!({ "customer_id": "CUST-99999" }),
            "CUSTOMER_NOT_FOUND",
            "Customer CUST-99999 was not found.",
        ),
        (
            "trigger_refund",
            refund("CUST-99999", 1.0),
            "CUSTOMER_NOT_FOUND",
            "Customer CUST-99999 was not found.",
        ),
        (
            "list_refunds",
            json!({ "customer_id": "CUST-99999" }),
            "CUSTOMER_NOT_FOUND",
            "Customer CUST-99999 was not found.",
        ),
        (
            "preview_refund",
            refund("CUST-99999", 1.0),
            "CUSTOMER_NOT_FOUND",
            "Customer CUST-99999 was not found.",
        ),
        (
            "trigger_refund",
            refund("CUST-00002", 1.0),
            "CUSTOMER_SUSPENDED",
            "Customer CUST-00002 is suspended. Refunds are only issued to active customers.",
        ),
        (
            "trigger_refund",
            refund("CUST-00001", 600.0),
            "EXCEEDS_BALANCE",
            "Refund of 600.00 USD exceeds the refundable balance of 500.00 USD for customer CUST-00001.",
        ),
        (
            "trigger_refund",
            refund("CUST-00003", 0.01),
            "EXCEEDS_BALANCE",
            "Refund of 0.01 USD exceeds the refundable balance of 0.00 USD for customer CUST-00003.",
        ),
        (
            "get_refund",
            json!({ "idempotency_key": "nothing" }),
            "REFUND_NOT_FOUND",
            "A refund with idempotency key nothing was not found.",
        ),
    ] {
        assert_eq!(
            client.refused(tool, &arguments),
            (code.to_owned(), text.to_owned())
        );
    }
}

// Numbers print as a person writes them; the five tools tell one story.
#[test]
fn a_refund_and_what_the_other_tools_say_of_it() {
    let mut client = Start::memory().connect();
    let arguments = json!({ "customer_id": "CUST-00001", "amount": 0.1, "reason": "  damaged item\u{3000}", "idempotency_key": "k1" });
    let preview = client.call("preview_refund", &arguments);
    assert_eq!(
        preview,
        json!({ "customerId": "CUST-00001", "amount": 0.1, "currency": "USD", "wouldSucceed": true, "remainingRefundableBalance": 499.9, "needsApproval": false })
    );
    assert_eq!(balance(&mut client), 500);
    let refund = client.call("trigger_refund", &arguments);
    let keys: Vec<_> = refund
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "refundId",
            "customerId",
            "amount",
            "currency",
            "reason",
            "status",
            "processedAt",
            "remainingRefundableBalance"
        ]
    );
    assert_eq!(refund["reason"], "damaged item");
    assert_eq!(refund["status"], "processed");
    assert_eq!(refund["remainingRefundableBalance"].to_string(), "499.9");
    let id = refund["refundId"].as_str().unwrap().to_owned();
    assert_eq!(id.as_bytes()[14], b'4', "a UUID of version 4: {id}");
    client.call(
        "trigger_refund",
        &json!({ "customer_id": "CUST-00001", "amount": 9.9, "reason": "another item" }),
    );
    assert_eq!(balance(&mut client).to_string(), "490");
    for name in [
        json!({ "refund_id": id }),
        json!({ "idempotency_key": "k1" }),
    ] {
        assert_eq!(client.call("get_refund", &name), refund);
    }
    let page = client.call(
        "list_refunds",
        &json!({ "customer_id": "CUST-00001", "limit": 1 }),
    );
    assert_eq!(
        (&page["total"], &page["refunds"][0]["amount"]),
        (&json!(2), &json!(9.9))
    );
    let cursor = page["nextCursor"].clone();
    let last = client.call(
        "list_refunds",
        &json!({ "customer_id": "CUST-00001", "limit": 1, "cursor": cursor }),
    );
    assert_eq!(last["refunds"][0]["refundId"], json!(id));
    assert!(last.get("nextCursor").is_none(), "{last}");
    let refused = client.call(
        "preview_refund",
        &json!({ "customer_id": "CUST-00002", "amount": 1, "reason": "damaged item" }),
    );
    assert_eq!(refused["refusal"]["code"], "CUSTOMER_SUSPENDED");
    assert_eq!(
        (
            &refused["wouldSucceed"],
            &refused["remainingRefundableBalance"]
        ),
        (&json!(false), &json!(200))
    );
}

// The switch of MCP's own advice.
#[test]
fn argument_errors_as_tool_results() {
    let mut client = Start::memory()
        .argument("--argument-errors")
        .argument("tool")
        .connect();
    let (code, text) = client.refused("trigger_refund", &json!({ "amount": -1 }));
    assert_eq!(code, "INVALID_ARGUMENTS");
    for key in ["customer_id", "amount", "reason"] {
        assert!(text.contains(key), "{text}");
    }
}

#[test]
fn tools_that_are_not_offered_are_unknown() {
    for (flags, expected) in [
        (&["--read-only"][..], 4),
        (&["--role", "viewer"], 4),
        (&["--tools", "get_refund,trigger_refund"], 2),
        (&["--tools", "get_refund,trigger_refund", "--read-only"], 1),
    ] {
        let start = flags
            .iter()
            .fold(refunds_alone(), |start, flag| start.argument(flag));
        let mut client = start.connect();
        let listed = client.request("tools/list", &json!({}))["result"]["tools"].clone();
        assert_eq!(listed.as_array().map(Vec::len), Some(expected), "{flags:?}");
        let call = client.call_text("trigger_refund", REFUND);
        let offered = listed
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == "trigger_refund");
        if offered {
            assert!(call.get("result").is_some());
        } else {
            assert_eq!(call["error"]["message"], "Unknown tool: trigger_refund");
        }
    }
}

// R-026: a call cannot name a currency; the customer's is used and echoed.
#[test]
fn a_currency_cannot_be_chosen() {
    let mut client = Start::memory().connect();
    let answer = client.call_text(
        "trigger_refund",
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item","currency":"GBP"}"#,
    );
    assert_eq!(
        issues(&answer["error"]),
        [("currency".to_owned(), "unknown_key".to_owned())]
    );
    assert_eq!(balance(&mut client), 500);
    let refund = json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item" });
    assert_eq!(client.call("trigger_refund", &refund)["currency"], "USD");
}

// R-032, R-049: everything was refunded already; a new key does not pay it again, and the text says
// how much is left.
#[test]
fn what_was_refunded_in_full_is_not_refunded_again() {
    let mut client = Start::memory().connect();
    let refund = |key: &str| json!({ "customer_id": "CUST-00001", "amount": 500, "reason": "damaged item", "idempotency_key": key });
    client.call("trigger_refund", &refund("first"));
    assert_eq!(
        client.refused("trigger_refund", &refund("second")),
        (
            "EXCEEDS_BALANCE".to_owned(),
            "Refund of 500.00 USD exceeds the refundable balance of 0.00 USD for customer CUST-00001.".to_owned()
        )
    );
    assert_eq!(balance(&mut client), 0);
    // The refusal has not used the key up, and the first call still gets its receipt.
    assert_eq!(
        client.call("trigger_refund", &refund("first"))["replayed"],
        true
    );
}

// R-037: the description must not talk a model into a new key for every attempt.
#[test]
fn the_key_is_described_as_one_to_reuse() {
    let mut client = Start::memory().connect();
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let tool = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "trigger_refund")
        .unwrap();
    let text = tool["inputSchema"]["properties"]["idempotency_key"]["description"]
        .as_str()
        .unwrap();
    for part in [
        "Reuse the same key when you retry",
        "Never make up a new key per attempt",
        "new decision",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

// R-134, R-136, R-139: every result and every error begins with text that is not empty, ids are
// strings, and numbers stay where a double is exact.
#[test]
fn results_are_readable_by_every_client() {
    fn walk(value: &Value) {
        match value {
            Value::Number(number) => assert!(number.as_f64().unwrap().abs() < 9e15, "{number}"),
            Value::Array(items) => items.iter().for_each(walk),
            Value::Object(members) => {
                for (key, value) in members {
                    assert!(!key.ends_with("Id") || value.is_string(), "{key}: {value}");
                    walk(value);
                }
            }
            _ => {}
        }
    }
    let mut client = Start::memory().connect();
    let refund = |customer: &str| json!({ "customer_id": customer, "amount": 1, "reason": "damaged item", "idempotency_key": "k" });
    for (tool, arguments) in [
        (
            "get_customer_record",
            json!({ "customer_id": "CUST-00001" }),
        ),
        ("preview_refund", refund("CUST-00001")),
        ("trigger_refund", refund("CUST-00001")),
        ("get_refund", json!({ "idempotency_key": "k" })),
        ("list_refunds", json!({ "customer_id": "CUST-00001" })),
    ] {
        walk(&client.call(tool, &arguments));
    }
    for (tool, arguments) in [
        (
            "get_customer_record",
            json!({ "customer_id": "CUST-99999" }),
        ),
        ("trigger_refund", refund("CUST-00002")),
        ("get_refund", json!({ "idempotency_key": "none" })),
    ] {
        let (code, text) = client.refused(tool, &arguments);
        assert!(!code.is_empty() && !text.is_empty());
    }
}

// A connection that began with self-contained requests says so, rather than shake hands and then
// refuse what follows.
#[test]
fn no_handshake_within_a_stateless_session() {
    let mut client = Start::memory().spawn();
    client.send(&stateless("tools/list", json!({})).to_string());
    assert!(client.receive().get("result").is_some());
    let late = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let refused = error(&mut client, late, &json!(1), -32600);
    assert!(
        refused["message"]
            .as_str()
            .unwrap()
            .contains("self-contained")
    );
    client.send(&stateless("tools/list", json!({})).to_string());
    assert!(client.receive().get("result").is_some());
}

// A page of long reasons is cut so that the result stays below 60 KB, and says where it goes on.
#[test]
fn a_result_stays_below_sixty_kilobytes() {
    let mut client = Start::memory().connect();
    let reason = "\u{1f600}".repeat(500);
    for _ in 0..30 {
        client.call(
            "trigger_refund",
            &json!({ "customer_id": "CUST-00001", "amount": 0.01, "reason": reason }),
        );
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut arguments = json!({ "customer_id": "CUST-00001", "limit": 100 });
    loop {
        let answer = client.call_text("list_refunds", &arguments.to_string());
        assert!(answer.to_string().len() < 60_000);
        let page = &answer["result"]["structuredContent"];
        for refund in page["refunds"].as_array().unwrap() {
            assert!(
                seen.insert(refund["refundId"].to_string()),
                "no refund twice"
            );
        }
        match page.get("nextCursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 30);
}
