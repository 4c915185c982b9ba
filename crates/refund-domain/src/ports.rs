//! What a store must offer. One trait per concern, readers apart from writers; no driver's type in
//! any of them. Absent is `Ok(None)`, never an error.
//!
//! The contract suite of `refund-store` (feature `contract`) tests an implementation.

mod scoped;

use std::error::Error;
use std::fmt;

use crate::escalation::{CountTurn, CountedTurn};
use crate::refund::{Facts, IssueRefund, Settled};
use crate::returns::{AcceptedReturn, ProcessReturn};
use crate::{
    AdjustBalance, AdjustmentSettled, ClaimedMessage, Customer, CustomerId, CustomerOrders,
    DeliveryFailure, EmailAddress, IdempotencyKey, OrderChoice, OrderDetails, OrderId, Principal,
    Refund, RefundId, RefundRequest, Timestamp, settled,
};

pub use scoped::Scoped;

/// A cause, kept for the log. It never reaches a client.
pub type Cause = Box<dyn Error + Send + Sync + 'static>;

/// A fault of the store, as opposed to a refusal by the rules.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store did not answer, and nothing was changed.
    #[error("the store is unavailable and nothing was changed")]
    Unavailable(#[source] Cause),
    /// The store failed while it committed: the change may be there or not. Only the same call with
    /// the same key tells.
    #[error("the store failed while committing, so the outcome is unknown")]
    OutcomeUnknown(#[source] Cause),
    /// No room is left, and nothing was changed. Reads go on.
    #[error("the store is full and nothing was changed")]
    Full(#[source] Cause),
    /// The store holds something that cannot be true, or its file is damaged. Nothing was changed.
    #[error("the store's data is damaged and nothing was changed")]
    Damaged(#[source] Cause),
}

/// Reads customers.
pub trait CustomerReader: Send + Sync {
    /// The customer with this id.
    fn customer(
        &self,
        id: CustomerId,
    ) -> impl Future<Output = Result<Option<Customer>, StoreError>> + Send;
}

/// Finds customers otherwise than by their id.
pub trait CustomerDirectory: Send + Sync {
    /// The customer with this address, compared without regard to case.
    fn customer_by_email(
        &self,
        email: &EmailAddress,
    ) -> impl Future<Output = Result<Option<Customer>, StoreError>> + Send;

    /// At most `limit` customers with ids after `after`, or from the first, in the order of their ids.
    fn customers(
        &self,
        limit: u32,
        after: Option<CustomerId>,
    ) -> impl Future<Output = Result<Vec<Customer>, StoreError>> + Send;
}

/// Changes customers.
pub trait CustomerWriter: Send + Sync {
    /// Loads the customer under a lock, settles the command with [`AdjustBalance::settle`], and saves
    /// the balance, the adjustment and the audit row together. When this returns `Ok`, the outcome is
    /// durable.
    ///
    /// A future that is dropped may have done all of it or nothing.
    fn adjust_balance(
        &self,
        command: AdjustBalance,
    ) -> impl Future<Output = Result<AdjustmentSettled, StoreError>> + Send;
}

/// Reads refunds.
pub trait RefundReader: Send + Sync {
    /// The refund with this id, whoever made it.
    fn refund(
        &self,
        id: RefundId,
    ) -> impl Future<Output = Result<Option<Refund>, StoreError>> + Send;

    /// The refund that this principal made with this key.
    fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> impl Future<Output = Result<Option<Refund>, StoreError>> + Send;

    /// A customer's refunds, newest first: at most `limit` of those before `before`, or from the
    /// newest. `None` where there is no such customer.
    fn refunds_of(
        &self,
        id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> impl Future<Output = Result<Option<RefundPage>, StoreError>> + Send;

    /// What [`crate::refund::decide`] needs to know, as of now. For previews: a refund loads its facts
    /// inside [`RefundWriter::issue_refund`].
    fn refund_facts(
        &self,
        principal: &Principal,
        request: &RefundRequest,
    ) -> impl Future<Output = Result<Facts, StoreError>> + Send;
}

/// Makes refunds.
pub trait RefundWriter: Send + Sync {
    /// Loads the facts under a lock, settles the command with [`IssueRefund::settle`], and saves the
    /// outcome, the key and the audit row together. When this returns `Ok`, the outcome is durable.
    ///
    /// Dropping the future before the transaction begins means that nothing happens; afterwards the
    /// command finishes, and only the answer is lost.
    fn issue_refund(
        &self,
        command: IssueRefund,
    ) -> impl Future<Output = Result<Settled, StoreError>> + Send;
}

/// Reads orders.
pub trait OrderReader: Send + Sync {
    /// The customer with this address, compared by [`EmailAddress::key`], with at most `limit` of the
    /// orders, in the order of `choice`. `None` where there is no such customer; a customer without
    /// orders has none.
    fn orders_of(
        &self,
        email: &EmailAddress,
        choice: OrderChoice,
        limit: u32,
    ) -> impl Future<Output = Result<Option<CustomerOrders>, StoreError>> + Send;

    /// The order with this id, with its product and customer.
    fn order(
        &self,
        id: &OrderId,
    ) -> impl Future<Output = Result<Option<OrderDetails>, StoreError>> + Send;
}

/// Makes returns.
pub trait ReturnWriter: Send + Sync {
    /// Loads the facts under a lock, settles the command with [`ProcessReturn::settle`], and saves
    /// together: the return, the order's `returned`, the notification in the outbox, the key with the
    /// answer, and the audit row. When this returns `Ok`, the outcome is durable.
    ///
    /// Of two commands for one order, in whatever processes, the second sees the first one's return.
    /// Dropping the future is as for [`RefundWriter::issue_refund`].
    fn process_return(
        &self,
        command: ProcessReturn,
    ) -> impl Future<Output = Result<settled::Settled<AcceptedReturn>, StoreError>> + Send;
}

/// Counts the turns of conversations.
pub trait EscalationWriter: Send + Sync {
    /// Loads the facts of the principal's conversation under a lock, settles the command with
    /// [`CountTurn::settle`], and saves together: the new count, the key with the answer, and the
    /// audit row. When this returns `Ok`, the outcome is durable.
    fn count_turn(
        &self,
        command: CountTurn,
    ) -> impl Future<Output = Result<settled::Settled<CountedTurn>, StoreError>> + Send;
}

/// Hands out the messages that wait to be delivered, to however many processes deliver them.
pub trait Outbox: Send + Sync {
    /// Whether a message is due to be tried: cheap, to be asked often.
    fn message_is_due(
        &self,
        at: Timestamp,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Claims the message that has waited longest of those that are due, if one is: nobody else gets it
    /// before [`ClaimedMessage::CLAIM`] has passed.
    fn claim_message(
        &self,
        at: Timestamp,
    ) -> impl Future<Output = Result<Option<ClaimedMessage>, StoreError>> + Send;

    /// Notes that a message was delivered, even by somebody whose claim has run out.
    fn message_delivered(
        &self,
        claimed: ClaimedMessage,
        at: Timestamp,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Notes why a message was not delivered, and when it is tried again
    /// ([`ClaimedMessage::next_attempt`]). Nothing is noted where the claim has run out and somebody
    /// else has claimed or delivered the message.
    fn message_failed(
        &self,
        claimed: ClaimedMessage,
        failure: DeliveryFailure,
        at: Timestamp,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// A place in the sequence of all refunds of a store. Later refunds have greater positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefundPosition(u64);

impl RefundPosition {
    /// The prefix of the written form.
    const PREFIX: &'static str = "r";

    /// The position with this number, below 2^63.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Self> {
        (number <= i64::MAX.unsigned_abs()).then_some(Self(number))
    }

    /// The number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// Reads the written form back; `None` for anything that [`fmt::Display`] did not write.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let position = Self::from_number(u64::from_str_radix(digits, 16).ok()?)?;
        (position.to_string() == text).then_some(position)
    }
}

/// The opaque form that clients pass back: `r` and hexadecimal digits.
impl fmt::Display for RefundPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:x}", Self::PREFIX, self.0)
    }
}

/// Some of a customer's refunds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundPage {
    /// How many refunds the customer has in all.
    pub total: u64,
    /// These ones, newest first.
    pub refunds: Vec<Refund>,
    /// Where the next page begins (pass it as `before`); `None` on the last page.
    pub next: Option<RefundPosition>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_read_back_what_they_wrote() {
        for number in [0, 1, 255, i64::MAX.unsigned_abs()] {
            let position = RefundPosition::from_number(number).unwrap();
            assert_eq!(RefundPosition::parse(&position.to_string()), Some(position));
        }
        for text in [
            "",
            "r",
            "1",
            "r00",
            "rF",
            "r+1",
            "r8000000000000000",
            "rffffffffffffffffff",
        ] {
            assert_eq!(RefundPosition::parse(text), None, "{text}");
        }
    }
}
