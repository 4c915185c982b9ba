//! Returns: whether an order can still be returned, and the return itself. A return moves no money.

use std::sync::Arc;

use crate::notification::{Notification, NotificationWriter, ReturnNews};
use crate::returns_refusal::{EarlierCall, ReturnsRefusal};
use crate::settled::{KeyUse, Outcome, Settled, ask_key};
use crate::text::{TextError, length, text_type};
use crate::{
    Caller, CivilDate, IdempotencyKey, Order, OrderDetails, OrderId, ReturnId, Timestamp, ToolName,
};

/// The tool that makes returns; the owner of their idempotency keys.
pub const TOOL: &str = "process_return";

/// How many calendar months after its date an order can be returned, the last day included.
///
/// The window is part of this version's rules, the same for old and new orders: it does not travel
/// with the order, and no configuration changes it (`docs/architecture.md`, deciding a return).
pub const WINDOW_MONTHS: u32 = 1;

text_type!(
    /// Why an order is returned: 1 to 500 characters after trimming Unicode White_Space. Free text,
    /// so it may name a person and is treated as personal data.
    ReturnReason,
    personal
);

impl ReturnReason {
    /// Most characters after trimming.
    pub const MOST: usize = 500;

    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, or more than 500 characters (Unicode scalar values) after trimming.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let trimmed = text.trim();
        length(trimmed, "a reason", 1, Self::MOST)?;
        Ok(Self(trimmed.to_owned()))
    }
}

/// Whether an order can be returned, and by which dates that was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eligibility {
    /// The day it was ordered.
    pub order_date: CivilDate,
    /// The last day on which it can be returned.
    pub deadline_date: CivilDate,
    /// Calendar days since it was ordered; 0 for an order of a later day, which can be returned.
    pub days_elapsed: i64,
    /// Whether it has been returned.
    pub already_returned: bool,
    /// What follows.
    pub verdict: Verdict,
}

/// Whether an order can be returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It can.
    Ok,
    /// It cannot.
    Ineligible(Ineligible),
}

/// Why an order cannot be returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ineligible {
    /// Its last day has passed.
    Expired,
    /// It has been returned; this is said first, whether or not its last day has passed.
    AlreadyReturned,
}

impl Ineligible {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "EXPIRED",
            Self::AlreadyReturned => "ALREADY_RETURNED",
        }
    }
}

impl Verdict {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 3] = [
        Self::Ok,
        Self::Ineligible(Ineligible::Expired),
        Self::Ineligible(Ineligible::AlreadyReturned),
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Ineligible(reason) => reason.as_str(),
        }
    }
}

/// Judges an order by its dates. Pure: the same order and day give the same answer.
#[must_use]
pub fn eligibility(order: &Order, today: CivilDate) -> Eligibility {
    let deadline_date = order.order_date.months_later(WINDOW_MONTHS);
    let verdict = if order.returned {
        Verdict::Ineligible(Ineligible::AlreadyReturned)
    } else if today > deadline_date {
        Verdict::Ineligible(Ineligible::Expired)
    } else {
        Verdict::Ok
    };
    Eligibility {
        order_date: order.order_date,
        deadline_date,
        days_elapsed: today.days_since(order.order_date).max(0),
        already_returned: order.returned,
        verdict,
    }
}

/// A return that was made. Rows like this are never edited and never deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderReturn {
    /// The id.
    pub id: ReturnId,
    /// What was returned.
    pub order_id: OrderId,
    /// Why.
    pub reason: ReturnReason,
    /// When.
    pub processed_at: Timestamp,
}

/// A return with the message to the customer about it, saved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedReturn {
    /// The return.
    pub order_return: OrderReturn,
    /// The message, for the outbox.
    pub notification: Notification,
}

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnRequest {
    /// What shall be returned.
    pub order_id: OrderId,
    /// Why.
    pub reason: ReturnReason,
    /// The caller's own name for this return.
    pub idempotency_key: Option<IdempotencyKey>,
}

/// The command a store executes: the request with everything that came in from outside.
#[derive(Debug, Clone)]
pub struct ProcessReturn {
    /// What is asked for.
    pub request: ReturnRequest,
    /// Who asks.
    pub caller: Caller,
    /// The id of the return, should it be made.
    pub return_id: ReturnId,
    /// The present instant.
    pub at: Timestamp,
    /// The day it is where the business is.
    pub today: CivilDate,
    /// Writes the message to the customer, once the store knows who that is.
    pub writer: Arc<dyn NotificationWriter>,
}

/// What must be known to decide, loaded under the lock under which the outcome is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The order asked for, if there is one.
    pub order: Option<OrderDetails>,
    /// What the request's key was used for before, by the same principal.
    pub key_use: Option<KeyUse<AcceptedReturn>>,
}

impl ProcessReturn {
    /// Decides. Of [`Outcome::Processed`] the store saves the return, the order's `returned`, the
    /// message in its outbox, and the key.
    ///
    /// The key is asked first, so that a retry gets its first answer whatever has happened since. For
    /// a caller bound to one customer, the orders of others do not exist.
    #[must_use]
    pub fn settle(&self, facts: &Facts) -> Settled<AcceptedReturn> {
        let ReturnRequest {
            order_id,
            reason,
            idempotency_key,
        } = &self.request;
        let is_same = |AcceptedReturn { order_return, .. }: &AcceptedReturn| {
            order_return.order_id == *order_id && order_return.reason == *reason
        };
        let order = facts.order.as_ref();
        let (order, is_hidden) = match order {
            Some(details) if !self.caller.sees(details.customer.id) => (None, true),
            order => (order, false),
        };
        let key_use = self.key_use_seen(facts.key_use.as_ref(), order.is_some());
        let by_key = ask_key(
            idempotency_key.as_ref(),
            key_use.as_ref(),
            is_same,
            |AcceptedReturn { order_return, .. }| EarlierCall::Return {
                return_id: order_return.id,
                order_id: order_return.order_id.clone(),
            },
        );
        if let Some(settled) = by_key {
            return settled;
        }

        let Some(details) = order else {
            return Settled {
                // The trace tells the operator what the caller is not told.
                trace: vec![if is_hidden {
                    "order.hidden"
                } else {
                    "order.unknown"
                }],
                outcome: Outcome::Refused(ReturnsRefusal::OrderNotFound {
                    order_id: order_id.clone(),
                }),
            };
        };
        let judged = eligibility(&details.order, self.today);
        if let Verdict::Ineligible(reason) = judged.verdict {
            let trace = match reason {
                Ineligible::AlreadyReturned => vec!["order.returned"],
                Ineligible::Expired => vec!["order.not_returned", "window.expired"],
            };
            return Settled {
                trace,
                outcome: Outcome::Refused(ReturnsRefusal::NotEligible {
                    order_id: order_id.clone(),
                    reason,
                    deadline_date: judged.deadline_date,
                }),
            };
        }
        Settled {
            trace: vec!["order.not_returned", "window.open"],
            outcome: Outcome::Processed(self.accept(details)),
        }
    }

    /// What the key was used for, as far as the caller may know. Whose order another return was of is
    /// not known here, so that a caller bound to one customer learns only of returns of the order that
    /// they ask for, and that the key is used; and nothing at all where that order does not exist for
    /// them.
    fn key_use_seen(
        &self,
        key_use: Option<&KeyUse<AcceptedReturn>>,
        order_exists: bool,
    ) -> Option<KeyUse<AcceptedReturn>> {
        match key_use? {
            KeyUse::ThisTool(_) if self.caller.customer.is_some() && !order_exists => None,
            KeyUse::ThisTool(earlier)
                if self.caller.customer.is_some()
                    && earlier.order_return.order_id != self.request.order_id =>
            {
                Some(KeyUse::OtherTool(ToolName::of_this_program(TOOL)))
            }
            key_use => Some(key_use.clone()),
        }
    }

    fn accept(&self, details: &OrderDetails) -> AcceptedReturn {
        let words = self.writer.return_accepted(&ReturnNews {
            return_id: self.return_id,
            details,
            today: self.today,
        });
        AcceptedReturn {
            order_return: OrderReturn {
                id: self.return_id,
                // As stored: the id asked for is the same text.
                order_id: details.order.id.clone(),
                reason: self.request.reason.clone(),
                processed_at: self.at,
            },
            notification: Notification::new(details.customer.email.clone(), words, self.at),
        }
    }
}

#[cfg(test)]
mod tests;
