//! The refund desk: the use cases of the `refunds` toolset over the ports. A server or another Rust
//! service puts a store, a clock and an id source behind it.

use crate::ports::{CustomerReader, RefundReader, RefundWriter};
use crate::refund::{Verdict, decide};
use crate::{
    Caller, Clock, Customer, CustomerId, IdempotencyKey, IssueRefund, Money, Outcome, Principal,
    Receipt, Refund, RefundId, RefundName, RefundPage, RefundPosition, RefundRequest, Refusal,
    ReturnId, StoreError,
};

/// Where new ids come from.
pub trait IdSource: Send + Sync {
    /// An id that no refund has.
    fn refund_id(&self) -> RefundId;

    /// An id that no return has.
    fn return_id(&self) -> ReturnId;
}

/// Why a use case gave no result.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The rules say no: an answer for the caller to read.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed: something for the operator.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

/// What a refund would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The customer, as stored now.
    pub customer: Customer,
    /// What the same call of [`RefundDesk::trigger_refund`] would come to.
    pub verdict: Verdict,
}

impl Preview {
    /// The refundable balance after the call: reduced if it would be granted, otherwise as it is now.
    #[must_use]
    pub fn remaining_refundable_balance(&self) -> Money {
        match self.verdict {
            Verdict::Grant { remaining, .. } => remaining,
            Verdict::Replay(_) | Verdict::Refuse(_) => self.customer.refundable_balance,
        }
    }
}

/// The use cases. Cheap to clone when its parts are.
#[derive(Debug, Clone)]
pub struct RefundDesk<S, C, I> {
    store: S,
    clock: C,
    ids: I,
}

impl<S, C, I> RefundDesk<S, C, I>
where
    S: CustomerReader + RefundReader + RefundWriter,
    C: Clock,
    I: IdSource,
{
    /// A desk over a store.
    pub fn new(store: S, clock: C, ids: I) -> Self {
        Self { store, clock, ids }
    }

    /// The customer's record.
    ///
    /// # Errors
    /// [`Refusal::CustomerNotFound`], or a fault of the store.
    pub async fn customer_record(&self, customer_id: CustomerId) -> Result<Customer, DeskError> {
        let customer = self.store.customer(customer_id).await?;
        Ok(customer.ok_or(Refusal::CustomerNotFound { customer_id })?)
    }

    /// Makes a refund, or gives the receipt of the one that was made before with the same key.
    ///
    /// # Errors
    /// Any [`Refusal`] of [`decide`]: nothing moved. Or a fault of the store: see [`StoreError`] for
    /// whether anything may have moved.
    pub async fn trigger_refund(
        &self,
        caller: Caller,
        request: RefundRequest,
    ) -> Result<Receipt, DeskError> {
        let command = IssueRefund {
            request,
            caller,
            refund_id: self.ids.refund_id(),
            at: self.clock.now(),
        };
        match self.store.issue_refund(command).await?.outcome {
            Outcome::Processed(refund) => Ok(Receipt {
                refund,
                replayed: false,
            }),
            Outcome::Replayed(refund) => Ok(Receipt {
                refund,
                replayed: true,
            }),
            Outcome::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// The refund with this id.
    ///
    /// # Errors
    /// [`Refusal::RefundNotFound`], or a fault of the store.
    pub async fn refund(&self, id: RefundId) -> Result<Refund, DeskError> {
        let refund = self.store.refund(id).await?;
        Ok(refund.ok_or(Refusal::RefundNotFound(RefundName::Id(id)))?)
    }

    /// The refund that this principal made with this key.
    ///
    /// # Errors
    /// [`Refusal::RefundNotFound`], or a fault of the store.
    pub async fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> Result<Refund, DeskError> {
        let refund = self.store.refund_by_key(principal, key).await?;
        Ok(refund.ok_or_else(|| Refusal::RefundNotFound(RefundName::Key(key.clone())))?)
    }

    /// A customer's refunds, newest first.
    ///
    /// # Errors
    /// [`Refusal::CustomerNotFound`], or a fault of the store.
    pub async fn list_refunds(
        &self,
        customer_id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> Result<RefundPage, DeskError> {
        let page = self.store.refunds_of(customer_id, limit, before).await?;
        Ok(page.ok_or(Refusal::CustomerNotFound { customer_id })?)
    }

    /// What a refund would do. The same decision as [`RefundDesk::trigger_refund`]; moves nothing.
    ///
    /// # Errors
    /// [`Refusal::CustomerNotFound`], or a fault of the store. Every other refusal is a preview.
    pub async fn preview_refund(
        &self,
        caller: &Caller,
        request: &RefundRequest,
    ) -> Result<Preview, DeskError> {
        let facts = self.store.refund_facts(&caller.principal, request).await?;
        let verdict = decide(&facts, request).verdict;
        let customer_id = request.customer_id;
        let customer = facts
            .customer
            .ok_or(Refusal::CustomerNotFound { customer_id })?;
        Ok(Preview { customer, verdict })
    }
}
