//! The memory store's private directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use refund_store::SqliteStore;
use refund_store::contract::given::customer;

use crate::support::{ask, import};

#[tokio::test]
async fn private_while_it_lives_and_gone_afterwards() {
    let store = SqliteStore::memory().unwrap();
    import(&store, vec![customer(1, 10_000, "USD")]);
    let other = SqliteStore::memory().unwrap();
    assert_ne!(store.path(), other.path(), "each has its own");
    let directory = store.path().parent().unwrap().to_owned();
    let mode = fs::metadata(&directory).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let clone = store.clone();
    drop(store);
    assert_eq!(ask(&clone, "K").await.unwrap(), "processed");
    drop(clone);
    assert!(!directory.exists());
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let left = tempfile::Builder::new()
        .prefix("refund-store-memory-")
        .tempdir()
        .unwrap();
    fs::write(left.path().join("owner.lock"), "").unwrap();
    fs::write(left.path().join("refunds.db"), "old").unwrap();
    let living = SqliteStore::memory().unwrap();
    assert!(!left.path().exists());
    let _another = SqliteStore::memory().unwrap();
    assert!(living.path().exists(), "a living owner keeps its directory");
}
