//! The returns desk: the use cases of the `returns` toolset over the ports.

use std::sync::Arc;

use crate::escalation::{CountTurn, CountedTurn, TurnRequest};
use crate::notification::NotificationWriter;
use crate::ports::{EscalationWriter, OrderReader, ReturnWriter};
use crate::returns::{AcceptedReturn, Eligibility, ProcessReturn, ReturnRequest, eligibility};
use crate::settled::Answer;
use crate::{
    Calendar, Caller, Clock, CustomerOrders, IdSource, OrderChoice, OrderId, ReturnsRefusal,
    StoreError, UserId,
};

/// Why a use case gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ReturnsDeskError {
    /// The rules say no: an answer for the caller to read.
    #[error(transparent)]
    Refused(#[from] ReturnsRefusal),
    /// The store failed: something for the operator.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

/// The use cases. Cheap to clone when its parts are.
#[derive(Debug, Clone)]
pub struct ReturnsDesk<S, C, I> {
    store: S,
    clock: C,
    ids: I,
    calendar: Calendar,
}

impl<S, C, I> ReturnsDesk<S, C, I> {
    /// Most orders that an answer lists.
    pub const MOST_ORDERS: u32 = 100;

    /// A desk over a store.
    pub fn new(store: S, clock: C, ids: I, calendar: Calendar) -> Self {
        Self {
            store,
            clock,
            ids,
            calendar,
        }
    }

    /// How the desk knows which day it is.
    pub fn calendar(&self) -> Calendar {
        self.calendar
    }
}

impl<S, C, I> ReturnsDesk<S, C, I>
where
    S: OrderReader + ReturnWriter + EscalationWriter,
    C: Clock,
    I: IdSource,
{
    /// The customer with this address, and the newest orders, newest first.
    ///
    /// # Errors
    /// [`ReturnsRefusal::UserNotFound`], or a fault of the store.
    pub async fn orders(&self, user_id: UserId) -> Result<CustomerOrders, ReturnsDeskError> {
        self.orders_of(user_id, OrderChoice::Newest).await
    }

    /// The same with every unpaid order there is room for. Newest first too.
    ///
    /// # Errors
    /// [`ReturnsRefusal::UserNotFound`], or a fault of the store.
    pub async fn billing(&self, user_id: UserId) -> Result<CustomerOrders, ReturnsDeskError> {
        self.orders_of(user_id, OrderChoice::UnpaidFirst).await
    }

    async fn orders_of(
        &self,
        user_id: UserId,
        choice: OrderChoice,
    ) -> Result<CustomerOrders, ReturnsDeskError> {
        let found = match user_id.email() {
            Some(email) => {
                let orders = self.store.orders_of(&email, choice, Self::MOST_ORDERS);
                orders.await?
            }
            // What is no address is nobody's address.
            None => None,
        };
        let mut found = found.ok_or(ReturnsRefusal::UserNotFound { user_id })?;
        found.orders.sort_by(|left, right| {
            let (left, right) = (&left.order, &right.order);
            let by_date = right.order_date.cmp(&left.order_date);
            by_date.then_with(|| left.id.as_str().cmp(right.id.as_str()))
        });
        Ok(found)
    }

    /// Whether an order can be returned today.
    ///
    /// # Errors
    /// [`ReturnsRefusal::OrderNotFound`], or a fault of the store. That it cannot be returned is no
    /// error.
    pub async fn eligibility(&self, order_id: OrderId) -> Result<Eligibility, ReturnsDeskError> {
        let found = self.store.order(&order_id).await?;
        let details = found.ok_or(ReturnsRefusal::OrderNotFound { order_id })?;
        Ok(eligibility(
            &details.order,
            self.calendar.today(self.clock.now()),
        ))
    }

    /// Makes a return, or gives the one that was made before with the same key.
    ///
    /// # Errors
    /// Any [`ReturnsRefusal`] of [`ProcessReturn::settle`]: nothing was changed. Or a fault of the
    /// store: see [`StoreError`] for whether anything may have been.
    pub async fn process_return(
        &self,
        caller: Caller,
        request: ReturnRequest,
        writer: Arc<dyn NotificationWriter>,
    ) -> Result<Answer<AcceptedReturn>, ReturnsDeskError> {
        let at = self.clock.now();
        let command = ProcessReturn {
            request,
            caller,
            return_id: self.ids.return_id(),
            at,
            today: self.calendar.today(at),
            writer,
        };
        let settled = self.store.process_return(command).await?;
        Ok(settled.outcome.into_answer()?)
    }

    /// Counts a turn, or gives the one that was counted before with the same key.
    ///
    /// # Errors
    /// Any [`ReturnsRefusal`] of [`CountTurn::settle`]: nothing was counted. Or a fault of the store.
    pub async fn count_turn(
        &self,
        caller: Caller,
        request: TurnRequest,
    ) -> Result<Answer<CountedTurn>, ReturnsDeskError> {
        let command = CountTurn {
            request,
            caller,
            at: self.clock.now(),
        };
        let settled = self.store.count_turn(command).await?;
        Ok(settled.outcome.into_answer()?)
    }
}
