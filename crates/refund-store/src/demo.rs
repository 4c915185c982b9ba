//! Demo data: small files in the format of [`crate::transfer`], compiled in.

use crate::SqliteStore;
use crate::transfer::{Format, ImportError, Input};

/// A set of demo data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DemoData {
    /// Three customers in USD: one with 500.00, one suspended, one with nothing left.
    Refunds,
    /// A variant of the same: two active customers with balances, one suspended.
    Customers,
    /// Five customers with names that are easily mistaken for each other, three products, and three
    /// orders a customer in JPY.
    Returns,
    /// Eight customers all over the world with their addresses, five products, and fourteen units with
    /// warranties that begin and end around 2026-03-01.
    Warranty,
}

impl DemoData {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Refunds,
        Self::Customers,
        Self::Returns,
        Self::Warranty,
    ];
    /// Those that are one coherent small world together.
    pub const WORLD: [Self; 3] = [Self::Refunds, Self::Returns, Self::Warranty];

    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refunds => "refunds",
            Self::Customers => "customers",
            Self::Returns => "returns",
            Self::Warranty => "warranty",
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
            Self::Returns => include_str!("../demo/returns.json"),
            Self::Warranty => include_str!("../demo/warranty.json"),
        }
    }

    /// The file, to be imported.
    #[must_use]
    pub fn input(self) -> Input {
        let name = format!("demo/{}.json", self.as_str());
        Input::new(&name, Format::Json, self.json().as_bytes())
    }

    /// Imports everything into a store that has none of it, for tests and for programs that fill a
    /// store of their own: there is no audit row.
    ///
    /// # Errors
    /// Something of it is there already, or the store failed. Nothing was imported.
    pub fn import_into(self, store: &SqliteStore) -> Result<(), ImportError> {
        store
            .import_as(vec![self.input()], false, None)
            .map(|_imported| ())
    }
}
