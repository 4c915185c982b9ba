//! `process_return`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::settled::Answer;
use refund_domain::{AcceptedReturn, IdempotencyKey, Notification, ReturnRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::{IdempotencyKeyArgument, OrderIdArgument, ReturnReasonArgument, given};
use crate::decode::ToolInput;
use crate::issue::Issue;
use crate::meta::merge;
use crate::personal::Personal;
use crate::rules::Rules;

/// The arguments of `process_return`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ProcessReturnInput {
    /// The order's id, as lookup_order gave it.
    #[garde(dive)]
    order_id: OrderIdArgument,
    /// Why the customer returns the order, in the customer's words: 1 to 500 characters. White space
    /// at the ends does not count.
    #[garde(dive)]
    reason: ReturnReasonArgument,
    /// Your own name for this one return, unique among all conversations: 1 to 255 visible ASCII
    /// characters, for example a fresh UUID. Reuse the same key when you retry the same return: the
    /// first answer comes back. Never make up a new key per attempt.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "IdempotencyKeyArgument")]
    #[garde(dive)]
    idempotency_key: Option<IdempotencyKeyArgument>,
}

impl ProcessReturnInput {
    /// The request, with the idempotency key of the arguments or that of the request's `_meta`
    /// ([`crate::idempotency_key_from_meta`]).
    ///
    /// # Errors
    /// Both are there and differ.
    pub fn into_request(self, meta_key: Option<IdempotencyKey>) -> Result<ReturnRequest, Issue> {
        let key = self
            .idempotency_key
            .map(IdempotencyKeyArgument::into_domain);
        Ok(ReturnRequest {
            order_id: self.order_id.into_domain(),
            reason: self.reason.into_domain(),
            idempotency_key: merge(key, meta_key)?,
        })
    }
}

impl ToolInput for ProcessReturnInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<ProcessReturnInput>);
        &RULES
    }
}

/// The answer of `process_return`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessReturnOutput {
    /// The return's id, a UUID.
    return_id: String,
    /// The order that was returned.
    order_id: String,
    /// Why, without white space at the ends.
    reason: Personal,
    /// When the return was recorded: ISO 8601, UTC, with milliseconds.
    processed_at: String,
    /// The message to the customer about the return.
    notification: Message,
    /// true if an earlier call with the same idempotency key made this return and nothing happened
    /// now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    replayed: Option<bool>,
}

/// A message to a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Message {
    /// The address it goes to.
    to: Personal,
    /// The subject of the message.
    subject: Personal,
    /// The text of the message.
    body: Personal,
    /// When it was recorded and handed over for delivery, together with the return: ISO 8601, UTC, with
    /// milliseconds. It does not say that the customer has it: where the server sends no mail, the
    /// message is kept and goes nowhere.
    sent_at: String,
}

impl From<&Answer<AcceptedReturn>> for ProcessReturnOutput {
    fn from(answer: &Answer<AcceptedReturn>) -> Self {
        let AcceptedReturn {
            order_return,
            notification,
        } = &answer.value;
        Self {
            return_id: order_return.id.to_string(),
            order_id: order_return.order_id.to_string(),
            reason: Personal::new(order_return.reason.as_str()),
            processed_at: order_return.processed_at.to_string(),
            notification: notification.into(),
            replayed: answer.replayed.then_some(true),
        }
    }
}

impl From<&Notification> for Message {
    fn from(notification: &Notification) -> Self {
        Self {
            to: Personal::new(notification.to.as_str()),
            subject: Personal::new(&notification.subject),
            body: Personal::new(&notification.body),
            sent_at: notification.sent_at.to_string(),
        }
    }
}
