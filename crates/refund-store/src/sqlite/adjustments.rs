//! One adjustment inside an open transaction, and the SQL of table `adjustments`.

use std::error::Error;

use refund_domain::adjustment::{Facts, TOOL};
use refund_domain::settled::KeyUse;
use refund_domain::{
    AdjustBalance, Adjustment, AdjustmentSettled, Currency, CustomerId, IdempotencyKey, Money,
    Principal, Reason, Timestamp,
};
use rusqlite::{Connection, Row, params};

use super::batch::Command;
use super::error::SqlError;
use super::{audit, customers, idempotency_keys};
use crate::audit_entry;

const TABLE: &str = "adjustments";

impl Command for AdjustBalance {
    type Outcome = AdjustmentSettled;

    fn settle(&self, conn: &Connection) -> Result<AdjustmentSettled, SqlError> {
        let facts = Facts {
            customer: customers::by_id(conn, self.customer_id)?,
            key_use: key_use(conn, self)?,
        };
        let settled = AdjustBalance::settle(self, &facts);
        let entry = audit_entry::of_adjustment(self, &settled);
        let audit_seq = audit::record_at(conn, None, &entry)?;
        drop(entry);
        match &settled.outcome {
            Ok(adjustment) if !settled.replayed => {
                let key = self.idempotency_key.as_ref();
                customers::adjust_balance(conn, adjustment)?;
                insert(conn, adjustment, audit_seq, key)?;
                if let Some(key) = key {
                    let owner = (&adjustment.principal, key);
                    idempotency_keys::claim(conn, owner, TOOL, None, adjustment.at)?;
                }
            }
            _ => {}
        }
        Ok(settled)
    }
}

fn key_use(
    conn: &Connection,
    command: &AdjustBalance,
) -> Result<Option<KeyUse<Adjustment>>, SqlError> {
    let Some(key) = &command.idempotency_key else {
        return Ok(None);
    };
    let principal = &command.caller.principal;
    idempotency_keys::used(conn, principal, key, TOOL, |_no_refund| {
        let untrue = |cause: &'static str| SqlError::untrue("idempotency_keys", key, cause);
        by_key(conn, principal, key)?.ok_or_else(|| untrue("its adjustment is not there"))
    })
}

/// The correction that this principal made with this key.
fn by_key(
    conn: &Connection,
    principal: &Principal,
    key: &IdempotencyKey,
) -> Result<Option<Adjustment>, SqlError> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, customer_id, by_minor, currency, balance_minor, reason, at_ms, principal
         FROM adjustments WHERE principal = ?1 AND idempotency_key = ?2",
    )?;
    let mut rows = statement.query([principal.as_str(), key.as_str()])?;
    rows.next()?.map(read).transpose()
}

/// Every correction, the oldest first.
pub(crate) const EVERY: &str =
    "SELECT seq, customer_id, by_minor, currency, balance_minor, reason, at_ms, principal
     FROM adjustments ORDER BY seq";

/// A row of [`EVERY`].
pub(crate) fn read(row: &Row<'_>) -> Result<Adjustment, SqlError> {
    let seq: i64 = row.get(0)?;
    from_row(row).map_err(|cause| SqlError::untrue(TABLE, seq, cause))
}

fn from_row(row: &Row<'_>) -> Result<Adjustment, Box<dyn Error + Send + Sync>> {
    let currency = Currency::new(row.get_ref(3)?.as_str()?)?;
    let (by, after): (i64, i64) = (row.get(2)?, row.get(4)?);
    Ok(Adjustment {
        customer_id: CustomerId::new(row.get_ref(1)?.as_str()?)?,
        before: Money::from_minor(after.saturating_sub(by), currency)?,
        after: Money::from_minor(after, currency)?,
        reason: Reason::new(row.get_ref(5)?.as_str()?)?,
        at: Timestamp::from_unix_millis(row.get(6)?)?,
        principal: Principal::new(row.get_ref(7)?.as_str()?)?,
    })
}

fn insert(
    conn: &Connection,
    adjustment: &Adjustment,
    audit_seq: i64,
    key: Option<&IdempotencyKey>,
) -> Result<(), SqlError> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO adjustments (customer_id, by_minor, currency, balance_minor, reason, at_ms,
                 principal, audit_seq, idempotency_key)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
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
            key.map(IdempotencyKey::as_str),
        ])?;
    if inserted == 1 {
        Ok(())
    } else {
        let cause = "it was not inserted";
        Err(SqlError::untrue(TABLE, adjustment.customer_id, cause))
    }
}
