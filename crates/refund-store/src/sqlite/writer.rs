//! The one thread that writes, and its queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use metrics::histogram;
use refund_domain::StoreError;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::batch::{self, Command, Job, Waiting};
use super::connection::{Durability, Patience};
use crate::BATCH_COMMANDS;

/// Commands that wait in the queue; callers beyond that wait for a place in it.
const QUEUE: usize = 1024;
/// Commands that one commit takes at most.
const BATCH: usize = 256;
/// The gap that lets another process in: longer than the pause of its busy handler.
const GAP: Duration = Duration::from_micros(300);
/// Batches between two gaps while no other process is seen and the queue is never empty. A queue that
/// runs empty leaves a gap by itself.
const GAP_EVERY: u32 = 16;
/// Batches with a gap after each, since another process was last seen.
const SHARED_FOR: u32 = 64;

/// The writer thread is not there any more, which only a defect explains.
#[derive(Debug, thiserror::Error)]
#[error("the writer of the store has stopped")]
struct Stopped;

/// The writer's queue. Dropping it ends the thread and closes its connection.
pub(crate) struct Writer {
    // `None` only while dropping.
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    patience: Patience,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    /// Starts the thread on a connection made by [`super::connection::writer`] with this patience.
    pub(crate) fn start(
        conn: Connection,
        path: &Path,
        durability: Durability,
        patience: Patience,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let file = OpenFile::at(path)?;
        let turns = Turns::new(durability, patience.clone());
        let thread = thread::Builder::new()
            .name("refund-store".to_owned())
            .spawn(move || serve(conn, jobs, turns, &file))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            patience,
        })
    }

    /// Hands a command over and waits for what it came to.
    pub(crate) async fn submit<C: Command>(&self, command: C) -> Result<C::Outcome, StoreError> {
        let unavailable = || StoreError::Unavailable(Box::new(Stopped));
        let queue = self.queue.as_ref().ok_or_else(unavailable)?;
        let (job, outcome) = Waiting::new(command);
        queue.send(job).await.map_err(|_| unavailable())?;
        // Without an answer nobody knows how far the writer came.
        outcome
            .await
            .map_err(|_| StoreError::OutcomeUnknown(Box::new(Stopped)))?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Nobody waits for an answer any more, so no wait for a lock is worth finishing.
        self.patience.give_up();
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was logged when it happened.
            let _ended = thread.join();
        }
    }
}

fn serve(
    conn: Connection,
    mut jobs: mpsc::Receiver<Box<dyn Job>>,
    mut turns: Turns,
    file: &OpenFile,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.blocking_recv_many(&mut batch, BATCH) > 0 {
        let due = std::mem::take(&mut batch);
        if let Err(error) = file.is_still_there() {
            tracing::error!(%error, "nothing is written any more; start the server again");
            for job in due {
                job.answer(Some(StoreError::Unavailable(error.to_string().into())));
            }
            continue;
        }
        histogram!(BATCH_COMMANDS).record(u32::try_from(due.len()).unwrap_or(u32::MAX));
        // A panic costs the batch it happened in, not the server.
        let run = catch_unwind(AssertUnwindSafe(|| batch::run(&conn, due)));
        if run.is_err() {
            tracing::error!("the writer of the store panicked; it goes on with the next batch");
            if !conn.is_autocommit()
                && let Err(error) = conn.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "the transaction could not be rolled back");
            }
        }
        turns.pass(&conn, jobs.is_empty());
    }
    if let Err((_conn, error)) = conn.close() {
        tracing::warn!(%error, "the database was not closed cleanly");
    }
}

/// The file that was opened, as the file system knows it. A database that is moved away, replaced or
/// deleted under a running server would take refunds that nobody ever finds again.
struct OpenFile {
    path: PathBuf,
    identity: Identity,
}

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

/// The path does not lead to the file that was opened.
#[derive(Debug, thiserror::Error)]
#[error("the database file was moved, replaced or deleted while it was open")]
struct Moved;

impl OpenFile {
    fn at(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            identity: identity(&path.metadata()?),
        })
    }

    fn is_still_there(&self) -> Result<(), Moved> {
        match self.path.metadata() {
            Ok(found) if identity(&found) == self.identity => Ok(()),
            _ => Err(Moved),
        }
    }
}

#[cfg(unix)]
fn identity(file: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;

    (file.dev(), file.ino())
}

// Elsewhere the system does not let an open database be moved.
#[cfg(not(unix))]
fn identity(_file: &std::fs::Metadata) -> Identity {}

/// Lets other processes have the write lock now and then. A writer that begins the next transaction
/// right after a commit leaves others no gap to get in.
struct Turns {
    durability: Durability,
    patience: Patience,
    waits: u64,
    version: Option<i64>,
    shared: u32,
    batches: u32,
}

impl Turns {
    fn new(durability: Durability, patience: Patience) -> Self {
        Self {
            durability,
            waits: patience.waits(),
            patience,
            version: None,
            shared: 0,
            batches: 0,
        }
    }

    fn pass(&mut self, conn: &Connection, idle: bool) {
        // The private file of a memory store has no other process.
        if self.durability == Durability::None {
            return;
        }
        let waits = self.patience.waits();
        // The number changes when another connection has committed.
        let version = conn
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .ok()
            .or(self.version);
        let committed = self.version.is_some() && version != self.version;
        if committed || waits != self.waits {
            self.shared = SHARED_FOR;
        }
        (self.waits, self.version) = (waits, version);
        self.batches = if idle { 0 } else { self.batches + 1 };
        if self.shared > 0 || self.batches >= GAP_EVERY {
            self.batches = 0;
            self.shared = self.shared.saturating_sub(1);
            thread::sleep(GAP);
        }
    }
}
