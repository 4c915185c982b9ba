//! The toolset `returns` over the wire: its answers, its errors, its languages, its days.

use std::path::PathBuf;

use refund_domain::{
    BillingStatus, Caller, CivilDate, Currency, CustomerId, Money, Order, OrderId, OrderLine,
    OrderPrice, Principal, Product, ProductName, Quantity, Role, Sku, Timestamp,
};
use refund_store::SqliteStore;
use refund_store::transfer::{Entity, Format, Input};
use serde_json::{Value, json};

use crate::client::{Client, Start};

const AMI: &str = "Ami.Murasaki@example.com";

/// A shop with two customers whose addresses are alike, and its directory.
struct Shop {
    directory: tempfile::TempDir,
}

fn line(id: &str, customer: &str, unit: i64, code: &str, date: &str, unpaid: bool) -> OrderLine {
    let unit = Money::from_minor(unit, Currency::new(code).unwrap()).unwrap();
    let sku = Sku::new("TEA-24").unwrap();
    OrderLine {
        order: Order {
            id: OrderId::new(id).unwrap(),
            customer_id: CustomerId::new(customer).unwrap(),
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(2).unwrap()).unwrap(),
            order_date: CivilDate::parse(date).unwrap(),
            billing_status: if unpaid {
                BillingStatus::Unpaid
            } else {
                BillingStatus::Paid
            },
            returned: false,
        },
        product: Product {
            sku,
            name: ProductName::new("お茶 350ml 24本入り").unwrap(),
        },
    }
}

impl Shop {
    fn new() -> Self {
        let shop = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        let store = shop.import(&[
            Self::customer("CUST-00004", "Ami Murasaki", AMI, "active"),
            Self::customer(
                "CUST-00007",
                "Amigo Murasaka",
                "amigo.murasaka@example.com",
                "active",
            ),
        ]);
        store
            .import_orders(&[
                line("A-4", "CUST-00007", 1800, "JPY", "2026-08-10", true),
                line("A-3", "CUST-00004", 2400, "JPY", "2026-06-01", false),
                line("A-1", "CUST-00004", 2400, "JPY", "2026-08-01", true),
                line("A-2", "CUST-00004", 1999, "USD", "2026-07-01", true),
            ])
            .unwrap();
        shop
    }

    fn customer(id: &str, name: &str, email: &str, status: &str) -> Value {
        json!({
            "customer_id": id, "name": name, "email": email, "status": status,
            "currency": "JPY", "refundable_balance": 9600, "created_at": "2026-01-01T00:00:00Z",
        })
    }

    fn import(&self, customers: &[Value]) -> SqliteStore {
        self.import_text(&json!({ "customers": customers }).to_string())
    }

    fn import_text(&self, text: &str) -> SqliteStore {
        let store = SqliteStore::open(&self.path()).unwrap();
        let text = std::io::Cursor::new(text.to_owned());
        let caller = Caller::new(Principal::new("shop").unwrap(), Role::Agent);
        let input = Input::new("shop.json", Format::Json, text);
        let at = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        store.import(vec![input], true, &caller, at).unwrap();
        store
    }

    fn suspend(&self, id: &str, name: &str, email: &str) {
        let _store = self.import(&[Self::customer(id, name, email, "suspended")]);
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("shop.db")
    }

    fn start(&self) -> Start {
        Start::file(&self.path())
    }

    /// A server on the day of the demonstration.
    fn connect(&self) -> Client {
        self.start().argument("--today=2026-08-11").connect()
    }
}

/// The error of a call, whose code stands in `_meta` too.
fn error(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    let (code, text) = client.refused(tool, arguments);
    let error: Value = serde_json::from_str(&text).unwrap();
    let error = &error["error"];
    let keys: Vec<_> = error.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["code", "category", "message", "details"]);
    assert_eq!(error["code"], code);
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.len() > 10)
    );
    assert!(error["details"].is_object());
    error.clone()
}

#[test]
fn orders_and_bills_of_a_customer() {
    let shop = Shop::new();
    let mut client = shop.connect();
    let user = json!({ "user_id": AMI, "name": "Ami Murasaki", "customer_id": "CUST-00004" });
    let found = client.call(
        "lookup_order",
        &json!({ "user_id": "ami.murasaki@EXAMPLE.com" }),
    );
    assert_eq!(found["user"], user, "as stored");
    assert_eq!(found["order_count"], 3);
    let ids: Vec<_> = found["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| &order["order_id"])
        .collect();
    assert_eq!(ids, ["A-1", "A-2", "A-3"], "newest first");
    assert_eq!(
        found["orders"][0],
        json!({
            "order_id": "A-1", "product_name": "お茶 350ml 24本入り", "quantity": 2,
            "unit_price_jpy": 2400, "unit_price": 2400, "currency": "JPY",
            "order_date": "2026-08-01", "billing_status": "unpaid", "returned": false,
        })
    );
    assert!(found["orders"][1].get("unit_price_jpy").is_none());
    assert_eq!(found["orders"][1]["unit_price"], 19.99);

    let bills = client.call("get_billing_status", &json!({ "user_id": AMI }));
    assert_eq!((&bills["user"], &bills["unpaid_count"]), (&user, &json!(2)));
    assert_eq!(bills["billing"][0]["amount_jpy"], 4800);
    assert!(
        bills["billing"][0]["payment_instructions"]
            .as_str()
            .is_some_and(|text| text.contains("XXXXXXX"))
    );
    assert_eq!(bills["billing"][1]["amount"], 39.98);
    assert!(bills["billing"][1].get("amount_jpy").is_none());
    assert!(bills["billing"][2].get("payment_instructions").is_none());

    let other = client.call(
        "lookup_order",
        &json!({ "user_id": "amigo.murasaka@example.com" }),
    );
    assert_eq!(
        (&other["order_count"], &other["orders"][0]["order_id"]),
        (&json!(1), &json!("A-4"))
    );
}

// Cases R-089, R-136.
#[test]
fn a_similar_address_is_nobody() {
    let shop = Shop::new();
    let mut client = shop.connect();
    for user_id in [
        "ami.murasaka@example.com",
        "amimurasaki@example.com",
        "ami.murasaki@example.co",
        "\u{430}mi.murasaki@example.com",
        "CUST-00004",
        "%",
    ] {
        for tool in ["lookup_order", "get_billing_status"] {
            let error = error(&mut client, tool, &json!({ "user_id": user_id }));
            assert_eq!(
                (&error["code"], &error["category"], &error["details"]),
                (
                    &json!("USER_NOT_FOUND"),
                    &json!("NOT_FOUND"),
                    &json!({ "user_id": user_id })
                )
            );
            let looks_alike = error["message"].as_str().unwrap().contains("ASCII");
            assert_eq!(looks_alike, !user_id.is_ascii(), "{error}");
        }
    }
}

#[test]
fn a_return_from_question_to_refusal() {
    let shop = Shop::new();
    let mut client = shop.connect();
    let judged = client.call("check_return_eligibility", &json!({ "order_id": "A-1" }));
    let message = judged["message"].as_str().unwrap();
    assert!(
        message.contains("2026-09-01") && message.contains("UTC"),
        "{message}"
    );
    assert_eq!(
        judged,
        json!({
            "order_id": "A-1", "order_date": "2026-08-01", "deadline_date": "2026-09-01",
            "days_elapsed": 10, "already_returned": false, "eligible": true, "reason": "OK",
            "message": message,
        })
    );
    let expired = client.call("check_return_eligibility", &json!({ "order_id": "A-2" }));
    assert_eq!(
        (&expired["eligible"], &expired["reason"]),
        (&json!(false), &json!("EXPIRED"))
    );

    let arguments = json!({ "order_id": "A-1", "reason": " broken ", "idempotency_key": "K" });
    let done = client.call("process_return", &arguments);
    assert_eq!(done["reason"], "broken");
    assert_eq!(done["notification"]["to"], AMI);
    assert_eq!(done["notification"]["subject"], "Your return of order A-1");
    let body = done["notification"]["body"].as_str().unwrap();
    for part in [
        "Ami Murasaki",
        "A-1",
        "お茶 350ml 24本入り",
        "moves no money",
        "2026-08-11",
    ] {
        assert!(body.contains(part), "{body}");
    }
    assert!(body.contains(done["return_id"].as_str().unwrap()), "{body}");
    assert!(done.get("replayed").is_none());

    // The first answer, word for word, whatever language the retry is in.
    let mut again = client.call("process_return", &arguments);
    assert_eq!(again["replayed"], true);
    again.as_object_mut().unwrap().remove("replayed");
    assert_eq!(again, done);

    let other = error(
        &mut client,
        "process_return",
        &json!({ "order_id": "A-1", "reason": "other", "idempotency_key": "K" }),
    );
    assert_eq!(
        (&other["code"], &other["category"]),
        (&json!("IDEMPOTENCY_CONFLICT"), &json!("STATE_CONFLICT"))
    );
    assert_eq!(other["details"]["return_id"], done["return_id"]);

    let twice = json!({ "order_id": "A-1", "reason": "broken" });
    for (arguments, reason, deadline) in [
        (twice, "ALREADY_RETURNED", "2026-09-01"),
        (
            json!({ "order_id": "A-3", "reason": "broken" }),
            "EXPIRED",
            "2026-07-01",
        ),
    ] {
        let error = error(&mut client, "process_return", &arguments);
        assert_eq!(
            (&error["code"], &error["category"]),
            (&json!("RETURN_NOT_ELIGIBLE"), &json!("BUSINESS_RULE"))
        );
        assert_eq!(
            error["details"],
            json!({ "order_id": arguments["order_id"], "reason": reason, "deadline_date": deadline })
        );
    }
    for tool in ["check_return_eligibility", "process_return"] {
        let mut arguments = json!({ "order_id": "a-1 " });
        if tool == "process_return" {
            arguments["reason"] = json!("x");
        }
        let error = error(&mut client, tool, &arguments);
        assert_eq!(
            (&error["code"], &error["details"]),
            (&json!("ORDER_NOT_FOUND"), &json!({ "order_id": "a-1 " }))
        );
    }
    let found = client.call("lookup_order", &json!({ "user_id": AMI }));
    assert_eq!(found["orders"][0]["returned"], true);
    // No money moved.
    let record = client.call(
        "get_customer_record",
        &json!({ "customer_id": "CUST-00004" }),
    );
    assert_eq!(record["refundableBalance"], 9600);
}

// Cases R-046, R-178, R-179, R-181.
#[test]
fn a_conversation_of_ten_turns_over_two_servers() {
    let shop = Shop::new();
    let mut servers = [shop.connect(), shop.connect()];
    for turn in 1..=10_u32 {
        let client = &mut servers[turn as usize % 2];
        let message = format!(" message {turn}\n");
        let arguments = json!({ "session_id": "S", "user_message": message, "idempotency_key": format!("t-{turn}") });
        let counted = client.call("escalate_to_human", &arguments);
        let status = match turn {
            5 => "confirm_close",
            10 => "force_closed",
            _ => "active",
        };
        assert_eq!(
            (
                &counted["turn_count"],
                &counted["status"],
                &counted["received_message"]
            ),
            (&json!(turn), &json!(status), &json!(message))
        );
        client.call("lookup_order", &json!({ "user_id": AMI }));
        for server in &mut servers {
            let again = server.call("escalate_to_human", &arguments);
            assert_eq!(
                (&again["turn_count"], &again["replayed"]),
                (&json!(turn), &json!(true))
            );
            assert_eq!(again["guidance"], counted["guidance"]);
        }
    }
    let more = json!({ "session_id": "S", "user_message": "more" });
    let closed = error(&mut servers[0], "escalate_to_human", &more);
    assert_eq!(
        (&closed["code"], &closed["category"], &closed["details"]),
        (
            &json!("SESSION_CLOSED"),
            &json!("STATE_CONFLICT"),
            &json!({ "session_id": "S" })
        )
    );
    // The same name is another conversation for another principal.
    let mut other = shop.start().argument("--principal=other").connect();
    assert_eq!(other.call("escalate_to_human", &more)["turn_count"], 1);
}

/// The same calls sent to two servers at once, and all answers.
fn storm(shop: &Shop, calls: usize, tool: &str, arguments: &Value) -> Vec<Value> {
    let mut servers = [shop.connect(), shop.connect()];
    for server in &mut servers {
        let lines: String = (0..calls)
            .map(|id| {
                let params = json!({ "name": tool, "arguments": arguments });
                let call = json!({ "jsonrpc": "2.0", "id": format!("c{id}"), "method": "tools/call", "params": params });
                format!("{call}\n")
            })
            .collect();
        server.write(lines.as_bytes());
    }
    let mut answers = Vec::new();
    for server in &mut servers {
        answers.extend((0..calls).map(|_| server.receive()["result"].clone()));
    }
    answers
}

// Case R-182, with the end of a conversation at ten turns.
#[test]
fn parallel_turns_are_counted_once_each() {
    let shop = Shop::new();
    let arguments = json!({ "session_id": "S", "user_message": "hello" });
    let answers = storm(&shop, 10, "escalate_to_human", &arguments);
    let mut counts: Vec<u64> = answers
        .iter()
        .filter_map(|result| result["structuredContent"]["turn_count"].as_u64())
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=10).collect::<Vec<_>>());
    let closed = |result: &&Value| result["_meta"]["refund-mcp/code"] == "SESSION_CLOSED";
    assert_eq!(answers.iter().filter(closed).count(), 10);
}

#[test]
fn of_returns_at_the_same_moment_one_succeeds() {
    let shop = Shop::new();
    let arguments = json!({ "order_id": "A-1", "reason": "broken" });
    let answers = storm(&shop, 8, "process_return", &arguments);
    let done = answers.iter().filter(|result| result["isError"] == false);
    assert_eq!(done.count(), 1);
    let late = answers.iter().filter(|result| {
        let text = result["content"][0]["text"].as_str().unwrap();
        result["isError"] == true && text.contains(r#""reason":"ALREADY_RETURNED""#)
    });
    assert_eq!(late.count(), 15);
    // With a key, all of them are the one return.
    let keyed = json!({ "order_id": "A-4", "reason": "broken", "idempotency_key": "K" });
    let answers = storm(&shop, 8, "process_return", &keyed);
    let ids: std::collections::BTreeSet<_> = answers
        .iter()
        .map(|result| result["structuredContent"]["return_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 1);
}

// Two servers asked at once to return the same order, again and again.
#[test]
fn of_two_returns_over_two_servers_exactly_one_succeeds() {
    const ROUNDS: usize = 1_000;
    let shop = Shop::new();
    let orders: Vec<OrderLine> = (0..ROUNDS)
        .map(|round| {
            let id = format!("R-{round}");
            line(&id, "CUST-00004", 100, "JPY", "2026-08-01", false)
        })
        .collect();
    SqliteStore::open(&shop.path())
        .unwrap()
        .import_orders(&orders)
        .unwrap();
    let mut servers = [shop.connect(), shop.connect()];
    for round in 0..ROUNDS {
        let arguments = json!({ "order_id": format!("R-{round}"), "reason": "broken" });
        let params = json!({ "name": "process_return", "arguments": arguments });
        let id = format!("round-{round}");
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        for server in &mut servers {
            server.send(&call.to_string());
        }
        let answers = servers
            .each_mut()
            .map(|server| server.receive()["result"].clone());
        let done = answers.iter().filter(|result| result["isError"] == false);
        assert_eq!(done.count(), 1, "{round}: {answers:?}");
        let late = answers.iter().filter(|result| {
            let text = result["content"][0]["text"].as_str().unwrap();
            text.contains(r#""reason":"ALREADY_RETURNED""#)
        });
        assert_eq!(late.count(), 1, "{round}: {answers:?}");
    }
}

#[test]
fn no_log_holds_what_people_said() {
    let shop = Shop::new();
    let mut client = shop
        .start()
        .argument("--today=2026-08-11")
        .argument("--log-level=trace")
        .connect();
    let secret = "my door code is heron-four";
    client.call("lookup_order", &json!({ "user_id": AMI }));
    client.call("get_billing_status", &json!({ "user_id": AMI }));
    client.refused(
        "lookup_order",
        &json!({ "user_id": "nobody.known@example.com" }),
    );
    client.call(
        "process_return",
        &json!({ "order_id": "A-1", "reason": secret }),
    );
    client.refused(
        "process_return",
        &json!({ "order_id": "A-1", "reason": secret }),
    );
    client.call(
        "escalate_to_human",
        &json!({ "session_id": "S", "user_message": secret }),
    );
    client.refused(
        "escalate_to_human",
        &json!({ "session_id": "S", "user_message": "", "x": secret }),
    );
    let log = client.finish().log;
    assert!(log.contains("escalate_to_human"));
    for personal in ["urasak", "nobody.known", "heron", "example.com"] {
        assert!(!log.contains(personal), "{personal} in {log}");
    }
}

// The scenario of the demonstration: on 11 August the orders of August can be returned, the others not.
#[test]
fn the_demonstration() {
    let mut client = Start::memory()
        .argument("--demo=returns")
        .variable("MCP_TODAY", "2026-08-11")
        .connect();
    for user_id in [
        "ami.murasaki@example.com",
        "GOSHI.TANABE@example.com",
        "takeharu.mokuda@example.com",
        "amigo.murasaka@example.com",
        "takehiro.mokuga@example.com",
    ] {
        let found = client.call("lookup_order", &json!({ "user_id": user_id }));
        let orders = found["orders"].as_array().unwrap();
        let days: Vec<_> = orders.iter().map(|order| &order["order_date"]).collect();
        assert_eq!(days, ["2026-08-01", "2026-07-01", "2026-06-01"]);
        for order in orders {
            let judged = client.call(
                "check_return_eligibility",
                &json!({ "order_id": order["order_id"] }),
            );
            let august = order["order_date"] == "2026-08-01";
            assert_eq!(judged["eligible"], august);
        }
    }
}

#[test]
fn bad_arguments_are_results_here_and_protocol_errors_there() {
    let shop = Shop::new();
    let bad = json!({ "order_id": "  ", "reason": "", "amount": 5 });
    let mut client = shop.connect();
    let invalid = error(&mut client, "process_return", &bad);
    assert_eq!(
        (&invalid["code"], &invalid["category"]),
        (&json!("INVALID_INPUT"), &json!("VALIDATION"))
    );
    let issues: Vec<_> = invalid["details"]["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| {
            (
                issue["path"][0].as_str().unwrap(),
                issue["code"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        issues,
        [
            ("order_id", "pattern"),
            ("reason", "too_short"),
            ("amount", "unknown_key")
        ]
    );
    let nothing = client.request("tools/call", &json!({ "name": "lookup_order" }));
    assert_eq!(
        nothing["result"]["_meta"]["refund-mcp/code"],
        "INVALID_INPUT"
    );
    // The other toolset keeps its way.
    let refund = client.call_text("trigger_refund", "{}");
    assert_eq!(refund["error"]["code"], -32602);
    // Faults of the envelope are protocol errors everywhere.
    assert_eq!(
        client.call_text("process_refund", "{}")["error"]["code"],
        -32602
    );
    assert_eq!(
        client.request("tools/call", &json!({ "name": 5 }))["error"]["code"],
        -32602
    );

    let mut client = shop
        .start()
        .argument("--argument-errors=protocol")
        .connect();
    let answer = client.call_text("process_return", &bad.to_string());
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["data"]["issues"],
        invalid["details"]["issues"]
    );
}

fn has_japanese(text: &Value) -> bool {
    text.as_str()
        .unwrap()
        .chars()
        .any(|letter| ('\u{3040}'..='\u{30ff}').contains(&letter))
}

#[test]
fn the_language_is_the_servers_or_the_requests() {
    let shop = Shop::new();
    let mut client = shop
        .start()
        .argument("--locale=ja")
        .argument("--today=2026-08-11")
        .connect();
    let judged = client.call("check_return_eligibility", &json!({ "order_id": "A-1" }));
    assert!(has_japanese(&judged["message"]));
    let unknown = error(
        &mut client,
        "check_return_eligibility",
        &json!({ "order_id": "x" }),
    );
    assert!(has_japanese(&unknown["message"]));
    let mut stated = |locale: Value| {
        client.request(
            "tools/call",
            &json!({
                "name": "check_return_eligibility", "arguments": { "order_id": "A-1" },
                "_meta": { "refund-mcp/locale": locale },
            }),
        )
    };
    for (tag, japanese) in [
        ("en", false),
        ("en-GB", false),
        ("ja-JP", true),
        ("fr", true),
    ] {
        let answer = stated(json!(tag));
        let message = &answer["result"]["structuredContent"]["message"];
        assert_eq!(has_japanese(message), japanese, "{tag}");
    }
    assert_eq!(stated(json!(5))["error"]["code"], -32602);
    let invalid = error(&mut client, "process_return", &json!({ "order_id": " " }));
    for issue in invalid["details"]["issues"].as_array().unwrap() {
        assert!(has_japanese(&issue["message"]), "{issue}");
    }
    let mut region = shop.start().argument("--locale=ja-JP").connect();
    let unknown = error(
        &mut region,
        "check_return_eligibility",
        &json!({ "order_id": "x" }),
    );
    assert!(has_japanese(&unknown["message"]));

    let done = client.call(
        "process_return",
        &json!({ "order_id": "A-1", "reason": "破損" }),
    );
    assert!(has_japanese(&done["notification"]["body"]));
    assert_eq!(done["notification"]["subject"], "ご注文 A-1 の返品について");
}

// Case R-059.
#[test]
fn the_day_is_pinned_or_that_of_the_zone() {
    let shop = Shop::new();
    for start in [
        shop.start().variable("MCP_TODAY", "2026-09-01"),
        shop.start().variable("REFUND_TODAY", "2026-09-01"),
        shop.start()
            .variable("REFUND_TODAY", "2026-09-01")
            .variable("MCP_TODAY", "2026-09-02"),
        shop.start()
            .argument("--today=2026-09-01")
            .variable("REFUND_TODAY", "2026-09-02"),
    ] {
        let mut client = start.argument("--timezone=Asia/Tokyo").connect();
        let judged = client.call("check_return_eligibility", &json!({ "order_id": "A-1" }));
        assert_eq!(
            (&judged["days_elapsed"], &judged["eligible"]),
            (&json!(31), &json!(true))
        );
        assert!(judged["message"].as_str().unwrap().contains("Asia/Tokyo"));
    }
    for start in [
        Start::memory().variable("MCP_TODAY", "tomorrow"),
        Start::memory().variable("MCP_TODAY", ""),
        Start::memory().variable("REFUND_TODAY", "2026-02-30"),
        Start::memory().argument("--today=11.08.2026"),
        Start::memory().argument("--timezone=Tokyo"),
        Start::memory().argument("--locale=fr"),
        Start::memory().argument("--payment-instructions= "),
    ] {
        let (code, stdout, stderr) = start.run();
        assert_eq!(code, 2, "{stderr}");
        assert!(stdout.is_empty());
        let clear = ["such as", "known:", "blank"];
        assert!(clear.iter().any(|word| stderr.contains(word)), "{stderr}");
    }
}

#[test]
fn payment_instructions_are_configured() {
    let shop = Shop::new();
    let mut client = shop
        .start()
        .argument("--payment-instructions=To account 1")
        .connect();
    let bills = client.call("get_billing_status", &json!({ "user_id": AMI }));
    assert_eq!(bills["billing"][0]["payment_instructions"], "To account 1");
}

#[test]
fn the_prompt_is_served_in_both_languages() {
    let mut client = Start::memory().connect();
    let listed = client.request("prompts/list", &json!({}))["result"]["prompts"].clone();
    assert_eq!(listed[0]["name"], "support_desk");
    assert_eq!(listed[0]["arguments"][0]["name"], "language");
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    let page = include_str!("../../../../docs/orchestration.md");
    for (arguments, japanese) in [
        (json!({}), false),
        (json!({ "language": "en" }), false),
        (json!({ "language": "ja" }), true),
    ] {
        let params = json!({ "name": "support_desk", "arguments": arguments });
        let got = client.request("prompts/get", &params)["result"].clone();
        let text = &got["messages"][0]["content"]["text"];
        assert_eq!(has_japanese(text), japanese);
        assert!(page.contains(text.as_str().unwrap()));
        assert_eq!(got["messages"][0]["role"], "user");
    }
    for params in [
        json!({ "name": "support_desk", "arguments": { "language": "fr" } }),
        json!({ "name": "support_desk", "arguments": { "language": 5 } }),
        json!({ "name": "support_desk", "arguments": { "tongue": "en" } }),
        json!({ "name": "nobody" }),
        json!({}),
    ] {
        assert_eq!(
            client.request("prompts/get", &params)["error"]["code"],
            -32602,
            "{params}"
        );
    }
    // A gateway in front may have read the other one.
    for params in [
        r#"{"name":"support_desk","arguments":{"language":"en","language":"ja"}}"#,
        r#"{"name":"support_desk","arguments":{"language":"en","lang\u0075age":"en"}}"#,
        r#"{"name":"support_desk","name":"support_desk"}"#,
        r#"{"name":"support_desk","arguments":{},"arguments":{"language":"ja"}}"#,
    ] {
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"twice","method":"prompts/get","params":{params}}}"#
        ));
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], -32602, "{params}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains("was given more than once"), "{text}");
    }
}

#[test]
fn the_prompt_is_there_only_with_all_the_tools_that_it_names() {
    let without = [
        vec!["--read-only"],
        vec!["--role=viewer"],
        vec!["--toolsets=refunds"],
        vec!["--tools=lookup_order,process_return"],
    ];
    for arguments in without {
        let start = arguments
            .iter()
            .fold(Start::memory(), |start, argument| start.argument(argument));
        let mut client = start.connect();
        for (method, params) in [
            ("prompts/list", json!({})),
            ("prompts/get", json!({ "name": "support_desk" })),
        ] {
            let error = client.request(method, &params)["error"].clone();
            assert_eq!(error["code"], -32601, "{arguments:?}");
            assert_eq!(error["message"], format!("Method not found: {method}"));
        }
    }
    let mut client = Start::memory().argument("--toolsets=returns").connect();
    let listed = client.request("prompts/list", &json!({}))["result"]["prompts"].clone();
    assert_eq!(listed[0]["name"], "support_desk");
}

#[test]
fn a_suspended_customers_order_can_be_returned_and_stays_unpaid() {
    let shop = Shop::new();
    shop.suspend("CUST-00004", "Ami Murasaki", AMI);
    let mut client = shop.connect();
    let record = client.call(
        "get_customer_record",
        &json!({ "customer_id": "CUST-00004" }),
    );
    assert_eq!(record["status"], "suspended");
    let bills = client.call("get_billing_status", &json!({ "user_id": AMI }));
    assert_eq!(bills["billing"][0]["returned"], false);
    client.call(
        "process_return",
        &json!({ "order_id": "A-1", "reason": "broken" }),
    );
    let bills = client.call("get_billing_status", &json!({ "user_id": AMI }));
    let bill = &bills["billing"][0];
    assert_eq!(
        (
            &bill["order_id"],
            &bill["returned"],
            &bill["billing_status"]
        ),
        (&json!("A-1"), &json!(true), &json!("unpaid"))
    );
    assert_eq!(bills["unpaid_count"], 2);
    assert!(bill["payment_instructions"].is_string());
}

#[test]
fn an_order_of_a_later_day_can_be_returned() {
    let shop = Shop::new();
    let mut client = shop.start().argument("--today=2026-07-20").connect();
    let judged = client.call("check_return_eligibility", &json!({ "order_id": "A-1" }));
    assert_eq!(
        (
            &judged["days_elapsed"],
            &judged["eligible"],
            &judged["deadline_date"]
        ),
        (&json!(0), &json!(true), &json!("2026-09-01"))
    );
    client.call(
        "process_return",
        &json!({ "order_id": "A-1", "reason": "broken" }),
    );
}

// Case R-059: the zone is named where a return is refused, too.
#[test]
fn a_refused_return_names_the_zone_of_its_days() {
    let shop = Shop::new();
    let mut client = shop
        .start()
        .argument("--today=2026-09-02")
        .argument("--timezone=Asia/Tokyo")
        .connect();
    let error = error(
        &mut client,
        "process_return",
        &json!({ "order_id": "A-1", "reason": "broken" }),
    );
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("2026-09-01") && message.contains("Asia/Tokyo"),
        "{message}"
    );
}

// Case R-058.
#[test]
fn the_zone_of_the_machine_changes_no_day() {
    let mut answers = std::collections::BTreeSet::new();
    for zone in [
        "Pacific/Honolulu",
        "Pacific/Kiritimati",
        "Asia/Tokyo",
        "UTC",
    ] {
        let shop = Shop::new();
        let mut client = shop
            .start()
            .variable("TZ", zone)
            .argument("--today=2026-09-01")
            .connect();
        let mut said = Vec::new();
        for order_id in ["A-1", "A-2", "A-3", "A-4"] {
            let order = json!({ "order_id": order_id });
            said.push(client.call("check_return_eligibility", &order));
        }
        said.push(client.call("lookup_order", &json!({ "user_id": AMI })));
        said.push(client.call("get_billing_status", &json!({ "user_id": AMI })));
        answers.insert(json!(said).to_string());
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
}

// Case R-064: news of an order that is there already, the same or other, does not move its last day.
#[test]
fn the_same_order_again_does_not_move_its_last_day() {
    let shop = Shop::new();
    let judge = || {
        let mut client = shop.connect();
        client.call("check_return_eligibility", &json!({ "order_id": "A-1" }))
    };
    let before = judge();
    let store = SqliteStore::open(&shop.path()).unwrap();
    let mut news = Vec::new();
    let entities = [Entity::Products, Entity::Orders];
    store.export(&entities, Format::Json, &mut news).unwrap();
    drop(store);
    for _ in 0..2 {
        shop.import_text(&String::from_utf8(news.clone()).unwrap());
        assert_eq!(judge(), before);
    }
}

// Cases R-065, R-067, R-068: an order is returned whole and once, without shipping, and whether it was delivered is
// nothing that it knows; the tool takes no argument that could say otherwise.
#[test]
fn there_are_no_partial_returns() {
    let shop = Shop::new();
    let mut client = shop.connect();
    for extra in ["quantity", "units", "shipping", "delivered"] {
        let arguments = json!({ "order_id": "A-1", "reason": "broken", extra: 1 });
        let error = error(&mut client, "process_return", &arguments);
        assert_eq!(error["code"], "INVALID_INPUT");
        assert_eq!(error["details"]["issues"][0]["code"], "unknown_key");
    }
    let arguments = json!({ "order_id": "A-1", "reason": "one of two bottles" });
    let done = client.call("process_return", &arguments);
    let body = done["notification"]["body"].as_str().unwrap();
    assert!(body.contains("quantity: 2"), "{body}");
    let again = error(&mut client, "process_return", &arguments);
    assert_eq!(again["details"]["reason"], "ALREADY_RETURNED");
    // Neither return moved money, for goods or for shipping.
    let record = client.call(
        "get_customer_record",
        &json!({ "customer_id": "CUST-00004" }),
    );
    assert_eq!(record["refundableBalance"], 9600);
    assert_eq!(
        client.call("list_refunds", &json!({ "customer_id": "CUST-00004" }))["total"],
        0
    );
}

// A fault and a panic inside a tool of this toolset are results with a fixed sentence.
#[cfg(feature = "fault-points")]
#[test]
fn a_panic_is_an_internal_error_result() {
    let mut client = Start::memory()
        .binary(crate::client::faulty())
        .variable("REFUND_FAULT", "panic@call.begun")
        .connect();
    let read = error(&mut client, "lookup_order", &json!({ "user_id": AMI }));
    assert_eq!(
        (&read["code"], &read["category"], &read["details"]),
        (
            &json!("INTERNAL_ERROR"),
            &json!("INTERNAL"),
            &json!({ "outcome": "unchanged" })
        )
    );
    let turn = json!({ "session_id": "S", "user_message": "x" });
    let write = error(&mut client, "escalate_to_human", &turn);
    assert_eq!(write["details"], json!({ "outcome": "unknown" }));
    assert!(
        !write["message"]
            .as_str()
            .unwrap()
            .contains("fault was asked")
    );
    client.ping();
}
