//! Importing records: one transaction, all or nothing.

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, Patience, WRITER_WAIT};
use super::customers;
use super::error::{SqlError, Stage};
use super::{DEFERRED_WAIT, SqliteStore};
use crate::import::{Conflict, ImportError, NewCustomer};

impl SqliteStore {
    /// Imports customers, all or none of them, and says how many. The balance that each comes with
    /// is its opening balance.
    ///
    /// Has a connection of its own and blocks for as long as the import takes; refunds wait for it.
    ///
    /// # Errors
    /// Ids, e-mail addresses (without regard to case) and external ids that are taken: all of them
    /// together. Or a fault of the store. Either way nothing was imported.
    pub fn import_customers(&self, records: Vec<NewCustomer>) -> Result<usize, ImportError> {
        self.live(DEFERRED_WAIT)
            .map_err(|error| ImportError::Fault(error.into()))?;
        let patience = Patience::new(WRITER_WAIT);
        let mut conn = connection::writer(self.path(), self.shared.durability, &patience)
            .map_err(|error| fault(error, Stage::Before))?;
        insert(&mut conn, &records)
    }
}

fn insert(conn: &mut Connection, records: &[NewCustomer]) -> Result<usize, ImportError> {
    let transaction = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| fault(error, Stage::Before))?;
    let mut conflicts = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let customer = &record.customer;
        match customers::conflict(&transaction, customer).map_err(before)? {
            Some((field, taken_by)) => conflicts.push(Conflict {
                index,
                place: record.place.clone(),
                customer_id: customer.id,
                field,
                taken_by,
            }),
            None => customers::insert(&transaction, customer).map_err(before)?,
        }
    }
    if !conflicts.is_empty() {
        return Err(ImportError::Conflicts(conflicts));
    }
    transaction
        .commit()
        .map_err(|error| fault(error, Stage::Commit))?;
    Ok(records.len())
}

fn before(error: SqlError) -> ImportError {
    ImportError::Fault(error.at(Stage::Before))
}

fn fault(error: rusqlite::Error, stage: Stage) -> ImportError {
    ImportError::Fault(SqlError::from(error).at(stage))
}
