//! `refund-mcp check`: proves the invariants of a database.

use super::{CliError, open, print};
use crate::config::Config;
use crate::exit::Exit;

pub(super) fn run(config: &Config) -> Result<Exit, CliError> {
    let report = open(config)?.check().map_err(CliError::Store)?;
    for finding in &report.findings {
        print(finding)?;
    }
    if report.findings.is_empty() {
        print(&format!(
            "ok: {} customers and {} refunds; every balance is its opening balance with its adjustments, less its refunds, no orphans, the file is whole",
            report.customers, report.refunds
        ))?;
        Ok(Exit::Ok)
    } else {
        Ok(Exit::CheckFailed)
    }
}
