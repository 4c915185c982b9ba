//! Data files: JSON text into checked records. The store saves them.
//!
//! The format: one object whose keys are entity names and whose values are arrays of records. Field
//! names are snake_case; money is a JSON number or a string of digits in the record's currency, taken
//! from its text; times are RFC 3339.

mod amount;
mod customers;
mod json;

use std::fmt;
use std::sync::Arc;

use refund_domain::{Customer, CustomerId, StoreError};

pub use customers::read_customers;

/// A customer to import. Its refundable balance is also its opening balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCustomer {
    /// The customer.
    pub customer: Customer,
    /// Where it was read from.
    pub place: Option<Place>,
}

impl From<Customer> for NewCustomer {
    fn from(customer: Customer) -> Self {
        Self {
            customer,
            place: None,
        }
    }
}

/// Where a record stands in a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the caller gave it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The record's index in its array, from 0.
    pub record: usize,
}

/// Something wrong in a data file. Shown as `FILE:LINE: customers[INDEX].FIELD: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The file's name as the caller gave it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The entity, where the problem is inside one.
    pub entity: Option<&'static str>,
    /// The record's index in its array, from 0, where the problem is inside a record.
    pub record: Option<usize>,
    /// The field, where the problem is one field.
    pub field: Option<String>,
    /// What is wrong. Shows no value of a field with personal data.
    pub message: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(entity) = self.entity {
            f.write_str(entity)?;
            if let Some(record) = self.record {
                write!(f, "[{record}]")?;
            }
            if let Some(field) = &self.field {
                write!(f, ".{field}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RowError {}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Some records collide with records that are there, or with each other.
    #[error("nothing was imported: {}", list(.0))]
    Conflicts(Vec<Conflict>),
    /// The store failed.
    #[error("failed to import")]
    Fault(#[source] StoreError),
}

/// A record with something that another record has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The record's index among those to import, from 0.
    pub index: usize,
    /// Where it was read from.
    pub place: Option<Place>,
    /// Its id.
    pub customer_id: CustomerId,
    /// The field that must be unique.
    pub field: &'static str,
    /// The id of the record that has the same.
    pub taken_by: String,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}: ", place.file, place.line)?;
        }
        write!(f, "customer {}: ", self.customer_id)?;
        if self.field == "customer_id" {
            f.write_str("there is a customer with this id already")
        } else {
            write!(f, "its {} is the one of {}", self.field, self.taken_by)
        }
    }
}

fn list(conflicts: &[Conflict]) -> String {
    let texts: Vec<String> = conflicts.iter().map(Conflict::to_string).collect();
    texts.join("; ")
}
