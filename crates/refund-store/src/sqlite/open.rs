//! Opening a database: what is checked before it is used, in this order.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connection::{self, Durability, Patience, WRITER_WAIT};
use super::migrate;
use super::open_error::OpenError;

/// 3.51.3: the first without the reset of the write-ahead log that damages databases.
const LEAST_SQLITE: i32 = 3_051_003;
/// The pause between two tries to open.
const PAUSE: Duration = Duration::from_millis(1);

/// A connection ready to write refunds, and its patience.
pub(crate) fn open(
    path: &Path,
    durability: Durability,
    wait: Duration,
) -> Result<(Connection, Patience), OpenError> {
    if rusqlite::version_number() < LEAST_SQLITE {
        return Err(OpenError::SqliteTooOld {
            path: path.to_owned(),
            found: rusqlite::version(),
        });
    }
    look_at_the_files(path)?;
    // Some locks are refused without asking the busy handler, where waiting could be a deadlock:
    // when two processes switch a new file to WAL, for one. Then all locks are let go first.
    let began = Instant::now();
    loop {
        let left = wait.saturating_sub(began.elapsed());
        // A migration takes longer than a transaction, and happens once in the life of a file.
        match attempt(path, durability, left, wait * 2) {
            Err(error) if error.is_temporary() && began.elapsed() < wait => {
                std::thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
}

fn attempt(
    path: &Path,
    durability: Durability,
    wait: Duration,
    migration_wait: Duration,
) -> Result<(Connection, Patience), OpenError> {
    let driver = |error| OpenError::from_driver(path, error);
    let mut conn = connection::writer(path, durability, &Patience::new(wait)).map_err(driver)?;
    // SQLite falls back to reading where it may not write.
    if conn.is_readonly("main").map_err(driver)? {
        return Err(OpenError::ReadOnly {
            path: path.to_owned(),
        });
    }
    migrate::refuse_strangers(&conn, path)?;
    migrate::migrate(&mut conn, path, migration_wait)?;
    // For a file that somebody switched back; the migration has done it for a new one.
    write_ahead(&conn, path)?;
    let patience = Patience::new(WRITER_WAIT);
    patience.apply(&mut conn).map_err(driver)?;
    Ok((conn, patience))
}

/// Switches the file to a write-ahead log, which lets reads go on beside a refund.
pub(crate) fn write_ahead(conn: &Connection, path: &Path) -> Result<(), OpenError> {
    let mode: String = conn
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| OpenError::from_driver(path, error))?;
    if mode == "wal" {
        return Ok(());
    }
    let cause = format!("its file system takes no write-ahead log (journal mode {mode})");
    Err(OpenError::other(path, cause))
}

/// Refuses a path at which there is no database yet.
pub(crate) fn require_there(path: &Path) -> Result<(), OpenError> {
    look_at_the_files(path)?;
    if path.metadata().is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let path = path.to_owned();
    Err(OpenError::Missing { path })
}

/// What the file system tells before SQLite is asked. Permission bits are looked at as well as
/// tried, because they don't hold the superuser back.
fn look_at_the_files(path: &Path) -> Result<(), OpenError> {
    let path_buf = path.to_owned();
    let directory = path.parent().unwrap_or(path);
    let Ok(directory) = directory.metadata() else {
        return Err(OpenError::MissingDirectory { path: path_buf });
    };
    if !directory.is_dir() {
        return Err(OpenError::MissingDirectory { path: path_buf });
    }
    if directory.permissions().readonly() {
        return Err(OpenError::ReadOnly { path: path_buf });
    }
    match path.metadata() {
        Ok(file) if !file.is_file() => Err(OpenError::NotADatabase { path: path_buf }),
        Ok(file) if file.permissions().readonly() => Err(OpenError::ReadOnly { path: path_buf }),
        Ok(file) if file.len() == 0 && log_is_there(path) => Err(OpenError::Damaged {
            path: path_buf,
            source: "the file is empty, but its write-ahead log is not".into(),
        }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(OpenError::from_io(path, error)),
    }
}

/// SQLite would take an empty file for a new database and throw the log beside it away, with all
/// that could still be saved from it.
pub(crate) fn log_is_there(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::super::SqliteStore;
    use super::*;

    // What SQLite calls 2 is FULL: a commit is on the disk before anybody is told. No other test can
    // see the difference, short of cutting the power.
    #[test]
    fn a_file_keeps_its_commits_and_a_memory_store_does_not_wait_for_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refunds.db");
        let synchronous = |durability| -> i64 {
            let (conn, _) = open(&path, durability, Duration::ZERO).unwrap();
            conn.query_row("PRAGMA synchronous", [], |row| row.get(0))
                .unwrap()
        };
        assert_eq!(synchronous(Durability::Full), 2);
        assert_eq!(synchronous(Durability::None), 0);
        let durability = |store: SqliteStore| store.shared.durability;
        assert_eq!(
            durability(SqliteStore::open(&path).unwrap()),
            Durability::Full
        );
        assert_eq!(durability(SqliteStore::deferred(&path)), Durability::Full);
        assert_eq!(durability(SqliteStore::memory().unwrap()), Durability::None);
    }
}
