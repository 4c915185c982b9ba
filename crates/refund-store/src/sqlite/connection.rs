//! How connections to the file are opened, and how long each waits for a lock.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::functions;

/// How long a refund waits for the write lock before it answers that the store is unavailable.
pub(crate) const WRITER_WAIT: Duration = Duration::from_secs(5);
/// How long a read waits. Reads hardly ever wait in WAL mode, and they run on the caller's thread.
const READER_WAIT: Duration = Duration::from_millis(50);
/// The pause between two tries. SQLite's own handler backs off to 100 ms, which starves one process
/// for as long as another is busy; at this pace both get their turns.
const PAUSE: Duration = Duration::from_micros(200);
/// Statements kept prepared: more than there are.
const STATEMENTS: usize = 128;

/// Whether commits survive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// `synchronous=FULL`: every commit is on the disk before it is answered.
    Full,
    /// `synchronous=OFF`: for a store that is gone at exit anyway.
    None,
}

/// How a connection waits for locks. Clones share the two flags.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    bound: Duration,
    waits: Arc<AtomicU64>,
    given_up: Arc<AtomicBool>,
}

impl Patience {
    pub(crate) fn new(bound: Duration) -> Self {
        Self {
            bound,
            waits: Arc::default(),
            given_up: Arc::default(),
        }
    }

    /// How often a lock was not free at the first try.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Ends the present wait and all later ones at once.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Makes a connection wait like this.
    pub(crate) fn apply(&self, conn: &mut Connection) -> rusqlite::Result<()> {
        let patience = self.clone();
        let mut began = Instant::now();
        conn.busy_handler(Some(move |tries| {
            if tries == 0 {
                began = Instant::now();
                patience.waits.fetch_add(1, Ordering::Relaxed);
            }
            if began.elapsed() >= patience.bound || patience.given_up.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(PAUSE);
            true
        }))
    }
}

/// A connection that writes. The file is created if it is not there; its journal mode is left alone.
pub(crate) fn writer(
    path: &Path,
    durability: Durability,
    patience: &Patience,
) -> rusqlite::Result<Connection> {
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    patience.apply(&mut conn)?;
    conn.execute_batch(match durability {
        Durability::Full => "PRAGMA synchronous = FULL;",
        Durability::None => "PRAGMA synchronous = OFF;",
    })?;
    // A checkpoint every 16 MiB of log instead of every 4 writes a page that many refunds changed once,
    // and flushes less often. A long read can make the log grow; it shrinks to 64 MiB again at the next
    // checkpoint.
    conn.execute_batch(
        "PRAGMA wal_autocheckpoint = 4096;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    common(&conn)?;
    functions::register(&conn)?;
    Ok(conn)
}

/// A connection that cannot write.
pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    Patience::new(READER_WAIT).apply(&mut conn)?;
    // Room for the pages that a search over a million units reads again; taken only as they are read.
    conn.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -8192;")?;
    common(&conn)?;
    Ok(conn)
}

/// A connection that reads a file which nobody writes meanwhile. It touches nothing beside the file.
pub(crate) fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(
        format!("file:{}?immutable=1", in_uri(path)),
        OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    common(&conn)?;
    Ok(conn)
}

/// A path with everything encoded that could mean something else in a URI.
fn in_uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let encoded = bytes.iter().map(|byte| match byte {
        b'/' | b'.' | b'-' | b'_' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    encoded.collect()
}

fn common(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // In memory, because a full temporary directory must not stop a refund; cell sizes are checked
    // so that a damaged page is noticed when it is read.
    conn.execute_batch(
        "PRAGMA temp_store = MEMORY;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;",
    )
}
