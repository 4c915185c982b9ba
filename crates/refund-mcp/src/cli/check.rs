//! `refund-mcp check`: proves the invariants of a database.

use refund_store::{OpenError, SqliteStore};

use super::{CliError, TIER_HINT, no_memory, open, print};
use crate::config::{Config, Database};
use crate::exit::Exit;

pub(super) fn run(config: &Config) -> Result<Exit, CliError> {
    no_memory(config)?;
    let report = match (open(config), &config.database.value) {
        // Whoever audits a database need not be allowed to write it.
        (Err(CliError::Open(OpenError::ReadOnly { .. })), Database::Sqlite(path)) => {
            SqliteStore::check_read_only(path)?
        }
        (store, _) => {
            let store = store?;
            let mut report = store.check().map_err(CliError::Store)?;
            let tiers = store.reader().tiers().map_err(CliError::Store)?;
            if let Err(error) = config.warranty.value.policy.knows(&tiers) {
                report.findings.push(format!("{error}; {TIER_HINT}"));
            }
            report
        }
    };
    for finding in &report.findings {
        print(finding)?;
    }
    if !report.findings.is_empty() {
        return Ok(Exit::CheckFailed);
    }
    let note = if report.read_only {
        " (The file could only be read, and SQLite's own CHECK constraints were not asked.)"
    } else {
        ""
    };
    let whole = match &config.database.value {
        Database::Postgres(_) => "no number is given twice",
        Database::Memory | Database::Sqlite(_) => "the schema and the file are whole",
    };
    print(&format!(
        "ok: {} customers and {} refunds, {} orders and {} returns; every balance is its opening balance with its adjustments, less its refunds, every refund and return is in the audit trail as it was made, every row can be read, no orphans, {whole}{note}",
        report.customers, report.refunds, report.orders, report.returns
    ))?;
    Ok(Exit::Ok)
}
