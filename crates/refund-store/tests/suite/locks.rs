//! Locks of other connections, and two stores on one file.

use std::time::{Duration, Instant};

use refund_domain::StoreError;
use refund_domain::ports::{CustomerReader, RefundReader};
use refund_store::contract::given::{Ask, balance, id, refunds};
use refund_store::{OpenError, SqliteStore};
use tokio::task::JoinSet;

use crate::support::{Place, ask, assert_sound};

// Case R-148.
#[tokio::test]
async fn a_locked_file_is_busy_and_a_deferred_store_waits_for_its_day() {
    let (place, store) = Place::filled();
    drop(store);
    let other = place.raw();
    // Outside of WAL mode an exclusive lock keeps readers out as well.
    other
        .execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
        .unwrap();

    let began = Instant::now();
    let error = SqliteStore::open(&place.path).unwrap_err();
    assert!(matches!(error, OpenError::Busy { .. }), "{error}");
    assert!(error.is_temporary());
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );

    let store = SqliteStore::deferred(&place.path);
    for _ in 0..3 {
        let read = store.customer(id(1)).await;
        assert!(matches!(read, Err(StoreError::Unavailable(_))));
        assert!(matches!(
            ask(&store, "K").await,
            Err(StoreError::Unavailable(_))
        ));
        assert!(matches!(store.check(), Err(StoreError::Unavailable(_))));
    }
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ask(&store, "K").await.unwrap(), "processed");
    assert_eq!(balance(&store, 1).await, 9_900);
    assert_sound(&store);
}

#[tokio::test]
async fn a_new_file_that_is_locked_is_busy_too() {
    let place = Place::new();
    let other = place.raw();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error = SqliteStore::open(&place.path).unwrap_err();
    assert!(matches!(error, OpenError::Busy { .. }), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(SqliteStore::open(&place.path).is_ok());
}

#[tokio::test]
async fn a_deferred_store_that_can_never_be_opened_stays_unavailable() {
    let place = Place::new();
    let store = SqliteStore::deferred(&place.path.join("nowhere.db"));
    assert!(matches!(
        ask(&store, "K").await,
        Err(StoreError::Unavailable(_))
    ));
}

// Whoever gives up waiting has changed nothing, and reads go on all the time.
#[tokio::test]
async fn a_lock_that_is_held_too_long_fails_refunds_and_no_reads() {
    let (place, store) = Place::filled();
    let other = place.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = {
        let store = store.clone();
        tokio::spawn(async move { ask(&store, "K").await })
    };
    while !waiting.is_finished() {
        assert_eq!(balance(&store, 1).await, 10_000);
        tokio::task::yield_now().await;
    }
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ask(&store, "K").await.unwrap(), "processed");
}

// A call that is dropped while it waits for the lock never happens.
#[tokio::test]
async fn a_call_dropped_before_its_transaction_began_does_nothing() {
    let (place, store) = Place::filled();
    let other = place.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    {
        let mut waiting = std::pin::pin!(ask(&store, "dropped"));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ask(&store, "kept").await.unwrap(), "processed");
    let kept = refunds(&store, 1).await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].idempotency_key.as_ref().unwrap().as_str(), "kept");
}

// Cases: two stores in one file, as two processes have them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_stores_on_one_file_both_make_progress() {
    let (place, one) = Place::filled();
    let two = SqliteStore::open(&place.path).unwrap();
    let mut calls = JoinSet::new();
    for number in 0..2_000 {
        let store = [&one, &two][number % 2].clone();
        // Each key goes to both stores.
        let ask = Ask::new(1, "0.01").key(&format!("K-{}", number / 2));
        calls.spawn(async move { ask.of(&store).await.as_str() });
    }
    let mut words = [0, 0];
    while let Some(word) = calls.join_next().await {
        match word.unwrap() {
            "processed" => words[0] += 1,
            "replayed" => words[1] += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(words, [1_000, 1_000]);
    assert_eq!(balance(&one, 1).await, 9_000);
    assert_eq!(balance(&two, 1).await, 9_000);
    assert_sound(&one);
    let page = two.refunds_of(id(1), 1, None).await.unwrap().unwrap();
    assert_eq!(page.total, 1_000);
}
