//! `preview_refund`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::refund::Verdict;
use refund_domain::{IdempotencyKey, Preview, RefundRequest, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decode::ToolInput;
use crate::issue::Issue;
use crate::number::Number;
use crate::rules::Rules;
use crate::trigger_refund::TriggerRefundInput;

/// The arguments of `preview_refund`: those of `trigger_refund`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(transparent)]
#[garde(transparent)]
pub struct PreviewRefundInput(#[garde(dive)] TriggerRefundInput);

impl PreviewRefundInput {
    /// As [`TriggerRefundInput::into_request`].
    ///
    /// # Errors
    /// The key of the arguments and that of `_meta` are both there and differ.
    pub fn into_request(self, meta_key: Option<IdempotencyKey>) -> Result<RefundRequest, Issue> {
        self.0.into_request(meta_key)
    }
}

impl ToolInput for PreviewRefundInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<PreviewRefundInput>);
        &RULES
    }
}

impl From<PreviewRefundInput> for RefundRequest {
    fn from(input: PreviewRefundInput) -> Self {
        input.0.into()
    }
}

/// The answer of `preview_refund`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewRefundOutput {
    /// The customer's id.
    customer_id: String,
    /// Amount asked for, in the currency given here.
    amount: Number,
    /// The customer's currency, as an ISO 4217 code such as USD.
    currency: &'static str,
    /// Whether trigger_refund with the same arguments would succeed now.
    would_succeed: bool,
    /// Why it would be refused. Absent if it would succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PreviewedRefusal")]
    refusal: Option<PreviewedRefusal>,
    /// The customer's refundable balance after the refund; as it is now if nothing would move.
    remaining_refundable_balance: Number,
    /// Whether a person would have to approve the refund before money moves.
    needs_approval: bool,
}

/// A refusal that a refund would meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PreviewedRefusal {
    /// The refusal's code for programs, such as EXCEEDS_BALANCE.
    code: &'static str,
    /// The refusal in words, as trigger_refund would answer it.
    message: String,
}

impl PreviewRefundOutput {
    /// What a request would come to.
    #[must_use]
    pub fn new(request: &RefundRequest, preview: &Preview) -> Self {
        let refusal = match &preview.verdict {
            Verdict::Grant { .. } | Verdict::Replay(_) => None,
            Verdict::Refuse(refusal) => Some(PreviewedRefusal::from(refusal)),
        };
        Self {
            customer_id: preview.customer.id.to_string(),
            amount: request.amount.into(),
            currency: preview.customer.refundable_balance.currency().code(),
            would_succeed: refusal.is_none(),
            refusal,
            remaining_refundable_balance: preview.remaining_refundable_balance().into(),
            // No policy asks for approvals yet.
            needs_approval: false,
        }
    }
}

impl From<&Refusal> for PreviewedRefusal {
    fn from(refusal: &Refusal) -> Self {
        Self {
            code: refusal.code(),
            message: refusal.to_string(),
        }
    }
}
