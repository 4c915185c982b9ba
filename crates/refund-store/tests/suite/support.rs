//! What several tests start from.

use std::path::PathBuf;

use refund_domain::{Customer, StoreError};
use refund_store::SqliteStore;
use refund_store::contract::given::{Ask, customer};
use rusqlite::Connection;
use tempfile::TempDir;

/// A database in a directory of its own.
pub(crate) struct Place {
    _directory: TempDir,
    pub(crate) path: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refunds.db");
        Self {
            _directory: directory,
            path,
        }
    }

    /// With CUST-00001 and 100.00 USD.
    pub(crate) fn filled() -> (Self, SqliteStore) {
        let place = Self::new();
        let store = SqliteStore::open(&place.path).unwrap();
        import(&store, vec![customer(1, 10_000, "USD")]);
        (place, store)
    }

    /// A connection past the store.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }
}

pub(crate) fn import(store: &SqliteStore, customers: Vec<Customer>) {
    let _count = store.import_customers(customers).unwrap();
}

/// Does to a database what its triggers and constraints forbid, and leaves both as they were.
pub(crate) fn tamper(raw: &Connection, sql: &str) {
    let mut triggers: Vec<(String, String)> = Vec::new();
    {
        let mut statement = raw
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap();
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        triggers.extend(found.unwrap().map(Result::unwrap));
    }
    raw.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;")
        .unwrap();
    for (name, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    raw.execute_batch(sql).unwrap();
    for (_, made) in &triggers {
        raw.execute_batch(made).unwrap();
    }
}

pub(crate) fn assert_sound(store: &SqliteStore) {
    let report = store.check().unwrap();
    assert!(report.is_sound(), "{:#?}", report.findings);
}

/// Asks for 1.00 with a key, and gives the error or the outcome's word.
pub(crate) async fn ask(store: &SqliteStore, key: &str) -> Result<&'static str, StoreError> {
    use refund_domain::ports::RefundWriter;
    let command = Ask::new(1, "1").key(key).command();
    let settled = store.issue_refund(command).await?;
    Ok(settled.outcome.as_str())
}
