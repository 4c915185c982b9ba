//! The contract suite on both kinds of SQLite store.

use std::io::Cursor;

use refund_domain::{Caller, Customer, OrderLine, Role, Timestamp};
use refund_store::contract::{ContractStore, WarrantyContractStore, given};
use refund_store::transfer::{Format, Input};
use refund_store::{SqliteReader, SqliteStore};
use tempfile::TempDir;

fn import(store: &SqliteStore, customers: Vec<Customer>, orders: &[OrderLine]) {
    let count = customers.len();
    assert_eq!(store.import_customers(customers).unwrap(), count);
    store.import_orders(orders).unwrap();
}

fn check(store: &SqliteStore) {
    let report = store.check().unwrap();
    assert!(report.is_sound(), "{:#?}", report.findings);
}

struct Memory(SqliteStore);

impl ContractStore for Memory {
    type Store = SqliteStore;

    async fn with_orders(customers: Vec<Customer>, orders: Vec<OrderLine>) -> Self {
        let store = SqliteStore::memory().unwrap();
        import(&store, customers, &orders);
        Self(store)
    }

    fn store(&self) -> SqliteStore {
        self.0.clone()
    }

    fn sending_mail(&self) -> SqliteStore {
        self.0.clone().sending_mail()
    }

    async fn reopen(self) -> Option<Self> {
        None
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            check(&self.0);
        }
    }
}

struct InFile {
    store: SqliteStore,
    directory: TempDir,
}

impl ContractStore for InFile {
    type Store = SqliteStore;

    async fn with_orders(customers: Vec<Customer>, orders: Vec<OrderLine>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("refunds.db")).unwrap();
        import(&store, customers, &orders);
        Self { directory, store }
    }

    fn store(&self) -> SqliteStore {
        self.store.clone()
    }

    fn sending_mail(&self) -> SqliteStore {
        self.store.clone().sending_mail()
    }

    async fn reopen(self) -> Option<Self> {
        check(&self.store);
        let Self { directory, store } = self;
        drop(store);
        let store = SqliteStore::open(&directory.path().join("refunds.db")).unwrap();
        Some(Self { directory, store })
    }
}

impl WarrantyContractStore for Memory {
    type Reader = SqliteReader;

    async fn with_data(json: &str) -> Self {
        let store = SqliteStore::memory().unwrap();
        let input = Input::new("data.json", Format::Json, Cursor::new(json.to_owned()));
        let caller = Caller {
            principal: given::principal("local"),
            role: Role::Agent,
            customer: None,
        };
        let at = Timestamp::parse("2026-01-02T03:04:05Z").unwrap();
        store.import(vec![input], false, &caller, at).unwrap();
        Self(store)
    }

    fn reader(&self) -> SqliteReader {
        self.0.reader()
    }
}

mod memory {
    use super::Memory;
    refund_store::contract_tests!(Memory);
    refund_store::warranty_contract_tests!(Memory);
}

mod file {
    use super::InFile;
    refund_store::contract_tests!(InFile);
}

// The suite's list of cases against the cases that are written.
#[test]
fn every_case_is_in_the_suite() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/contract");
    let list = std::fs::read_to_string(format!("{directory}/mod.rs")).unwrap();
    let mut cases = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in source.lines() {
            if let Some(rest) = line.strip_prefix("pub async fn ")
                && let Some((name, _)) = rest.split_once("<F: ")
            {
                cases += 1;
                assert!(
                    list.lines().any(|line| line.trim() == name),
                    "{name} is not in contract_tests!"
                );
            }
        }
    }
    assert_eq!(cases, 77);
}
