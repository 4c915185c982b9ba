//! Tokens: how they are made and revoked, and what each may do and see.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::server::{HttpServer, Post, TOKEN, listen, listen_with};
use crate::client::Start;

/// A token file.
pub(crate) struct Tokens(PathBuf);

impl Tokens {
    pub(crate) fn new(directory: &Path) -> Self {
        Self(directory.join("tokens.toml"))
    }

    fn command(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut start = Start::memory().argument("token");
        for argument in arguments {
            start = start.argument(argument);
        }
        start
            .argument("--token-file")
            .argument(&self.0.display().to_string())
            .run()
    }

    /// `refund-mcp token new`: the token.
    pub(crate) fn make(&self, name: &str, more: &[&str]) -> String {
        let (code, out, error) = self.command(&[&["new", name], more].concat());
        assert_eq!(code, 0, "{error}");
        let token = out.trim_end().to_owned();
        assert!(
            token.starts_with("rmcp_") && !error.contains(&token),
            "{error}"
        );
        token
    }

    /// A server with these tokens.
    pub(crate) fn listen(&self, start: Start, arguments: &[&str]) -> HttpServer {
        let path = self.0.display().to_string();
        listen_with(start, &[arguments, &["--token-file", &path]].concat())
    }
}

fn names(server: &HttpServer, token: &str) -> Vec<String> {
    let list = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).token(token);
    let answer = server.send(&list).json();
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_commands_make_list_and_revoke() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = Tokens::new(directory.path());
    let token = tokens.make("desk-7", &["--role", "agent"]);
    tokens.make("look", &["--role", "viewer", "--customer", "CUST-00001"]);
    let file = std::fs::read_to_string(&tokens.0).unwrap();
    assert!(!file.contains(&token) && file.contains("sha256"), "{file}");
    let (_, out, _) = tokens.command(&["list"]);
    let listed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        listed,
        json!([
            { "name": "desk-7", "role": "agent", "customer": null },
            { "name": "look", "role": "viewer", "customer": "CUST-00001" },
        ])
    );
    assert_eq!(
        tokens.command(&["new", "look", "--role", "agent"]).0,
        3,
        "a name is one token's"
    );
    assert_eq!(
        tokens.command(&["new", "http", "--role", "agent"]).0,
        3,
        "it is taken"
    );
    assert_eq!(tokens.command(&["new", "x"]).0, 2, "a role must be said");
    assert_eq!(tokens.command(&["new", "x", "--role", "root"]).0, 2);
    assert_eq!(tokens.command(&["revoke", "nobody"]).0, 3);
    let (_, _, error) = tokens.command(&["new", "x", "--role", "agent", "--customer", "CUST-1"]);
    assert!(
        error.contains("'CUST-1' for '--customer <ID>': a customer id is CUST-"),
        "{error}"
    );

    let server = tokens.listen(Start::memory(), &[]);
    assert_eq!(server.balance(&token, "CUST-00001"), 500);
    assert_eq!(tokens.command(&["revoke", "desk-7"]).0, 0);
    server.wait_for_log("the token file was read again");
    let ping = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).token(&token);
    server.send(&ping).error(401, &Value::Null, -32600);
    // A file that cannot be used changes nothing.
    std::fs::write(&tokens.0, "nonsense").unwrap();
    server.wait_for_log("the token file cannot be used");
    std::fs::remove_file(&tokens.0).unwrap();
    server.wait_for_log("No such file or directory");
    server.send(&ping).error(401, &Value::Null, -32600);
}

#[test]
fn a_token_is_sent_once_and_in_its_place() {
    let server = listen(Start::memory());
    let ping = Post::new(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let bearer = format!("Bearer {TOKEN}");
    let query = format!("POST /mcp?access_token={TOKEN} HTTP/1.1");
    let challenged = [
        ping.clone().without("authorization"),
        ping.clone().header("authorization", ""),
        ping.clone().header("authorization", TOKEN),
        ping.clone()
            .header("authorization", &format!("Basic {TOKEN}")),
        ping.clone()
            .header("authorization", &format!("{bearer}, {bearer}")),
        ping.clone().and("authorization", &bearer),
        ping.clone().line(&query),
        ping.clone().line(&query).without("authorization"),
        ping.clone().token(""),
        ping.clone().token("wrong"),
        ping.clone().token(&TOKEN[1..]),
        ping.clone().token(&TOKEN[..TOKEN.len() - 1]),
        ping.clone().token(&format!("{TOKEN}x")),
        ping.clone().token(&TOKEN.to_uppercase()),
        ping.clone().token(&"x".repeat(10_000)),
    ];
    for post in challenged {
        let reply = server.send(&post);
        reply.error(401, &Value::Null, -32600);
        let challenge = reply.header("www-authenticate").expect("a challenge");
        assert!(challenge.starts_with("Bearer"), "{challenge}");
        assert!(!reply.body.contains(TOKEN), "{reply:?}");
    }
    assert_eq!(server.send(&ping).status, 200);
    assert_eq!(
        server
            .send(&ping.header("authorization", &format!("bearer {TOKEN}")))
            .status,
        200
    );
}

#[test]
fn a_role_hides_and_refuses_what_is_not_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = Tokens::new(directory.path());
    let [viewer, agent, approver, admin] =
        ["viewer", "agent", "approver", "admin"].map(|role| tokens.make(role, &["--role", role]));
    let server = tokens.listen(Start::memory(), &[]);
    let all = names(&server, &admin);
    assert_eq!(names(&server, &agent), all);
    let refund = r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item"}"#;
    for (token, hidden) in [
        (
            &viewer,
            &["trigger_refund", "process_return", "escalate_to_human"][..],
        ),
        (
            &approver,
            &[
                "trigger_refund",
                "preview_refund",
                "get_customer_record",
                "get_refund",
                "list_refunds",
                "process_return",
                "escalate_to_human",
            ][..],
        ),
    ] {
        let seen = names(&server, token);
        assert!(!seen.is_empty());
        assert!(
            hidden
                .iter()
                .all(|name| !seen.iter().any(|seen| seen == name)),
            "{seen:?}"
        );
        for name in hidden {
            let error =
                server
                    .send(&Post::call(name, refund).token(token))
                    .error(200, &json!(1), -32602);
            // Word for word as for a tool that nobody has.
            assert_eq!(
                error,
                json!({ "code": -32602, "message": format!("Unknown tool: {name}") })
            );
        }
    }
    assert_eq!(server.balance(&viewer, "CUST-00001"), 500);
    drop(server);

    // Read-only beats every role.
    let server = tokens.listen(Start::memory(), &["--read-only"]);
    for token in [&viewer, &agent, &admin] {
        assert!(
            !names(&server, token)
                .iter()
                .any(|name| name == "trigger_refund")
        );
        server
            .send(&Post::call("trigger_refund", refund).token(token))
            .error(200, &json!(1), -32602);
    }
}

// The first token's keys and conversations are of no use to the second, and not shown to it.
#[test]
fn keys_and_conversations_belong_to_their_principal() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = Tokens::new(directory.path());
    let [one, other] = ["one", "other"].map(|name| tokens.make(name, &["--role", "agent"]));
    let server = tokens.listen(Start::memory(), &[]);
    let refund = |amount: u32| json!({ "customer_id": "CUST-00001", "amount": amount, "reason": "damaged item", "idempotency_key": "k" });
    let first = server.call(&one, "trigger_refund", &refund(10));
    // The other's key is another key: no replay, no conflict, and no look at the first one's refund.
    let key = json!({ "idempotency_key": "k" });
    assert_eq!(
        server.refused(&other, "get_refund", &key).0,
        "REFUND_NOT_FOUND"
    );
    let second = server.call(&other, "trigger_refund", &refund(20));
    assert_ne!(first["refundId"], second["refundId"]);
    assert_eq!(
        server.call(&one, "get_refund", &key)["refundId"],
        first["refundId"]
    );
    assert_eq!(
        server.call(&other, "get_refund", &key)["refundId"],
        second["refundId"]
    );

    let turn = json!({ "session_id": "s", "user_message": "hello", "idempotency_key": "t" });
    let more = json!({ "session_id": "s", "user_message": "hello" });
    assert_eq!(
        server.call(&one, "escalate_to_human", &turn)["turn_count"],
        1
    );
    for _ in 2..=10 {
        server.call(&one, "escalate_to_human", &more);
    }
    assert_eq!(
        server.refused(&one, "escalate_to_human", &more).0,
        "SESSION_CLOSED"
    );
    let others = server.call(&other, "escalate_to_human", &turn);
    assert_eq!(
        (&others["turn_count"], &others["replayed"]),
        (&json!(1), &Value::Null)
    );
}

// A name may get another token, bound to a customer; its keys of before are used all the same.
#[test]
fn a_token_that_was_bound_later_learns_nothing_from_its_keys() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.db");
    let import = ["import", "--demo", "all"];
    let import = import.iter().fold(Start::file(&path), |start, argument| {
        start.argument(argument)
    });
    assert_eq!(import.run().0, 0);
    let tokens = Tokens::new(directory.path());
    let unbound = tokens.make("desk", &["--role", "agent"]);
    let server = tokens.listen(Start::file(&path).variable("MCP_TODAY", "2026-08-11"), &[]);
    let refund = |customer: &str, amount: f64| json!({ "customer_id": customer, "amount": amount, "reason": "damaged item", "idempotency_key": "k" });
    let paid = server.call(&unbound, "trigger_refund", &refund("CUST-00001", 12.34));
    let mail = |customer: &str| {
        let record = json!({ "customer_id": customer });
        server.call(&unbound, "get_customer_record", &record)["email"].clone()
    };
    let order = |customer: &str| {
        let orders = json!({ "user_id": mail(customer) });
        server.call(&unbound, "lookup_order", &orders)["orders"][0]["order_id"].clone()
    };
    let (own, foreign) = (order("CUST-00004"), order("CUST-00005"));
    let give_back = |order: &Value| json!({ "order_id": order, "reason": "changed my mind", "idempotency_key": "r" });
    let returned = server.call(&unbound, "process_return", &give_back(&foreign));

    drop(server);
    assert_eq!(tokens.command(&["revoke", "desk"]).0, 0);
    let bound = tokens.make("desk", &["--role", "agent", "--customer", "CUST-00004"]);
    let server = tokens.listen(Start::file(&path).variable("MCP_TODAY", "2026-08-11"), &[]);
    let secrets = [&paid["refundId"], &returned["return_id"], &foreign];
    let secrets = secrets.map(|secret| secret.as_str().unwrap().to_owned());
    for (tool, arguments) in [
        ("trigger_refund", refund("CUST-00004", 10.0)),
        ("preview_refund", refund("CUST-00004", 10.0)),
        ("process_return", give_back(&own)),
    ] {
        let (text, code) = match tool {
            "preview_refund" => {
                let refusal = server.call(&bound, tool, &arguments)["refusal"].clone();
                (
                    refusal["message"].to_string(),
                    refusal["code"].as_str().unwrap().to_owned(),
                )
            }
            _ => {
                let (code, text) = server.refused(&bound, tool, &arguments);
                (text, code)
            }
        };
        assert_eq!(code, "IDEMPOTENCY_CONFLICT", "{tool}: {text}");
        let told = ["CUST-00001", "12.34"]
            .into_iter()
            .chain(secrets.iter().map(String::as_str));
        for secret in told {
            assert!(!text.contains(secret), "{tool}: {text}");
        }
    }
    // Nor by asking for the very refund or return, or nearly so.
    for arguments in [refund("CUST-00001", 12.34), refund("CUST-00001", 1.0)] {
        let (code, _) = server.refused(&bound, "trigger_refund", &arguments);
        assert_eq!(code, "CUSTOMER_NOT_FOUND");
    }
    let mut nearly = give_back(&foreign);
    nearly["reason"] = json!("another reason");
    for arguments in [give_back(&foreign), nearly] {
        let (code, _) = server.refused(&bound, "process_return", &arguments);
        assert_eq!(code, "ORDER_NOT_FOUND");
    }
}

// Every other customer is "not found", in every tool that names one or something of theirs, and in the
// same words as one that does not exist.
#[test]
fn a_bound_token_finds_no_other_customer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.db");
    for data in ["refunds", "returns"] {
        let import = Start::file(&path)
            .argument("import")
            .argument("--demo")
            .argument(data);
        assert_eq!(import.run().0, 0);
    }
    let tokens = Tokens::new(directory.path());
    let admin = tokens.make("everybody", &["--role", "agent"]);
    let bound = tokens.make("one", &["--role", "agent", "--customer", "CUST-00004"]);
    let refunder = tokens.make("two", &["--role", "agent", "--customer", "CUST-00001"]);
    let server = tokens.listen(Start::file(&path).variable("MCP_TODAY", "2026-08-11"), &[]);

    let others = server.call(
        &admin,
        "trigger_refund",
        &json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item" }),
    );
    let customers = server
        .send(&Post::call("get_customer_record", r#"{"customer_id":"CUST-00004"}"#).token(&admin))
        .json();
    let own_email = customers["result"]["structuredContent"]["email"].clone();
    let foreign = server
        .send(&Post::call("get_customer_record", r#"{"customer_id":"CUST-00005"}"#).token(&admin))
        .json();
    let foreign_email = foreign["result"]["structuredContent"]["email"].clone();
    assert!(
        own_email.is_string() && foreign_email.is_string(),
        "{customers} {foreign}"
    );
    let orders = |email: &Value| {
        server.call(&admin, "lookup_order", &json!({ "user_id": email }))["orders"].clone()
    };
    let own_order = orders(&own_email)[0]["order_id"].clone();
    let foreign_order = orders(&foreign_email)[0]["order_id"].clone();

    // What is theirs, they find.
    for (tool, arguments) in [
        (
            "get_customer_record",
            json!({ "customer_id": "CUST-00004" }),
        ),
        ("list_refunds", json!({ "customer_id": "CUST-00004" })),
        ("lookup_order", json!({ "user_id": own_email })),
        ("get_billing_status", json!({ "user_id": own_email })),
        ("check_return_eligibility", json!({ "order_id": own_order })),
    ] {
        server.call(&bound, tool, &arguments);
    }
    assert_eq!(server.balance(&refunder, "CUST-00001"), 499);
    server.call(
        &refunder,
        "get_refund",
        &json!({ "refund_id": others["refundId"] }),
    );

    // What is another's is as what is nobody's: `unknown` takes the place of `foreign` in the text.
    let refund = |customer: &str| json!({ "customer_id": customer, "amount": 1, "reason": "damaged item", "idempotency_key": "k-0" });
    let stranger = "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f";
    for (tool, name, foreign, unknown) in [
        (
            "get_customer_record",
            "customer_id",
            json!("CUST-00001"),
            json!("CUST-99999"),
        ),
        (
            "list_refunds",
            "customer_id",
            json!("CUST-00001"),
            json!("CUST-99999"),
        ),
        (
            "get_refund",
            "refund_id",
            others["refundId"].clone(),
            json!(stranger),
        ),
        (
            "lookup_order",
            "user_id",
            foreign_email.clone(),
            json!("nobody@example.com"),
        ),
        (
            "get_billing_status",
            "user_id",
            foreign_email.clone(),
            json!("nobody@example.com"),
        ),
        (
            "check_return_eligibility",
            "order_id",
            foreign_order.clone(),
            json!("ORD-nobody"),
        ),
    ] {
        let ask = |value: &Value| server.refused(&bound, tool, &json!({ name: value }));
        let (forbidden, nothing) = (ask(&foreign), ask(&unknown));
        let (foreign, unknown) = (foreign.as_str().unwrap(), unknown.as_str().unwrap());
        assert_eq!(forbidden.0, nothing.0, "{tool}");
        assert_eq!(forbidden.1.replace(foreign, unknown), nothing.1, "{tool}");
    }
    for tool in ["preview_refund", "trigger_refund"] {
        let (code, text) = server.refused(&bound, tool, &refund("CUST-00001"));
        let nothing = server.refused(&bound, tool, &refund("CUST-99999"));
        assert_eq!((code, text.replace("CUST-00001", "CUST-99999")), nothing);
    }
    let reason = |order: &Value| json!({ "order_id": order, "reason": "changed my mind", "idempotency_key": "k-1" });
    let forbidden = server.refused(&bound, "process_return", &reason(&foreign_order));
    let nothing = server.refused(&bound, "process_return", &reason(&json!("ORD-nobody")));
    assert_eq!(
        (
            forbidden.0,
            forbidden
                .1
                .replace(foreign_order.as_str().unwrap(), "ORD-nobody")
        ),
        nothing
    );
    // The refused calls used no key up, and changed nothing.
    assert_eq!(server.balance(&admin, "CUST-00001"), 499);
    let own = server.call(&bound, "process_return", &reason(&own_order));
    assert_eq!(own["order_id"], own_order, "{own}");
    assert_eq!(
        server
            .send(&Post::new("").line("GET /metrics HTTP/1.1").token(&bound))
            .status,
        403
    );

    // The trail tells the operator what the caller is not told.
    drop(server);
    let database = rusqlite::Connection::open(&path).unwrap();
    let hidden = |trace: &str| -> i64 {
        let sql = "SELECT count(*) FROM audit WHERE principal = 'one' AND trace LIKE ?1";
        database
            .query_row(sql, [format!("%{trace}%")], |row| row.get(0))
            .unwrap()
    };
    assert_eq!((hidden("customer.hidden"), hidden("order.hidden")), (1, 1));
}

// The same for units, customers and addresses: to a token bound to one customer, an identifier, a name,
// an address or a telephone number of another is as one that is nobody's. Every tool of the server is
// in one of these two tests, so that a new one must be thought of.
#[test]
fn a_bound_token_finds_nothing_of_another_customer_in_the_warranty_desk() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = Tokens::new(directory.path());
    let bound = tokens.make("one", &["--role", "agent", "--customer", "CUST-00009"]);
    let everybody = tokens.make("everybody", &["--role", "agent"]);
    let server = tokens.listen(Start::memory(), &["--demo", "warranty"]);
    let day = "2026-03-01";
    let unit = |serial: &str| json!({ "identifier": serial, "today": day });
    let own = "AX2-0001-0001";
    // Each beside one that is nobody's, as far from the customer's own.
    let pairs = [
        ("AX4-0002-0001", "QQ9-7777-3333"),
        ("AX2-0001-0003", "AX2-0001-0007"),
    ];
    for tool in ["find_device", "check_warranty_coverage", "get_fee_quote"] {
        let flag = if tool == "find_device" {
            "found"
        } else {
            "identified"
        };
        assert_eq!(server.call(&bound, tool, &unit(own))[flag], true, "{tool}");
        for (foreign, unknown) in pairs {
            assert_eq!(
                server.call(&everybody, tool, &unit(foreign))[flag],
                true,
                "{tool}"
            );
            let hidden = server.call(&bound, tool, &unit(foreign)).to_string();
            let nothing = server.call(&bound, tool, &unit(unknown)).to_string();
            assert_eq!(
                hidden.replace(foreign, "asked"),
                nothing.replace(unknown, "asked"),
                "{tool}"
            );
        }
    }
    for (foreign, unknown) in pairs {
        let open = |serial: &str| {
            let asked = json!({ "deviceId": serial });
            server.refused(&bound, "get_open_returns_for_device", &asked)
        };
        assert_eq!(open(foreign), open(unknown));
    }
    for (key, value) in [
        ("externalCustomerId", "EXT-10003"),
        ("email", "taro.yamada@example.com"),
        ("phoneNumber", "+81-3-5550-0100"),
        ("name", "Robin Smyth"),
    ] {
        let criteria = json!({ key: value });
        let seen = server.call(&everybody, "find_customer", &criteria);
        assert_ne!(seen["matchCount"], 0, "{key}: {seen}");
        let hidden = server.call(&bound, "find_customer", &criteria);
        assert!(!hidden.to_string().contains("CUST-0001"), "{key}: {hidden}");
    }
    let units = server.call(&bound, "search_devices", &json!({ "sku": "AX-200-HS" }));
    for (foreign, _) in pairs {
        assert!(!units.to_string().contains(foreign), "{units}");
    }
    let address = |customer: &str| {
        let asked = json!({ "customerId": customer, "freeTextAddress": "Tokyo" });
        let (code, text) = server.refused(&bound, "resolve_shipping_address", &asked);
        (code, text.replace(customer, "asked"))
    };
    assert_eq!(address("CUST-00011"), address("CUST-99999"));

    let mut tested = vec![
        "check_return_eligibility",
        "check_warranty_coverage",
        "escalate_to_human",
        "find_customer",
        "find_device",
        "get_billing_status",
        "get_customer_record",
        "get_fee_quote",
        "get_open_returns_for_device",
        "get_refund",
        "list_refunds",
        "lookup_order",
        "preview_refund",
        "process_return",
        "resolve_shipping_address",
        "search_devices",
        "trigger_refund",
    ];
    tested.sort_unstable();
    assert_eq!(names(&server, &bound), tested);
}
