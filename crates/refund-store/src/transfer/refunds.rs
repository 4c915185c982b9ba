//! The fields of a refund.

use refund_domain::{
    Currency, CustomerId, IdempotencyKey, Money, Principal, Reason, Refund, RefundId, RefundStatus,
    Timestamp,
};

use super::Entity;
use super::fields::{Fields, Pass};

/// A refund in a file. Its remaining balance may be absent: whoever writes such a file by hand does
/// not know it, and the import works it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefundRecord {
    pub(crate) id: RefundId,
    pub(crate) customer_id: CustomerId,
    pub(crate) amount: Money,
    pub(crate) reason: Reason,
    pub(crate) status: RefundStatus,
    pub(crate) processed_at: Timestamp,
    pub(crate) principal: Principal,
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    /// The balance just after the refund, as its receipt says.
    pub(crate) remaining_refundable_balance: Option<Money>,
}

impl RefundRecord {
    /// The refund, with this balance just after it.
    pub(crate) fn into_refund(self, remaining: Money) -> Refund {
        Refund {
            id: self.id,
            customer_id: self.customer_id,
            amount: self.amount,
            reason: self.reason,
            status: self.status,
            processed_at: self.processed_at,
            remaining_refundable_balance: remaining,
            principal: self.principal,
            idempotency_key: self.idempotency_key,
        }
    }
}

impl From<Refund> for RefundRecord {
    fn from(refund: Refund) -> Self {
        Self {
            id: refund.id,
            customer_id: refund.customer_id,
            amount: refund.amount,
            reason: refund.reason,
            status: refund.status,
            processed_at: refund.processed_at,
            principal: refund.principal,
            idempotency_key: refund.idempotency_key,
            remaining_refundable_balance: Some(refund.remaining_refundable_balance),
        }
    }
}

impl Fields for RefundRecord {
    const ENTITY: Entity = Entity::Refunds;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let id = pass.text("refund_id", RefundId::new, |r| r.id.to_string().into());
        let customer_id = pass.text("customer_id", CustomerId::new, |r| {
            r.customer_id.to_string().into()
        });
        // The currency is read before the amount that is in it, wherever it stands in the file.
        let currency = pass.text("currency", Currency::new, |r| {
            r.amount.currency().code().into()
        });
        let amount = pass.money("amount", currency, |r| r.amount);
        let amount = pass.check("amount", || {
            let amount = amount?;
            Some(if amount.is_zero() {
                Err("must be above zero")
            } else {
                Ok(amount)
            })
        });
        let reason = pass.text("reason", Reason::new, |r| r.reason.as_str().into());
        let status = pass.text(
            "status",
            |word| RefundStatus::from_word(word).ok_or("must be processed"),
            |r| r.status.as_str().into(),
        );
        let processed_at = pass.text("processed_at", Timestamp::parse, |r| {
            r.processed_at.to_string().into()
        });
        let principal = pass.text("principal", Principal::new, |r| r.principal.as_str().into());
        let idempotency_key = pass.optional_text("idempotency_key", IdempotencyKey::new, |r| {
            Some(r.idempotency_key.as_ref()?.as_str().into())
        });
        let remaining = pass.optional_money("remaining_refundable_balance", currency, |r| {
            r.remaining_refundable_balance
        });
        Some(Self {
            id: id?,
            customer_id: customer_id?,
            amount: amount?,
            reason: reason?,
            status: status?,
            processed_at: processed_at?,
            principal: principal?,
            idempotency_key,
            remaining_refundable_balance: remaining,
        })
    }
}
