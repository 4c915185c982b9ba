//! Importing orders and their products: one transaction, all or nothing.

use refund_domain::{Order, OrderLine, OrderReturn, StoreError};
use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, Patience, WRITER_WAIT};
use super::error::{SqlError, Stage};
use super::import::{Import, Link, is_taken};
use super::{DEFERRED_WAIT, SqliteStore, orders, products, returns};
use crate::transfer::{Place, ProductRecord, Report};

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

/// Products, orders and returns of an import of files.
impl Import<'_> {
    pub(crate) fn product(
        &mut self,
        record: &ProductRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let sku = &record.product.sku;
        let there = match self.upsert {
            true => products::by_sku(self.conn, sku)?,
            false => None,
        };
        if self.is_repeated(sku.as_str(), "sku", place, report) {
            return Ok(());
        }
        let saved = match there {
            Some(there) if there == *record => {
                self.unchanged(place);
                return Ok(());
            }
            Some(_) => products::update(self.conn, record).map(|()| false),
            None => products::insert(self.conn, record).map(|()| true),
        };
        self.saved(saved, "sku", "a product with this number", place, report)
    }

    pub(crate) fn order(
        &mut self,
        order: &Order,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Customer(order.customer_id, None), place)?;
        self.link(Link::Product(order.sku.clone()), place)?;
        let there = match self.upsert {
            true => orders::alone(self.conn, &order.id)?,
            false => None,
        };
        if self.is_repeated(order.id.as_str(), "order_id", place, report) {
            return Ok(());
        }
        let saved = match there {
            Some(there) if there.customer_id != order.customer_id => {
                let message = format!("the order is of {} already", there.customer_id);
                report.record(place, None, Some("customer_id"), message);
                return Ok(());
            }
            Some(there) => {
                let mut result = order.clone();
                result.returned |= there.returned;
                if result == there {
                    self.unchanged(place);
                    return Ok(());
                }
                orders::update(self.conn, &result).map(|()| false)
            }
            None => orders::insert(self.conn, order).map(|()| true),
        };
        self.saved(saved, "order_id", "an order with this id", place, report)
    }

    pub(crate) fn order_return(
        &mut self,
        made: &OrderReturn,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        self.link(Link::Order(made.order_id.clone()), place)?;
        let [same_id, same_order] = returns::alike(self.conn, made)?;
        match (same_id, same_order) {
            (None, None) => {
                returns::insert_imported(self.conn, made)?;
                self.count(place.entity, |counts| counts.added += 1);
            }
            (Some(there), _) if self.upsert && there == *made => self.unchanged(place),
            (Some(_), _) => {
                let message =
                    "there is a return with this id already, in the store or earlier in the import";
                report.record(place, None, Some("return_id"), message);
            }
            (None, Some(there)) => {
                let message = format!("the order was returned already, with return {}", there.id);
                report.record(place, None, Some("order_id"), message);
            }
        }
        Ok(())
    }

    /// Whether a record that updates what is there came before in the same import. Only then is it
    /// asked: otherwise the table itself knows.
    fn is_repeated(
        &mut self,
        id: &str,
        field: &'static str,
        place: &Place,
        report: &mut Report,
    ) -> bool {
        let new = !self.upsert || self.updated.insert((place.entity, id.to_owned()));
        if !new {
            report.record(place, None, Some(field), "came before in this import");
        }
        !new
    }

    fn unchanged(&mut self, place: &Place) {
        self.count(place.entity, |counts| counts.unchanged += 1);
    }

    /// Counts a record that was inserted (`true`) or updated, or says that it collides.
    fn saved(
        &mut self,
        saved: Result<bool, SqlError>,
        field: &'static str,
        what: &str,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        match saved {
            Ok(true) => self.count(place.entity, |counts| counts.added += 1),
            Ok(false) => self.count(place.entity, |counts| counts.updated += 1),
            Err(error) if is_taken(&error) => {
                let message =
                    format!("there is {what} already, in the store or earlier in the import");
                report.record(place, None, Some(field), message);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
