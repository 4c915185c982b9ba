//! Importing orders and their products: one transaction, all or nothing.

use refund_domain::{OrderLine, StoreError};
use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, Patience, WRITER_WAIT};
use super::error::{SqlError, Stage};
use super::{DEFERRED_WAIT, SqliteStore, orders, products};

impl SqliteStore {
    /// Imports orders with their products, all or none of them. Their customers must be there.
    ///
    /// # Errors
    /// An id that is taken, a customer that is not there, or a fault of the store. Nothing was
    /// imported.
    pub fn import_orders(&self, lines: &[OrderLine]) -> Result<(), StoreError> {
        self.live(DEFERRED_WAIT)?;
        let patience = Patience::new(WRITER_WAIT);
        let mut conn = connection::writer(self.path(), self.shared.durability, &patience)
            .map_err(|error| SqlError::from(error).at(Stage::Before))?;
        insert(&mut conn, lines)
    }
}

fn insert(conn: &mut Connection, lines: &[OrderLine]) -> Result<(), StoreError> {
    let fault = |stage| move |error| SqlError::from(error).at(stage);
    let transaction = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fault(Stage::Before))?;
    for OrderLine { order, product } in lines {
        products::insert_if_new(&transaction, product)?;
        orders::insert(&transaction, order)?;
    }
    transaction.commit().map_err(fault(Stage::Commit))
}
