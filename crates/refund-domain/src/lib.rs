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
//! - [`returns::eligibility`], [`returns::ProcessReturn`], [`escalation::CountTurn`]: the same for the
//!   `returns` toolset. Its day comes from a [`Calendar`].
//! - [`AdjustBalance`]: a balance corrected by hand, decided in the same way.
//! - [`ports`]: what a store must offer, one trait per concern, readers apart from writers.
//! - [`RefundDesk`], [`ReturnsDesk`]: the use cases over the ports, for a server or for a service of your own.
//!
//! *Invariant:* nothing here reads a clock, makes a random id, or does I/O. Both come in through
//! [`Clock`] and [`IdSource`]. The workspace's `clippy.toml` and `cargo xtask arrows` guard it.

mod adjustment;
mod currency;
mod customer;
mod date;
mod desk;
pub mod escalation;
mod ids;
mod money;
mod notification;
mod order;
pub mod outbox;
pub mod ports;
pub mod refund;
mod refusal;
pub mod returns;
mod returns_desk;
mod returns_refusal;
pub mod settled;
mod text;
mod time;

pub use adjustment::{
    AdjustBalance, Adjustment, AdjustmentAmount, AdjustmentAmountError, AdjustmentRefusal,
    AdjustmentSettled,
};
pub use currency::{Currency, CurrencyError};
pub use customer::{Customer, CustomerStatus};
pub use date::{Calendar, CivilDate, DateError, TimeZone};
pub use desk::{DeskError, IdSource, Preview, RefundDesk};
pub use escalation::{
    CountTurn, CountedTurn, EscalationStatus, Guidance, MessageDigest, SessionId, TurnCount,
    TurnCountError, TurnRequest, UserMessage,
};
pub use ids::{CustomerId, IdError, RefundId, ReturnId};
pub use money::{MAX_MINOR_UNITS, Money, MoneyError};
pub use notification::{Notification, NotificationWords, NotificationWriter, ReturnNews};
pub use order::{
    BillingStatus, CustomerOrders, Order, OrderChoice, OrderDetails, OrderId, OrderLine,
    OrderPrice, Product, ProductName, Quantity, QuantityError, Sku, UserId,
};
pub use outbox::{ClaimedMessage, DeliveryFailure};
pub use ports::{RefundPage, RefundPosition, StoreError};
pub use refund::{
    Caller, IssueRefund, Outcome, Receipt, Refund, RefundAmount, RefundAmountError, RefundRequest,
    RefundStatus, Role, Settled,
};
pub use refusal::{EarlierUse, RefundName, Refusal};
pub use returns::{
    AcceptedReturn, Eligibility, Ineligible, OrderReturn, ProcessReturn, ReturnReason,
    ReturnRequest,
};
pub use returns_desk::{ReturnsDesk, ReturnsDeskError};
pub use returns_refusal::{EarlierCall, RefusalCategory, ReturnsRefusal};
pub use text::{
    CompanyName, EmailAddress, ExternalId, IdempotencyKey, LanguageTag, PersonName, PhoneNumber,
    Principal, Reason, TextError, ToolName,
};
pub use time::{Clock, Timestamp, TimestampError};
