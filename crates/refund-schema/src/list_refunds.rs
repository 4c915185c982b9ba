//! `list_refunds`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{CustomerId, Refund, RefundPage, RefundPosition, RefundStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::{CursorArgument, CustomerIdArgument, LimitArgument, given};
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;

/// The arguments of `list_refunds`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ListRefundsInput {
    /// The customer whose refunds to list: CUST- and five digits, for example CUST-00001.
    #[garde(dive)]
    customer_id: CustomerIdArgument,
    /// How many refunds to return at most: an integer from 1 to 100, 20 if it is left out.
    #[serde(default = "LimitArgument::usual")]
    #[garde(dive)]
    limit: LimitArgument,
    /// Where to go on: the nextCursor of the previous answer, unchanged. Leave it out to begin with
    /// the newest refund.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CursorArgument")]
    #[garde(dive)]
    cursor: Option<CursorArgument>,
}

impl ListRefundsInput {
    /// Whose refunds, how many at most, and before which position; from the newest where there is
    /// none.
    #[must_use]
    pub fn into_parts(self) -> (CustomerId, u32, Option<RefundPosition>) {
        (
            self.customer_id.into_domain(),
            self.limit.rows(),
            self.cursor.map(CursorArgument::into_domain),
        )
    }
}

impl ToolInput for ListRefundsInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<ListRefundsInput>);
        &RULES
    }
}

/// The answer of `list_refunds`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRefundsOutput {
    /// The customer's id.
    customer_id: String,
    /// How many refunds the customer has in all, on this page and the others.
    total: u64,
    /// The refunds of this page, newest first.
    refunds: Vec<ListedRefund>,
    /// Pass it as cursor to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    next_cursor: Option<String>,
}

/// A refund in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListedRefund {
    /// The refund's id, a UUID.
    refund_id: String,
    /// Amount of the refund, in the currency given here.
    amount: Number,
    /// The currency, as an ISO 4217 code such as USD.
    currency: &'static str,
    /// Why the refund was made.
    reason: Personal,
    /// processed: the money moved.
    #[schemars(schema_with = "refund_status")]
    status: &'static str,
    /// When the money moved: ISO 8601, UTC, with milliseconds.
    processed_at: String,
}

impl ListRefundsOutput {
    /// A page of a customer's refunds.
    #[must_use]
    pub fn new(customer_id: CustomerId, page: &RefundPage) -> Self {
        Self {
            customer_id: customer_id.to_string(),
            total: page.total,
            refunds: page.refunds.iter().map(ListedRefund::from).collect(),
            next_cursor: page.next.map(|position| position.to_string()),
        }
    }
}

impl From<&Refund> for ListedRefund {
    fn from(refund: &Refund) -> Self {
        Self {
            refund_id: refund.id.to_string(),
            amount: refund.amount.into(),
            currency: refund.amount.currency().code(),
            reason: Personal::new(refund.reason.as_str()),
            status: refund.status.as_str(),
            processed_at: refund.processed_at.to_string(),
        }
    }
}

fn refund_status(_: &mut SchemaGenerator) -> Schema {
    words(RefundStatus::ALL.map(RefundStatus::as_str))
}
