//! Several processes on one file, and processes that die in the middle. The test binary is run again
//! as the other process; the tests named `as_…` are its roles and do nothing by themselves.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use refund_domain::StoreError;
use refund_store::contract::given::{Ask, balance, customer, refunds};
use refund_store::{SqliteStore, fault};

use crate::support::{Place, ask, assert_sound, import};

const DATABASE: &str = "REFUND_STORE_TEST_DATABASE";
const POINT: &str = "REFUND_STORE_TEST_POINT";
/// Refunds that each process asks for.
const REFUNDS: usize = 200;

fn start(role: &str, database: &Path, point: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("processes::{role}"), "--nocapture"])
        .env(DATABASE, database)
        .env(POINT, point)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn database() -> Option<PathBuf> {
    env::var_os(DATABASE).map(PathBuf::from)
}

#[tokio::test]
async fn as_one_of_two() {
    let Some(path) = database() else { return };
    let store = SqliteStore::open(&path).unwrap();
    // Whoever comes first brings the customer.
    let _taken = store.import_customers(vec![customer(1, 10_000, "USD")]);
    for number in 0..REFUNDS {
        let outcome = Ask::new(1, "0.01")
            .key(&format!("K-{number}"))
            .of(&store)
            .await;
        assert!(["processed", "replayed"].contains(&outcome.as_str()));
    }
}

// Cases: both open a new file, both ask for the same refunds.
#[tokio::test]
async fn two_processes_start_on_a_new_file_and_pay_once() {
    let place = Place::new();
    let children = [(); 2].map(|()| start("as_one_of_two", &place.path, ""));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = SqliteStore::open(&place.path).unwrap();
    assert_eq!(refunds(&store, 1).await.len(), REFUNDS);
    assert_sound(&store);
}

#[tokio::test]
async fn as_one_that_dies() {
    let Some(path) = database() else { return };
    let store = SqliteStore::open(&path).unwrap();
    fault::set_hook(|passed| {
        if env::var(POINT).is_ok_and(|point| point == passed) {
            // No destructor runs and nothing is flushed, as with a kill.
            std::process::abort();
        }
    });
    let _never = ask(&store, "K").await;
}

// A refund is there if the commit was, and not before; the key settles it either way.
#[tokio::test]
async fn a_process_that_dies_at_any_point_leaves_all_or_nothing() {
    for point in fault::ALL {
        let (place, store) = Place::filled();
        drop(store);
        let status = start("as_one_that_dies", &place.path, point)
            .wait()
            .unwrap();
        assert!(!status.success(), "{point}");
        let store = SqliteStore::open(&place.path).unwrap();
        let durable = [fault::BATCH_AFTER_COMMIT, fault::REFUND_BEFORE_ANSWER].contains(&point);
        assert_eq!(
            refunds(&store, 1).await.len(),
            usize::from(durable),
            "{point}"
        );
        assert_sound(&store);
        let word = ask(&store, "K").await.unwrap();
        assert_eq!(
            word,
            if durable { "replayed" } else { "processed" },
            "{point}"
        );
        assert_eq!(balance(&store, 1).await, 9_900);
        assert_sound(&store);
    }
}

#[tokio::test]
async fn as_one_that_panics() {
    let Some(path) = database() else { return };
    let store = SqliteStore::open(&path).unwrap();
    import(&store, vec![customer(1, 10_000, "USD")]);
    fault::set_hook(|passed| {
        use std::sync::atomic::{AtomicBool, Ordering};
        static DONE: AtomicBool = AtomicBool::new(false);
        let here = env::var(POINT).is_ok_and(|point| point == passed);
        if here && !DONE.swap(true, Ordering::Relaxed) {
            panic!("at {passed}");
        }
    });
    let lost = ask(&store, "K").await;
    assert!(matches!(lost, Err(StoreError::OutcomeUnknown(_))));
    let again = ask(&store, "K").await.unwrap();
    assert!(["processed", "replayed"].contains(&again));
    assert_eq!(balance(&store, 1).await, 9_900);
    assert_eq!(ask(&store, "L").await.unwrap(), "processed");
    assert_sound(&store);
}

// A defect costs the batch that met it; the writer goes on.
#[test]
fn a_panic_in_the_writer_is_not_the_end_of_it() {
    for point in fault::ALL {
        let place = Place::new();
        let status = start("as_one_that_panics", &place.path, point)
            .wait()
            .unwrap();
        assert!(status.success(), "{point}");
    }
}
