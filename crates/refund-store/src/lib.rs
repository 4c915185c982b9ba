//! Stores behind the ports of `refund-domain`.
//!
//! In reading order:
//!
//! - [`SqliteStore`]: one SQLite file; one writer that commits in groups, readers beside it.
//!   [`SqliteReader`]: a handle on it that cannot write, for the warranty desk.
//! - `PostgresStore` and `PostgresReader` (feature `postgres`): the same for a PostgreSQL database that
//!   several servers share.
//! - [`transfer`]: data files into a store and out of it, and [`DemoData`] in the same format.
//! - [`system`]: the clock and the ids of a running program.
//! - [`fault`]: named points where a test build can stop.
//! - `contract` (feature `contract`): the suite that every store passes.
//!
//! ```
//! use refund_domain::{
//!     Caller, Principal, Reason, RefundAmount, RefundDesk, RefundRequest, Role,
//! };
//! use refund_store::system::{RandomIds, SystemClock};
//! use refund_store::{DemoData, SqliteStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = SqliteStore::memory()?;
//! DemoData::Refunds.import_into(&store)?;
//! let desk = RefundDesk::new(store, SystemClock, RandomIds);
//!
//! let caller = Caller::new(Principal::new("my-service")?, Role::Agent);
//! let request = RefundRequest {
//!     customer_id: "CUST-00001".parse()?,
//!     amount: RefundAmount::new("12.50".parse()?)?,
//!     reason: Reason::new("Item arrived damaged")?,
//!     idempotency_key: None,
//! };
//! let receipt = desk.trigger_refund(caller, request).await?;
//! assert_eq!(receipt.refund.remaining_refundable_balance.to_string(), "487.50 USD");
//! # Ok(())
//! # }
//! ```
//!
//! `examples/embed.rs` goes on from there; `examples/own_store.rs` is a store of another kind.

// Support that tests inside and outside of this crate share names it so.
#[cfg(test)]
extern crate self as refund_store;

mod audit_entry;
#[cfg(feature = "contract")]
pub mod contract;
mod demo;
pub mod fault;
#[cfg(feature = "postgres")]
pub mod postgres;
mod rows;
mod sqlite;
pub mod system;
pub mod transfer;

pub use demo::DemoData;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresReader, PostgresStore};
pub use sqlite::{CheckReport, Migrated, OpenError, SqliteReader, SqliteStore};
pub use transfer::ImportError;

/// The histogram, of crate `metrics`, of how many commands a store committed together.
pub const BATCH_COMMANDS: &str = "refund_store_batch_commands";
