//! `get_refund`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{Refund, RefundName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::{IdempotencyKeyArgument, RefundIdArgument};
use crate::decode::ToolInput;
use crate::rules::Rules;
use crate::schema::exactly_one_key;
use crate::trigger_refund::TriggerRefundOutput;

/// The arguments of `get_refund`: exactly one of two keys, so an enum.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(transparent)]
#[schemars(transform = exactly_one_key)]
#[garde(transparent)]
pub struct GetRefundInput(#[garde(dive)] Name);

#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
enum Name {
    /// The refund's id, a UUID as trigger_refund gave it, for example
    /// 3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f. Give this or idempotency_key, not both.
    #[serde(rename = "refund_id")]
    Id(#[garde(dive)] RefundIdArgument),
    /// The idempotency key that the refund was made with, to learn what became of a call whose answer
    /// was lost: 1 to 255 visible ASCII characters. Give this or refund_id, not both.
    #[serde(rename = "idempotency_key")]
    Key(#[garde(dive)] IdempotencyKeyArgument),
}

impl ToolInput for GetRefundInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<GetRefundInput>);
        &RULES
    }
}

impl From<GetRefundInput> for RefundName {
    fn from(input: GetRefundInput) -> Self {
        match input.0 {
            Name::Id(id) => Self::Id(id.into_domain()),
            Name::Key(key) => Self::Key(key.into_domain()),
        }
    }
}

/// The answer of `get_refund`: the refund as `trigger_refund` answered it, with the balance as it was
/// then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct GetRefundOutput(TriggerRefundOutput);

impl From<&Refund> for GetRefundOutput {
    fn from(refund: &Refund) -> Self {
        Self(refund.into())
    }
}
