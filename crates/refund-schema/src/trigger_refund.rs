//! `trigger_refund`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{IdempotencyKey, Receipt, Refund, RefundRequest, RefundStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::amount::AmountArgument;
use crate::argument::{CustomerIdArgument, IdempotencyKeyArgument, ReasonArgument, given};
use crate::decode::ToolInput;
use crate::issue::Issue;
use crate::meta::merge;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;

/// The arguments of `trigger_refund`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct TriggerRefundInput {
    /// The customer who gets the refund: CUST- and five digits, for example CUST-00001.
    #[garde(dive)]
    customer_id: CustomerIdArgument,
    /// How much to refund, in the customer's currency: a number (not a string) greater than 0, at
    /// most 1000000, with at most 2 decimal places, for example 25 or 10.5.
    #[garde(dive)]
    amount: AmountArgument,
    /// Why the refund is made, in a sentence that a colleague understands later: 10 to 500 characters,
    /// for example "Item arrived damaged". White space at the ends does not count.
    #[garde(dive)]
    reason: ReasonArgument,
    /// Your own name for this one refund, unique among all conversations: 1 to 255 visible ASCII
    /// characters, for example a fresh UUID. Reuse the same key when you retry the same refund, so
    /// that it cannot be paid twice. Never make up a new key per attempt; use a new key only for a new
    /// decision to refund.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "IdempotencyKeyArgument")]
    #[garde(dive)]
    idempotency_key: Option<IdempotencyKeyArgument>,
}

impl TriggerRefundInput {
    /// The request, with the idempotency key of the arguments or that of the request's `_meta`
    /// ([`crate::idempotency_key_from_meta`]).
    ///
    /// # Errors
    /// Both are there and differ.
    pub fn into_request(self, meta_key: Option<IdempotencyKey>) -> Result<RefundRequest, Issue> {
        let mut request = RefundRequest::from(self);
        request.idempotency_key = merge(request.idempotency_key.take(), meta_key)?;
        Ok(request)
    }
}

impl ToolInput for TriggerRefundInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<TriggerRefundInput>);
        &RULES
    }
}

impl From<TriggerRefundInput> for RefundRequest {
    fn from(input: TriggerRefundInput) -> Self {
        Self {
            customer_id: input.customer_id.into_domain(),
            amount: input.amount.into_domain(),
            reason: input.reason.into_domain(),
            idempotency_key: input
                .idempotency_key
                .map(IdempotencyKeyArgument::into_domain),
        }
    }
}

/// The answer of `trigger_refund`. The schema has the fields of replays and approvals from the start,
/// so that it need not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TriggerRefundOutput {
    /// The refund's id, a UUID. Absent while the refund waits for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    refund_id: Option<String>,
    /// The customer's id.
    customer_id: String,
    /// Amount of the refund, in the currency given here.
    amount: Number,
    /// The customer's currency, as an ISO 4217 code such as USD.
    currency: &'static str,
    /// Why the refund is made, without white space at the ends.
    reason: Personal,
    /// processed: the money moved. pending_approval: no money moves until a person approves.
    #[schemars(schema_with = "refund_status")]
    status: &'static str,
    /// When the money moved: ISO 8601, UTC, with milliseconds. Absent while the refund waits for
    /// approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    processed_at: Option<String>,
    /// The customer's refundable balance right after this refund.
    remaining_refundable_balance: Number,
    /// true if an earlier call with the same idempotency key made this refund and nothing moved now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    replayed: Option<bool>,
    /// The id of the approval that the refund waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    approval_id: Option<String>,
    /// When the approval lapses: ISO 8601, UTC, with milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    expires_at: Option<String>,
}

impl From<&Receipt> for TriggerRefundOutput {
    fn from(receipt: &Receipt) -> Self {
        Self {
            replayed: receipt.replayed.then_some(true),
            ..Self::from(&receipt.refund)
        }
    }
}

impl From<&Refund> for TriggerRefundOutput {
    fn from(refund: &Refund) -> Self {
        Self {
            refund_id: Some(refund.id.to_string()),
            customer_id: refund.customer_id.to_string(),
            amount: refund.amount.into(),
            currency: refund.amount.currency().code(),
            reason: Personal::new(refund.reason.as_str()),
            status: refund.status.as_str(),
            processed_at: Some(refund.processed_at.to_string()),
            remaining_refundable_balance: refund.remaining_refundable_balance.into(),
            replayed: None,
            approval_id: None,
            expires_at: None,
        }
    }
}

/// The word for a refund that waits for approval. No refund of the domain has that status yet.
const PENDING_APPROVAL: &str = "pending_approval";

fn refund_status(_: &mut SchemaGenerator) -> Schema {
    let made = RefundStatus::ALL.map(RefundStatus::as_str);
    words(made.into_iter().chain([PENDING_APPROVAL]))
}
