//! Group commit: many commands, one transaction, and each command's own outcome.

use refund_domain::{IssueRefund, Settled, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::{SqlError, Stage};
use super::settle::settle;
use crate::fault;

/// A command and who waits for its outcome.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) command: IssueRefund,
    pub(crate) answer: oneshot::Sender<Result<Settled, StoreError>>,
}

type Outcome = Result<Settled, StoreError>;

/// Settles all jobs in one transaction and answers them after the commit. Where the transaction as
/// a whole fails, each job is run again in a transaction of its own, so that one cannot fail another.
pub(crate) fn run(conn: &Connection, jobs: Vec<Job>) {
    if let Some(again) = attempt(conn, jobs) {
        for job in again {
            let left = attempt(conn, vec![job]);
            debug_assert!(left.is_none(), "a single job is always answered");
        }
    }
}

/// One transaction. Gives back the jobs that must run again one by one; never a single one.
fn attempt(conn: &Connection, jobs: Vec<Job>) -> Option<Vec<Job>> {
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
    let jobs = still_wanted(jobs);
    if jobs.is_empty() {
        roll_back(conn);
        return None;
    }

    let alone = jobs.len() == 1;
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in &jobs {
        match in_savepoint(conn, &job.command) {
            Ok(outcome) => outcomes.push(outcome),
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
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        answer(job, outcome);
    }
    None
}

fn still_wanted(mut jobs: Vec<Job>) -> Vec<Job> {
    jobs.retain(|job| !job.answer.is_closed());
    jobs
}

/// One command, whose failure leaves the others alone. An `Err` is a failure of the transaction.
fn in_savepoint(conn: &Connection, command: &IssueRefund) -> Result<Outcome, SqlError> {
    conn.prepare_cached("SAVEPOINT command")?.execute([])?;
    match settle(conn, command) {
        Ok(settled) => {
            conn.prepare_cached("RELEASE command")?.execute([])?;
            Ok(Ok(settled))
        }
        // A full disk or an I/O error may have rolled back everything already.
        Err(error) if conn.is_autocommit() => Err(error),
        Err(error) => {
            conn.execute_batch("ROLLBACK TO command; RELEASE command")?;
            Ok(Err(error.at(Stage::Before)))
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

fn again_or_fail(
    mut jobs: Vec<Job>,
    alone: bool,
    error: SqlError,
    stage: Stage,
) -> Option<Vec<Job>> {
    if !alone {
        tracing::warn!(
            %error,
            commands = jobs.len(),
            "a batch failed and is run again one by one"
        );
        return Some(jobs);
    }
    if let Some(job) = jobs.pop() {
        answer(job, Err(error.at(stage)));
    }
    None
}

/// Answers all jobs with the same failure; nothing began.
fn fail_all(jobs: Vec<Job>, error: &rusqlite::Error) {
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
        answer(job, Err(failure));
    }
}

fn answer(job: Job, outcome: Outcome) {
    fault::point(fault::REFUND_BEFORE_ANSWER);
    // A caller that went away meanwhile learns the outcome with its key.
    let _gone = job.answer.send(outcome);
}

#[cfg(test)]
mod tests {
    use refund_domain::{
        Caller, Customer, CustomerId, CustomerStatus, EmailAddress, Money, PersonName, Principal,
        Reason, RefundAmount, RefundId, RefundRequest, Role, Timestamp,
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
            caller: Caller {
                principal: Principal::new("local").unwrap(),
                role: Role::Agent,
            },
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

    fn run_all(conn: &Connection, commands: Vec<IssueRefund>) -> Vec<Outcome> {
        let (jobs, answers): (Vec<_>, Vec<_>) = commands
            .into_iter()
            .map(|command| {
                let (answer, outcome) = oneshot::channel();
                (Job { command, answer }, outcome)
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
        let (answer, outcome) = oneshot::channel();
        drop(outcome);
        let command = command(1, "nobody waits for this");
        run(&conn, vec![Job { command, answer }]);
        let rows: i64 = conn
            .query_row("SELECT count(*) FROM audit", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 0);
    }
}
