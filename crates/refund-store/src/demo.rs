//! Demo data: small files in the format of [`crate::import`], compiled in.

use crate::import::{NewCustomer, RowError, read_customers};

/// A set of demo data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DemoData {
    /// Three customers in USD: one with 500.00, one suspended, one with nothing left.
    Refunds,
    /// A variant of the same: two active customers with balances, one suspended.
    Customers,
}

impl DemoData {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Refunds, Self::Customers];

    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refunds => "refunds",
            Self::Customers => "customers",
        }
    }

    /// The set of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data| data.as_str() == word)
    }

    /// The file, for somebody who wants to see or change it.
    #[must_use]
    pub fn json(self) -> &'static str {
        match self {
            Self::Refunds => include_str!("../demo/refunds.json"),
            Self::Customers => include_str!("../demo/customers.json"),
        }
    }

    /// The records.
    ///
    /// # Errors
    /// None, as long as the tests of this crate pass: the files are compiled in.
    pub fn load(self) -> Result<Vec<NewCustomer>, Vec<RowError>> {
        read_customers(&format!("demo/{}.json", self.as_str()), self.json())
    }
}
