//! Importing and exporting, by way of a scratch copy.

use std::io::Write;

use refund_domain::{Caller, Customer, OrderLine, StoreError, Timestamp};

use super::PostgresStore;
use super::scratch::{Before, Transaction};
use crate::SqliteStore;
use crate::transfer::{Entity, ExportError, Format, ImportError, Imported, Input};

impl PostgresStore {
    /// Imports files, all of them or nothing, as [`SqliteStore::import`] does. Blocks until it is done.
    ///
    /// # Errors
    /// As [`SqliteStore::import`].
    pub fn import(
        &self,
        inputs: Vec<Input>,
        upsert: bool,
        caller: &Caller,
        at: Timestamp,
    ) -> Result<Imported, ImportError> {
        self.in_scratch(|scratch| scratch.import(inputs, upsert, caller, at))
    }

    /// Puts customers into the store, all or none, and says how many, as
    /// [`SqliteStore::import_customers`] does.
    ///
    /// # Errors
    /// As [`SqliteStore::import`].
    pub fn import_customers(&self, customers: Vec<Customer>) -> Result<usize, ImportError> {
        self.in_scratch(|scratch| scratch.import_customers(customers))
    }

    /// Puts orders into the store, all or none, with those of their products that are not there.
    ///
    /// # Errors
    /// As [`SqliteStore::import`].
    pub fn import_orders(&self, lines: &[OrderLine]) -> Result<(), ImportError> {
        self.in_scratch(|scratch| scratch.import_orders(lines))
    }

    fn in_scratch<T>(
        &self,
        work: impl FnOnce(&SqliteStore) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let scratch = scratch().map_err(ImportError::Fault)?;
        let transaction = Transaction::writing(self.engine()).map_err(ImportError::Fault)?;
        let copied = transaction
            .copy_into(&scratch, |_| true)
            .map_err(ImportError::Fault)?;
        let before = match copied {
            0 => None,
            _ => Some(Before::of(&scratch).map_err(ImportError::Fault)?),
        };
        let result = work(&scratch)?;
        transaction
            .take_over(&scratch, before.as_ref())
            .map_err(ImportError::Fault)?;
        transaction.commit().map_err(ImportError::Fault)?;
        Ok(result)
    }

    /// Writes the records of these entities (of the one that [`Format::Csv`] names), as they are at one
    /// moment, as [`SqliteStore::export`] does. Blocks until it is done.
    ///
    /// # Errors
    /// The output cannot be written, or the store not read. What was written until then is incomplete.
    pub fn export(
        &self,
        entities: &[Entity],
        format: Format,
        out: impl Write,
    ) -> Result<u64, ExportError> {
        let scratch = scratch().map_err(ExportError::Fault)?;
        let transaction = Transaction::reading(self.engine()).map_err(ExportError::Fault)?;
        // The audit trail is not exported, and is as large as everything else together.
        let copied = transaction.copy_into(&scratch, |table| table.name != "audit");
        copied.map_err(ExportError::Fault)?;
        drop(transaction);
        scratch.export(entities, format, out)
    }
}

pub(super) fn scratch() -> Result<SqliteStore, StoreError> {
    Ok(SqliteStore::memory()?)
}
