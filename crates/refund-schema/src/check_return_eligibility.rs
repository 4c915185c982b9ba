//! `check_return_eligibility`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::returns::Verdict;
use refund_domain::{Eligibility, OrderId};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::OrderIdArgument;
use crate::decode::ToolInput;
use crate::rules::Rules;
use crate::schema::words;

/// The arguments of `check_return_eligibility`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct CheckReturnEligibilityInput {
    /// The order's id, as lookup_order gave it.
    #[garde(dive)]
    order_id: OrderIdArgument,
}

impl ToolInput for CheckReturnEligibilityInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<CheckReturnEligibilityInput>);
        &RULES
    }
}

impl From<CheckReturnEligibilityInput> for OrderId {
    fn from(input: CheckReturnEligibilityInput) -> Self {
        input.order_id.into_domain()
    }
}

/// The answer of `check_return_eligibility`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReturnEligibilityOutput {
    /// The order's id.
    order_id: String,
    /// The day of the order, yyyy-MM-dd.
    order_date: String,
    /// The last day on which the order can be returned, yyyy-MM-dd: one calendar month after the
    /// order.
    deadline_date: String,
    /// Calendar days from the order to today; 0 for an order that is dated later than today.
    days_elapsed: i64,
    /// Whether the order has been returned.
    already_returned: bool,
    /// Whether process_return would take the order back today.
    eligible: bool,
    /// OK, or why not. An order that was returned and is past its deadline is ALREADY_RETURNED.
    #[schemars(schema_with = "verdict")]
    reason: &'static str,
    /// The same as a sentence for the customer.
    message: String,
}

impl CheckReturnEligibilityOutput {
    /// What was judged, with the sentence about it.
    #[must_use]
    pub fn new(order_id: &OrderId, judged: &Eligibility, message: String) -> Self {
        Self {
            order_id: order_id.to_string(),
            order_date: judged.order_date.to_string(),
            deadline_date: judged.deadline_date.to_string(),
            days_elapsed: judged.days_elapsed,
            already_returned: judged.already_returned,
            eligible: judged.verdict == Verdict::Ok,
            reason: judged.verdict.as_str(),
            message,
        }
    }
}

fn verdict(_: &mut SchemaGenerator) -> Schema {
    words(Verdict::ALL.map(Verdict::as_str))
}
