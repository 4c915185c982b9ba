//! One adjustment inside an open transaction, and the SQL of table `adjustments`.

use refund_domain::{AdjustBalance, Adjustment, AdjustmentSettled};
use rusqlite::{Connection, params};
use serde::Serialize;

use super::batch::Command;
use super::error::SqlError;
use super::{audit, customers};

const TABLE: &str = "adjustments";
/// The command's name in the audit trail.
const TOOL: &str = "adjust_balance";

/// The arguments with personal data masked.
#[derive(Serialize)]
struct Masked {
    customer_id: String,
    by: String,
    reason_characters: usize,
}

impl Command for AdjustBalance {
    type Outcome = AdjustmentSettled;

    fn settle(&self, conn: &Connection) -> Result<AdjustmentSettled, SqlError> {
        let customer = customers::by_id(conn, self.customer_id)?;
        let settled = AdjustBalance::settle(self, customer.as_ref());
        let entry = audit::Entry {
            at: self.at,
            caller: &self.caller,
            tool: TOOL,
            arguments: Masked {
                customer_id: self.customer_id.to_string(),
                by: self.by.decimal().normalize().to_string(),
                reason_characters: self.reason.as_str().chars().count(),
            },
            outcome: settled.as_str(),
            trace: &settled.trace,
            refund_id: None,
            return_id: None,
        };
        let audit_seq = audit::record_at(conn, None, &entry)?;
        if let Ok(adjustment) = &settled.outcome {
            customers::adjust_balance(conn, adjustment)?;
            insert(conn, adjustment, audit_seq)?;
        }
        Ok(settled)
    }
}

fn insert(conn: &Connection, adjustment: &Adjustment, audit_seq: i64) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO adjustments (customer_id, by_minor, currency, balance_minor, reason, at_ms,
                 principal, audit_seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            adjustment.customer_id.to_string(),
            adjustment.by_minor(),
            adjustment.after.currency().code(),
            adjustment.after.minor(),
            adjustment.reason.as_str(),
            adjustment.at.unix_millis(),
            adjustment.principal.as_str(),
            audit_seq,
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        let cause = "it was not inserted";
        Err(SqlError::untrue(TABLE, adjustment.customer_id, cause))
    }
}
