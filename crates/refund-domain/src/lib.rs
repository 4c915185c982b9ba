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
//! - [`warranty`]: coverage, quotes, and which unit, customer or address is meant; a module of its own
//!   that only reads.
//! - [`AdjustBalance`]: a balance corrected by hand, decided in the same way.
//! - [`ports`]: what a store must offer, one trait per concern, readers apart from writers.
//! - [`RefundDesk`], [`ReturnsDesk`]: the use cases over the ports, for a server or for a service of your own.
//!
//! ```
//! use refund_domain::refund::{Facts, Verdict, decide};
//! use refund_domain::{
//!     Currency, Customer, CustomerStatus, EmailAddress, Money, PersonName, Reason, RefundAmount,
//!     RefundRequest, Timestamp,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let usd = Currency::new("USD")?;
//! let customer = Customer {
//!     id: "CUST-00001".parse()?,
//!     name: PersonName::new("Alice Johnson")?,
//!     email: EmailAddress::new("alice.johnson@example.com")?,
//!     status: CustomerStatus::Active,
//!     refundable_balance: Money::from_minor(50_000, usd)?,
//!     created_at: Timestamp::parse("2024-01-15T09:30:00Z")?,
//!     external_id: None,
//!     phone_number: None,
//!     company: None,
//!     language: None,
//! };
//! let request = RefundRequest {
//!     customer_id: customer.id,
//!     amount: RefundAmount::new("10.1".parse()?)?,
//!     reason: Reason::new("Item arrived damaged")?,
//!     idempotency_key: None,
//! };
//! let decision = decide(&Facts { customer: Some(customer), key_use: None }, &request);
//! assert_eq!(decision.trace, ["customer.active", "currency.exact", "balance.sufficient"]);
//! let Verdict::Grant { amount, remaining } = decision.verdict else {
//!     panic!("the balance suffices");
//! };
//! assert_eq!((amount.minor(), remaining.to_string()), (1010, "489.90 USD".to_owned()));
//! # Ok(())
//! # }
//! ```
//!
//! *Invariant:* nothing here reads a clock, makes a random id, or does I/O. Both come in through
//! [`Clock`] and [`IdSource`]. The workspace's `clippy.toml` and `cargo xtask arrows` guard it.

pub mod adjustment;
mod caller;
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
pub mod warranty;

pub use adjustment::{
    AdjustBalance, Adjustment, AdjustmentAmount, AdjustmentAmountError, AdjustmentRefusal,
    AdjustmentSettled,
};
pub use caller::{Caller, Role};
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
    IssueRefund, Outcome, Receipt, Refund, RefundAmount, RefundAmountError, RefundRequest,
    RefundStatus, Settled,
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
