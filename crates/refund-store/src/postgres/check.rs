//! Proves the invariants of the database, by way of a scratch copy.

use refund_domain::StoreError;

use super::PostgresStore;
use super::scratch::Transaction;
use super::tables::TABLES;
use super::transfer::scratch;
use crate::CheckReport;
use crate::sqlite::Writers;

impl PostgresStore {
    /// Proves the invariants as [`SqliteStore::check`](crate::SqliteStore::check) does, on a copy of one
    /// moment in the temporary directory, and that the numbers which the database gives next are new
    /// ones. It may be run beside servers, by a user who may only read, and on a replica. Blocks until it
    /// is done.
    ///
    /// # Errors
    /// The database cannot be reached or read.
    pub fn check(&self) -> Result<CheckReport, StoreError> {
        let scratch = scratch()?;
        let transaction = Transaction::reading(self.engine())?;
        match transaction.copy_into(&scratch, |_| true) {
            Ok(_rows) => {}
            // What cannot be carried over can be read by no tool either.
            Err(StoreError::Damaged(cause)) => {
                return Ok(CheckReport::unreadable(chain(&*cause), false));
            }
            Err(error) => return Err(error),
        }
        let mut report = scratch.check_of(Writers::Many)?;
        report.findings.extend(used_numbers(&transaction)?);
        Ok(report)
    }
}

/// Numbers that were given to rows, and would be given again.
fn used_numbers(transaction: &Transaction<'_>) -> Result<Vec<String>, StoreError> {
    let queries = TABLES.iter().filter(|table| table.numbered).map(|table| {
        let name = table.name;
        format!(
            "SELECT '{name}', (SELECT coalesce(max(seq), 0) FROM {name}),
                 (SELECT last_value + is_called::int FROM {name}_seq_seq)"
        )
    });
    let query = queries.collect::<Vec<_>>().join(" UNION ALL ");
    let rows = transaction.run(|client| async move { Ok(client.query(&query, &[]).await?) })?;
    let mut findings = Vec::new();
    for row in rows {
        let (name, greatest, next): (String, i64, i64) = (row.get(0), row.get(1), row.get(2));
        if next <= greatest {
            findings.push(format!(
                "table {name}: the next row would get number {next}, and there are rows up to {greatest}"
            ));
        }
    }
    Ok(findings)
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
