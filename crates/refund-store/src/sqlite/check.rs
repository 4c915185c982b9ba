//! Proving that no money is lost: the invariants of a database, on one snapshot, while servers run.

use std::path::Path;

use refund_domain::refund::TOOL;
use refund_domain::{StoreError, escalation, returns};
use rusqlite::Connection;

use super::connection::{self, Durability, Patience, WRITER_WAIT};
use super::error::{SqlError, is_damage};
use super::{SqliteStore, check_returns};

/// Findings of one kind that are listed.
const LISTED: usize = 100;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Customers that were checked.
    pub customers: u64,
    /// Refunds that were checked.
    pub refunds: u64,
    /// Returns that were checked.
    pub returns: u64,
    /// What is wrong, a sentence each; empty when everything is right.
    pub findings: Vec<String>,
}

impl CheckReport {
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

/// Queries that give one sentence for each violation. `{tool}` is the tool that makes refunds.
const INVARIANTS: [&str; 14] = [
    BALANCES,
    REFUND_COUNTS,
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
    "SELECT 'refund ' || r.refund_id || ': ' || count(a.seq)
         || ' audit rows say that it was processed, and not one'
     FROM refunds r LEFT JOIN audit a ON a.refund_id = r.refund_id AND a.outcome = 'processed'
     WHERE r.import_seq IS NULL
     GROUP BY r.seq HAVING count(a.seq) <> 1",
    // One that was imported was processed elsewhere; the audit row of its import stands for it.
    "SELECT 'refund ' || r.refund_id || ': audit row ' || r.import_seq || ' is not that of an import'
     FROM refunds r LEFT JOIN audit a ON a.seq = r.import_seq
     WHERE r.import_seq IS NOT NULL AND (a.seq IS NULL OR a.outcome <> 'imported')",
    "SELECT 'refund ' || r.refund_id || ': it was imported, but audit row ' || a.seq
         || ' says that it was processed here'
     FROM refunds r JOIN audit a ON a.refund_id = r.refund_id AND a.outcome = 'processed'
     WHERE r.import_seq IS NOT NULL",
    "SELECT 'adjustment ' || j.seq || ' of customer ' || j.customer_id
         || ': the customer does not exist, has another currency, or the audit row is not its own'
     FROM adjustments j LEFT JOIN customers c ON c.customer_id = j.customer_id
         LEFT JOIN audit a ON a.seq = j.audit_seq
     WHERE c.currency IS NOT j.currency OR a.outcome IS NOT 'adjusted'",
    "SELECT 'audit row ' || a.seq || ': the adjustment that it tells of is not there'
     FROM audit a LEFT JOIN adjustments j ON j.audit_seq = a.seq
     WHERE a.outcome = 'adjusted' AND j.seq IS NULL",
];

impl SqliteStore {
    /// Proves the invariants: each balance is the opening balance with the adjustments less the
    /// refunds and not below zero, no refund, key or audit row points at nothing, keys and refunds
    /// belong together, every refund and adjustment has its audit row, the same for returns, their
    /// orders and messages, and for the turns of conversations, and the file is whole. Reads one
    /// snapshot; servers may run.
    ///
    /// # Errors
    /// Only if the store cannot be opened or asked. What is wrong in it, damage of the file included, is a
    /// finding.
    pub fn check(&self) -> Result<CheckReport, StoreError> {
        let _opened = self.ready()?;
        match snapshot(self.path(), self.shared.durability) {
            // So damaged that not even a snapshot can be taken.
            Err(SqlError::Driver(error)) if is_damage(&error) => Ok(CheckReport {
                customers: 0,
                refunds: 0,
                returns: 0,
                findings: vec![damage(&error)],
            }),
            report => Ok(report?),
        }
    }
}

/// SQLite forgets CHECK constraints on connections that cannot write, so that they would not be
/// checked: this one could, and is told not to.
fn snapshot(path: &Path, durability: Durability) -> Result<CheckReport, SqlError> {
    let conn = connection::writer(path, durability, &Patience::new(WRITER_WAIT))?;
    conn.execute_batch("PRAGMA query_only = ON")?;
    let snapshot = conn.unchecked_transaction()?;
    let mut findings = Vec::new();
    collect(&mut findings, integrity(&snapshot))?;
    collect(&mut findings, foreign_keys(&snapshot))?;
    for invariant in INVARIANTS.into_iter().chain(check_returns::INVARIANTS) {
        let sql = invariant
            .replace("{tool}", TOOL)
            .replace("{return}", returns::TOOL)
            .replace("{turn}", escalation::TOOL);
        let sentences = sentences(&snapshot, &sql);
        collect(&mut findings, sentences)?;
    }
    Ok(CheckReport {
        customers: count(&snapshot, "customers").unwrap_or(0),
        refunds: count(&snapshot, "refunds").unwrap_or(0),
        returns: count(&snapshot, "returns").unwrap_or(0),
        findings,
    })
}

/// The part of the proof that an import must not break: that the balances add up, and that nothing
/// points at nothing.
pub(crate) fn of_import(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut found = sentences(conn, BALANCES)?;
    found.extend(sentences(conn, REFUND_COUNTS)?);
    found.extend(foreign_keys(conn)?);
    Ok(found)
}

/// Adds what a query found. That the file is too damaged for it is a finding as well.
fn collect(
    findings: &mut Vec<String>,
    found: rusqlite::Result<Vec<String>>,
) -> Result<(), SqlError> {
    match found {
        Ok(mut found) => {
            findings.append(&mut found);
            Ok(())
        }
        Err(error) if is_damage(&error) => {
            let finding = damage(&error);
            if !findings.contains(&finding) {
                findings.push(finding);
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

fn damage(error: &rusqlite::Error) -> String {
    format!("the file is damaged: {error}")
}

fn integrity(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut found = sentences(conn, "PRAGMA integrity_check")?;
    found.retain(|line| line != "ok");
    Ok(found
        .into_iter()
        .map(|line| format!("the file is damaged: {line}"))
        .collect())
}

fn foreign_keys(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    sentences(
        conn,
        "SELECT 'table ' || \"table\" || ', row ' || coalesce(rowid, '?')
             || ': it points at nothing in table ' || parent
         FROM pragma_foreign_key_check",
    )
}

fn sentences(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let mut found: Vec<String> = rows.take(LISTED + 1).collect::<Result<_, _>>()?;
    if found.len() > LISTED {
        found.truncate(LISTED);
        found.push("and more of this kind".to_owned());
    }
    Ok(found)
}

fn count(conn: &Connection, table: &str) -> rusqlite::Result<u64> {
    let count: i64 = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })?;
    Ok(count.unsigned_abs())
}
