//! Importing: one transaction for all files, all or nothing.
//!
//! An import has a connection of its own and holds the write lock until it ends; a server on the same
//! file answers refunds meanwhile that the store is unavailable and nothing moved. Records go straight
//! into the tables, whose constraints find what collides; what a record points at may come later, so
//! that it is looked for at the end.

use std::collections::{BTreeMap, HashMap, HashSet};

use refund_domain::{Caller, Customer, CustomerId, OrderLine, Principal, Timestamp};
use rusqlite::{Connection, Transaction, TransactionBehavior, ffi};
use serde::Serialize;

use super::connection::{self, Patience, WRITER_WAIT};
use super::error::{SqlError, Stage};
use super::import_links::Link;
use super::import_refunds::Refunds;
use super::{DEFERRED_WAIT, SqliteStore, audit, check, customers, orders, products};
use crate::transfer::{
    Counts, Entity, ImportError, Imported, Input, Place, ProductRecord, Record, Report, Stop, Take,
    read,
};

/// The command's name in the audit trail.
const TOOL: &str = "import";
/// Its outcome there; refunds that were imported point at such a row.
const OUTCOME: &str = "imported";
/// How the connection differs from the one that writes refunds. A larger cache (in KiB): the indexes
/// of a large import are written in no order. Temporary rows in a file, so that they cost no memory.
/// Foreign keys are looked at once, at the end: what a record points at may come later, and as long as
/// something is missing SQLite would search whole tables for it with each insert.
const SETTINGS: &str =
    "PRAGMA cache_size = -20480; PRAGMA temp_store = FILE; PRAGMA foreign_keys = OFF;";

impl SqliteStore {
    /// Imports files, all of them or nothing, in whatever order entities come in them. With `upsert`,
    /// customers that are there get the file's plain fields, but keep balance and currency; so do
    /// products and orders, and a conversation that had fewer turns; refunds, returns and turns that
    /// are there must be the same. Blocks until it is done.
    ///
    /// A customer comes with the balance that it has now. Refunds never change a balance: they are
    /// counted into the opening balance. A refund that does not tell the balance just after it gets
    /// the one that follows from the balance now and the refunds that come after it in the import.
    /// An order that a return names is returned. The message about a return is kept, for whoever
    /// retries its key, and not sent. A conversation without a principal is the caller's.
    ///
    /// # Errors
    /// Everything that is wrong in the files or collides with what is there, up to a bound; a file
    /// that cannot be read; or a fault of the store. In each case nothing was imported.
    pub fn import(
        &self,
        inputs: Vec<Input>,
        upsert: bool,
        caller: &Caller,
        at: Timestamp,
    ) -> Result<Imported, ImportError> {
        self.import_as(inputs, upsert, Some((caller, at)))
    }

    /// The same; without a caller there is no audit row.
    pub(crate) fn import_as(
        &self,
        inputs: Vec<Input>,
        upsert: bool,
        audited: Option<(&Caller, Timestamp)>,
    ) -> Result<Imported, ImportError> {
        self.in_import(|transaction| {
            let importer = audited.map(|(caller, _at)| caller.principal.clone());
            let mut import = Import::new(transaction, upsert, importer).map_err(before)?;
            let mut report = Report::default();
            for input in inputs {
                let file = std::sync::Arc::clone(&input.name);
                match read(input, &mut report, &mut import) {
                    Ok(()) => {}
                    Err(Stop::Full) => break,
                    Err(Stop::Read(source)) => return Err(ImportError::Read { file, source }),
                    Err(Stop::Taker(error)) => return Err(before(error)),
                }
            }
            import.finish(report, audited)
        })
    }

    /// Puts customers into a store, all or none, and says how many: for tests, and for programs that
    /// fill a store of their own. The balance that each comes with is its opening balance. There is no
    /// audit row.
    ///
    /// # Errors
    /// As [`SqliteStore::import`].
    pub fn import_customers(&self, customers: Vec<Customer>) -> Result<usize, ImportError> {
        let count = customers.len();
        self.import_records(|_conn| Ok(customers.into_iter().map(Record::Customer).collect()))?;
        Ok(count)
    }

    /// Puts orders into a store, all or none, with those of their products that are not there: the
    /// same for orders. Their customers must be there.
    ///
    /// # Errors
    /// As [`SqliteStore::import`].
    pub fn import_orders(&self, lines: &[OrderLine]) -> Result<(), ImportError> {
        self.import_records(|conn| {
            let mut seen = HashSet::new();
            let mut records = Vec::with_capacity(lines.len());
            for OrderLine { order, product } in lines {
                if seen.insert(&product.sku) && products::by_sku(conn, &product.sku)?.is_none() {
                    records.push(Record::Product(ProductRecord::from(product.clone())));
                }
                records.push(Record::Order(order.clone()));
            }
            Ok(records)
        })
    }

    /// Records of a program, as if they came from a file.
    fn import_records(
        &self,
        records: impl FnOnce(&Connection) -> Result<Vec<Record>, SqlError>,
    ) -> Result<(), ImportError> {
        self.in_import(|transaction| {
            let mut import = Import::new(transaction, false, None).map_err(before)?;
            let mut report = Report::default();
            for (index, record) in (0..).zip(records(transaction).map_err(before)?) {
                let place = Place {
                    file: "program".into(),
                    line: index + 1,
                    entity: record.entity(),
                    record: index,
                };
                import.take(record, &place, &mut report).map_err(before)?;
            }
            import.finish(report, None)
        })?;
        Ok(())
    }

    fn in_import<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let fault =
            |error: rusqlite::Error, stage| ImportError::Fault(SqlError::from(error).at(stage));
        self.live(DEFERRED_WAIT)
            .map_err(|error| ImportError::Fault(error.into()))?;
        let patience = Patience::new(WRITER_WAIT);
        let mut conn = connection::writer(self.path(), self.shared.durability, &patience)
            .map_err(|error| fault(error, Stage::Before))?;
        conn.execute_batch(SETTINGS)
            .map_err(|error| fault(error, Stage::Before))?;
        let transaction: Transaction<'_> = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| fault(error, Stage::Before))?;
        let result = work(&transaction)?;
        transaction
            .commit()
            .map_err(|error| fault(error, Stage::Commit))?;
        Ok(result)
    }
}

fn before(error: SqlError) -> ImportError {
    ImportError::Fault(error.at(Stage::Before))
}

/// The arguments of an import in the audit trail: no names of files, which may name a person.
#[derive(Serialize)]
struct Arguments {
    upsert: bool,
    #[serde(flatten)]
    counts: BTreeMap<&'static str, u64>,
}

/// How a record counts.
type CountIt = fn(&mut Counts);

/// An import that runs.
pub(crate) struct Import<'t> {
    pub(crate) conn: &'t Connection,
    pub(crate) upsert: bool,
    /// The audit row that will tell of it.
    pub(crate) audit_seq: i64,
    /// Whose the conversations are that don't say so.
    pub(crate) importer: Option<Principal>,
    imported: Imported,
    /// Where each customer that was right came from.
    customers: HashMap<CustomerId, Place>,
    refunds: Refunds,
    /// The ids of other records that may have updated what was there.
    pub(crate) updated: HashSet<(Entity, String)>,
    /// What was not there yet when it was pointed at, with who was the first to do so.
    pending: HashMap<Link, Place>,
}

impl<'t> Import<'t> {
    fn new(
        conn: &'t Connection,
        upsert: bool,
        importer: Option<Principal>,
    ) -> Result<Self, SqlError> {
        let audit_seq = audit::next_seq(conn)?;
        Ok(Self {
            conn,
            upsert,
            audit_seq,
            importer,
            imported: Imported {
                counts: Entity::ALL.map(|entity| (entity, Counts::default())).into(),
                balances_left: 0,
            },
            customers: HashMap::new(),
            refunds: Refunds::begin(conn, audit_seq)?,
            updated: HashSet::new(),
            pending: HashMap::new(),
        })
    }

    pub(crate) fn count(&mut self, entity: Entity, what: impl FnOnce(&mut Counts)) {
        let found = self
            .imported
            .counts
            .iter_mut()
            .find(|(of, _)| *of == entity);
        if let Some((_, counts)) = found {
            what(counts);
        }
    }

    fn customer(
        &mut self,
        customer: &Customer,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        if let Some(first) = self.customers.get(&customer.id) {
            let message = format!("is the same as in the record at {first}");
            report.record(place, None, Some("customer_id"), message);
            return Ok(());
        }
        if let Some(count_it) = self.save(customer, place, report)? {
            self.count(Entity::Customers, count_it);
            self.customers.insert(customer.id, place.clone());
        }
        Ok(())
    }

    /// Inserts a customer or updates the one that is there, and says how that counts; `None` if something is
    /// wrong with it.
    fn save(
        &mut self,
        customer: &Customer,
        place: &Place,
        report: &mut Report,
    ) -> Result<Option<CountIt>, SqlError> {
        let there = match self.upsert {
            true => customers::by_id(self.conn, customer.id)?,
            false => None,
        };
        let Some(there) = there else {
            return match customers::insert(self.conn, customer) {
                Ok(()) => Ok(Some(|counts| counts.added += 1)),
                Err(error) => self.collision(error, customer, place, report),
            };
        };
        let (has, says) = (there.refundable_balance, customer.refundable_balance);
        if has.currency() != says.currency() {
            let message = format!("the customer has {} already", has.currency());
            report.record(place, None, Some("currency"), message);
            return Ok(None);
        }
        if has != says {
            self.imported.balances_left += 1;
        }
        let mut same = customer.clone();
        same.refundable_balance = has;
        if same == there {
            return Ok(Some(|counts| counts.unchanged += 1));
        }
        match customers::update_plain_fields(self.conn, customer) {
            Ok(()) => Ok(Some(|counts| counts.updated += 1)),
            Err(error) => self.collision(error, customer, place, report),
        }
    }

    /// Says with whom a customer collides. Shows no address.
    fn collision(
        &self,
        error: SqlError,
        customer: &Customer,
        place: &Place,
        report: &mut Report,
    ) -> Result<Option<CountIt>, SqlError> {
        if !is_taken(&error) {
            return Err(error);
        }
        let mut found = customers::conflicts(self.conn, customer)?;
        if self.upsert {
            found.retain(|(field, _)| *field != "customer_id");
        }
        if found.is_empty() {
            return Err(error);
        }
        for (field, owner) in found {
            let first = CustomerId::new(&owner)
                .ok()
                .and_then(|id| self.customers.get(&id));
            let message = match (field, first) {
                (_, Some(first)) => format!("is the same as in the record at {first}"),
                ("customer_id", None) => format!("there is a customer {owner} already"),
                (_, None) => format!("is the one of {owner}"),
            };
            report.record(place, None, Some(field), message);
        }
        Ok(None)
    }

    /// Looks for what a record points at. What is not there may come later.
    pub(crate) fn link(&mut self, link: Link, place: &Place) -> Result<(), SqlError> {
        if link.problem(self.conn)?.is_some() {
            self.pending.entry(link).or_insert_with(|| place.clone());
        }
        Ok(())
    }

    fn finish(
        mut self,
        mut report: Report,
        audited: Option<(&Caller, Timestamp)>,
    ) -> Result<Imported, ImportError> {
        // What is missing may be what could not be read: only files that are right have loose ends.
        if report.is_empty() {
            self.loose_ends(&mut report).map_err(before)?;
        }
        if report.is_empty() {
            self.refunds
                .finish(self.conn, &mut report)
                .map_err(before)?;
            orders::mark_imported_returns(self.conn, self.audit_seq).map_err(before)?;
        }
        if !report.is_empty() {
            return Err(report.into_error());
        }
        if let Some((caller, at)) = audited {
            self.record(caller, at).map_err(before)?;
        }
        let wrong = check::of_import(self.conn).map_err(|error| before(error.into()))?;
        if let Some(first) = wrong.first() {
            return Err(before(SqlError::untrue(
                "any",
                "of the import",
                first.as_str(),
            )));
        }
        Ok(self.imported)
    }

    fn loose_ends(&mut self, report: &mut Report) -> Result<(), SqlError> {
        let mut pending: Vec<_> = self.pending.drain().collect();
        pending.sort_by(|(_, left), (_, right)| {
            (&left.file, left.line).cmp(&(&right.file, right.line))
        });
        for (link, place) in pending {
            if let Some((field, message)) = link.problem(self.conn)? {
                report.record(&place, None, Some(field), message);
            }
            if report.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn record(&self, caller: &Caller, at: Timestamp) -> Result<(), SqlError> {
        let written = self.imported.counts.iter().map(|(entity, counts)| {
            let written = counts.added + counts.updated;
            (entity.as_str(), written)
        });
        let arguments = Arguments {
            upsert: self.upsert,
            counts: written.filter(|(_, count)| *count > 0).collect(),
        };
        let entry = audit::Entry {
            at,
            caller,
            tool: TOOL,
            arguments,
            outcome: OUTCOME,
            trace: &[],
            refund_id: None,
            return_id: None,
        };
        audit::record_at(self.conn, Some(self.audit_seq), &entry).map(|_seq| ())
    }
}

impl Take for Import<'_> {
    type Error = SqlError;

    fn take(&mut self, record: Record, place: &Place, report: &mut Report) -> Result<(), SqlError> {
        match record {
            Record::Customer(customer) => self.customer(&customer, place, report),
            Record::Address(address) => self.address(&address, place, report),
            Record::Product(product) => self.product(&product, place, report),
            Record::Device(device) => self.device(&device, place, report),
            Record::Warranty(warranty) => self.warranty(&warranty, place, report),
            Record::OpenReturn(open) => self.open_return(&open, place, report),
            Record::Order(order) => self.order(&order, place, report),
            Record::Return(made) => self.order_return(&made, place, report),
            Record::Escalation(conversation) => self.escalation(&conversation, place, report),
            Record::Turn(turn) => self.turn(&turn, place, report),
            Record::Refund(refund) => {
                let link = Link::Customer(refund.customer_id, Some(refund.amount.currency()));
                self.link(link, place)?;
                let conn = self.conn;
                let new = self
                    .refunds
                    .take(conn, refund, self.upsert, place, report)?;
                if let Some(new) = new {
                    self.count(Entity::Refunds, |counts| match new {
                        true => counts.added += 1,
                        false => counts.unchanged += 1,
                    });
                }
                Ok(())
            }
        }
    }
}

/// Whether a row collides with another one.
pub(crate) fn is_taken(error: &SqlError) -> bool {
    let SqlError::Driver(error) = error else {
        return false;
    };
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(
        code,
        Some(
            ffi::SQLITE_CONSTRAINT_UNIQUE
                | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                | ffi::SQLITE_CONSTRAINT_ROWID
                // The triggers that keep rows from being replaced come before the constraints.
                | ffi::SQLITE_CONSTRAINT_TRIGGER
        )
    )
}
