//! What clients see of the toolset: its tools, its errors, its sizes, its logs.

use serde_json::{Value, json};

use super::{Depot, TODAY, TOOLS, customer, demo, one_call_each};
use crate::client::Start;

fn names(start: Start) -> Vec<String> {
    let answer = start.connect().request("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_toolset_is_switched_as_the_others() {
    assert_eq!(
        names(Start::memory().argument("--toolsets=warranty")),
        TOOLS
    );
    // It only reads, so read-only and a viewer have all of it.
    for argument in ["--read-only", "--role=viewer"] {
        let offered = names(Start::memory().argument(argument));
        for tool in TOOLS {
            assert!(offered.iter().any(|name| name == tool), "{argument} {tool}");
        }
    }
    assert_eq!(
        names(Start::memory().argument("--tools=get_fee_quote")),
        ["get_fee_quote"]
    );
    let mut client = Start::memory().argument("--toolsets=refunds").connect();
    let answer = client.call_text("find_device", "{}");
    assert_eq!(answer["error"]["message"], "Unknown tool: find_device");
}

// Cases R-130, R-131, R-133, R-140, and the promises of the descriptions.
#[test]
fn the_tools_say_what_a_model_needs() {
    fn walk(node: &Value, found: &mut Vec<Value>) {
        match node {
            Value::Object(object) => {
                found.push(node.clone());
                object.values().for_each(|value| walk(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    let mut client = demo().connect();
    let answer = client.request("tools/list", &json!({}));
    for tool in answer["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert_eq!(
            (
                &tool["annotations"]["readOnlyHint"],
                &tool["annotations"]["destructiveHint"]
            ),
            (&json!(true), &json!(false)),
            "{name}"
        );
        for schema in ["inputSchema", "outputSchema"] {
            assert!(!tool[schema]["properties"].as_object().unwrap().is_empty());
            let mut nodes = Vec::new();
            walk(&tool[schema], &mut nodes);
            for node in nodes {
                for absent in ["$schema", "const", "$ref"] {
                    assert!(node.get(absent).is_none(), "{name} {schema} {absent}");
                }
                assert!(!node["type"].is_array(), "{name} {schema}");
            }
        }
        let carries = tool["outputSchema"]["properties"].get("allowsRmaCreation");
        if let Some(field) = carries {
            assert!(
                field["description"]
                    .as_str()
                    .unwrap()
                    .starts_with("Always false")
            );
            let description = tool["description"].as_str().unwrap();
            assert!(
                description.contains("allowsRmaCreation is always false"),
                "{name}"
            );
        }
    }
    let handshake = demo().spawn().handshake();
    let instructions = handshake["instructions"].as_str().unwrap();
    for tool in [
        "check_warranty_coverage",
        "get_fee_quote",
        "get_open_returns_for_device",
        "find_device",
    ] {
        assert!(instructions.contains(tool), "{instructions}");
    }
    assert!(
        !instructions.contains("trigger_refund"),
        "only what is offered"
    );
}

#[test]
fn unknown_keys_are_refused() {
    let mut client = demo().connect();
    for (tool, arguments) in one_call_each() {
        for key in [
            "aiConfidence",
            "AiConfidence",
            "confidence",
            "override",
            "identifier ",
        ] {
            let mut arguments = arguments.clone();
            arguments[key] = json!(1);
            let answer = client.call_text(tool, &arguments.to_string());
            assert_eq!(answer["error"]["code"], -32602, "{tool} {key}: {answer}");
            assert_eq!(
                answer["error"]["message"],
                format!("Invalid arguments for tool {tool}")
            );
            let issues = answer["error"]["data"]["issues"].as_array().unwrap();
            assert_eq!(issues.len(), 1, "{answer}");
            assert_eq!(
                (&issues[0]["path"], &issues[0]["code"]),
                (&json!([key]), &json!("unknown_key"))
            );
        }
    }
}

#[test]
fn bad_arguments_are_protocol_errors_unless_asked_otherwise() {
    let bad = r#"{"identifier":" ","today":"2026-2-30","regionCode":"Texas","hasOpenReturn":"no"}"#;
    let expected = json!([
        [["identifier"], "pattern"],
        [["today"], "pattern"],
        [["regionCode"], "pattern"],
        [["hasOpenReturn"], "invalid_type"],
    ]);
    let mut client = demo().connect();
    let answer = client.call_text("check_warranty_coverage", bad);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let issues = answer["error"]["data"]["issues"].as_array().unwrap().iter();
    let found: Value = issues
        .map(|issue| json!([issue["path"], issue["code"]]))
        .collect();
    assert_eq!(found, expected);
    for day in [
        "2026-02-30",
        "01-03-2026",
        "2026-03-01T00:00:00Z",
        "20260301",
        " 2026-03-01",
        "",
    ] {
        let arguments = json!({ "identifier": "AX2-0001-0001", "today": day });
        let answer = client.call_text("get_fee_quote", &arguments.to_string());
        assert_eq!(
            answer["error"]["data"]["issues"][0]["path"],
            json!(["today"]),
            "{day}"
        );
    }
    let mut client = demo().argument("--argument-errors=tool").connect();
    let bad: Value = serde_json::from_str(bad).unwrap();
    let (code, text) = client.refused("check_warranty_coverage", &bad);
    assert_eq!(code, "INVALID_ARGUMENTS");
    for key in ["identifier", "today", "regionCode", "hasOpenReturn"] {
        assert!(text.contains(key), "{text}");
    }
}

// Cases R-134, R-136, R-137, R-139: text and structure are the same JSON, an error has a text with its
// reason and no structure, and no number is too big for a double.
#[test]
fn results_are_what_clients_can_read() {
    fn numbers(value: &Value, found: &mut Vec<f64>) {
        match value {
            Value::Number(number) => found.push(number.as_f64().unwrap()),
            Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
            Value::Object(object) => object.values().for_each(|item| numbers(item, found)),
            _ => {}
        }
    }
    let mut client = demo().connect();
    for (tool, arguments) in one_call_each() {
        let mut found = Vec::new();
        // `call` holds text and structure against each other.
        numbers(&client.call(tool, &arguments), &mut found);
        assert!(
            found.iter().all(|number| number.abs() < 9e15),
            "{tool} {found:?}"
        );
    }
    for (tool, arguments, code) in [
        (
            "get_open_returns_for_device",
            json!({ "deviceId": "none" }),
            "DEVICE_NOT_FOUND",
        ),
        (
            "resolve_shipping_address",
            json!({ "customerId": "CUST-99999", "freeTextAddress": "x" }),
            "CUSTOMER_NOT_FOUND",
        ),
    ] {
        let (found, text) = client.refused(tool, &arguments);
        assert_eq!(found, code);
        assert!(text.len() > 20, "{text}");
    }
}

#[test]
fn the_longest_answers_stay_below_sixty_kilobytes() {
    let long = "\u{1f600}".repeat(194);
    let customers: Vec<Value> = (0..40)
        .map(|number| {
            let mut one = customer(
                &format!("CUST-{:05}", number + 100),
                &format!("Smyth {long}"),
                &format!("{}{number}@example.com", "x".repeat(200)),
            );
            one["company"] = json!(long);
            one
        })
        .collect();
    let serial = |number: usize| format!("{number:02}{}", "\u{1f600}".repeat(60));
    let devices: Vec<Value> = (0..40)
        .map(|number| json!({ "serial_number": serial(number), "sku": "AX-200-HS" }))
        .collect();
    let returns: Vec<Value> = (0..200)
        .map(|number| {
            json!({
                "rma_number": format!("{number:03}{}", "\"".repeat(60)), "serial_number": serial(0),
                "status": "\"".repeat(64), "created_at": "2026-02-20T09:00:00Z",
            })
        })
        .collect();
    let depot = Depot::new(&json!({
        "customers": customers,
        "products": [{ "sku": "AX-200-HS", "name": format!("AX {long}"), "model": long }],
        "devices": devices,
        "open_returns": returns,
    }));
    let mut client = depot.connect();
    for (tool, arguments, total, list) in [
        (
            "find_customer",
            json!({ "name": "Smyth", "take": 25 }),
            40,
            "customers",
        ),
        (
            "search_devices",
            json!({ "sku": "AX-200-HS", "take": 25 }),
            39,
            "devices",
        ),
        (
            "get_open_returns_for_device",
            json!({ "deviceId": serial(0) }),
            200,
            "returns",
        ),
    ] {
        let answer = client.call_text(tool, &arguments.to_string());
        let length = answer.to_string().len();
        assert!(length < 60_000, "{tool}: {length}");
        let result = &answer["result"]["structuredContent"];
        let count = result.get("matchCount").unwrap_or(&result["count"]);
        assert_eq!(*count, total, "{tool}");
        let listed = result[list].as_array().unwrap().len();
        assert!((3..total).contains(&listed), "{tool}: {listed}");
        if tool == "search_devices" {
            assert_eq!(result["truncated"], true);
        }
    }
}

// Case R-173, for this toolset: names, addresses and identifiers stay out of the log at every level.
#[test]
fn no_log_names_a_person_or_a_unit() {
    let mut client = demo().argument("--log-level=trace").connect();
    for (tool, arguments) in one_call_each() {
        client.call(tool, &arguments);
    }
    for (tool, arguments) in [
        (
            "find_customer",
            json!({ "name": "Canary Person", "email": "canary@example.com", "phoneNumber": "+1 202 555 0199" }),
        ),
        ("find_device", json!({ "identifier": "CANARY-SERIAL-1" })),
        (
            "get_fee_quote",
            json!({ "identifier": "CANARY-SERIAL-1", "today": TODAY }),
        ),
        (
            "check_warranty_coverage",
            json!({ "identifier": "CANARY-SERIAL-1", "today": TODAY, "problemDescription": "canary problem" }),
        ),
        ("search_devices", json!({ "productName": "canary product" })),
    ] {
        client.call(tool, &arguments);
    }
    let address = json!({ "customerId": "CUST-00009", "freeTextAddress": "7 Canary Lane" });
    client.call("resolve_shipping_address", &address);
    client.refused(
        "get_open_returns_for_device",
        &json!({ "deviceId": "CANARY-SERIAL-1" }),
    );
    client.call_text(
        "find_device",
        r#"{"identifier":"","CANARY":"canary value"}"#,
    );
    let found = client.call(
        "find_customer",
        &json!({ "externalCustomerId": "EXT-10001" }),
    );
    let person = &found["customers"][0];
    let log = client.finish().log;
    assert!(
        log.contains("resolve_shipping_address") && log.contains("DEVICE_NOT_FOUND"),
        "{log}"
    );
    let known = ["fullName", "email", "phoneNumber"].map(|key| person[key].as_str().unwrap());
    for secret in known.into_iter().chain(["AX2-0001", "EXT-10001", "0199"]) {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    assert!(!log.to_lowercase().contains("canary"), "{log}");
}

// A fault inside a tool of this toolset: nothing was changed, whatever happened.
#[cfg(feature = "fault-points")]
#[test]
fn a_panic_is_an_internal_error() {
    let mut client = demo()
        .binary(crate::client::faulty())
        .variable("REFUND_FAULT", "panic@call.begun")
        .connect();
    let answer = client.call_text("find_device", r#"{"identifier":"AX2-0001-0001"}"#);
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    client.ping();
}

// A fault of the store is said, and over when it is over.
#[test]
fn a_store_that_cannot_be_asked_says_so() {
    let depot = Depot::of_serials(&["AX2-1"]);
    let other = rusqlite::Connection::open(depot.path()).unwrap();
    other.busy_timeout(crate::client::PATIENCE).unwrap();
    let lock = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    other.execute_batch(lock).unwrap();
    let mut client = depot.connect();
    let unit = json!({ "identifier": "AX2-1", "today": TODAY });
    for tool in ["find_device", "check_warranty_coverage", "get_fee_quote"] {
        let (code, text) = client.refused(tool, &unit);
        assert_eq!(code, "STORE_UNAVAILABLE", "{tool}");
        assert!(text.contains("Try again later"), "{tool}: {text}");
    }
    drop(other);
    assert_eq!(client.call("find_device", &unit)["found"], true);
}

#[test]
fn one_tool_from_the_shell() {
    let call = |tool: &str, arguments: Value| {
        let (code, out, _) = demo()
            .argument("call")
            .argument(tool)
            .argument(&arguments.to_string())
            .run();
        (code, out)
    };
    let unit = json!({ "identifier": "AX2-0001-0005", "today": TODAY });
    let (code, out) = call("get_fee_quote", unit);
    let quoted: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &quoted["repairFee"]), (0, &json!(69)));
    let (code, out) = call("get_open_returns_for_device", json!({ "deviceId": "none" }));
    assert!(out.contains("No unit has this deviceId"), "{out}");
    assert_eq!(code, 3, "refused");
}
