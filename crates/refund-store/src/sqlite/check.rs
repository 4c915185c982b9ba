//! Proving that no money is lost: the invariants of a database, on one snapshot, while servers run.

use std::path::Path;
use std::time::SystemTime;

use refund_domain::refund::TOOL;
use refund_domain::{StoreError, adjustment, escalation, returns};
use rusqlite::Connection;

use super::check_audit::Writers;
use super::connection::{self, Patience, WRITER_WAIT};
use super::error::{SqlError, is_damage};
use super::open::log_is_there;
use super::{
    OpenError, SqliteStore, absolute, check_audit, check_returns, check_rows, check_schema,
    check_warranties, functions, migrate,
};

/// Findings of one kind that are listed.
const LISTED: usize = 100;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Customers that were checked.
    pub customers: u64,
    /// Orders that were checked.
    pub orders: u64,
    /// Refunds that were checked.
    pub refunds: u64,
    /// Returns that were checked.
    pub returns: u64,
    /// Whether the file could only be read. SQLite then leaves its CHECK constraints out of account;
    /// the rows were read as the tools read them all the same.
    pub read_only: bool,
    /// What is wrong, a sentence each; empty when everything is right.
    pub findings: Vec<String>,
}

/// What is wrong of one kind.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    /// Adds a sentence, unless there are enough of the kind; says whether there is room for more.
    pub(crate) fn add(&mut self, sentence: String) -> bool {
        if self.0.len() < LISTED {
            self.0.push(sentence);
            return true;
        }
        if self.0.len() == LISTED {
            self.0.push("and more of this kind".to_owned());
        }
        false
    }
}

impl CheckReport {
    /// Of a database that cannot even be counted.
    pub(crate) fn unreadable(finding: String, read_only: bool) -> Self {
        Self {
            customers: 0,
            orders: 0,
            refunds: 0,
            returns: 0,
            read_only,
            findings: vec![finding],
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Whatever was paid out is missing from the balance, whatever was adjusted is in it, and nothing
/// else.
const BALANCES: &str = "SELECT 'customer ' || customer_id || ': the balance is ' || balance_minor
         || ', but the opening balance ' || opening_minor
         || CASE adjusted WHEN 0 THEN '' ELSE ' with adjustments of ' || adjusted END
         || ' less refunds of ' || refunded || ' is ' || (opening_minor + adjusted - refunded)
         || ' (minor units of ' || currency || ')'
     FROM (SELECT c.*,
         (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r
             WHERE r.customer_id = c.customer_id) AS refunded,
         (SELECT coalesce(sum(j.by_minor), 0) FROM adjustments j
             WHERE j.customer_id = c.customer_id) AS adjusted
         FROM customers c)
     WHERE balance_minor <> opening_minor + adjusted - refunded";

/// The number of refunds that a customer's record says.
const REFUND_COUNTS: &str =
    "SELECT 'customer ' || c.customer_id || ': the record says ' || c.refund_count
         || ' refunds, but there are ' || count(r.seq)
     FROM customers c LEFT JOIN refunds r ON r.customer_id = c.customer_id
     GROUP BY c.number HAVING c.refund_count <> count(r.seq)";

/// What each refund that was made here left, as its receipt says: the one before it less this amount, and
/// the last one the balance. Not for customers with adjustments, which come in between.
const REMAINDERS: &str =
    "SELECT 'refund ' || refund_id || ': it left ' || remaining_minor || ', but '
         || CASE WHEN before IS NOT NULL AND remaining_minor <> before - amount_minor
             THEN 'the refund before it left ' || before || ' and it is of ' || amount_minor
             ELSE 'no refund came after it and the balance is ' || balance_minor END
         || ' (minor units of ' || currency || ')'
     FROM (SELECT r.*,
         min(r.remaining_minor) OVER (PARTITION BY r.customer_id ORDER BY r.seq
             ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS before,
         min(r.remaining_minor) OVER (PARTITION BY r.customer_id ORDER BY r.seq
             ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS after,
         c.balance_minor
         FROM refunds r CROSS JOIN customers c ON c.customer_id = r.customer_id
         WHERE r.import_seq IS NULL AND NOT EXISTS
             (SELECT 1 FROM adjustments j WHERE j.customer_id = r.customer_id))
     WHERE remaining_minor <> before - amount_minor
         OR (after IS NULL AND remaining_minor <> balance_minor)";

/// Queries that give one sentence for each violation. `{tool}` is the tool that makes refunds.
const INVARIANTS: [&str; 16] = [
    BALANCES,
    REFUND_COUNTS,
    REMAINDERS,
    "SELECT 'customer ' || customer_id || ': the balance ' || balance_minor || ' is below zero'
     FROM customers WHERE balance_minor < 0",
    "SELECT 'refund ' || r.refund_id || ': there is no customer ' || r.customer_id
     FROM refunds r LEFT JOIN customers c ON c.customer_id = r.customer_id
     WHERE c.customer_id IS NULL",
    "SELECT 'refund ' || r.refund_id || ': it is in ' || r.currency || ', but customer '
         || c.customer_id || ' has ' || c.currency
     FROM refunds r JOIN customers c ON c.customer_id = r.customer_id
     WHERE r.currency <> c.currency",
    "SELECT 'refund ' || r.refund_id || ': the amount ' || r.amount_minor || ' is not above zero'
     FROM refunds r WHERE r.amount_minor <= 0",
    "SELECT 'refund ' || r.refund_id || ': its idempotency key ' || r.idempotency_key
         || ' of principal ' || r.principal || ' is not recorded for it'
     FROM refunds r LEFT JOIN idempotency_keys k
         ON k.principal = r.principal AND k.key = r.idempotency_key
     WHERE r.idempotency_key IS NOT NULL
         AND (k.key IS NULL OR k.refund_id IS NOT r.refund_id OR k.tool <> '{tool}')",
    "SELECT 'idempotency key ' || k.key || ' of principal ' || k.principal
         || ': it was not used by refund ' || coalesce(k.refund_id, '(none)')
     FROM idempotency_keys k LEFT JOIN refunds r ON r.refund_id = k.refund_id
     WHERE (k.tool = '{tool}' AND (r.refund_id IS NULL OR r.principal <> k.principal
             OR r.idempotency_key IS NOT k.key))
         OR (k.tool <> '{tool}' AND k.refund_id IS NOT NULL AND r.refund_id IS NULL)",
    "SELECT 'audit row ' || a.seq || ': there is no refund ' || a.refund_id
     FROM audit a LEFT JOIN refunds r ON r.refund_id = a.refund_id
     WHERE a.refund_id IS NOT NULL AND r.refund_id IS NULL",
    // One that was imported was processed elsewhere; the audit row of its import stands for it.
    "SELECT 'refund ' || r.refund_id || ': audit row ' || r.import_seq || ' is not that of an import'
     FROM refunds r LEFT JOIN audit a ON a.seq = r.import_seq
     WHERE r.import_seq IS NOT NULL AND (a.seq IS NULL OR a.outcome <> 'imported')",
    "SELECT 'refund ' || r.refund_id || ': it was imported, but audit row ' || a.seq
         || ' says that it was processed here'
     FROM audit a CROSS JOIN refunds r ON r.refund_id = a.refund_id
     WHERE a.outcome = 'processed' AND r.import_seq IS NOT NULL",
    "SELECT 'adjustment ' || j.seq || ' of customer ' || j.customer_id
         || ': the customer does not exist, has another currency, or the audit row is not its own'
     FROM adjustments j LEFT JOIN customers c ON c.customer_id = j.customer_id
         LEFT JOIN audit a ON a.seq = j.audit_seq
     WHERE c.currency IS NOT j.currency OR a.outcome IS NOT 'adjusted'
         OR a.principal IS NOT j.principal OR a.at_ms IS NOT j.at_ms
         OR json_extract(a.arguments, '$.customer_id') IS NOT j.customer_id
         OR CAST(json_extract(a.arguments, '$.reason_characters') AS TEXT)
             IS NOT refund_characters(j.reason)
         OR (json_extract(a.arguments, '$.idempotency_key') IS NOT refund_audited_key(j.idempotency_key)
             AND json_extract(a.arguments, '$.idempotency_key') IS NOT j.idempotency_key)",
    "SELECT 'adjustment ' || j.seq || ': its idempotency key ' || j.idempotency_key
         || ' of principal ' || j.principal || ' is not recorded for it'
     FROM adjustments j LEFT JOIN idempotency_keys k
         ON k.principal = j.principal AND k.key = j.idempotency_key
     WHERE j.idempotency_key IS NOT NULL AND (k.key IS NULL OR k.tool <> '{adjustment}')",
    "SELECT 'idempotency key ' || k.key || ' of principal ' || k.principal
         || ': there is no adjustment that was made with it'
     FROM idempotency_keys k LEFT JOIN adjustments j
         ON j.principal = k.principal AND j.idempotency_key = k.key
     WHERE k.tool = '{adjustment}' AND j.seq IS NULL",
    "SELECT 'audit row ' || a.seq || ': the adjustment that it tells of is not there'
     FROM audit a LEFT JOIN adjustments j ON j.audit_seq = a.seq
     WHERE a.outcome = 'adjusted' AND j.seq IS NULL",
];

impl SqliteStore {
    /// Proves the invariants: each balance is the opening balance with the adjustments less the
    /// refunds and not below zero, no refund, key or audit row points at nothing, keys and refunds
    /// belong together, every refund and adjustment has its audit row, which says the same of it, the
    /// same for returns, their orders and messages, and for the turns of conversations, whatever is found by a key has that key, every row holds
    /// what a tool can read, the tables, indexes and triggers are this program's, and the file is whole.
    /// Reads one snapshot, in memory that does not grow with it; servers may run.
    ///
    /// # Errors
    /// Only if the store cannot be opened or asked. What is wrong in it, damage of the file included, is a
    /// finding.
    pub fn check(&self) -> Result<CheckReport, StoreError> {
        self.check_of(Writers::One)
    }

    /// The same for a copy of what so many wrote at once.
    pub(crate) fn check_of(&self, writers: Writers) -> Result<CheckReport, StoreError> {
        let _opened = self.ready()?;
        // SQLite forgets CHECK constraints on connections that cannot write, so that they would not be
        // checked: this one could, and is told not to.
        let patience = Patience::new(WRITER_WAIT);
        let report = connection::writer(self.path(), self.shared.durability, &patience)
            .and_then(|conn| {
                conn.execute_batch("PRAGMA query_only = ON")?;
                Ok(conn)
            })
            .map_err(SqlError::from)
            .and_then(|conn| prove(&conn, writers, false));
        Ok(or_damage(report, false)?)
    }

    /// The same for a file that this user may only read, or whose directory is so. Its schema must be
    /// the newest.
    ///
    /// # Errors
    /// The file cannot be read, or is none of ours, or of another version.
    pub fn check_read_only(path: &Path) -> Result<CheckReport, OpenError> {
        let path = absolute(path)?;
        let driver = |error| OpenError::from_driver(&path, error);
        // Without a log nobody has the file open, and it can be read without the index of a log, which
        // could not be written where only reading is allowed.
        let before = stamp(&path);
        let at_rest = !log_is_there(&path);
        let conn = match at_rest {
            true => connection::immutable(&path),
            false => connection::reader(&path),
        };
        let conn = conn.map_err(driver)?;
        migrate::refuse_strangers(&conn, &path)?;
        migrate::require_newest(&conn, &path)?;
        let report = or_damage(prove(&conn, Writers::One, true), true)
            .map_err(|error| OpenError::other(&path, error))?;
        if at_rest && (log_is_there(&path) || stamp(&path) != before) {
            let cause = "somebody began to write it while it was read; run the check again";
            return Err(OpenError::other(&path, cause));
        }
        Ok(report)
    }
}

/// What changes when a file is written.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let file = path.metadata().ok()?;
    Some((file.len(), file.modified().ok()?))
}

/// A report also of a file that is so damaged that not even a snapshot can be taken.
fn or_damage(
    report: Result<CheckReport, SqlError>,
    read_only: bool,
) -> Result<CheckReport, SqlError> {
    match report {
        Err(SqlError::Driver(error)) if is_damage(&error) => {
            Ok(CheckReport::unreadable(damage(&error), read_only))
        }
        report => report,
    }
}

/// Everything, on one snapshot.
fn prove(conn: &Connection, writers: Writers, read_only: bool) -> Result<CheckReport, SqlError> {
    functions::register(conn)?;
    let snapshot = conn.unchecked_transaction()?;
    let mut findings = Vec::new();
    collect(&mut findings, integrity(&snapshot))?;
    collect(&mut findings, check_schema::look(&snapshot))?;
    collect(&mut findings, foreign_keys(&snapshot))?;
    for invariant in invariants() {
        collect(&mut findings, sentences(&snapshot, &filled(invariant)))?;
    }
    collect(&mut findings, check_audit::refunds(&snapshot, writers))?;
    collect(&mut findings, check_audit::returns(&snapshot, writers))?;
    let tables = check_rows::TABLES.into_iter();
    for look in tables.chain(check_warranties::TABLES) {
        collect(&mut findings, look(&snapshot))?;
    }
    Ok(CheckReport {
        customers: count(&snapshot, "customers").unwrap_or(0),
        orders: count(&snapshot, "orders").unwrap_or(0),
        refunds: count(&snapshot, "refunds").unwrap_or(0),
        returns: count(&snapshot, "returns").unwrap_or(0),
        read_only,
        findings,
    })
}

/// The queries of all tables.
fn invariants() -> impl Iterator<Item = &'static str> {
    INVARIANTS
        .into_iter()
        .chain(check_returns::INVARIANTS)
        .chain(check_warranties::INVARIANTS)
}

/// An invariant with the names of tools in it.
fn filled(invariant: &str) -> String {
    invariant
        .replace("{tool}", TOOL)
        .replace("{adjustment}", adjustment::TOOL)
        .replace("{return}", returns::TOOL)
        .replace("{turn}", escalation::TOOL)
}

/// The part of the proof that an import must not break: that the balances add up, and that nothing
/// points at nothing.
pub(crate) fn of_import(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut found = sentences(conn, BALANCES)?.0;
    found.extend(sentences(conn, REFUND_COUNTS)?.0);
    found.extend(foreign_keys(conn)?.0);
    Ok(found)
}

/// Adds what was found. That the file is too damaged to look is a finding as well.
fn collect<E: Into<SqlError>>(
    findings: &mut Vec<String>,
    found: Result<Findings, E>,
) -> Result<(), SqlError> {
    match found.map_err(Into::into) {
        Ok(mut found) => {
            findings.append(&mut found.0);
            Ok(())
        }
        Err(SqlError::Driver(error)) if is_damage(&error) => {
            let finding = damage(&error);
            if !findings.contains(&finding) {
                findings.push(finding);
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn damage(error: &rusqlite::Error) -> String {
    format!("the file is damaged: {error}")
}

fn integrity(conn: &Connection) -> rusqlite::Result<Findings> {
    let Findings(mut found) = sentences(conn, "PRAGMA integrity_check")?;
    found.retain(|line| line != "ok");
    for line in &mut found {
        line.insert_str(0, "the file is damaged: ");
    }
    Ok(Findings(found))
}

fn foreign_keys(conn: &Connection) -> rusqlite::Result<Findings> {
    sentences(
        conn,
        "SELECT 'table ' || \"table\" || ', row ' || coalesce(rowid, '?')
             || ': it points at nothing in table ' || parent
         FROM pragma_foreign_key_check",
    )
}

fn sentences(conn: &Connection, sql: &str) -> rusqlite::Result<Findings> {
    let mut findings = Findings::default();
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !findings.add(row.get(0)?) {
            break;
        }
    }
    Ok(findings)
}

fn count(conn: &Connection, table: &str) -> rusqlite::Result<u64> {
    let count: i64 = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })?;
    Ok(count.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    // An index that SQLite builds for one query, or a sort, holds a table in memory: ten million
    // refunds would not fit.
    #[test]
    fn no_query_keeps_a_table_in_memory() {
        let conn = migrate::scratch().unwrap();
        for invariant in invariants() {
            let sql = format!("EXPLAIN QUERY PLAN {}", filled(invariant));
            let mut statement = conn.prepare(&sql).unwrap();
            let steps = statement
                .query_map([], |row| row.get::<_, String>(3))
                .unwrap();
            for step in steps.map(Result::unwrap) {
                assert!(
                    !step.contains("AUTOMATIC") && !step.contains("TEMP B-TREE"),
                    "{step}: {invariant}"
                );
            }
        }
    }
}
