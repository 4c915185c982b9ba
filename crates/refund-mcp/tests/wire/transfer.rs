//! Data in and out, and the commands for people, through the real binary: what leaves one database is
//! the same in the next one, a retry after the move included.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Start;

/// A directory with databases and data files.
struct Desk {
    directory: TempDir,
}

impl Desk {
    fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
        }
    }

    /// With the demo data and some refunds in `a.db`.
    fn filled() -> Self {
        let desk = Self::new();
        desk.done("a.db", &["import", "--demo", "all"]);
        let mut client = Start::file(&desk.path("a.db")).connect();
        for (amount, reason, key) in [
            ("100", "plain, with a comma", Some("k/1")),
            ("0.01", "two lines\nand \"quotes\" — Ñ 🎉", None),
            ("19.90", "=1+1 is no formula here", Some("k,\"2\"")),
        ] {
            let _refund = client.call("trigger_refund", &refund(amount, reason, key));
        }
        assert_eq!(client.finish().status.code(), Some(0));
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.name(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn run(&self, database: &str, arguments: &[&str]) -> (i32, String, String) {
        start(&self.path(database), arguments).run()
    }

    /// Runs a command that must succeed and say nothing on stderr; its output.
    fn done(&self, database: &str, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(database, arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}: {out}");
        out
    }

    /// Runs a command that prints JSON.
    fn json(&self, database: &str, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(database, arguments)).unwrap()
    }

    /// Runs a command that must end with this code; what it says on stderr.
    fn fails(&self, database: &str, arguments: &[&str], expected: i32) -> String {
        let (code, out, err) = self.run(database, arguments);
        assert_eq!((code, out.as_str()), (expected, ""), "{arguments:?}: {err}");
        err
    }
}

fn start(database: &Path, arguments: &[&str]) -> Start {
    arguments
        .iter()
        .fold(Start::file(database), |start, argument| {
            start.argument(argument)
        })
}

fn refund(amount: &str, reason: &str, key: Option<&str>) -> Value {
    let amount: Value = serde_json::from_str(amount).unwrap();
    let mut arguments = json!({ "customer_id": "CUST-00001", "amount": amount, "reason": reason });
    if let Some(key) = key {
        arguments["idempotency_key"] = key.into();
    }
    arguments
}

#[test]
fn a_move_in_each_format_pays_no_retry_twice() {
    let desk = Desk::filled();
    let everything = desk.done("a.db", &["export"]);
    let listed = desk.json("a.db", &["refunds", "list", "CUST-00001"]);
    desk.write("all.json", &everything);
    desk.write(
        "all.ndjson",
        &desk.done("a.db", &["export", "--format", "ndjson"]),
    );
    // In an order in which nothing is there yet that others point at.
    let tables = [
        "open_returns",
        "warranties",
        "devices",
        "returns",
        "refunds",
        "orders",
        "products",
        "addresses",
        "customers",
    ]
    .map(|entity| format!("{entity}.csv"));
    for file in &tables {
        desk.done("a.db", &["export", "--output", &desk.name(file)]);
    }
    for (database, files) in [
        ("json.db", vec!["all.json".to_owned()]),
        ("ndjson.db", vec!["all.ndjson".to_owned()]),
        ("csv.db", tables.to_vec()),
    ] {
        let files: Vec<String> = files.iter().map(|file| desk.name(file)).collect();
        let mut arguments = vec!["import"];
        arguments.extend(files.iter().map(String::as_str));
        let out = desk.done(database, &arguments);
        assert_eq!(
            out,
            "imported 16 customers, 10 addresses, 8 products, 15 orders, 14 devices, 16 warranties, 1 open_returns, 3 refunds\n"
        );
        assert_eq!(desk.done(database, &["export"]), everything);
        assert_eq!(
            desk.json(database, &["refunds", "list", "CUST-00001"]),
            listed
        );

        let mut client = Start::file(&desk.path(database)).connect();
        let again = client.call(
            "trigger_refund",
            &refund("100", "plain, with a comma", Some("k/1")),
        );
        assert_eq!(again["replayed"], true);
        assert_eq!(again["remainingRefundableBalance"], 400, "as it was then");
        let found = client.call("get_refund", &json!({ "idempotency_key": "k,\"2\"" }));
        assert_eq!(found["remainingRefundableBalance"], 380.09);
        let new = client.call(
            "trigger_refund",
            &refund("80.09", "a new one, afterwards", None),
        );
        assert_eq!(new["remainingRefundableBalance"], 300);
        assert_eq!(client.finish().status.code(), Some(0));
        let checked = desk.done(database, &["check"]);
        assert!(checked.starts_with("ok: 16 customers"), "{checked}");
    }
}

// Orders, returns and conversations: what was answered before the move is answered after it.
#[test]
fn a_move_in_each_format_repeats_no_return_and_no_turn() {
    let desk = Desk::new();
    desk.done("a.db", &["import", "--demo", "returns"]);
    let serve = |database: &str| {
        let server = Start::file(&desk.path(database));
        server.argument("--today=2026-08-11").connect()
    };
    let keyed = json!({
        "order_id": "ORD-1001", "reason": "two lines\nand \"quotes\"", "idempotency_key": "r,\"1\"",
    });
    let turn = |message: &str, key: Option<&str>| {
        let mut arguments = json!({ "session_id": "chat, 1", "user_message": message });
        if let Some(key) = key {
            arguments["idempotency_key"] = key.into();
        }
        arguments
    };
    let mut client = serve("a.db");
    let returned = client.call("process_return", &keyed);
    let _turn = client.call("escalate_to_human", &turn("Hello?", None));
    let counted = client.call("escalate_to_human", &turn("A person, please", Some("t/1")));
    assert_eq!(client.finish().status.code(), Some(0));

    // What a server on the database says to each question, without and with effect.
    let questions = |database: &str| {
        let mut client = serve(database);
        let mut answers = Vec::new();
        for (tool, arguments) in [
            (
                "lookup_order",
                json!({ "user_id": "ami.murasaki@example.com" }),
            ),
            (
                "get_billing_status",
                json!({ "user_id": "ami.murasaki@example.com" }),
            ),
            (
                "check_return_eligibility",
                json!({ "order_id": "ORD-1001" }),
            ),
            (
                "check_return_eligibility",
                json!({ "order_id": "ORD-1002" }),
            ),
            ("process_return", keyed.clone()),
            (
                "process_return",
                json!({ "order_id": "ORD-1001", "reason": "again" }),
            ),
            (
                "process_return",
                json!({ "order_id": "ORD-1002", "reason": "x", "idempotency_key": "t/1" }),
            ),
            ("escalate_to_human", turn("A person, please", Some("t/1"))),
            ("escalate_to_human", turn("Another question", Some("t/1"))),
            ("escalate_to_human", turn("Are you there?", None)),
        ] {
            let answer = client.call_text(tool, &arguments.to_string());
            answers.push(answer["result"].clone());
        }
        assert_eq!(client.finish().status.code(), Some(0));
        answers
    };
    let everything = desk.done("a.db", &["export"]);
    desk.write("all.json", &everything);
    let ndjson = desk.done("a.db", &["export", "--format", "ndjson"]);
    desk.write("all.ndjson", &ndjson);
    let tables = [
        "escalation_turns",
        "escalations",
        "returns",
        "orders",
        "products",
        "customers",
    ]
    .map(|entity| format!("{entity}.csv"));
    for file in &tables {
        desk.done("a.db", &["export", "--output", &desk.name(file)]);
    }
    let expected = questions("a.db");
    let [replayed, refused, again, next] = [4, 5, 7, 9].map(|index| &expected[index]);
    let mut first = returned;
    first["replayed"] = true.into();
    assert_eq!(replayed["structuredContent"], first);
    assert!(
        refused.to_string().contains("ALREADY_RETURNED"),
        "{refused}"
    );
    let mut first = counted;
    first["replayed"] = true.into();
    assert_eq!(again["structuredContent"], first);
    assert!(next.to_string().contains("\"turn_count\":3"), "{next}");

    for (database, files) in [
        ("json.db", vec!["all.json".to_owned()]),
        ("ndjson.db", vec!["all.ndjson".to_owned()]),
        ("csv.db", tables.to_vec()),
    ] {
        let files: Vec<String> = files.iter().map(|file| desk.name(file)).collect();
        let mut arguments = vec!["import"];
        arguments.extend(files.iter().map(String::as_str));
        let out = desk.done(database, &arguments);
        assert_eq!(
            out,
            "imported 5 customers, 3 products, 15 orders, 1 returns, 1 escalations, 1 escalation_turns\n"
        );
        assert_eq!(desk.done(database, &["export"]), everything);
        assert_eq!(questions(database), expected, "{database}");
        let checked = desk.done(database, &["check"]);
        assert!(checked.starts_with("ok: 5 customers"), "{checked}");
    }
}

#[test]
fn a_return_or_turn_of_nothing_is_refused_with_its_place() {
    let desk = Desk::new();
    desk.done("a.db", &["import", "--demo", "returns"]);
    let before = desk.done("a.db", &["export"]);
    let returns = desk.write(
        "returns.csv",
        "return_id,order_id,reason,processed_at\n\
         00000000-0000-4000-8000-000000000001,ORD-1001,leaks,2026-08-11T00:00:00Z\n\
         00000000-0000-4000-8000-000000000002,ORD-7777,leaks,2026-08-11T00:00:00Z\n",
    );
    let orders = desk.write(
        "orders.csv",
        "order_id,customer_id,sku,quantity,unit_price,currency,order_date,billing_status\n\
         X-1,CUST-77777,NOTHING,1,100,JPY,2026-08-01,paid\n",
    );
    let turns = desk.write(
        "more.ndjson",
        "{\"entity\":\"escalation_turns\",\"session_id\":\"S\",\"turn_count\":1,\"idempotency_key\":\"K\",\"message_sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"counted_at\":\"2026-08-11T00:00:00Z\"}\n",
    );
    let err = desk.fails("a.db", &["import", &returns, &orders, &turns], 7);
    let lines: std::collections::BTreeSet<_> = err.lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "error: nothing was imported:".to_owned(),
            format!("{returns}:3: returns[1].order_id: there is no order ORD-7777"),
            format!("{orders}:2: orders[0].customer_id: there is no customer CUST-77777"),
            format!("{orders}:2: orders[0].sku: there is no product NOTHING"),
            format!(
                "{turns}:1: escalation_turns[0].session_id: the principal has no conversation with this id"
            ),
        ]
        .into()
    );
    assert_eq!(desk.done("a.db", &["export"]), before);
    // Once the missing ones are there, the order is returned.
    desk.write(
        "returns.csv",
        &fs::read_to_string(&returns)
            .unwrap()
            .replace("ORD-7777", "ORD-1002"),
    );
    let out = desk.done("a.db", &["import", &returns]);
    assert_eq!(out, "imported 2 returns\n");
    let after = desk.done("a.db", &["export", "--entity", "orders"]);
    assert_eq!(
        after.matches("\"returned\":true").count(),
        before.matches("\"returned\":true").count() + 2
    );
    desk.done("a.db", &["check"]);
}

#[test]
fn from_one_database_into_the_next_through_a_pipe() {
    let desk = Desk::filled();
    let mut export = start(&desk.path("a.db"), &["export", "--format", "ndjson"])
        .command()
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let import = start(&desk.path("b.db"), &["import", "-", "--format", "ndjson"])
        .command()
        .stdin(export.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(import.status.success() && export.wait().unwrap().success());
    assert_eq!(
        desk.done("b.db", &["export"]),
        desk.done("a.db", &["export"])
    );
    // A CSV from a pipe needs to be told what it is.
    let csv = desk.done(
        "a.db",
        &["export", "--format", "csv", "--entity", "customers"],
    );
    let mut import = start(
        &desk.path("c.db"),
        &["import", "-", "--format", "csv", "--entity", "customers"],
    )
    .command()
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    import
        .stdin
        .take()
        .unwrap()
        .write_all(csv.as_bytes())
        .unwrap();
    let output = import.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"imported 16 customers\n");
    // A reader that goes away is nobody's fault.
    let mut export = start(&desk.path("a.db"), &["export"])
        .command()
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(export.stdout.take());
    assert!(export.wait().unwrap().success());
}

#[test]
fn problems_in_two_files_come_together_and_nothing_is_imported() {
    let desk = Desk::filled();
    let before = desk.done("a.db", &["export"]);
    let customers = desk.write(
        "customers.csv",
        "customer_id,name,email,status,currency,refundable_balance,created_at\n\
         CUST-00021,Robin Vale,robin@example.com,active,USD,1,2024-01-15T09:30:00Z\n\
         CUST-00001,Robin Vale,vale@example.com,active,USD,1,2024-01-15T09:30:00Z\n\
         CUST-00022,Robin Vale,ALICE.johnson@example.com,active,JPY,1.5,2024-01-15T09:30:00Z\n",
    );
    let refunds = desk.write(
        "refunds.ndjson",
        "{\"entity\": \"refunds\", \"refund_id\": \"00000000-0000-4000-8000-000000000001\", \"customer_id\": \"CUST-00021\", \"amount\": 1, \"currency\": \"USD\", \"reason\": \"too short\", \"status\": \"processed\", \"processed_at\": \"2024-01-15T09:30:00Z\", \"principal\": \"local\"}\n{\"entity\": \"refunds\"\n",
    );
    let err = desk.fails("a.db", &["import", &customers, &refunds], 7);
    let lines: Vec<_> = err.lines().collect();
    assert_eq!(
        lines,
        [
            "error: nothing was imported:".to_owned(),
            format!(
                "{customers}:3: customers[1].customer_id: there is a customer CUST-00001 already"
            ),
            format!(
                "{customers}:4: customers[2].refundable_balance: 1.5 needs more decimal places than the 0 of JPY"
            ),
            format!(
                "{refunds}:1: refunds[0].reason: a reason has 9 characters; at least 10 are needed"
            ),
            format!("{refunds}:2: the line is not JSON: EOF while parsing an object"),
        ]
    );
    assert!(!err.contains("Vale"), "no personal data");
    assert_eq!(desk.done("a.db", &["export"]), before);

    for (arguments, text) in [
        (vec!["import", "data.xml"], "--format"),
        (
            vec!["import", "data.csv"],
            "--entity customers or addresses or products or orders or devices",
        ),
        (vec!["import", "nowhere.json"], "nowhere.json"),
        (
            vec!["import", "x.json", "--entity", "customers"],
            "only for CSV",
        ),
        (
            vec!["import", "x.csv", "--entity", "custmers"],
            "did you mean customers?",
        ),
        (vec!["import"], "required"),
        (vec!["refunds", "show"], "<ID|--key <KEY>>"),
        (vec!["import", &customers, "--read-only"], "read-only"),
        (vec!["import", &customers, "--role", "viewer"], "only looks"),
        (vec!["export", "--format", "csv"], "one entity"),
    ] {
        let err = desk.fails("a.db", &arguments, 2);
        assert!(err.contains(text), "{arguments:?}: {err}");
    }
}

#[test]
fn upsert_updates_people_and_never_money() {
    let desk = Desk::filled();
    let renamed = desk
        .done("a.db", &["export", "--entity", "customers"])
        .replace("Alice Johnson", "Alice Miller")
        .replace("380.09", "1000000.00");
    assert!(renamed.contains("1000000.00"));
    let file = desk.write("renamed.json", &renamed);
    let err = desk.fails("a.db", &["import", &file], 7);
    assert!(
        err.contains("there is a customer CUST-00001 already"),
        "{err}"
    );
    let out = desk.done("a.db", &["import", &file, "--upsert"]);
    assert!(
        out.starts_with(
            "imported 1 customers updated, 15 customers unchanged\n1 balances in the files differ"
        ),
        "{out}"
    );
    let alice = desk.json("a.db", &["customers", "show", "ALICE.Johnson@example.com"]);
    assert_eq!(
        (&alice["name"], &alice["refundableBalance"]),
        (&json!("Alice Miller"), &json!(380.09))
    );
    assert_eq!(
        desk.json("a.db", &["customers", "show", "CUST-00001"]),
        alice
    );
    desk.done("a.db", &["check"]);
}

#[test]
fn a_balance_is_corrected_by_hand_and_the_books_still_add_up() {
    let desk = Desk::filled();
    let adjust = |by: &'static str| {
        [
            "customers",
            "adjust",
            "CUST-00001",
            "--by",
            by,
            "--reason",
            "agreed on the phone",
        ]
    };
    let mut arguments = adjust("-80.09").to_vec();
    arguments.extend(["--principal", "chris"]);
    let adjusted = desk.json("a.db", &arguments);
    let at = adjusted["adjustedAt"].clone();
    assert_eq!(
        adjusted,
        json!({
            "customerId": "CUST-00001", "adjustedBy": -80.09, "refundableBalance": 300,
            "currency": "USD", "adjustedAt": at, "principal": "chris",
        })
    );
    assert_eq!(
        desk.json("a.db", &adjust("+1.5"))["refundableBalance"],
        301.5
    );
    for (by, text) in [
        ("-301.51", "it would fall below zero"),
        ("0.001", "USD has 2 decimal places"),
        ("9999999999999.99", "larger than any balance can be"),
    ] {
        let err = desk.fails("a.db", &adjust(by), 3);
        assert!(err.contains(text), "{err}");
    }
    for by in ["0", "1e2", "ten", "--5", ""] {
        desk.fails("a.db", &adjust(by), 2);
    }
    let mut read_only = adjust("1").to_vec();
    read_only.push("--read-only");
    assert!(desk.fails("a.db", &read_only, 2).contains("read-only"));
    desk.fails(
        "a.db",
        &[
            "customers",
            "adjust",
            "CUST-00001",
            "--by",
            "1",
            "--reason",
            "short",
        ],
        2,
    );
    let err = desk.fails(
        "a.db",
        &[
            "customers",
            "adjust",
            "CUST-77777",
            "--by",
            "1",
            "--reason",
            "long enough",
        ],
        3,
    );
    assert_eq!(err, "error: Customer CUST-77777 was not found.\n");
    let checked = desk.done("a.db", &["check"]);
    assert!(checked.starts_with("ok: "), "{checked}");
    // The balance moves with the customer, and adds up there as well.
    let file = desk.write("all.json", &desk.done("a.db", &["export"]));
    desk.done("b.db", &["import", &file]);
    desk.done("b.db", &["check"]);
    assert_eq!(
        desk.json("b.db", &["customers", "show", "CUST-00001"])["refundableBalance"],
        301.5
    );
}

#[test]
fn people_look_at_customers_and_refunds() {
    let desk = Desk::filled();
    let page = desk.json("a.db", &["customers", "list", "--limit", "3"]);
    assert_eq!(page["customers"].as_array().unwrap().len(), 3);
    assert_eq!(page["more"], true);
    let page = desk.json("a.db", &["customers", "list", "--after", "CUST-00003"]);
    assert_eq!(
        (page["customers"][0]["customerId"].as_str(), &page["more"]),
        (Some("CUST-00004"), &json!(false))
    );

    let first = desk.json("a.db", &["refunds", "list", "CUST-00001", "--limit", "2"]);
    assert_eq!(
        (&first["total"], first["refunds"].as_array().unwrap().len()),
        (&json!(3), 2)
    );
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = desk.json(
        "a.db",
        &["refunds", "list", "CUST-00001", "--cursor", cursor],
    );
    assert_eq!(second["refunds"].as_array().unwrap().len(), 1);
    let id = second["refunds"][0]["refundId"].as_str().unwrap();
    let shown = desk.json("a.db", &["refunds", "show", id]);
    assert_eq!(shown["amount"], 100);
    assert_eq!(
        desk.json("a.db", &["refunds", "show", "--key", "k/1"]),
        shown
    );

    let nobodys = [
        "refunds",
        "show",
        "--key",
        "k/1",
        "--principal",
        "somebody-else",
    ];
    for (arguments, code, text) in [
        (
            &nobodys[..],
            3,
            "A refund with idempotency key k/1 was not found.",
        ),
        (
            &["refunds", "show", "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f"],
            3,
            "was not found",
        ),
        (&["refunds", "show"], 2, "required"),
        (&["refunds", "show", "x"], 2, "UUID"),
        (
            &["refunds", "show", id, "--key", "k"],
            2,
            "cannot be used with",
        ),
        (
            &["refunds", "list", "CUST-77777"],
            3,
            "Customer CUST-77777 was not found.",
        ),
        (
            &["refunds", "list", "CUST-00001", "--cursor", "x"],
            2,
            "not a cursor",
        ),
        (
            &["customers", "show", "CUST-77777"],
            3,
            "Customer CUST-77777 was not found.",
        ),
        (
            &["customers", "show", "nobody@example.com"],
            3,
            "was not found",
        ),
        (&["customers", "show", "Alice"], 2, "CUST-"),
        (&["customers"], 2, "show"),
    ] {
        let err = desk.fails("a.db", arguments, code);
        assert!(err.contains(text), "{arguments:?}: {err}");
    }
}

#[test]
fn a_database_is_migrated_once_and_shells_get_their_completions() {
    let desk = Desk::new();
    let out = desk.done("a.db", &["migrate"]);
    assert!(out.contains("a.db: made, with schema version"), "{out}");
    let out = desk.done("a.db", &["migrate"]);
    assert!(out.contains("already"), "{out}");
    desk.fails("nowhere/a.db", &["migrate"], 5);
    desk.fails("a.db", &["migrate", "--read-only"], 2);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = desk.done("a.db", &["completions", shell]);
        assert!(
            script.contains("adjust") && script.contains("upsert"),
            "{shell}"
        );
    }
    let err = desk.fails("a.db", &["completions", "bsh"], 2);
    assert!(err.contains("bash"), "{err}");
}

#[cfg(unix)]
#[test]
fn an_exported_file_is_whole_and_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let desk = Desk::filled();
    let file = desk.name("all.json");
    desk.done("a.db", &["export", "--output", &file]);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        desk.done("a.db", &["export"])
    );
    assert!(!desk.path("all.json.part").exists());
    // A failure leaves what was there.
    let mut broken = fs::read(desk.path("a.db")).unwrap();
    let middle = broken.len() / 2;
    broken[middle..].fill(0xa5);
    fs::write(desk.path("broken.db"), broken).unwrap();
    let (code, _, _) = desk.run("broken.db", &["export", "--output", &file]);
    assert_eq!(code, 5);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        desk.done("a.db", &["export"])
    );
    assert!(!desk.path("all.json.part").exists());
    fs::create_dir(desk.path("folder.json")).unwrap();
    for unusable in ["nowhere/all.json", "folder.json"] {
        let name = desk.name(unusable);
        let err = desk.fails("a.db", &["export", "--output", &name], 2);
        assert!(err.contains(&format!("failed to write {name}: ")), "{err}");
    }
}

// While an import holds the lock, a server on the same file refuses a refund whole or makes it whole,
// and loses none that it acknowledged.
#[test]
fn a_server_beside_an_import_loses_nothing() {
    let desk = Desk::filled();
    let file = desk.name("many.ndjson");
    write_volume(Path::new(&file), 100, 3_000);
    let mut server = Start::file(&desk.path("a.db")).connect();
    let import = start(&desk.path("a.db"), &["import", &file])
        .command()
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut import = import;
    let mut made = 0;
    loop {
        let last = import.try_wait().unwrap().is_some();
        let answer = server.call_text(
            "trigger_refund",
            &refund("0.01", "beside an import", None).to_string(),
        );
        let result = &answer["result"];
        if result["isError"] == json!(false) {
            made += 1;
        } else {
            assert_eq!(
                result["_meta"]["refund-mcp/code"], "STORE_UNAVAILABLE",
                "{answer}"
            );
        }
        if last {
            break;
        }
    }
    assert!(import.wait().unwrap().success());
    assert_eq!(server.finish().status.code(), Some(0));
    let listed = desk.json("a.db", &["refunds", "list", "CUST-00001", "--limit", "1"]);
    assert_eq!(listed["total"], 3 + made);
    let checked = desk.done("a.db", &["check"]);
    assert!(checked.starts_with("ok: 116 customers"), "{checked}");
}

/// NDJSON with customers from CUST-00100 on (from CUST-00000 if there are 100,000), and refunds spread
/// over them, every second one with a key.
fn write_volume(path: &Path, customers: u32, refunds: u32) {
    let first = if customers == 100_000 { 0 } else { 100 };
    let mut out = std::io::BufWriter::new(fs::File::create(path).unwrap());
    for number in first..first + customers {
        writeln!(
            out,
            r#"{{"entity":"customers","customer_id":"CUST-{number:05}","name":"Customer {number}","email":"customer.{number}@example.com","status":"active","currency":"USD","refundable_balance":{number}.50,"created_at":"2024-01-15T09:30:00.000Z"}}"#
        )
        .unwrap();
    }
    // Ids as good as random: the worst order for an index.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut line = String::new();
    for number in 0..refunds {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let customer = first + number % customers;
        line.clear();
        write!(
            line,
            r#"{{"entity":"refunds","refund_id":"{:08x}-{:04x}-4000-8000-{number:012x}","customer_id":"CUST-{customer:05}","currency":"USD","amount":0.{:02},"reason":"The parcel with the ordered item never arrived, says the carrier.","status":"processed","processed_at":"2026-01-02T03:04:05.678Z","principal":"local""#,
            state >> 32,
            state >> 16 & 0xffff,
            number % 99 + 1,
        )
        .unwrap();
        if number % 2 == 0 {
            write!(
                line,
                r#","idempotency_key":"{:016x}""#,
                state.rotate_left(17)
            )
            .unwrap();
        }
        writeln!(out, r#"{line},"remaining_refundable_balance":12.34}}"#).unwrap();
    }
    out.flush().unwrap();
}

/// Runs a command to its end and gives the peak of its own memory in MiB: the pages of a test build's
/// program, which is many times as large as what is released, do not count.
#[cfg(target_os = "linux")]
fn peak(database: &Path, arguments: &[&str], out: Stdio) -> u64 {
    let mut child = start(database, arguments)
        .command()
        .stdout(out)
        .spawn()
        .unwrap();
    let mut most = 0;
    // The peak only grows, so that the last look but a moment before the end is all that counts.
    while child.try_wait().unwrap().is_none() {
        if let Some(kib) = crate::client::peak_of_its_own(child.id()) {
            most = kib / 1024;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    most
}

// In and out within bounded memory, whatever the format. `REFUND_FULL=1` is the volume that is
// promised: 100,000 customers and 1,000,000 refunds within 100 MB, of which 12 MiB are pages of the
// program as released.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_data() {
    let full = std::env::var_os("REFUND_FULL").is_some_and(|value| value == "1");
    let (customers, refunds, bound) = if full {
        (100_000, 1_000_000, 83)
    } else {
        (20_000, 100_000, 48)
    };
    let desk = Desk::new();
    let ndjson = desk.name("all.ndjson");
    write_volume(Path::new(&ndjson), customers, refunds);
    let measure = |what: &str, database: &str, arguments: &[&str]| {
        let began = std::time::Instant::now();
        let peak = peak(&desk.path(database), arguments, Stdio::null());
        eprintln!("{what}: {peak} MiB, {:.1} s", began.elapsed().as_secs_f64());
        assert!(peak > 0 && peak <= bound, "{what}: {peak} MiB");
    };
    measure("import of NDJSON", "a.db", &["import", &ndjson]);
    let [json, csv_customers, csv_refunds] =
        ["all.json", "customers.csv", "refunds.csv"].map(|name| desk.name(name));
    measure("export of JSON", "a.db", &["export", "--output", &json]);
    measure("import of JSON", "b.db", &["import", &json]);
    measure(
        "export of CSV",
        "b.db",
        &["export", "--output", &csv_refunds],
    );
    measure(
        "export of CSV",
        "b.db",
        &["export", "--output", &csv_customers],
    );
    // Refunds first: no customer is there yet.
    measure(
        "import of CSV",
        "c.db",
        &["import", &csv_refunds, &csv_customers],
    );
    desk.done("c.db", &["export", "--output", &desk.name("again.json")]);
    let same =
        fs::read(desk.path("again.json")).unwrap() == fs::read(desk.path("all.json")).unwrap();
    assert!(same, "three moves and not a byte is different");
    let whole = |database: &str| {
        let checked = desk.done(database, &["check"]);
        assert!(
            checked.starts_with(&format!("ok: {customers} customers and {refunds} refunds")),
            "{checked}"
        );
    };
    whole("c.db");
    retried_key_replays(&desk, "c.db", Path::new(&ndjson));
    // By hand nobody knows the balance after each refund; those go through a temporary table.
    let text = fs::read_to_string(&ndjson).unwrap();
    fs::write(
        &ndjson,
        text.replace(",\"remaining_refundable_balance\":12.34", ""),
    )
    .unwrap();
    drop(text);
    measure(
        "import of refunds without their balances",
        "d.db",
        &["import", &ndjson],
    );
    whole("d.db");
}

/// A caller that made the first keyed refund before the moves, and tries it again after them.
#[cfg(target_os = "linux")]
fn retried_key_replays(desk: &Desk, database: &str, moved: &Path) {
    use std::io::{BufRead as _, BufReader};

    let lines = BufReader::new(fs::File::open(moved).unwrap()).lines();
    let refund: Value = lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .find(|record: &Value| record["idempotency_key"].is_string())
        .expect("every second refund has a key");
    let arguments = json!({
        "customer_id": refund["customer_id"],
        "amount": refund["amount"],
        "reason": refund["reason"],
        "idempotency_key": refund["idempotency_key"],
    });
    let told = desk.done(
        database,
        &["call", "trigger_refund", &arguments.to_string()],
    );
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["replayed"], true, "{told}");
    assert_eq!(told["refundId"], refund["refund_id"]);
}
