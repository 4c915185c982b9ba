//! Bringing a file to the newest schema, once, however many processes start at the same time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::connection;
use super::open::write_ahead;
use super::open_error::OpenError;

/// "RFND" in the file's header; `V1__refunds.sql` writes it.
const APPLICATION_ID: i32 = 1_380_339_268;
/// The pause between two looks at the lock file.
const PAUSE: Duration = Duration::from_millis(2);

mod embedded {
    #![allow(missing_docs, unreachable_pub, reason = "the macro writes this module")]
    refinery::embed_migrations!("migrations/sqlite");
}

/// Refuses a database that another program made, before anything in it is changed.
pub(crate) fn refuse_strangers(conn: &Connection, path: &Path) -> Result<(), OpenError> {
    let driver = |error| OpenError::from_driver(path, error);
    let application_id = application_id(conn, path)?;
    if application_id == APPLICATION_ID {
        return Ok(());
    }
    // The history table alone is a database of ours that another process is making right now.
    let strange: bool = conn
        .query_row(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema
             WHERE tbl_name NOT IN ('refinery_schema_history'))",
            [],
            |row| row.get(0),
        )
        .map_err(driver)?;
    if strange || application_id != 0 {
        return Err(OpenError::NotADatabase {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn application_id(conn: &Connection, path: &Path) -> Result<i32, OpenError> {
    conn.query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(|error| OpenError::from_driver(path, error))
}

/// Applies the migrations that are missing; waits so long for another process that does.
pub(crate) fn migrate(conn: &mut Connection, path: &Path, wait: Duration) -> Result<(), OpenError> {
    let runner = embedded::migrations::runner().set_grouped(true);
    let known = newest();
    if is_current(conn, path, known)? {
        return Ok(());
    }
    let _lock = LockFile::acquire(path, wait)?;
    // Whoever held the lock before may have done it.
    if is_current(conn, path, known)? {
        return Ok(());
    }
    // Under the lock as well: two that switch a new file at once keep refusing each other.
    write_ahead(conn, path)?;
    match runner.run(conn) {
        Ok(_report) => Ok(()),
        Err(error) => Err(from_refinery(path, error)),
    }
}

/// A database in memory with the newest schema and nothing in it.
pub(crate) fn scratch() -> Result<Connection, OpenError> {
    let path = Path::new(":memory:");
    let patience = connection::Patience::new(Duration::ZERO);
    let mut conn = connection::writer(path, connection::Durability::None, &patience)
        .map_err(|error| OpenError::from_driver(path, error))?;
    let runner = embedded::migrations::runner().set_grouped(true);
    runner
        .run(&mut conn)
        .map_err(|error| from_refinery(path, error))?;
    Ok(conn)
}

/// Refuses a file of another version than the newest, for those who may not migrate it.
pub(crate) fn require_newest(conn: &Connection, path: &Path) -> Result<(), OpenError> {
    let known = newest();
    if is_current(conn, path, known)? {
        return Ok(());
    }
    let cause = format!(
        "its schema is older than version {known}; somebody who may write it has to run refund-mcp migrate first"
    );
    Err(OpenError::other(path, cause))
}

/// The newest version that this program knows.
fn newest() -> u32 {
    embedded::migrations::runner()
        .get_migrations()
        .iter()
        .filter_map(|migration| u32::try_from(migration.version()).ok())
        .max()
        .unwrap_or(0)
}

/// What bringing a file to the newest schema did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migrated {
    /// The schema version before; `None` for a new file.
    pub from: Option<u32>,
    /// The schema version now.
    pub to: Option<u32>,
}

/// The schema version of the file at `path`; `None` where there is none yet. Changes nothing.
pub(crate) fn version_of(path: &Path) -> Option<u32> {
    // What is wrong with the file is for those to say who open it next.
    connection::reader(path)
        .and_then(|conn| version(&conn))
        .unwrap_or(None)
}

fn is_current(conn: &Connection, path: &Path, known: u32) -> Result<bool, OpenError> {
    let found = version(conn).map_err(|error| OpenError::from_driver(path, error))?;
    match found {
        Some(found) if found > known => Err(OpenError::Newer {
            path: path.to_owned(),
            found,
            known,
        }),
        // The mark and the history are written in one transaction.
        None if application_id(conn, path)? == APPLICATION_ID => Err(OpenError::Damaged {
            path: path.to_owned(),
            source: "its schema history is lost".into(),
        }),
        found => Ok(found == Some(known)),
    }
}

/// The newest migration in the file's history.
fn version(conn: &Connection) -> rusqlite::Result<Option<u32>> {
    let history = conn
        .query_row(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'refinery_schema_history'",
            [],
            |_| Ok(()),
        )
        .optional()?;
    if history.is_none() {
        return Ok(None);
    }
    conn.query_row(
        "SELECT max(version) FROM refinery_schema_history",
        [],
        |row| row.get(0),
    )
}

/// A statement that fails is shown by its error alone: refinery's shows the whole migration.
fn from_refinery(path: &Path, error: refinery::Error) -> OpenError {
    use refinery::error::Kind;
    if let Kind::Connection(_, cause) = error.kind() {
        let (code, text) = match cause.downcast_ref() {
            Some(rusqlite::Error::SqliteFailure(code, text)) => (*code, text.clone()),
            Some(rusqlite::Error::SqlInputError { error, msg, .. }) => (*error, Some(msg.clone())),
            _ => return OpenError::other(path, error),
        };
        let error = rusqlite::Error::SqliteFailure(code, text);
        // The migrations are fixed and tested: where one does not fit (a table that is there already,
        // or is not), the schema or its history is not what this program wrote.
        if code.code == ErrorCode::Unknown {
            return OpenError::Damaged {
                path: path.to_owned(),
                source: Box::new(error),
            };
        }
        return OpenError::from_driver(path, error);
    }
    OpenError::other(path, error)
}

/// The lock under which one process migrates: a file beside the database, removed afterwards.
struct LockFile {
    path: PathBuf,
    _file: File,
}

impl LockFile {
    fn acquire(database: &Path, wait: Duration) -> Result<Self, OpenError> {
        let mut name = database.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let began = Instant::now();
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|error| OpenError::from_io(database, error))?;
            match file.try_lock() {
                Ok(()) if is_the_file_at(&file, &path) => {
                    return Ok(Self { path, _file: file });
                }
                // The owner before us removed it while we waited.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if began.elapsed() < wait => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(OpenError::Busy {
                        path: database.to_owned(),
                    });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(OpenError::from_io(database, error));
                }
            }
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Safe while the lock is held where a waiting process notices that its file is gone. Where it
        // could not notice, the empty file stays.
        if cfg!(unix) {
            let _stays_if_not = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_the_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => ours.ino() == there.ino() && ours.dev() == there.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_the_file_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use refinery::Target;
    use refund_domain::EmailAddress;
    use refund_domain::warranty::{
        CustomerSearch, PhoneProbe, ProductField, ProductSearch, TextProbe,
    };

    use super::super::SqliteStore;
    use super::*;

    // Customers and products that were there before there were keys are found by them.
    #[tokio::test]
    async fn a_migration_makes_the_keys_of_what_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refunds.db");
        let mut conn = Connection::open(&path).unwrap();
        embedded::migrations::runner()
            .set_grouped(true)
            .set_target(Target::Version(2))
            .run(&mut conn)
            .unwrap();
        for (number, name, email, key) in [
            (
                1,
                "Lucía O'Brien-Beltrán",
                "lucia@bücher.example",
                "lucia@bücher.example",
            ),
            (
                2,
                "山田 太郎",
                "Taro@xn--wgv71a.example",
                "taro@xn--wgv71a.example",
            ),
            // An accent in a character of its own.
            (
                3,
                "--",
                "rene\u{301}@example.com",
                "rene\u{301}@example.com",
            ),
            // The address of the first in its other spelling: it keeps the key that it has.
            (
                4,
                "A Twin",
                "lucia@xn--bcher-kva.example",
                "lucia@xn--bcher-kva.example",
            ),
        ] {
            conn.execute(
                "INSERT INTO customers (number, customer_id, name, email, email_key, status, currency,
                     balance_minor, opening_minor, refund_count, created_at_ms, phone_number)
                 VALUES (?1, printf('CUST-%05d', ?1), ?2, ?3, ?4, 'active', 'USD', 5, 5, 0, 0,
                     '+1 202 555 010' || ?1)",
                rusqlite::params![number, name, email, key],
            )
            .unwrap();
        }
        conn.execute_batch(
            "INSERT INTO products (sku, name, model)
             VALUES ('AX-200-HS', 'Handheld Terminal', 'AX-200'), ('CR-10', 'Charging Cradle', NULL)",
        )
        .unwrap();
        drop(conn);

        let migrated = SqliteStore::migrate(&path).unwrap();
        assert_eq!((migrated.from, migrated.to), (Some(2), Some(newest())));
        let store = SqliteStore::open(&path).unwrap();
        let reader = store.reader();
        for (asked, numbers) in [
            ("obrian", &[][..]),
            ("o'brian", &[1]),
            ("BELTRAN", &[1]),
            ("山田", &[2]),
            ("twin", &[4]),
        ] {
            let probe = TextProbe::of(asked).unwrap();
            let found = reader.customers_named(&probe, 10).await.unwrap();
            let found: Vec<_> = found.iter().map(|customer| customer.id.number()).collect();
            assert_eq!(found, numbers, "{asked}");
        }
        let probe = PhoneProbe::of("202 555 0102").unwrap();
        let found = reader.customers_with_phone(&probe, 10).await.unwrap();
        assert_eq!(found.len(), 1);
        for (asked, number) in [
            ("TARO@日本.example", 2),
            ("ren\u{e9}@example.com", 3),
            ("lucia@xn--bcher-kva.example", 1),
        ] {
            let email = EmailAddress::new(asked).unwrap();
            let found = reader.customer_with_email(&email).await.unwrap();
            assert_eq!(found.map(|customer| customer.id.number()), Some(number));
        }
        for (field, asked, sku) in [
            (ProductField::Sku, "ax200", "AX-200-HS"),
            (ProductField::Model, "AX-200", "AX-200-HS"),
            (ProductField::Model, "cradel", "CR-10"),
            (ProductField::Name, "handheld", "AX-200-HS"),
        ] {
            let probe = TextProbe::of(asked).unwrap();
            let found = reader.products_like(field, &probe, 10).await.unwrap();
            let found: Vec<_> = found.iter().map(|product| product.sku.as_str()).collect();
            assert_eq!(found, [sku], "{asked}");
        }
        // Nothing is wrong but the two with one address.
        let report = store.check().unwrap();
        assert_eq!(report.findings.len(), 1, "{:#?}", report.findings);
        let twin = "CUST-00004 of table customers";
        assert!(report.findings[0].contains(twin), "{:#?}", report.findings);
    }
}
