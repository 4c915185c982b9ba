//! Data in and out: files of records into a store, and a store into such files.
//!
//! A file is JSON (one object, entity names to arrays of records), NDJSON (a record a line, with its
//! `"entity"`), or CSV (one entity, a header row). Field names are snake_case, times RFC 3339, money
//! a decimal in the record's currency, taken from its digits. `docs/data.md` is for people who write
//! such files.
//!
//! ```text
//! files ─▶ document │ lines │ table ─▶ fields ─▶ sqlite/import.rs ─▶ one transaction
//! files ◀─ write ◀─────────────────── fields ◀─ sqlite/export.rs ◀─ one snapshot
//! ```
//!
//! Everything is streamed: memory does not grow with the number of records, except by what is known
//! of each customer while an import runs.
//!
//! # How to add an entity
//!
//! 1. A file here, named as the entity, with `impl Fields` for its record: the one list of its
//!    fields, which reads and writes all three formats and names them in errors. A kind of value that
//!    no entity has had yet is a method of `fields::Pass` and its three passes.
//! 2. A variant of [`Entity`] (in the order of dependence: what others point at comes first) and of
//!    `Record`. The compiler then shows what is missing:
//! 3. an arm in `sqlite/import.rs`, which inserts the record and says which constraint it broke, and
//!    an arm in `sqlite/export.rs`. What a record points at is a `Link`: it may come later in the
//!    import, and is looked for again at its end.
//! 4. Its row in `docs/data.md`, which a test holds against the declaration.

mod addresses;
mod amount;
mod customers;
mod devices;
mod document;
mod error;
mod escalation_turns;
mod escalations;
mod fields;
mod input;
mod lines;
mod members;
mod open_returns;
mod orders;
mod products;
mod quotes;
mod read;
mod refunds;
mod returns;
mod table;
mod warranties;
mod write;

use std::fmt;

pub(crate) use addresses::AddressRecord;
pub use error::{ExportError, ImportError, RowError};
pub(crate) use error::{Place, Report};
pub(crate) use escalation_turns::TurnRecord;
pub(crate) use escalations::EscalationRecord;
pub use input::Input;
pub(crate) use open_returns::OpenReturnRecord;
pub(crate) use products::ProductRecord;
pub(crate) use read::{Stop, Take, read};
pub(crate) use refunds::RefundRecord;
pub(crate) use returns::{MessageRecord, ReturnRecord};
pub(crate) use warranties::WarrantyRecord;
pub(crate) use write::Writer;

use refund_domain::warranty::Device;
use refund_domain::{Customer, Order};

/// A kind of record, in the order in which they are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// Customers with their balances.
    Customers,
    /// Customers' addresses.
    Addresses,
    /// Products.
    Products,
    /// Orders.
    Orders,
    /// Units of products.
    Devices,
    /// Warranties of units.
    Warranties,
    /// Returns of units that have not ended.
    OpenReturns,
    /// Refunds with their idempotency keys.
    Refunds,
    /// Returns of orders, with their idempotency keys and the messages about them.
    Returns,
    /// Conversations that were handed to a person, and how many turns they have had.
    Escalations,
    /// The turns of them that were counted with an idempotency key.
    EscalationTurns,
}

impl Entity {
    /// All of them. What others point at comes first.
    pub const ALL: [Self; 11] = [
        Self::Customers,
        Self::Addresses,
        Self::Products,
        Self::Orders,
        Self::Devices,
        Self::Warranties,
        Self::OpenReturns,
        Self::Refunds,
        Self::Returns,
        Self::Escalations,
        Self::EscalationTurns,
    ];

    /// The word in files and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Customers => "customers",
            Self::Addresses => "addresses",
            Self::Products => "products",
            Self::Orders => "orders",
            Self::Devices => "devices",
            Self::Warranties => "warranties",
            Self::OpenReturns => "open_returns",
            Self::Refunds => "refunds",
            Self::Returns => "returns",
            Self::Escalations => "escalations",
            Self::EscalationTurns => "escalation_turns",
        }
    }

    /// The entity of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.as_str() == word)
    }
}

/// The fields of an entity in the order in which they are written, each with whether it must be there.
#[must_use]
pub fn fields_of(entity: Entity) -> Vec<(&'static str, bool)> {
    let columns = read::columns(entity).into_iter();
    columns
        .map(|column| (column.name, column.required))
        .collect()
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One object: entity names to arrays of records.
    Json,
    /// A record a line.
    Ndjson,
    /// A table of one entity.
    Csv(Entity),
}

/// A record that was read, of any entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    Customer(Customer),
    Address(AddressRecord),
    Product(ProductRecord),
    Order(Order),
    Device(Device),
    Warranty(WarrantyRecord),
    OpenReturn(OpenReturnRecord),
    Refund(RefundRecord),
    Return(ReturnRecord),
    Escalation(EscalationRecord),
    Turn(TurnRecord),
}

impl Record {
    pub(crate) fn entity(&self) -> Entity {
        match self {
            Self::Customer(_) => Entity::Customers,
            Self::Address(_) => Entity::Addresses,
            Self::Product(_) => Entity::Products,
            Self::Order(_) => Entity::Orders,
            Self::Device(_) => Entity::Devices,
            Self::Warranty(_) => Entity::Warranties,
            Self::OpenReturn(_) => Entity::OpenReturns,
            Self::Refund(_) => Entity::Refunds,
            Self::Return(_) => Entity::Returns,
            Self::Escalation(_) => Entity::Escalations,
            Self::Turn(_) => Entity::EscalationTurns,
        }
    }
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// What became of the records of each entity, in the order of [`Entity::ALL`].
    pub counts: Vec<(Entity, Counts)>,
    /// Customers that were there, with another balance than in the file; it was left as it is.
    pub balances_left: u64,
}

impl Imported {
    /// What became of the records of an entity.
    #[must_use]
    pub fn of(&self, entity: Entity) -> Counts {
        let found = self.counts.iter().find(|(of, _)| *of == entity);
        found.map_or_else(Counts::default, |(_, counts)| *counts)
    }
}

/// What became of the records of one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Were not there before.
    pub added: u64,
    /// Were there, and were updated.
    pub updated: u64,
    /// Were there, exactly so.
    pub unchanged: u64,
}
