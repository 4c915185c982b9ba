//! The whole program on PostgreSQL: the commands, the server, and a database that is not there yet.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::client::Start;
use crate::database::Database;
use crate::http::{TOKEN, listen};

/// A database with the demo data.
fn filled() -> Database {
    let database = Database::new("read committed");
    let import = on(&database).argument("--migrate").argument("import");
    let (code, out, err) = import.argument("--demo").argument("all").run();
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    database
}

fn on(database: &Database) -> Start {
    Start::postgres(&database.text())
}

fn run(start: Start, arguments: &[&str]) -> (i32, String, String) {
    arguments
        .iter()
        .fold(start, |start, one| start.argument(one))
        .run()
}

#[test]
fn a_database_is_prepared_once_and_only_when_asked_for() {
    let database = Database::new("read committed");
    for command in [&["check"][..], &["stdio"], &["import", "--demo", "refunds"]] {
        let (code, out, err) = run(on(&database), command);
        assert_eq!((code, out.as_str()), (5, ""), "{command:?}");
        assert!(
            err.contains("is not prepared; run refund-mcp migrate"),
            "{err}"
        );
    }
    for (says, read_only) in [
        ("made, with", false),
        ("already", false),
        ("read-only", true),
    ] {
        let start = match read_only {
            true => on(&database).argument("--read-only"),
            false => on(&database),
        };
        let (code, out, err) = run(start, &["migrate"]);
        assert_eq!(code, if read_only { 2 } else { 0 });
        assert!(format!("{out}{err}").contains(says), "{out}{err}");
    }
    let (code, out, _) = run(on(&database), &["check"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("ok: 0 customers and 0 refunds"), "{out}");
}

// The three desks, from one database, and what they did is there afterwards.
#[test]
fn a_day_at_the_desk() {
    let database = filled();
    let mut client = on(&database).connect();
    let refund = json!({ "customer_id": "CUST-00001", "amount": 12.5, "reason": "damaged item", "idempotency_key": "k" });
    let first = client.call("trigger_refund", &refund);
    assert_eq!(first["remainingRefundableBalance"], 487.5);
    assert_eq!(client.call("trigger_refund", &refund)["replayed"], true);
    let turn = json!({ "session_id": "s", "user_message": "hello" });
    assert_eq!(client.call("escalate_to_human", &turn)["turn_count"], 1);
    let question = json!({ "identifier": "AX2-0001-0005" });
    let unit = client.call("find_device", &question);
    assert!(client.finish().status.success());
    let mut file = Start::memory().connect();
    assert_eq!(file.call("find_device", &question), unit);
    drop(file);
    let id = first["refundId"].as_str().unwrap();
    let (_, shown, _) = run(on(&database), &["refunds", "show", id, "--json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&shown).unwrap()["refundId"],
        id
    );
    let adjust = [
        "customers",
        "adjust",
        "CUST-00001",
        "--by",
        "-7.50",
        "--reason",
        "goodwill taken back",
    ];
    let (code, out, err) = run(on(&database).argument("--role").argument("admin"), &adjust);
    assert_eq!(code, 0, "{out}{err}");
    let (_, listed, _) = run(
        on(&database),
        &["customers", "show", "CUST-00001", "--json"],
    );
    assert_eq!(
        serde_json::from_str::<Value>(&listed).unwrap()["refundableBalance"],
        480
    );
    let (code, out, _) = run(on(&database), &["check"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains(" and 1 refunds"), "{out}");
}

// Both stores write the same file, and either takes it.
#[test]
fn data_moves_between_the_stores() {
    let database = filled();
    let refund =
        r#"{"customer_id":"CUST-00001","amount":1,"reason":"damaged item","idempotency_key":"k"}"#;
    assert_eq!(run(on(&database), &["call", "trigger_refund", refund]).0, 0);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.db");
    let data = directory.path().join("data.json");
    let data = data.to_str().unwrap();
    let export = |start| {
        let (code, out, err) = run(start, &["export"]);
        assert_eq!((code, err.as_str()), (0, ""));
        out
    };
    assert_eq!(run(on(&database), &["export", "-o", data]).0, 0);
    let (code, out, err) = run(Start::file(&path), &["import", data]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(export(Start::file(&path)), export(on(&database)));
    let other = Database::new("read committed");
    let (code, out, err) = run(on(&other), &["--migrate", "import", data]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(export(on(&other)), export(on(&database)));
    let (code, again, _) = run(on(&other), &["call", "trigger_refund", refund]);
    assert_eq!(
        (code, again.contains(r#""replayed":true"#)),
        (0, true),
        "{again}"
    );
    assert_eq!(run(on(&other), &["check"]).0, 0);
}

#[test]
fn a_password_is_shown_nowhere() {
    for bad in [
        "postgres://u:s3cret@db:port/x",
        "postgresql://u:s3cret@db/x?sslmode=allow",
        "postgres://u:s3cret@",
        "postgres:/u:s3cret@db",
    ] {
        for start in [
            Start::postgres(bad),
            Start::memory().argument("--database").argument(bad),
        ] {
            let (code, out, err) = run(start, &["config"]);
            assert_eq!((code, out.as_str()), (2, ""), "{bad}");
            assert!(err.contains("REFUND_DATABASE, or --database"), "{err}");
            assert!(!err.contains("s3cret"), "{err}");
        }
    }
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("postgres://u:s3cret@127.0.0.1:{port}/x");
    let (code, out, _) = run(Start::postgres(&url), &["config"]);
    assert_eq!(code, 0);
    assert!(
        out.contains(&format!("postgres://u:***@127.0.0.1:{port}/x")),
        "{out}"
    );
    for client in ["claude-desktop", "claude-code"] {
        let (code, out, err) = run(Start::postgres(&url), &["client-config", client]);
        assert_eq!(code, 0);
        assert!(!format!("{out}{err}").contains("s3cret"), "{out}{err}");
        assert!(
            err.contains("REFUND_DATABASE as an environment variable"),
            "{err}"
        );
    }
    let (code, out, err) = run(Start::postgres(&url), &["check"]);
    assert_eq!((code, out.as_str()), (5, ""));
    assert!(
        err.contains("cannot be reached") && !err.contains("s3cret"),
        "{err}"
    );
}

// A server does not wait for its database, and does not need to be started again when it is there.
#[test]
fn a_server_starts_before_its_database() {
    let database = filled();
    let url = database.text();
    let (server, name) = url.rsplit_once('/').unwrap();
    let place = server
        .rsplit_once('@')
        .map_or("127.0.0.1:5432", |(_, place)| place);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut client = Start::postgres(&format!("postgres://postgres@{address}/{name}")).connect();
    let record = json!({ "customer_id": "CUST-00001" });
    let (code, _) = client.refused("get_customer_record", &record);
    assert_eq!(code, "STORE_UNAVAILABLE");
    let listener = TcpListener::bind(address).unwrap();
    let place = place.to_owned();
    std::thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let far = std::net::TcpStream::connect(&place).unwrap();
            for (mut from, mut to) in [
                (near.try_clone().unwrap(), far.try_clone().unwrap()),
                (far, near),
            ] {
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        }
    });
    assert_eq!(
        client.call("get_customer_record", &record)["refundableBalance"],
        500
    );
    let log = client.finish().log;
    assert!(log.contains("the database is not available yet"), "{log}");
}

#[test]
fn over_http() {
    let database = filled();
    let server = listen(on(&database));
    let ready = server.send(&crate::http::Post::new("").line("GET /readyz HTTP/1.1"));
    assert_eq!(ready.status, 200);
    assert_eq!(server.balance(TOKEN, "CUST-00001"), 500);
    let refund = json!({ "customer_id": "CUST-00001", "amount": 1, "reason": "damaged item" });
    let _paid = server.call(TOKEN, "trigger_refund", &refund);
    let metrics = server.send(&crate::http::Post::new("").line("GET /metrics HTTP/1.1"));
    for line in [
        "refund_store_batch_commands_bucket{le=\"1\"} 1",
        "refund_store_connections{pool=\"batches\",state=\"in_use\"} 1",
        "refund_store_connections{pool=\"readers\",state=\"in_use\"} 0",
    ] {
        assert!(metrics.body.contains(line), "{line}: {}", metrics.body);
    }
}
