//! Products, orders and returns of an import.

use refund_domain::{IdempotencyKey, Order, Principal};

use super::error::SqlError;
use super::import::{Import, is_taken};
use super::import_links::Link;
use super::{idempotency_keys, orders, products, returns};
use crate::transfer::{Place, ProductRecord, Report, ReturnRecord};

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
        record: &ReturnRecord,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), SqlError> {
        let made = &record.made;
        self.link(Link::Order(made.order_id.clone()), place)?;
        let [same_id, same_order] = returns::alike(self.conn, made)?;
        match (same_id, same_order) {
            (None, None) => {
                let owner = record
                    .principal
                    .as_ref()
                    .zip(record.idempotency_key.as_ref());
                let used = match owner {
                    Some((principal, key)) => self.is_key_used(principal, key, place, report)?,
                    None => false,
                };
                if !used {
                    returns::insert_imported(self.conn, record, self.audit_seq)?;
                    self.count(place.entity, |counts| counts.added += 1);
                }
            }
            (Some(there), _) if self.upsert && there.import_seq != Some(self.audit_seq) => {
                if record.agrees_with(&there.record) {
                    self.unchanged(place);
                } else {
                    let message =
                        "there is another return with this id already; returns are never changed";
                    report.record(place, None, Some("return_id"), message);
                }
            }
            (Some(_), _) => {
                let message =
                    "there is a return with this id already, in the store or earlier in the import";
                report.record(place, None, Some("return_id"), message);
            }
            (None, Some(there)) => {
                let id = there.record.made.id;
                let message = format!("the order was returned already, with return {id}");
                report.record(place, None, Some("order_id"), message);
            }
        }
        Ok(())
    }

    /// Whether a principal has used a key for something before, be it earlier in the import.
    pub(crate) fn is_key_used(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
        place: &Place,
        report: &mut Report,
    ) -> Result<bool, SqlError> {
        let tool = idempotency_keys::tool(self.conn, principal, key)?;
        if let Some(tool) = &tool {
            let message = format!("the principal has used this key for {tool} already");
            report.record(place, None, Some("idempotency_key"), message);
        }
        Ok(tool.is_some())
    }

    /// Whether a record that updates what is there came before in the same import. Only then is it
    /// asked: otherwise the table itself knows.
    pub(crate) fn is_repeated(
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

    pub(crate) fn unchanged(&mut self, place: &Place) {
        self.count(place.entity, |counts| counts.unchanged += 1);
    }

    /// Counts a record that was inserted (`true`) or updated, or says that it collides.
    pub(crate) fn saved(
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
