//! Refunds of an import: straight into their table, or, where the balance just after them is still to
//! be worked out, into a temporary one first.

use std::collections::HashMap;

use refund_domain::{
    Currency, CustomerId, IdempotencyKey, Money, Principal, Reason, Refund, RefundId, RefundStatus,
    Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::error::SqlError;
use super::import::is_taken;
use super::{customers, idempotency_keys, refunds};
use crate::transfer::{Entity, Place, RefundRecord, Report};

const STAGED: &str = "staged_refunds";

/// What was imported of one customer.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    minor: i64,
    count: i64,
}

/// What a refund may collide by.
struct Name {
    id: RefundId,
    principal: Principal,
    key: Option<IdempotencyKey>,
}

impl Name {
    fn of(record: &RefundRecord) -> Self {
        Self {
            id: record.id,
            principal: record.principal.clone(),
            key: record.idempotency_key.clone(),
        }
    }
}

/// The refunds of an import.
pub(crate) struct Refunds {
    import_seq: i64,
    next_seq: i64,
    sums: HashMap<CustomerId, Sum>,
    /// The names of files that staged refunds came from.
    files: Vec<std::sync::Arc<str>>,
}

impl Refunds {
    pub(crate) fn begin(conn: &Connection, import_seq: i64) -> Result<Self, SqlError> {
        // What would collide in the table itself collides here as well.
        conn.execute_batch(
            "CREATE TEMP TABLE staged_refunds (
                 seq INTEGER PRIMARY KEY, refund_id TEXT NOT NULL UNIQUE, customer_id TEXT NOT NULL,
                 amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, reason TEXT NOT NULL,
                 status TEXT NOT NULL, processed_at_ms INTEGER NOT NULL, principal TEXT NOT NULL,
                 idempotency_key TEXT, sum_minor INTEGER NOT NULL,
                 file INTEGER NOT NULL, line INTEGER NOT NULL, record INTEGER NOT NULL,
                 UNIQUE (principal, idempotency_key)
             ) STRICT",
        )?;
        Ok(Self {
            import_seq,
            next_seq: refunds::next_seq(conn)?,
            sums: HashMap::new(),
            files: Vec::new(),
        })
    }

    /// Takes a refund: `true` if it is new, `false` if it was there, exactly so; `None` if something is
    /// wrong with it.
    pub(crate) fn take(
        &mut self,
        conn: &Connection,
        record: RefundRecord,
        upsert: bool,
        place: &Place,
        report: &mut Report,
    ) -> Result<Option<bool>, SqlError> {
        if upsert && let Some(there) = refunds::by_id(conn, record.id)? {
            let remaining = there.remaining_refundable_balance;
            let says = record.remaining_refundable_balance.unwrap_or(remaining);
            let ours = refunds::import_seq(conn, record.id)? == Some(self.import_seq);
            if !ours && record.into_refund(says) == there {
                return Ok(Some(false));
            }
            let message = "there is another refund with this id already; refunds are never changed";
            report.record(place, None, Some("refund_id"), message);
            return Ok(None);
        }
        let sum = self.sums.entry(record.customer_id).or_default();
        let Some(minor) = sum.minor.checked_add(record.amount.minor()) else {
            let message = "the refunds of this customer are more than can be counted";
            report.record(place, None, Some("amount"), message);
            return Ok(None);
        };
        *sum = Sum {
            minor,
            count: sum.count + 1,
        };
        let seq = self.next_seq;
        self.next_seq += 1;
        let name = Name::of(&record);
        let result = match record.remaining_refundable_balance {
            Some(remaining) => {
                let refund = record.into_refund(remaining);
                self.insert(conn, &refund, seq)
            }
            None => self.stage(conn, &record, seq, minor, place),
        };
        match result {
            Ok(()) => Ok(Some(true)),
            Err(error) if is_taken(&error) => {
                self.collision(conn, &name, true, place, report)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn insert(&self, conn: &Connection, refund: &Refund, seq: i64) -> Result<(), SqlError> {
        refunds::insert_at(conn, refund, Some(seq), Some(self.import_seq))?;
        idempotency_keys::claim_for_refund(conn, refund)
    }

    fn stage(
        &mut self,
        conn: &Connection,
        record: &RefundRecord,
        seq: i64,
        sum_minor: i64,
        place: &Place,
    ) -> Result<(), SqlError> {
        if self.files.last() != Some(&place.file) {
            self.files.push(std::sync::Arc::clone(&place.file));
        }
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        conn.prepare_cached(
            "INSERT INTO staged_refunds VALUES
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            seq,
            record.id.to_string(),
            record.customer_id.to_string(),
            record.amount.minor(),
            record.amount.currency().code(),
            record.reason.as_str(),
            record.status.as_str(),
            record.processed_at.unix_millis(),
            record.principal.as_str(),
            record.idempotency_key.as_ref().map(IdempotencyKey::as_str),
            sum_minor,
            i64::try_from(self.files.len() - 1).unwrap_or(i64::MAX),
            number(place.line),
            number(place.record),
        ])?;
        Ok(())
    }

    /// Says with what a refund collides, in its table or (while they are read) among the staged ones.
    fn collision(
        &self,
        conn: &Connection,
        name: &Name,
        among_staged: bool,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let staged = |condition: &str, values: &[&str]| -> Result<Option<String>, SqlError> {
            if !among_staged {
                return Ok(None);
            }
            let sql = format!("SELECT refund_id FROM staged_refunds WHERE {condition}");
            Ok(conn
                .prepare_cached(&sql)?
                .query_row(params_from_iter(values), |row| row.get(0))
                .optional()?)
        };
        if refunds::exists(conn, name.id)?
            || staged("refund_id = ?1", &[&name.id.to_string()])?.is_some()
        {
            let message =
                "there is a refund with this id already, in the store or earlier in the import";
            report.record(place, None, Some("refund_id"), message);
            return Ok(());
        }
        let mut owner = None;
        if let Some(key) = &name.key {
            owner = refunds::owner_of_key(conn, &name.principal, key)?;
            if owner.is_none() {
                let condition = "principal = ?1 AND idempotency_key = ?2";
                owner = staged(condition, &[name.principal.as_str(), key.as_str()])?;
            }
        }
        let owner = owner.map_or_else(|| "something else".to_owned(), |id| format!("refund {id}"));
        let message = format!("the principal has used this key for {owner} already");
        report.record(place, None, Some("idempotency_key"), message);
        Ok(())
    }

    /// Works out the balances that the files did not tell, and counts all refunds into the opening
    /// balances of their customers.
    pub(crate) fn finish(&self, conn: &Connection, report: &mut Report) -> Result<(), SqlError> {
        let mut statement = conn.prepare("SELECT * FROM staged_refunds ORDER BY seq")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.unstage(conn, row, report)?;
            if report.is_full() {
                return Ok(());
            }
        }
        for (id, sum) in &self.sums {
            customers::add_to_opening(conn, *id, sum.minor, sum.count)?;
        }
        Ok(())
    }

    fn unstage(
        &self,
        conn: &Connection,
        row: &Row<'_>,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let seq: i64 = row.get(0)?;
        let untrue = |cause: &'static str| SqlError::untrue(STAGED, seq, cause);
        let record = staged(row).ok_or_else(|| untrue("it is not what was staged"))?;
        let number = |column: usize| -> Result<u64, SqlError> {
            Ok(row.get::<_, i64>(column)?.unsigned_abs())
        };
        let file = usize::try_from(number(11)?).unwrap_or(usize::MAX);
        let place = Place {
            file: self
                .files
                .get(file)
                .cloned()
                .ok_or_else(|| untrue("its file is unknown"))?,
            line: number(12)?,
            entity: Entity::Refunds,
            record: number(13)?,
        };
        // As if nothing but refunds had moved the balance: what there is now, and what left later.
        let until: i64 = row.get(10)?;
        let all = self
            .sums
            .get(&record.customer_id)
            .map_or(0, |sum| sum.minor);
        let customer = customers::by_id(conn, record.customer_id)?
            .ok_or_else(|| untrue("its customer is not there"))?;
        let balance = customer.refundable_balance;
        let remaining = balance
            .minor()
            .checked_add(all - until)
            .and_then(|minor| Money::from_minor(minor, balance.currency()).ok());
        let Some(remaining) = remaining else {
            let message = "cannot be worked out: it would be larger than any balance can be";
            report.record(&place, None, Some("remaining_refundable_balance"), message);
            return Ok(());
        };
        let name = Name::of(&record);
        match self.insert(conn, &record.into_refund(remaining), seq) {
            Err(error) if is_taken(&error) => self.collision(conn, &name, false, &place, report),
            result => result,
        }
    }
}

/// The refund of a staged row; its texts passed their constructors before they were staged.
fn staged(row: &Row<'_>) -> Option<RefundRecord> {
    let text = |column: usize| row.get_ref(column).ok()?.as_str().ok();
    let currency = Currency::new(text(4)?).ok()?;
    Some(RefundRecord {
        id: RefundId::new(text(1)?).ok()?,
        customer_id: CustomerId::new(text(2)?).ok()?,
        amount: Money::from_minor(row.get(3).ok()?, currency).ok()?,
        reason: Reason::new(text(5)?).ok()?,
        status: RefundStatus::from_word(text(6)?)?,
        processed_at: Timestamp::from_unix_millis(row.get(7).ok()?).ok()?,
        principal: Principal::new(text(8)?).ok()?,
        idempotency_key: match row.get_ref(9).ok()?.as_str_or_null().ok()? {
            Some(key) => Some(IdempotencyKey::new(key).ok()?),
            None => None,
        },
        remaining_refundable_balance: None,
    })
}
