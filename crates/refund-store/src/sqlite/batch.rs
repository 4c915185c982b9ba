//! Group commit: many commands, one transaction, and each command's own outcome.

use refund_domain::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::{SqlError, Stage};
use crate::fault;

/// Something that is written in one step: it loads its facts, decides and saves, inside an open
/// transaction whose lock the caller holds.
pub(crate) trait Command: Send + 'static {
    /// What it comes to.
    type Outcome: Send + 'static;

    /// Does it. An error undoes whatever it wrote.
    fn settle(&self, conn: &Connection) -> Result<Self::Outcome, SqlError>;
}

/// A command of any kind and who waits for its outcome.
pub(crate) trait Job: Send {
    /// Whether somebody still waits for the outcome.
    fn wanted(&self) -> bool;

    /// Does the command and keeps its outcome until [`Job::answer`].
    fn settle(&mut self, conn: &Connection) -> Result<(), SqlError>;

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
        let outcome = None;
        (
            Box::new(Self {
                command,
                outcome,
                caller,
            }),
            arrival,
        )
    }
}

impl<C: Command> Job for Waiting<C> {
    fn wanted(&self) -> bool {
        !self.caller.is_closed()
    }

    fn settle(&mut self, conn: &Connection) -> Result<(), SqlError> {
        self.outcome = Some(self.command.settle(conn)?);
        Ok(())
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

/// Settles all jobs in one transaction and answers them after the commit. Where the transaction as
/// a whole fails, each job is run again in a transaction of its own, so that one cannot fail another.
pub(crate) fn run(conn: &Connection, jobs: Jobs) {
    if let Some(again) = attempt(conn, jobs) {
        for job in again {
            let left = attempt(conn, vec![job]);
            debug_assert!(left.is_none(), "a single job is always answered");
        }
    }
}

/// One transaction. Gives back the jobs that must run again one by one; never a single one.
fn attempt(conn: &Connection, jobs: Jobs) -> Option<Jobs> {
    // Whoever went away before the transaction began gets nothing done.
    let jobs = still_wanted(jobs);
    if jobs.is_empty() {
        return None;
    }
    if let Err(error) = conn.execute_batch("BEGIN IMMEDIATE") {
        // Who holds the lock decides about all of them alike: nothing is tried again.
        fail_all(jobs, &error);
        return None;
    }
    fault::point(fault::REFUND_BEGUN);
    // The lock may have taken seconds.
    let mut jobs = still_wanted(jobs);
    if jobs.is_empty() {
        roll_back(conn);
        return None;
    }

    let alone = jobs.len() == 1;
    let mut failures = Vec::with_capacity(jobs.len());
    for job in &mut jobs {
        match in_savepoint(conn, job.as_mut()) {
            Ok(failure) => failures.push(failure),
            Err(error) => {
                roll_back(conn);
                return again_or_fail(jobs, alone, error, Stage::Before);
            }
        }
    }

    fault::point(fault::BATCH_BEFORE_COMMIT);
    if let Err(error) = conn.execute_batch("COMMIT") {
        roll_back(conn);
        return again_or_fail(jobs, alone, error.into(), Stage::Commit);
    }
    fault::point(fault::BATCH_AFTER_COMMIT);
    for (job, failure) in jobs.into_iter().zip(failures) {
        job.answer(failure);
    }
    None
}

fn still_wanted(mut jobs: Jobs) -> Jobs {
    jobs.retain(|job| job.wanted());
    jobs
}

/// One command, whose failure (`Ok(Some(…))`) leaves the others alone. An `Err` is a failure of the
/// transaction.
fn in_savepoint(conn: &Connection, job: &mut dyn Job) -> Result<Option<StoreError>, SqlError> {
    conn.prepare_cached("SAVEPOINT command")?.execute([])?;
    match job.settle(conn) {
        Ok(()) => {
            conn.prepare_cached("RELEASE command")?.execute([])?;
            Ok(None)
        }
        // A full disk or an I/O error may have rolled back everything already.
        Err(error) if conn.is_autocommit() => Err(error),
        Err(error) => {
            conn.execute_batch("ROLLBACK TO command; RELEASE command")?;
            Ok(Some(error.at(Stage::Before)))
        }
    }
}

fn roll_back(conn: &Connection) {
    if !conn.is_autocommit()
        && let Err(error) = conn.execute_batch("ROLLBACK")
    {
        tracing::error!(%error, "the transaction could not be rolled back");
    }
}

fn again_or_fail(mut jobs: Jobs, alone: bool, error: SqlError, stage: Stage) -> Option<Jobs> {
    if !alone {
        tracing::warn!(
            %error,
            commands = jobs.len(),
            "a batch failed and is run again one by one"
        );
        return Some(jobs);
    }
    if let Some(job) = jobs.pop() {
        job.answer(Some(error.at(stage)));
    }
    None
}

/// Answers all jobs with the same failure; nothing began.
fn fail_all(jobs: Jobs, error: &rusqlite::Error) {
    let text = error.to_string();
    for job in jobs {
        // Everybody gets the cause; the driver's error cannot be cloned as a whole.
        let failure = match error.sqlite_error() {
            Some(code) => {
                let error = rusqlite::Error::SqliteFailure(*code, Some(text.clone()));
                SqlError::from(error).at(Stage::Before)
            }
            None => StoreError::Unavailable(text.clone().into()),
        };
        job.answer(Some(failure));
    }
}

#[cfg(test)]
mod tests {
    use refund_domain::{
        Caller, Customer, CustomerId, CustomerStatus, EmailAddress, IssueRefund, Money, PersonName,
        Principal, Reason, RefundAmount, RefundId, RefundRequest, Role, Settled, Timestamp,
    };

    use super::*;
    use crate::sqlite::connection::Durability;
    use crate::sqlite::{customers, open};

    fn command(number: u128, reason: &str) -> IssueRefund {
        IssueRefund {
            request: RefundRequest {
                customer_id: CustomerId::new("CUST-00001").unwrap(),
                amount: RefundAmount::new("1".parse().unwrap()).unwrap(),
                reason: Reason::new(reason).unwrap(),
                idempotency_key: None,
            },
            caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
            refund_id: RefundId::from_uuid(uuid::Uuid::from_u128(number)),
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        }
    }

    fn customer() -> Customer {
        let currency = "USD".parse().unwrap();
        Customer {
            id: CustomerId::new("CUST-00001").unwrap(),
            name: PersonName::new("Alice Johnson").unwrap(),
            email: EmailAddress::new("alice.johnson@example.com").unwrap(),
            status: CustomerStatus::Active,
            refundable_balance: Money::from_minor(1_000_000, currency).unwrap(),
            created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
            external_id: None,
            phone_number: None,
            company: None,
            language: None,
        }
    }

    fn run_all(conn: &Connection, commands: Vec<IssueRefund>) -> Vec<Result<Settled, StoreError>> {
        let (jobs, answers): (Jobs, Vec<_>) = commands
            .into_iter()
            .map(|command| {
                let (job, arrival) = Waiting::new(command);
                (job as Box<dyn Job>, arrival)
            })
            .unzip();
        run(conn, jobs);
        answers
            .into_iter()
            .map(|mut answer| answer.try_recv().unwrap())
            .collect()
    }

    // Part of a batch may still fit where the whole does not. Whoever does not fit is told so, and
    // with room again the store goes on by itself.
    #[test]
    fn a_full_disk_fails_those_that_do_not_fit_and_nobody_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refunds.db");
        let (conn, _patience) =
            open::open(&path, Durability::None, std::time::Duration::ZERO).unwrap();
        customers::insert(&conn, &customer()).unwrap();
        let pages: i64 = conn
            .query_row("PRAGMA page_count", [], |row| row.get(0))
            .unwrap();
        conn.execute_batch(&format!("PRAGMA max_page_count = {}", pages + 3))
            .unwrap();

        let reason = "a long reason ".repeat(35);
        let commands = (0..100).map(|number| command(number, &reason)).collect();
        let outcomes = run_all(&conn, commands);
        let made = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert!((1..100).contains(&made), "{made}");
        for outcome in &outcomes {
            assert!(
                matches!(outcome, Ok(_) | Err(StoreError::Full(_))),
                "{outcome:?}"
            );
        }
        assert!(conn.is_autocommit());
        let saved: i64 = conn
            .query_row("SELECT count(*) FROM refunds", [], |row| row.get(0))
            .unwrap();
        assert_eq!(
            saved,
            i64::try_from(made).unwrap(),
            "who was answered is who was saved"
        );

        conn.execute_batch("PRAGMA max_page_count = 1000000")
            .unwrap();
        let again = run_all(&conn, vec![command(1_000, &reason)]);
        assert!(again[0].is_ok());
    }

    #[test]
    fn nobody_who_went_away_before_the_transaction_is_served() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refunds.db");
        let (conn, _patience) =
            open::open(&path, Durability::None, std::time::Duration::ZERO).unwrap();
        customers::insert(&conn, &customer()).unwrap();
        let (job, arrival) = Waiting::new(command(1, "nobody waits for this"));
        drop(arrival);
        run(&conn, vec![job]);
        let rows: i64 = conn
            .query_row("SELECT count(*) FROM audit", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 0);
    }
}
