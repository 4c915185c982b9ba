//! The rules of a refund desk, without I/O.
//!
//! Start here, in reading order:
//!
//! - [`Money`] and [`Currency`]: exact amounts in minor units (ISO 4217).
//! - [`CustomerId`], [`Reason`], [`IdempotencyKey`] …: texts that were checked once, in their one
//!   constructor.
//! - [`Customer`], [`Refund`]: the entities.
//! - [`refund::decide`]: facts in, outcome and rule trace out. Stores call it inside their
//!   transaction.
//! - [`ports`]: what a store must offer, one trait per concern, readers apart from writers.
//! - [`RefundDesk`]: the use cases over the ports, for a server or for a service of your own.
//!
//! *Invariant:* nothing here reads a clock, makes a random id, or does I/O. Both come in through
//! [`Clock`] and [`IdSource`]. The workspace's `clippy.toml` and `cargo xtask arrows` guard it.

mod currency;
mod customer;
mod desk;
mod ids;
mod money;
pub mod ports;
pub mod refund;
mod refusal;
mod text;
mod time;

pub use currency::{Currency, CurrencyError};
pub use customer::{Customer, CustomerStatus};
pub use desk::{DeskError, IdSource, Preview, RefundDesk};
pub use ids::{CustomerId, IdError, RefundId};
pub use money::{MAX_MINOR_UNITS, Money, MoneyError};
pub use ports::{RefundPage, RefundPosition, StoreError};
pub use refund::{
    Caller, IssueRefund, Outcome, Receipt, Refund, RefundAmount, RefundAmountError, RefundRequest,
    RefundStatus, Role, Settled,
};
pub use refusal::{EarlierUse, RefundName, Refusal};
pub use text::{
    CompanyName, EmailAddress, ExternalId, IdempotencyKey, LanguageTag, PersonName, PhoneNumber,
    Principal, Reason, TextError, ToolName,
};
pub use time::{Clock, Timestamp, TimestampError};
