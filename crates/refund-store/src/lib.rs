//! Stores behind the ports of `refund-domain`.
//!
//! In reading order:
//!
//! - [`SqliteStore`]: one SQLite file; one writer that commits in groups, readers beside it.
//! - [`import`]: data files into checked records, and [`DemoData`] in the same format.
//! - [`system`]: the clock and the ids of a running program.
//! - [`fault`]: named points where a test build can stop.
//! - `contract` (feature `contract`): the suite that every store passes.

#[cfg(feature = "contract")]
pub mod contract;
mod demo;
pub mod fault;
pub mod import;
mod sqlite;
pub mod system;

pub use demo::DemoData;
pub use import::{ImportError, NewCustomer};
pub use sqlite::{CheckReport, OpenError, SqliteStore};
