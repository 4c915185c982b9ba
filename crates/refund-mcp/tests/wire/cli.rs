//! The command line: what each command prints, how it ends, and what it says when something is wrong.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, Start};

fn run(arguments: &[&str]) -> (i32, String, String) {
    arguments
        .iter()
        .fold(Start::memory(), |start, argument| start.argument(argument))
        .run()
}

fn on(file: &Path, arguments: &[&str]) -> (i32, String, String) {
    arguments
        .iter()
        .fold(Start::file(file), |start, argument| {
            start.argument(argument)
        })
        .run()
}

fn demo(directory: &TempDir) -> std::path::PathBuf {
    let file = directory.path().join("refunds.db");
    let (code, out, err) = on(&file, &["import", "--demo", "refunds"]);
    assert_eq!((code, out.as_str()), (0, "imported 3 customers\n"), "{err}");
    file
}

#[test]
fn a_tool_from_the_shell() {
    let (code, out, err) = run(&[
        "call",
        "get_customer_record",
        r#"{"customer_id":"CUST-00001"}"#,
    ]);
    assert_eq!((code, err.as_str()), (0, ""), "nothing but the result");
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["refundableBalance"],
        500
    );
    let (code, out, _) = run(&[
        "call",
        "get_customer_record",
        r#"{"customer_id":"CUST-99999"}"#,
    ]);
    assert_eq!(
        (code, out.as_str()),
        (3, "Customer CUST-99999 was not found.\n")
    );
    let (code, out, _) = run(&[
        "call",
        "trigger_refund",
        r#"{"customer_id":"x","amount":"1"}"#,
    ]);
    assert_eq!(code, 4);
    assert!(
        ["customer_id", "amount", "reason"]
            .iter()
            .all(|key| out.contains(key)),
        "{out}"
    );
    for (arguments, hint) in [
        (
            &["call", "triger_refund", "{}"][..],
            "did you mean trigger_refund?",
        ),
        (
            &["call", "trigger_refund", "{}", "--read-only"],
            "not offered",
        ),
    ] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains(hint), "{err}");
    }
}

#[test]
fn tools_are_what_a_client_sees() {
    let (code, out, _) = run(&["tools", "--json"]);
    assert_eq!(code, 0);
    let printed: Value = serde_json::from_str(&out).unwrap();
    let mut client = Start::memory().connect();
    let listed = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(printed["tools"], listed);
    let (_, table, _) = run(&["tools"]);
    assert!(
        table.contains("trigger_refund") && table.contains("WRITES"),
        "{table}"
    );
}

#[test]
fn a_refund_survives_a_kill_and_a_restart() {
    let directory = TempDir::new().unwrap();
    let file = demo(&directory);
    let arguments = json!({ "customer_id": "CUST-00001", "amount": 10.1, "reason": "damaged item", "idempotency_key": "k" });
    let mut client = Start::file(&file).connect();
    let refund = client.call("trigger_refund", &arguments);
    client.kill();
    let mut client: Client = Start::file(&file).connect();
    assert_eq!(
        client.call("get_refund", &json!({ "idempotency_key": "k" })),
        refund
    );
    let again = client.call("trigger_refund", &arguments);
    assert_eq!(
        (&again["refundId"], &again["replayed"]),
        (&refund["refundId"], &json!(true))
    );
    assert_eq!(client.finish().status.code(), Some(0));
    let (code, out, err) = on(&file, &["check"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("ok: 3 customers and 1 refunds"), "{out}");
}

#[test]
fn a_database_that_cannot_be_used_is_named_with_what_to_do() {
    let directory = TempDir::new().unwrap();
    let missing = directory.path().join("nowhere/refunds.db");
    let text = directory.path().join("text.db");
    std::fs::write(
        &text,
        "this is not a database, but it is long enough to be read as one".repeat(100),
    )
    .unwrap();
    let folder = directory.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    for file in [&missing, &text, &folder] {
        for command in [&["stdio"][..], &["check"], &["call", "get_refund", "{}"]] {
            let (code, out, err) = on(file, command);
            assert_eq!((code, out.as_str()), (5, ""), "{err}");
            let name = file.file_name().unwrap().to_str().unwrap();
            let last = err.lines().last().unwrap();
            assert!(last.starts_with("error: ") && last.contains(name), "{err}");
        }
    }
    assert!(!missing.parent().unwrap().exists(), "nothing was made");
}

#[test]
fn demo_data_never_gets_into_a_real_database_by_itself() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("refunds.db");
    let (code, _, err) = on(&file, &["stdio", "--demo", "refunds"]);
    assert_eq!(code, 2);
    assert!(err.contains("import --demo"), "{err}");
    assert!(!file.exists(), "nothing was made");
    let (code, _, err) = run(&["import", "--demo", "refunds"]);
    assert_eq!(code, 2, "memory keeps nothing");
    assert!(err.contains("--database"), "{err}");
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    let directory = TempDir::new().unwrap();
    let config = directory.path().join("refund.toml");
    std::fs::write(&config, "databse = \"memory:\"\n").unwrap();
    let config = config.display().to_string();
    for (arguments, hint) in [
        (&["--databse", "memory:"][..], "--database"),
        (&["stdoi"], "stdio"),
        (&["--toolsets", "refund", "tools"], "did you mean refunds?"),
        (
            &["--tools", "get_refunds", "tools"],
            "did you mean get_refund?",
        ),
        (&["--role", "agnet", "tools"], "did you mean agent?"),
        (&["--log-level", "inof", "tools"], "did you mean info?"),
        (
            &["--argument-errors", "tools", "tools"],
            "did you mean tool?",
        ),
        (
            &["--demo", "custommers", "tools"],
            "did you mean customers?",
        ),
        (&["--config", &config, "tools"], "did you mean database?"),
        (&["--database", "sqlit:x", "tools"], "sqlite:PATH"),
        (&["--principal", "two words", "tools"], "visible ASCII"),
        (
            &["--config", "/nowhere/refund.toml", "tools"],
            "/nowhere/refund.toml",
        ),
    ] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(hint), "{arguments:?}: {err}");
    }
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("refund.toml");
    std::fs::write(&file, "principal = \"from-file\"\nrole = \"viewer\"\nlog_level = \"warn\"\ntoolsets = [\"refunds\"]\n").unwrap();
    let shown = |start: Start| -> Value {
        let (code, out, err) = start.argument("config").argument("--json").run();
        assert_eq!(code, 0, "{err}");
        serde_json::from_str(&out).unwrap()
    };
    let config = || Start::memory().variable("REFUND_CONFIG", &file.display().to_string());
    let from_file = shown(config());
    assert_eq!(
        from_file["principal"],
        json!({ "value": "from-file", "source": "configuration file" })
    );
    assert_eq!(from_file["role"]["value"], "viewer");
    assert_eq!(from_file["database"]["source"], "default");
    let from_environment = shown(
        config()
            .variable("REFUND_PRINCIPAL", "from-env")
            .variable("LOG_LEVEL", "nonsense"),
    );
    assert_eq!(from_environment["principal"]["value"], "from-env");
    assert_eq!(
        from_environment["log_level"]["value"], "info",
        "an unknown level means info"
    );
    let from_flag = shown(
        config()
            .variable("REFUND_PRINCIPAL", "from-env")
            .argument("--principal")
            .argument("from-flag"),
    );
    assert_eq!(from_flag["principal"]["value"], "from-flag");
}

#[test]
fn import_is_all_or_nothing_and_names_each_fault() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("refunds.db");
    let data = directory.path().join("data.json");
    let customer = |id: &str, email: &str, balance: &str, currency: &str| {
        format!(
            "{{\"customer_id\":\"{id}\",\"name\":\"Robin Vale\",\"email\":\"{email}\",\"status\":\"active\",\"currency\":\"{currency}\",\"refundable_balance\":{balance},\"created_at\":\"2024-01-15T09:30:00Z\"}}"
        )
    };
    let write = |rows: &[String]| {
        std::fs::write(
            &data,
            format!("{{\"customers\":[\n{}\n]}}", rows.join(",\n")),
        )
        .unwrap();
    };
    let path = data.display().to_string();
    write(&[
        customer("CUST-00001", "one@example.com", "12.345", "USD"),
        customer("CUST-1", "ONE@example.com", "1", "USD"),
    ]);
    let (code, out, err) = on(&file, &["import", &path]);
    assert_eq!((code, out.as_str()), (7, ""), "{err}");
    for part in [
        "nothing was imported",
        "data.json",
        "refundable_balance",
        "customer_id",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert!(!err.contains("Robin Vale"), "no personal data: {err}");
    // R-011, and exact money from its text.
    write(&[
        customer("CUST-00001", "one@example.com", "35.200", "KWD"),
        customer("CUST-00002", "two@example.com", "\"19.99\"", "USD"),
        customer("CUST-00003", "three@example.com", "9899", "JPY"),
    ]);
    let (code, out, err) = on(&file, &["import", &path]);
    assert_eq!((code, out.as_str()), (0, "imported 3 customers\n"), "{err}");
    for (id, balance) in [
        ("CUST-00001", json!(35.2)),
        ("CUST-00002", json!(19.99)),
        ("CUST-00003", json!(9899)),
    ] {
        let (_, out, _) = on(
            &file,
            &[
                "call",
                "get_customer_record",
                &json!({ "customer_id": id }).to_string(),
            ],
        );
        assert_eq!(
            serde_json::from_str::<Value>(&out).unwrap()["refundableBalance"],
            balance
        );
    }
    let (code, _, err) = on(&file, &["import", &path]);
    assert_eq!(code, 7);
    assert!(err.contains("CUST-00001"), "{err}");
    // R-010 on the wire: decimals that the currency does not have.
    let yen = r#"{"customer_id":"CUST-00003","amount":10.50,"reason":"damaged item"}"#;
    let (code, out, _) = on(&file, &["call", "trigger_refund", yen]);
    assert_eq!(
        (code, out.as_str()),
        (
            3,
            "10.50 cannot be refunded in JPY, which has no decimal places.\n"
        )
    );
}

#[test]
fn seed_bs_customers_are_available_too() {
    let start = || Start::memory().argument("--demo").argument("customers");
    let mut client = start().connect();
    for (id, status) in [
        ("CUST-00001", "active"),
        ("CUST-00002", "active"),
        ("CUST-00003", "suspended"),
    ] {
        let customer = client.call("get_customer_record", &json!({ "customer_id": id }));
        assert_eq!(customer["status"], status);
    }
    let refund = json!({ "customer_id": "CUST-00003", "amount": 1, "reason": "damaged item" });
    assert_eq!(
        client.refused("trigger_refund", &refund).0,
        "CUSTOMER_SUSPENDED"
    );
}

#[test]
fn the_printed_client_configuration_starts_this_server_on_this_database() {
    let directory = tempfile::tempdir().unwrap();
    let file = demo(&directory);
    let (code, out, err) = on(&file, &["client-config", "claude-desktop", "--read-only"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.lines().all(|line| line.starts_with("# ")), "{err}");
    assert!(
        err.contains("claude_desktop_config.json") && err.contains("cargo run"),
        "{err}"
    );
    assert!(!err.contains("Warning"), "{err}");

    let printed: Value = serde_json::from_str(&out).unwrap();
    let server = &printed["mcpServers"]["refunds"];
    let arguments = server["args"].as_array().unwrap();
    let started = std::process::Command::new(server["command"].as_str().unwrap())
        .args(arguments.iter().map(|word| word.as_str().unwrap()))
        .arg("config")
        .current_dir(directory.path())
        .output()
        .unwrap();
    let config: Value = serde_json::from_slice(&started.stdout).unwrap();
    assert_eq!(
        config["database"]["value"],
        format!("sqlite:{}", file.display())
    );
    assert_eq!(config["read_only"]["value"], true);

    let (_, out, err) = run(&["client-config", "claude-code"]);
    assert!(
        out.starts_with("claude mcp add --env LOG_LEVEL=info --transport stdio refunds -- "),
        "{out}"
    );
    assert!(err.contains("# Warning: the database is memory:"), "{err}");
    for (arguments, pointer, place) in [
        (
            &["claude-code", "--json"][..],
            "/mcpServers/refunds",
            ".mcp.json",
        ),
        (&["cursor"], "/mcpServers/refunds", "~/.cursor/mcp.json"),
        (
            &["vscode"],
            "/servers/refunds",
            "/.config/Code/User/mcp.json",
        ),
    ] {
        let arguments = [&["client-config"], arguments].concat();
        let (code, out, err) = run(&arguments);
        assert_eq!(code, 0, "{err}");
        let printed: Value = serde_json::from_str(&out).unwrap();
        let found = printed.pointer(pointer).unwrap();
        assert_eq!(found["command"], server["command"], "{arguments:?}");
        assert!(err.contains(place), "{err}");
    }
    let (code, _, err) = run(&["client-config", "curser"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean cursor?"), "{err}");
}

// A mistyped path must not look like an empty, sound database, and must not become one.
#[test]
fn only_what_makes_a_database_makes_one() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("typo.db");
    for command in [
        &["check"][..],
        &[
            "call",
            "get_customer_record",
            r#"{"customer_id":"CUST-00001"}"#,
        ],
        &["export"],
        &["customers", "list"],
        &["refunds", "list", "CUST-00001"],
    ] {
        let refused = || {
            let (code, out, err) = on(&file, command);
            assert_eq!((code, out.as_str()), (5, ""), "{command:?}: {err}");
            assert!(err.contains("there is no database at"), "{err}");
        };
        refused();
        assert!(!file.exists());
        std::fs::write(&file, "").unwrap();
        refused();
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
        std::fs::remove_file(&file).unwrap();
    }
    for makes in [&["migrate"][..], &["import", "--demo", "refunds"]] {
        std::fs::write(&file, "").unwrap();
        let (code, _, err) = on(&file, makes);
        assert_eq!(code, 0, "{err}");
        std::fs::remove_file(&file).unwrap();
    }
}

// Whoever forgets --database must not take demo data for the books.
#[test]
fn demo_data_is_neither_checked_nor_exported_nor_corrected() {
    let adjust = ["customers", "adjust", "CUST-00001", "--by", "1"];
    let adjust = [&adjust[..], &["--reason", "agreed on the phone"]].concat();
    for command in [&["check"][..], &["export"], &adjust] {
        let (code, out, err) = run(command);
        assert_eq!((code, out.as_str()), (2, ""), "{command:?}: {err}");
        assert!(err.contains("give --database sqlite:PATH"), "{err}");
    }
    let (code, _, err) = run(&["customers", "show", "CUST-00001"]);
    assert_eq!(code, 0, "{err}");
}

// SQLite would throw away the write-ahead log beside an emptied file, and with it all refunds.
#[test]
fn an_emptied_file_keeps_its_log() {
    let directory = TempDir::new().unwrap();
    let file = demo(&directory);
    let mut client = Start::file(&file).connect();
    client.call(
        "trigger_refund",
        &json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item" }),
    );
    client.kill();
    let log = directory.path().join("refunds.db-wal");
    let before = std::fs::read(&log).unwrap();
    assert!(!before.is_empty());
    std::fs::write(&file, "").unwrap();
    for command in [&["check"][..], &["stdio"]] {
        let (code, _, err) = on(&file, command);
        assert_eq!(code, 5, "{err}");
        assert!(err.contains("damaged"), "{err}");
        assert_eq!(std::fs::read(&log).unwrap(), before);
    }
}

// Refunds that went into a file that nobody finds again would be lost.
#[cfg(unix)]
#[test]
fn a_database_that_was_replaced_or_deleted_takes_no_more_refunds() {
    let directory = TempDir::new().unwrap();
    for delete in [false, true] {
        let file = demo(&directory);
        let refund = |key: &str| json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item", "idempotency_key": key });
        let mut client = Start::file(&file).connect();
        client.call("trigger_refund", &refund("before"));
        if delete {
            std::fs::remove_file(&file).unwrap();
        } else {
            let moved = directory.path().join("moved.db");
            std::fs::rename(&file, moved).unwrap();
            std::fs::write(&file, "something else").unwrap();
        }
        let (code, text) = client.refused("trigger_refund", &refund("after"));
        assert_eq!(code, "STORE_UNAVAILABLE");
        assert!(text.contains("Nothing was moved"), "{text}");
        let log = client.finish().log;
        assert!(log.contains("moved, replaced or deleted"), "{log}");
        for entry in std::fs::read_dir(directory.path()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
}

#[test]
fn a_list_that_names_nothing_is_not_everything() {
    let directory = TempDir::new().unwrap();
    let config = directory.path().join("refund.toml");
    for (text, wrong) in [
        ("tools = []", "tools: must name something"),
        ("toolsets = []", "toolsets: must name something"),
        ("toolsets = [\"refund\"]", "toolsets: "),
        ("role = \"boss\"", "role: "),
        ("database = \"x.db\"", "database: "),
    ] {
        std::fs::write(&config, text).unwrap();
        let path = config.display().to_string();
        let (code, out, err) = run(&["--config", &path, "tools"]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        let named = format!("failed to use the configuration file {path}: {wrong}");
        assert!(err.contains(&named), "{err}");
    }
    for database in ["sqlite::memory:", "sqlite:file:x.db?mode=memory"] {
        let (code, _, err) = run(&["--database", database, "tools"]);
        assert_eq!(code, 2);
        assert!(err.contains("plain path"), "{err}");
    }
}

// clap names the flag, which nobody has typed.
#[test]
fn a_wrong_variable_is_named_and_not_a_flag() {
    for variable in [
        "REFUND_DATABASE",
        "REFUND_CONFIG",
        "REFUND_DEMO",
        "REFUND_TOOLSETS",
        "REFUND_TOOLS",
        "REFUND_READ_ONLY",
        "REFUND_ROLE",
        "REFUND_PRINCIPAL",
        "REFUND_ARGUMENT_ERRORS",
        "REFUND_LOCALE",
        "REFUND_TIMEZONE",
        "REFUND_TODAY",
        "REFUND_PAYMENT_INSTRUCTIONS",
        "REFUND_SMTP_URL",
    ] {
        let (code, out, err) = Start::memory()
            .variable(variable, "")
            .argument("config")
            .run();
        assert_eq!((code, out.as_str()), (2, ""));
        assert_eq!(
            err,
            format!("error: {variable} is set, but empty; give it a value, or unset it\n")
        );
    }
    for (variable, value, reason) in [
        ("REFUND_ROLE", "agnet", "did you mean agent?"),
        ("REFUND_LOCALE", "fr", "known: en, ja"),
        ("REFUND_READ_ONLY", "perhaps", "not a boolean"),
        ("REFUND_MAIL_FROM", "", "is no sender"),
        ("MCP_TODAY", "", "such as 2026-08-11"),
    ] {
        let start = Start::memory().variable(variable, value);
        let (code, _, err) = start.argument("config").run();
        assert_eq!(code, 2);
        let named = err.starts_with(&format!("error: {variable}"));
        assert!(named && err.contains(reason), "{err}");
    }
    let start = Start::memory().variable("REFUND_TOOLS", "lookup_order,look_up");
    let (_, _, err) = start.run();
    assert!(
        err.starts_with("error: REFUND_TOOLS: unknown tool \"look_up\""),
        "{err}"
    );
    // What was typed is named as it was. A variable that is wrong is wrong beside it, too.
    let start = Start::memory().variable("REFUND_ROLE", "");
    let (_, _, err) = start.argument("--role=agnet").argument("config").run();
    assert!(err.contains("--role <ROLE>"), "{err}");
    let start = Start::memory().variable("REFUND_ROLE", "");
    let (code, _, err) = start.argument("--role=agent").argument("config").run();
    assert_eq!(code, 2);
    assert!(err.starts_with("error: REFUND_ROLE is set"), "{err}");
}

#[test]
fn a_server_says_which_database_it_serves() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Start::memory()
        .argument("--database=sqlite:here.db")
        .command();
    let started = command
        .current_dir(&directory)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let log = String::from_utf8(started.stderr).unwrap();
    let line = log.lines().find(|line| line.contains("started")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    let there = std::fs::canonicalize(directory.path()).unwrap();
    let text = line.to_string();
    assert!(
        text.contains(&format!("sqlite:{}/here.db", there.display())),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn a_database_that_may_only_be_read_is_checked() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let file = demo(&directory);
    let (code, out, err) = on(&file, &["check"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.starts_with("ok: 3 customers and 0 refunds, 0 orders and 0 returns;"),
        "{out}"
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let (code, out, err) = on(&file, &["check"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("could only be read"), "{out}");
}

#[test]
fn a_correction_with_a_key_is_made_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = demo(&directory);
    let adjust = |by: &str, key: &str| {
        let reason = "Goodwill was booked twice";
        let command = ["customers", "adjust", "CUST-00001", "--by", by];
        on(
            &file,
            &[&command[..], &["--reason", reason, "--key", key]].concat(),
        )
    };
    let (code, first, err) = adjust("-25.00", "ticket-7");
    assert_eq!(code, 0, "{err}");
    let (code, again, err) = adjust("-25", "ticket-7");
    assert_eq!(code, 0, "{err}");
    let [mut first, mut again] =
        [first, again].map(|text| serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!(first["refundableBalance"], 475);
    assert_eq!(again["replayed"].take(), json!(true));
    first["replayed"] = Value::Null;
    assert_eq!(again, first);
    let (code, _, err) = adjust("25.00", "ticket-7");
    assert_eq!(code, 3);
    assert!(
        err.contains(
            "ticket-7 was already used to adjust the balance of customer CUST-00001 by -25.00."
        ),
        "{err}"
    );
    let (code, _, err) = adjust("25.00", "two words");
    assert_eq!(code, 2);
    assert!(err.contains("visible ASCII"), "{err}");
    let (code, out, _) = on(&file, &["check"]);
    assert_eq!(code, 0, "{out}");
}
