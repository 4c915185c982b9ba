//! A store as it is for a caller who is bound to one customer.

use super::{
    CustomerReader, EscalationWriter, OrderReader, RefundPage, RefundPosition, RefundReader,
    RefundWriter, ReturnWriter, StoreError,
};
use crate::escalation::{CountTurn, CountedTurn};
use crate::refund::{Facts, IssueRefund, Settled};
use crate::returns::{AcceptedReturn, ProcessReturn};
use crate::{
    Customer, CustomerId, CustomerOrders, EmailAddress, IdempotencyKey, OrderChoice, OrderDetails,
    OrderId, Principal, Refund, RefundId, RefundRequest, settled,
};

/// A store in which every other customer, with all that is theirs, does not exist.
///
/// *Invariant:* what a desk over a `Scoped` store reads belongs to that customer, and its commands
/// are decided as the customer's own. A port that is not narrowed here cannot be reached through it,
/// so that no tool can forget to.
#[derive(Debug, Clone)]
pub struct Scoped<S> {
    pub(crate) store: S,
    pub(crate) only: Option<CustomerId>,
}

impl<S> Scoped<S> {
    /// The store for this customer alone; all of it for `None`.
    pub fn new(store: S, only: Option<CustomerId>) -> Self {
        Self { store, only }
    }

    pub(crate) fn shows(&self, customer: CustomerId) -> bool {
        self.only.is_none_or(|only| only == customer)
    }
}

impl<S: CustomerReader> CustomerReader for Scoped<S> {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        // Asked all the same, so that what is hidden takes as long as what is not there.
        let found = self.store.customer(id).await?;
        Ok(found.filter(|customer| self.shows(customer.id)))
    }
}

impl<S: RefundReader> RefundReader for Scoped<S> {
    async fn refund(&self, id: RefundId) -> Result<Option<Refund>, StoreError> {
        let found = self.store.refund(id).await?;
        Ok(found.filter(|refund| self.shows(refund.customer_id)))
    }

    async fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> Result<Option<Refund>, StoreError> {
        let found = self.store.refund_by_key(principal, key).await?;
        Ok(found.filter(|refund| self.shows(refund.customer_id)))
    }

    async fn refunds_of(
        &self,
        id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> Result<Option<RefundPage>, StoreError> {
        let found = self.store.refunds_of(id, limit, before).await?;
        Ok(found.filter(|_| self.shows(id)))
    }

    async fn refund_facts(
        &self,
        principal: &Principal,
        request: &RefundRequest,
    ) -> Result<Facts, StoreError> {
        let facts = self.store.refund_facts(principal, request).await?;
        Ok(match self.only {
            None => facts,
            Some(only) => facts.seen_by(only, request),
        })
    }
}

impl<S: RefundWriter> RefundWriter for Scoped<S> {
    async fn issue_refund(&self, mut command: IssueRefund) -> Result<Settled, StoreError> {
        command.caller.customer = self.only;
        self.store.issue_refund(command).await
    }
}

impl<S: OrderReader> OrderReader for Scoped<S> {
    async fn orders_of(
        &self,
        email: &EmailAddress,
        choice: OrderChoice,
        limit: u32,
    ) -> Result<Option<CustomerOrders>, StoreError> {
        let found = self.store.orders_of(email, choice, limit).await?;
        Ok(found.filter(|orders| self.shows(orders.customer.id)))
    }

    async fn order(&self, id: &OrderId) -> Result<Option<OrderDetails>, StoreError> {
        let found = self.store.order(id).await?;
        Ok(found.filter(|details| self.shows(details.customer.id)))
    }
}

impl<S: ReturnWriter> ReturnWriter for Scoped<S> {
    async fn process_return(
        &self,
        mut command: ProcessReturn,
    ) -> Result<settled::Settled<AcceptedReturn>, StoreError> {
        command.caller.customer = self.only;
        self.store.process_return(command).await
    }
}

impl<S: EscalationWriter> EscalationWriter for Scoped<S> {
    // A conversation is its principal's, not a customer's.
    async fn count_turn(
        &self,
        mut command: CountTurn,
    ) -> Result<settled::Settled<CountedTurn>, StoreError> {
        command.caller.customer = self.only;
        self.store.count_turn(command).await
    }
}
