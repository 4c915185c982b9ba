//! Damaged files, and disks without room.

use std::fs;
use std::path::Path;

use refund_domain::StoreError;
use refund_domain::ports::{CustomerReader, OrderReader, RefundWriter};
use refund_domain::{EmailAddress, OrderChoice};
use refund_store::contract::given::{Ask, balance, customer, id};
use refund_store::contract::given_orders::{self, OPEN, order};
use refund_store::{OpenError, SqliteStore};

use crate::support::{Place, ask, assert_sound, import};

const PAGE: usize = 4096;

/// What is read from a file, by each way in: empty when opening refused it as damaged.
async fn read(path: &Path) -> Vec<Result<Option<String>, StoreError>> {
    match SqliteStore::open(path) {
        Ok(store) => {
            let address = EmailAddress::new("customer.1@example.com").unwrap();
            let customer = store.customer(id(1)).await;
            let by_address = store.orders_of(&address, OrderChoice::Newest, 1).await;
            let by_order = store.order(&given_orders::id("A-1")).await;
            vec![
                customer.map(|found| found.map(|customer| customer.id.to_string())),
                by_address.map(|found| found.map(|orders| orders.customer.id.to_string())),
                by_order.map(|found| found.map(|details| details.customer.id.to_string())),
            ]
        }
        Err(OpenError::Damaged { .. } | OpenError::NotADatabase { .. }) => Vec::new(),
        Err(error) => panic!("{error:?}"),
    }
}

// Case R-169.
#[tokio::test]
async fn a_damaged_page_never_looks_like_an_unknown_customer_or_order() {
    let (place, store) = Place::filled();
    import(
        &store,
        (2..300).map(|number| customer(number, 1, "USD")).collect(),
    );
    let orders = (1..300).map(|number| order(&format!("A-{number}"), number, OPEN));
    store.import_orders(&orders.collect::<Vec<_>>()).unwrap();
    drop(store);
    let whole = fs::read(&place.path).unwrap();
    let mut damaged = 0;
    for page in 0..whole.len() / PAGE {
        // A page of rubbish, a page of nothing, a page that says it is empty, and single bytes.
        let mut variants: Vec<Vec<u8>> = Vec::new();
        let start = page * PAGE;
        for byte in [0xff, 0x00] {
            let mut file = whole.clone();
            file[start..start + PAGE].fill(byte);
            variants.push(file);
        }
        let header = if page == 0 { 100 } else { 0 };
        for offset in [0, 3, 4, 5, 6, 8, 9, 12, 13].map(|offset| offset + header) {
            for flip in [0x01, 0x80] {
                let mut file = whole.clone();
                file[start + offset] ^= flip;
                variants.push(file);
            }
        }
        for file in variants {
            fs::write(&place.path, &file).unwrap();
            let results = read(&place.path).await;
            damaged += i32::from(results.is_empty());
            for result in results {
                match result {
                    Err(StoreError::Damaged(_)) => damaged += 1,
                    Ok(found) => assert_eq!(found.as_deref(), Some("CUST-00001"), "page {page}"),
                    Err(error) => panic!("page {page}: {error:?}"),
                }
            }
        }
    }
    assert!(damaged > 20, "{damaged}");
}

#[tokio::test]
async fn a_row_that_cannot_be_true_is_damage() {
    let (place, store) = Place::filled();
    place
        .raw()
        .execute_batch(
            "PRAGMA ignore_check_constraints = ON;
             UPDATE customers SET status = 'lost' WHERE number = 1",
        )
        .unwrap();
    let read = store.customer(id(1)).await;
    assert!(matches!(read, Err(StoreError::Damaged(_))), "{read:?}");
    let asked = ask(&store, "K").await;
    assert!(matches!(asked, Err(StoreError::Damaged(_))), "{asked:?}");
}

// The key's table lost a row: the refund's own index still keeps it from being paid twice.
#[tokio::test]
async fn a_key_that_was_lost_does_not_pay_twice() {
    let (place, store) = Place::filled();
    assert_eq!(ask(&store, "K").await.unwrap(), "processed");
    place
        .raw()
        .execute_batch("DELETE FROM idempotency_keys")
        .unwrap();
    let again = ask(&store, "K").await;
    assert!(matches!(again, Err(StoreError::Damaged(_))), "{again:?}");
    assert_eq!(balance(&store, 1).await, 9_900);
}

// One bad command in a batch fails alone.
#[tokio::test]
async fn a_failing_command_leaves_the_others_of_its_batch_alone() {
    let (place, store) = Place::filled();
    let taken = Ask::new(1, "1").command();
    let _first = store.issue_refund(taken.clone()).await.unwrap();
    // Holding the lock makes the three wait, so that they meet in one batch.
    let other = place.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let calls = async {
        tokio::join!(
            ask(&store, "before"),
            store.issue_refund(taken.clone()),
            ask(&store, "after"),
        )
    };
    let mut calls = std::pin::pin!(calls);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(calls.as_mut().poll(&mut context).is_pending());
    other.execute_batch("ROLLBACK").unwrap();
    let (before, failed, after) = calls.await;
    assert_eq!(before.unwrap(), "processed");
    assert!(matches!(failed, Err(StoreError::Damaged(_))), "{failed:?}");
    assert_eq!(after.unwrap(), "processed");
    assert_eq!(balance(&store, 1).await, 9_700);
    assert_sound(&store);
}
