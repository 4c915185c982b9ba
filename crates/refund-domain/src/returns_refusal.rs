//! Refusals of the `returns` toolset. The codes are for programs; what people read is rendered in
//! their language by the server, from these facts.

use crate::returns::Ineligible;
use crate::{CivilDate, IdempotencyKey, OrderId, ReturnId, SessionId, ToolName, TurnCount, UserId};

/// A valid request that the rules turn down. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReturnsRefusal {
    /// No customer has this address.
    #[error("no customer has this address")]
    UserNotFound {
        /// As asked.
        user_id: UserId,
    },
    /// No order has this id.
    #[error("no order has this id")]
    OrderNotFound {
        /// As asked.
        order_id: OrderId,
    },
    /// The order cannot be returned.
    #[error("the order cannot be returned: {}", reason.as_str())]
    NotEligible {
        /// As asked.
        order_id: OrderId,
        /// Why not.
        reason: Ineligible,
        /// The last day on which it could be returned.
        deadline_date: CivilDate,
    },
    /// The conversation has had its last turn.
    #[error("the conversation is closed")]
    SessionClosed {
        /// As asked.
        session_id: SessionId,
    },
    /// The key was used before, for something else.
    #[error("the idempotency key was used before, for {earlier}")]
    IdempotencyConflict {
        /// As sent.
        key: IdempotencyKey,
        /// What it was used for.
        earlier: EarlierCall,
    },
}

/// What an idempotency key was used for before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EarlierCall {
    /// A return.
    #[error("return {return_id}")]
    Return {
        /// The earlier return.
        return_id: ReturnId,
        /// Its order.
        order_id: OrderId,
    },
    /// A turn of a conversation.
    #[error("a turn of a conversation")]
    Turn {
        /// The conversation.
        session_id: SessionId,
        /// Which turn.
        turn_count: TurnCount,
    },
    /// A call of another tool; a key belongs to one tool. Also a call of which the caller may not know
    /// more.
    #[error("a call of {0}")]
    OtherTool(ToolName),
}

/// The kinds of refusals, by what a caller can do about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalCategory {
    /// Ask for something that exists.
    NotFound,
    /// The rules of the business say no.
    BusinessRule,
    /// What is asked contradicts what has happened.
    StateConflict,
}

impl RefusalCategory {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::BusinessRule => "BUSINESS_RULE",
            Self::StateConflict => "STATE_CONFLICT",
        }
    }
}

impl ReturnsRefusal {
    /// The code on the wire and in the audit trail.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UserNotFound { .. } => "USER_NOT_FOUND",
            Self::OrderNotFound { .. } => "ORDER_NOT_FOUND",
            Self::NotEligible { .. } => "RETURN_NOT_ELIGIBLE",
            Self::SessionClosed { .. } => "SESSION_CLOSED",
            Self::IdempotencyConflict { .. } => "IDEMPOTENCY_CONFLICT",
        }
    }

    /// The category on the wire.
    #[must_use]
    pub fn category(&self) -> RefusalCategory {
        match self {
            Self::UserNotFound { .. } | Self::OrderNotFound { .. } => RefusalCategory::NotFound,
            Self::NotEligible { .. } => RefusalCategory::BusinessRule,
            Self::SessionClosed { .. } | Self::IdempotencyConflict { .. } => {
                RefusalCategory::StateConflict
            }
        }
    }
}
