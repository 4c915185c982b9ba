//! Opening: what can be wrong, and starting at the same time as others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Barrier;

use refund_domain::ports::CustomerReader;
use refund_store::contract::given::{balance, id};
use refund_store::{OpenError, SqliteStore};
use rusqlite::Connection;

use crate::support::{Place, ask, assert_sound};

/// Every text names the file.
fn error(place: &Place) -> OpenError {
    let error = SqliteStore::open(&place.path).unwrap_err();
    let path = place.path.display().to_string();
    assert!(error.to_string().contains(&path), "{error}");
    error
}

#[test]
fn a_directory_that_is_not_there() {
    let mut place = Place::new();
    place.path = place.path.join("deeper").join("refunds.db");
    assert!(matches!(error(&place), OpenError::MissingDirectory { .. }));
}

#[test]
fn a_file_that_is_something_else() {
    let place = Place::new();
    let text = "no database, but long enough to have the header of one. ".repeat(40);
    fs::write(&place.path, &text).unwrap();
    assert!(matches!(error(&place), OpenError::NotADatabase { .. }));
    assert_eq!(fs::read_to_string(&place.path).unwrap(), text);

    let place = Place::new();
    fs::create_dir(&place.path).unwrap();
    assert!(matches!(error(&place), OpenError::NotADatabase { .. }));
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let place = Place::new();
    place
        .raw()
        .execute_batch("CREATE TABLE notes (text)")
        .unwrap();
    let before = fs::read(&place.path).unwrap();
    assert!(matches!(error(&place), OpenError::NotADatabase { .. }));
    assert_eq!(fs::read(&place.path).unwrap(), before);
    let place = Place::new();
    place
        .raw()
        .execute_batch("PRAGMA application_id = 7")
        .unwrap();
    assert!(matches!(error(&place), OpenError::NotADatabase { .. }));
}

#[test]
fn what_cannot_be_written_is_said_before_it_is_needed() {
    let (place, store) = Place::filled();
    drop(store);
    let set = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&place.path, 0o444);
    assert!(matches!(error(&place), OpenError::ReadOnly { .. }));
    set(&place.path, 0o644);
    let directory = place.path.parent().unwrap();
    set(directory, 0o555);
    assert!(matches!(error(&place), OpenError::ReadOnly { .. }));
    set(directory, 0o755);
    assert!(SqliteStore::open(&place.path).is_ok());
}

#[test]
fn a_newer_schema_is_refused() {
    let (place, store) = Place::filled();
    drop(store);
    place
        .raw()
        .execute_batch(
            "INSERT INTO refinery_schema_history VALUES (99, 'later', '2026-01-01T00:00:00Z', '1')",
        )
        .unwrap();
    let error = error(&place);
    assert!(
        matches!(
            error,
            OpenError::Newer {
                found: 99,
                known: 2..,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn nothing_is_left_beside_the_database() {
    let (place, store) = Place::filled();
    drop(store);
    let names: Vec<_> = fs::read_dir(place.path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["refunds.db"]);
}

// Case R-172.
#[test]
fn the_settings_that_keep_money_safe() {
    assert!(rusqlite::version_number() >= 3_051_003);
    let (place, _store) = Place::filled();
    let mode: String = place
        .raw()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
}

// A machine with little to give may need more than the short wait; nobody may get another error, and
// nobody may wait for ever.
#[test]
fn sixteen_open_a_new_file_at_once() {
    let place = Place::new();
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                start.wait();
                loop {
                    match SqliteStore::open(&place.path) {
                        Err(error) if error.is_temporary() => {}
                        opened => break opened.unwrap(),
                    }
                }
            });
        }
    });
    assert_sound(&SqliteStore::open(&place.path).unwrap());
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let place = Place::new();
    fs::write(&place.path, "").unwrap();
    let store = SqliteStore::open(&place.path).unwrap();
    assert_eq!(store.customer(id(1)).await.unwrap(), None);
}

#[tokio::test]
async fn a_name_that_looks_like_a_uri_is_a_name() {
    let mut place = Place::new();
    place.path = place.path.with_file_name("file:a b?mode=ro#%41.db");
    let store = SqliteStore::open(&place.path).unwrap();
    drop(store);
    assert!(place.path.exists());
}

#[tokio::test]
async fn a_store_survives_the_last_handle() {
    let (place, store) = Place::filled();
    assert_eq!(ask(&store, "K").await.unwrap(), "processed");
    drop(store);
    assert!(!place.path.with_file_name("refunds.db-wal").exists());
    let raw = Connection::open(&place.path).unwrap();
    let count: i64 = raw
        .query_row("SELECT count(*) FROM refunds", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 1);
    let store = SqliteStore::open(&place.path).unwrap();
    assert_eq!(balance(&store, 1).await, 9_900);
}
