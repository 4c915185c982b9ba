//! The thread that a store's connections live on, so that a store works under any runtime or none.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use deadpool_postgres::Object;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use metrics::histogram;
use refund_domain::StoreError;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::batch::{Batches, Command, Job, PATIENCE, Waiting};
use super::connect_error::ConnectError;
use super::error::{Remedy, SqlError};
use super::pauses::Pauses;
use super::session::{Purpose, Sessions};
use super::url::Url;
use crate::BATCH_COMMANDS;

/// Commands that wait in the queue; callers beyond that wait for a place in it.
const QUEUE: usize = 1024;
/// Commands that one commit takes at most.
const BATCH: usize = 256;
/// How long an operation may take, its waits included.
const OPERATION: Duration = Duration::from_secs(12);
/// On how many connections an operation that changes nothing, or nothing twice, is tried.
const CONNECTIONS: u32 = 4;

/// The thread is not there any more, which only a defect explains.
#[derive(Debug, thiserror::Error)]
#[error("the database thread of the store has stopped")]
struct Stopped;

/// What runs on the thread.
pub(crate) type Work<'c, T> = BoxFuture<'c, Result<T, SqlError>>;

/// The thread and its queue. Dropping it ends both, after the batch that has begun.
pub(crate) struct Engine {
    url: Arc<Url>,
    sessions: Arc<Sessions>,
    runtime: Handle,
    // `None` only while dropping.
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts the thread. Nothing is connected yet.
    pub(crate) fn start(url: &Url) -> Result<Self, ConnectError> {
        let failed = |cause: std::io::Error| ConnectError::Unsuitable {
            shown: url.shown.clone(),
            what: format!("cannot be used, because no thread can be started: {cause}"),
        };
        let sessions = Arc::new(Sessions::new(url)?);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let handle = runtime.handle().clone();
        let (queue, jobs) = mpsc::channel(QUEUE);
        let batches = Batches::new(Arc::clone(&sessions));
        let thread = thread::Builder::new()
            .name("refund-store".to_owned())
            .spawn(move || runtime.block_on(serve(batches, jobs)))
            .map_err(failed)?;
        Ok(Self {
            url: Arc::new(url.clone()),
            sessions,
            runtime: handle,
            queue: Some(queue),
            thread: Some(thread),
        })
    }

    /// Hands a command over and waits for what it came to.
    pub(crate) async fn submit<C: Command>(&self, command: C) -> Result<C::Outcome, StoreError> {
        let unavailable = || StoreError::Unavailable(Box::new(Stopped));
        let queue = self.queue.as_ref().ok_or_else(unavailable)?;
        let (job, outcome) = Waiting::new(command);
        queue.send(job).await.map_err(|_| unavailable())?;
        // Without an answer nobody knows how far the command came.
        outcome
            .await
            .map_err(|_| StoreError::OutcomeUnknown(Box::new(Stopped)))?
    }

    /// Reads. On a connection that turns out to be lost it is tried again on another one.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl for<'c> Fn(&'c Object) -> Work<'c, T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.repeated(Purpose::Read, read).await
    }

    /// The same on the connections of the warranty desk.
    pub(crate) async fn read_for_desk<T: Send + 'static>(
        &self,
        read: impl for<'c> Fn(&'c Object) -> Work<'c, T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.repeated(Purpose::Desk, read).await
    }

    /// Writes with one statement, in a transaction of its own, that does no harm if it is run twice. It
    /// finishes even if nobody waits for it any more.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        write: impl for<'c> Fn(&'c Object) -> Work<'c, T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.repeated(Purpose::Write, write).await
    }

    async fn repeated<T: Send + 'static>(
        &self,
        purpose: Purpose,
        work: impl for<'c> Fn(&'c Object) -> Work<'c, T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let sessions = Arc::clone(&self.sessions);
        self.on_thread(async move { repeated(&sessions, purpose, work).await })
            .await?
            .map_err(StoreError::from)
    }

    /// Runs something on the thread, from another one that waits for it.
    pub(crate) fn block_on<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, arrival) = std::sync::mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            let _gone = sender.send(work.await);
        });
        arrival
            .recv()
            .map_err(|_| StoreError::OutcomeUnknown(Box::new(Stopped)))
    }

    pub(crate) fn url(&self) -> Arc<Url> {
        Arc::clone(&self.url)
    }

    pub(crate) fn sessions(&self) -> Arc<Sessions> {
        Arc::clone(&self.sessions)
    }

    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.runtime
            .spawn(work)
            .await
            .map_err(|_| StoreError::OutcomeUnknown(Box::new(Stopped)))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was logged when it happened.
            let _ended = thread.join();
        }
    }
}

async fn serve(mut batches: Batches, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        let jobs = std::mem::take(&mut batch);
        histogram!(BATCH_COMMANDS).record(u32::try_from(jobs.len()).unwrap_or(u32::MAX));
        // A panic costs the batch it happened in, not the server.
        let run = AssertUnwindSafe(batches.run(jobs)).catch_unwind().await;
        if run.is_err() {
            tracing::error!("the writer of the store panicked; it goes on with the next batch");
            batches.forget_connection();
        }
    }
}

/// Works on a connection, on another one if it turns out to be lost, and again after a pause while other
/// transactions are in its way.
pub(crate) async fn repeated<T>(
    sessions: &Sessions,
    purpose: Purpose,
    work: impl for<'c> Fn(&'c Object) -> Work<'c, T>,
) -> Result<T, SqlError> {
    let began = Instant::now();
    let mut pauses = Pauses::new();
    let (mut tries, mut lost) = (0, 0);
    loop {
        tries += 1;
        let once = async {
            let session = sessions.of(purpose).await?;
            let result = work(&session).await?;
            session.keep();
            Ok(result)
        };
        let result = tokio::time::timeout(OPERATION, once)
            .await
            .unwrap_or(Err(SqlError::Late));
        match result {
            Err(SqlError::Late) => return Err(SqlError::Late),
            Err(error) if error.remedy() == Remedy::Again && began.elapsed() < PATIENCE => {
                tracing::debug!(%error, tries, "an operation is tried again");
                sleep(pauses.after(tries)).await;
            }
            Err(error) if error.remedy() == Remedy::Reconnect && lost + 1 < CONNECTIONS => {
                lost += 1;
                tracing::debug!(%error, lost, "an operation is tried on another connection");
            }
            result => return result,
        }
    }
}
