//! A database of its own for each test, filled through the product, with names and addresses that
//! must never turn up in a log.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, Finished, Start};

/// Part of every name, address and reason here. A log that has it has told on somebody.
pub(super) const CANARY: &str = "canary";

/// A database in a directory of its own.
pub(super) struct Lab {
    pub(super) directory: TempDir,
    pub(super) path: PathBuf,
}

impl Lab {
    /// With customers from 1 up, each with this balance in cents.
    pub(super) fn new(customers: u32, balance: u64) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("refunds.db");
        let lab = Self { directory, path };
        let customers: Vec<Value> = (1..=customers)
            .map(|number| {
                json!({
                    "customer_id": customer(number),
                    "name": format!("{CANARY} person {number}"),
                    "email": format!("{CANARY}.{number}@example.com"),
                    "status": "active",
                    "currency": "USD",
                    "refundable_balance": serde_json::from_str::<Value>(&decimal(balance)).expect("a number"),
                    "created_at": "2024-01-15T09:30:00.000Z",
                })
            })
            .collect();
        let file = lab.directory.path().join("customers.json");
        std::fs::write(&file, json!({ "customers": customers }).to_string()).expect("a file");
        let import = lab.start().argument("import");
        let (code, _, errors) = import.argument(&file.display().to_string()).run();
        assert_eq!(code, 0, "{errors}");
        lab
    }

    /// How to start something on it.
    pub(super) fn start(&self) -> Start {
        Start::file(&self.path)
    }

    /// A server on it that logs everything.
    pub(super) fn traced(&self) -> Start {
        self.start().variable("LOG_LEVEL", "trace")
    }

    /// The product's own proof: balances, keys, references, and `integrity_check`.
    pub(super) fn check(&self) {
        check(&self.path);
    }
}

/// `refund-mcp check` on a database.
pub(super) fn check(path: &Path) {
    let (code, findings, errors) = Start::file(path).argument("check").run();
    assert_eq!(code, 0, "{findings}{errors}");
    assert!(findings.starts_with("ok: "), "{findings}");
}

pub(super) fn customer(number: u32) -> String {
    format!("CUST-{number:05}")
}

/// Cents as a person writes them.
pub(super) fn decimal(cents: u64) -> String {
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// The cents of a number from the wire, by its text.
pub(super) fn cents(number: &Value) -> u64 {
    let text = number.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    assert!(number.is_number() && part.len() <= 2, "{text}");
    format!("{whole}{part:0<2}").parse().expect("cents")
}

/// Ends a server that must end well, with nothing said about anybody.
pub(super) fn finish(client: Client) -> Finished {
    let finished = client.finish();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.log);
    discreet(&finished.log);
    finished
}

/// No name, no address and no reason in a log.
pub(super) fn discreet(log: &str) {
    let told = log
        .lines()
        .find(|line| line.to_lowercase().contains(CANARY));
    assert_eq!(told, None, "personal data in the log");
}

/// A tool call as a line, without its end.
pub(super) fn call(id: impl std::fmt::Display, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// The handshake as lines.
pub(super) const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

/// A ping as a line, with its end.
pub(super) fn ping(id: impl std::fmt::Display) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
}
