//! Group commit: many commands, one transaction, a constant number of round trips, and each command's
//! own outcome.

use std::sync::Arc;
use std::time::Duration;

use refund_domain::StoreError;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::error::{Severity, SqlState};

use super::audit::{AuditRow, Probe};
use super::error::{Remedy, SqlError};
use super::facts::{Known, Wanted};
use super::pauses::Pauses;
use super::session::{Session, Sessions};
use super::writes::Writes;
use crate::fault;

/// How long a batch is tried again while others are in its way, or its connection is lost.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// How long the fate of a batch whose commit was not answered is looked for.
const SEARCH: Duration = Duration::from_secs(10);
/// How long one try may take before its connection counts as lost.
const TRY: Duration = Duration::from_secs(12);
/// How often two rows may collide before it is no accident.
const COLLISIONS: u32 = 4;

/// Something that is written in one step: it says what it must know, decides, and says what to save.
pub(crate) trait Command: Send + 'static {
    /// What it comes to.
    type Outcome: Send + 'static;

    /// Names the facts that it needs; they are loaded under a lock.
    fn wants(&self, wanted: &mut Wanted);

    /// Decides by what is known, notes what follows for the commands after it, and what is to be
    /// saved. An error leaves both as they were.
    fn settle(&self, known: &mut Known, writes: &mut Writes) -> Result<Self::Outcome, SqlError>;

    /// Everything of it is written, nothing is committed yet.
    fn saved(&self) {}
}

/// A command of any kind and who waits for its outcome.
pub(crate) trait Job: Send {
    /// Whether somebody still waits for the outcome.
    fn wanted(&self) -> bool;

    /// Names the facts that the command needs.
    fn wants(&self, wanted: &mut Wanted);

    /// Does the command and keeps its outcome until [`Job::answer`].
    fn settle(&mut self, known: &mut Known, writes: &mut Writes) -> Result<(), SqlError>;

    fn saved(&self);

    /// Gives the outcome, or the failure, to whoever waits.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// A command, its outcome once there is one, and the way back to the caller.
pub(crate) struct Waiting<C: Command> {
    command: C,
    outcome: Option<C::Outcome>,
    caller: oneshot::Sender<Result<C::Outcome, StoreError>>,
}

impl<C: Command> Waiting<C> {
    /// A job, and where its outcome arrives.
    pub(crate) fn new(
        command: C,
    ) -> (Box<Self>, oneshot::Receiver<Result<C::Outcome, StoreError>>) {
        let (caller, arrival) = oneshot::channel();
        let waiting = Self {
            command,
            outcome: None,
            caller,
        };
        (Box::new(waiting), arrival)
    }
}

impl<C: Command> Job for Waiting<C> {
    fn wanted(&self) -> bool {
        !self.caller.is_closed()
    }

    fn wants(&self, wanted: &mut Wanted) {
        self.command.wants(wanted);
    }

    fn settle(&mut self, known: &mut Known, writes: &mut Writes) -> Result<(), SqlError> {
        self.outcome = Some(self.command.settle(known, writes)?);
        Ok(())
    }

    fn saved(&self) {
        self.command.saved();
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        fault::point(fault::REFUND_BEFORE_ANSWER);
        let answer = match (failure, self.outcome) {
            (Some(failure), _) => Err(failure),
            (None, Some(outcome)) => Ok(outcome),
            // Only a defect of this file could commit a job that was never run.
            (None, None) => Err(StoreError::Unavailable("the command was not run".into())),
        };
        // A caller that went away meanwhile learns the outcome with its key.
        let _gone = self.caller.send(answer);
    }
}

type Jobs = Vec<Box<dyn Job>>;
/// What is wrong with each job by itself, in the order of the jobs.
type Failures = Vec<Option<StoreError>>;

/// Why a transaction came to nothing, or may have.
enum Failed {
    /// Nothing was committed.
    Before(SqlError),
    /// The commit was asked for, and not answered.
    Unknown(SqlError, Box<Unanswered>),
}

/// A transaction whose commit was asked for, and not answered.
struct Unanswered {
    probe: Option<Probe>,
    failures: Failures,
}

/// What became of a transaction whose commit was not answered.
enum Fate {
    Committed,
    Nothing,
    Unknown,
}

/// The one that settles batches, on a connection of its own.
pub(crate) struct Batches {
    sessions: Arc<Sessions>,
    session: Option<Session>,
    pauses: Pauses,
}

impl Batches {
    pub(crate) fn new(sessions: Arc<Sessions>) -> Self {
        Self {
            sessions,
            session: None,
            pauses: Pauses::new(),
        }
    }

    /// For a connection in an unknown state.
    pub(crate) fn forget_connection(&mut self) {
        self.session = None;
    }

    /// Settles all jobs in one transaction and answers them after the commit. Where a row is at fault,
    /// each job is run again in a transaction of its own, so that one cannot fail another.
    pub(crate) async fn run(&mut self, jobs: Jobs) {
        if let Some(again) = self.together(jobs).await {
            for job in again {
                let left = self.together(vec![job]).await;
                debug_assert!(left.is_none(), "a single job is always answered");
            }
        }
    }

    /// One transaction, tried until it is committed or hopeless. Gives back the jobs that must run
    /// again one by one; never a single one.
    async fn together(&mut self, mut jobs: Jobs) -> Option<Jobs> {
        let began = Instant::now();
        let mut tries = 0;
        loop {
            // Whoever went away before the transaction began gets nothing done.
            jobs.retain(|job| job.wanted());
            if jobs.is_empty() {
                return None;
            }
            tries += 1;
            let in_time = began.elapsed() < PATIENCE;
            let error = match self.attempt(&mut jobs).await {
                Ok(failures) => {
                    answer(jobs, failures);
                    return None;
                }
                Err(Failed::Before(error)) => error,
                Err(Failed::Unknown(error, unanswered)) => {
                    self.session = None;
                    tracing::warn!(%error, "a commit was not answered; looking for what became of it");
                    match self.fate(unanswered.probe.as_ref()).await {
                        Fate::Committed => {
                            answer(jobs, unanswered.failures);
                            return None;
                        }
                        Fate::Nothing => error,
                        Fate::Unknown => {
                            let text = error.to_string();
                            fail_all(jobs, || StoreError::OutcomeUnknown(text.clone().into()));
                            return None;
                        }
                    }
                }
            };
            let collided = error.is_taken();
            match error.remedy() {
                Remedy::Again if in_time && !(collided && tries >= COLLISIONS) => {
                    sleep(self.pauses.after(tries)).await;
                }
                Remedy::Reconnect if in_time => {
                    self.session = None;
                    sleep(self.pauses.after(tries)).await;
                }
                _ if jobs.len() > 1 && (collided || is_of_a_row(&error)) => {
                    tracing::warn!(
                        %error,
                        commands = jobs.len(),
                        "a batch failed and is run again one by one"
                    );
                    return Some(jobs);
                }
                _ => {
                    fail_with(jobs, error);
                    return None;
                }
            }
        }
    }

    /// One transaction. The outcomes are in the jobs; what is wrong with each by itself is returned.
    async fn attempt(&mut self, jobs: &mut Jobs) -> Result<Failures, Failed> {
        if self.session.is_none() {
            let connecting = timeout(TRY, self.sessions.batches()).await;
            let session = connecting
                .unwrap_or(Err(SqlError::Late))
                .map_err(Failed::Before)?;
            self.session = Some(session);
        }
        let Some(session) = &self.session else {
            return Err(Failed::Before(SqlError::Late));
        };
        let prepared = timeout(TRY, written(session, jobs))
            .await
            .unwrap_or(Err(SqlError::Late));
        let (failures, first) = match prepared {
            Ok(Some(written)) => written,
            // Nothing is to be saved of any of them.
            Ok(None) => {
                self.roll_back().await;
                return Ok(Vec::new());
            }
            Err(error) => {
                self.roll_back().await;
                return Err(Failed::Before(error));
            }
        };
        fault::point(fault::BATCH_BEFORE_COMMIT);
        let committed = timeout(TRY, session.batch_execute("COMMIT")).await;
        let error = match committed {
            Ok(Ok(())) => {
                fault::point(fault::BATCH_AFTER_COMMIT);
                return Ok(failures);
            }
            Ok(Err(error)) => SqlError::from(error),
            Err(_late) => SqlError::Late,
        };
        if is_refused_commit(&error) {
            return Err(Failed::Before(error));
        }
        Err(Failed::Unknown(
            error,
            Box::new(Unanswered {
                probe: first,
                failures,
            }),
        ))
    }

    /// A connection that does not even do this is closed, which does the same.
    async fn roll_back(&mut self) {
        if let Some(session) = &self.session {
            let rolled_back = timeout(TRY, session.batch_execute("ROLLBACK")).await;
            if !matches!(rolled_back, Ok(Ok(()))) {
                self.session = None;
            }
        }
    }

    /// Looks for what a transaction wrote. Connecting has ended the connection that it was on, so that
    /// what is not there now will never be.
    async fn fate(&mut self, probe: Option<&Probe>) -> Fate {
        let Some(probe) = probe else {
            return Fate::Unknown;
        };
        let began = Instant::now();
        let mut tries = 0;
        while began.elapsed() < SEARCH {
            tries += 1;
            let look = async {
                let session = self.sessions.batches().await?;
                let found = probe.is_there(&session).await?;
                Ok::<_, SqlError>((session, found))
            };
            match timeout(TRY, look).await.unwrap_or(Err(SqlError::Late)) {
                Ok((session, found)) => {
                    self.session = Some(session);
                    return if found {
                        Fate::Committed
                    } else {
                        Fate::Nothing
                    };
                }
                Err(error) => {
                    tracing::debug!(%error, "the fate of a batch is still unknown");
                    sleep(self.pauses.after(tries)).await;
                }
            }
        }
        Fate::Unknown
    }
}

/// Everything up to the commit: locks and facts in one flight, the decisions here, the writes in
/// another. `None` where nothing is to be saved.
async fn written(
    session: &Session,
    jobs: &mut Jobs,
) -> Result<Option<(Failures, Option<Probe>)>, SqlError> {
    let mut wanted = Wanted::default();
    for job in &*jobs {
        job.wants(&mut wanted);
    }
    let mut known = Known::load(session, &wanted).await?;
    fault::point(fault::REFUND_BEGUN);
    // The locks may have taken seconds.
    jobs.retain(|job| job.wanted());

    let mut writes = Writes::default();
    let mut failures = Vec::with_capacity(jobs.len());
    for job in &mut *jobs {
        let settled = job.settle(&mut known, &mut writes);
        failures.push(settled.err().map(StoreError::from));
    }
    if writes.is_empty() {
        // Every one of them failed by itself.
        let nobody = jobs.is_empty();
        let mut failed = std::mem::take(jobs);
        for (job, failure) in failed.drain(..).zip(failures) {
            job.answer(failure);
        }
        debug_assert!(nobody || jobs.is_empty(), "they were answered");
        return Ok(None);
    }
    let first: Option<(i64, AuditRow)> = writes.save(session).await?;
    for job in &*jobs {
        job.saved();
    }
    Ok(Some((
        failures,
        first.map(|(seq, row)| Probe::new(seq, row)),
    )))
}

/// The server said no to a commit, and goes on: nothing was committed.
fn is_refused_commit(error: &SqlError) -> bool {
    let SqlError::Driver(error) = error else {
        return false;
    };
    error
        .as_db_error()
        .is_some_and(|said| said.parsed_severity() == Some(Severity::Error))
}

/// Whether a failure may be one command's alone.
fn is_of_a_row(error: &SqlError) -> bool {
    match error {
        SqlError::Untrue(_) => true,
        SqlError::Connect(_) | SqlError::Late => false,
        SqlError::Driver(error) => match error.code() {
            Some(state) => {
                let code = state.code();
                code.starts_with("22")
                    || code.starts_with("23")
                    || code.starts_with("XX")
                    || *state == SqlState::DISK_FULL
            }
            None => true,
        },
    }
}

fn answer(jobs: Jobs, failures: Failures) {
    let mut failures = failures.into_iter();
    for job in jobs {
        job.answer(failures.next().flatten());
    }
}

/// Answers all jobs with the same failure; nothing was changed.
fn fail_with(mut jobs: Jobs, error: SqlError) {
    let text = error.to_string();
    let first = StoreError::from(error);
    // Everybody gets the kind; the whole cause cannot be cloned.
    let kind: fn(String) -> StoreError = match &first {
        StoreError::Damaged(_) => |text| StoreError::Damaged(text.into()),
        StoreError::Full(_) => |text| StoreError::Full(text.into()),
        StoreError::Unavailable(_) | StoreError::OutcomeUnknown(_) => {
            |text| StoreError::Unavailable(text.into())
        }
    };
    if let Some(job) = jobs.pop() {
        job.answer(Some(first));
    }
    fail_all(jobs, || kind(text.clone()));
}

fn fail_all(jobs: Jobs, failure: impl Fn() -> StoreError) {
    for job in jobs {
        job.answer(Some(failure()));
    }
}
