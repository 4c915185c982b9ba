//! A database of its own for each test, filled through the product, with names and addresses that
//! must never turn up in a log.

use std::path::PathBuf;

use refund_store::PostgresStore;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, Finished, Start};
use crate::database::Database;

/// Part of every name, address and reason here. A log that has it has told on somebody.
pub(super) const CANARY: &str = "canary";

/// A database of its own, and a directory.
pub(super) struct Lab {
    pub(super) directory: TempDir,
    /// The SQLite file, unless the database is [`Lab::postgres`].
    pub(super) path: PathBuf,
    postgres: Option<Database>,
    /// Who asks, and so whose keys they are.
    principal: &'static str,
}

impl Lab {
    /// In a SQLite file, with customers from 1 up, each with this balance in cents.
    pub(super) fn new(customers: u32, balance: u64) -> Self {
        Self::filled(None, customers, balance)
    }

    /// The same on PostgreSQL.
    pub(super) fn postgres(customers: u32, balance: u64) -> Self {
        Self::on(Database::new("read committed"), customers, balance)
    }

    /// The same in this database.
    pub(super) fn on(database: Database, customers: u32, balance: u64) -> Self {
        PostgresStore::migrate(&database.url()).expect("a schema");
        Self::filled(Some(database), customers, balance)
    }

    fn filled(postgres: Option<Database>, customers: u32, balance: u64) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("refunds.db");
        let lab = Self {
            directory,
            path,
            postgres,
            principal: "local",
        };
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

    /// Asked by the clients of an HTTP server.
    pub(super) fn over_http(self) -> Self {
        Self {
            principal: "http",
            ..self
        }
    }

    /// A server for whoever asked.
    pub(super) fn asker(&self) -> Start {
        self.start()
            .argument("--principal")
            .argument(self.principal)
    }

    /// How to start something on it.
    pub(super) fn start(&self) -> Start {
        match &self.postgres {
            None => Start::file(&self.path),
            Some(database) => Start::postgres(&database.text()),
        }
    }

    /// How to start something that reaches the database at another address.
    pub(super) fn start_by(&self, address: std::net::SocketAddr) -> Start {
        let text = self.postgres.as_ref().expect("PostgreSQL").text();
        let name = text.rsplit_once('/').expect("a database").1;
        Start::postgres(&format!("postgres://postgres@{address}/{name}"))
    }

    /// What a query gives, as text; past the store.
    pub(super) fn query(&self, sql: &str) -> Vec<Vec<String>> {
        if let Some(database) = &self.postgres {
            return database.query(sql);
        }
        let conn = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let conn = conn.expect("the database");
        let mut statement = conn.prepare(sql).expect("a statement");
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            (0..columns)
                .map(|column| {
                    Ok(match row.get(column)? {
                        rusqlite::types::Value::Integer(number) => number.to_string(),
                        rusqlite::types::Value::Text(text) => text,
                        _ => String::new(),
                    })
                })
                .collect()
        };
        let rows = statement.query_map([], row);
        rows.and_then(Iterator::collect).expect("rows")
    }

    /// A server on it that logs everything.
    pub(super) fn traced(&self) -> Start {
        self.start().variable("LOG_LEVEL", "trace")
    }

    /// The product's own proof: balances, keys, references, and `integrity_check`.
    pub(super) fn check(&self) {
        let (code, findings, errors) = self.start().argument("check").run();
        assert_eq!(code, 0, "{findings}{errors}");
        assert!(findings.starts_with("ok: "), "{findings}");
    }
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
