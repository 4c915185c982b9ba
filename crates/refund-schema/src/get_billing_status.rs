//! `get_billing_status`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{BillingStatus, CustomerOrders, OrderLine, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::UserIdArgument;
use crate::decode::ToolInput;
use crate::lookup_order::billing_status;
use crate::number::{Number, yen};
use crate::rules::Rules;
use crate::user::User;

/// The arguments of `get_billing_status`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct GetBillingStatusInput {
    /// The customer's e-mail address, as lookup_order confirmed it. Upper and lower case make no
    /// difference, nor does white space at the ends.
    #[garde(dive)]
    user_id: UserIdArgument,
}

impl ToolInput for GetBillingStatusInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<GetBillingStatusInput>);
        &RULES
    }
}

impl From<GetBillingStatusInput> for UserId {
    fn from(input: GetBillingStatusInput) -> Self {
        input.user_id.into_domain()
    }
}

/// The answer of `get_billing_status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetBillingStatusOutput {
    /// The customer who has this address.
    user: User,
    /// How many of all the customer's orders are unpaid.
    unpaid_count: u64,
    /// The orders, newest first. Where there are more than 100, the unpaid ones are kept before paid
    /// ones.
    billing: Vec<Bill>,
}

/// An order's bill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Bill {
    /// The order's id.
    order_id: String,
    /// What was ordered.
    product_name: String,
    /// The day of the order, yyyy-MM-dd.
    order_date: String,
    /// Amount of the order in yen: unit price times quantity. Absent on an order in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    amount_jpy: Option<i64>,
    /// Amount of the order, unit price times quantity, in the currency given here.
    amount: Number,
    /// The order's currency, as an ISO 4217 code such as JPY.
    currency: &'static str,
    /// Whether the order has been paid.
    #[schemars(schema_with = "billing_status")]
    billing_status: &'static str,
    /// Whether the order has been returned. Do not ask for the payment of one that has: whether it is
    /// still owed is decided by people.
    returned: bool,
    /// Where to pay. Only on an unpaid order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    payment_instructions: Option<String>,
}

impl GetBillingStatusOutput {
    /// A customer's bills, with what to tell a customer about an unpaid one.
    #[must_use]
    pub fn new(found: &CustomerOrders, payment_instructions: &str) -> Self {
        let bill = |line| Bill::new(line, payment_instructions);
        Self {
            user: User::from(&found.customer),
            unpaid_count: found.unpaid,
            billing: found.orders.iter().map(bill).collect(),
        }
    }
}

impl Bill {
    fn new(line: &OrderLine, payment_instructions: &str) -> Self {
        let order = &line.order;
        let amount = order.price.total();
        let unpaid = order.billing_status == BillingStatus::Unpaid;
        Self {
            order_id: order.id.to_string(),
            product_name: line.product.name.to_string(),
            order_date: order.order_date.to_string(),
            amount_jpy: yen(amount),
            amount: amount.into(),
            currency: amount.currency().code(),
            billing_status: order.billing_status.as_str(),
            returned: order.returned,
            payment_instructions: unpaid.then(|| payment_instructions.to_owned()),
        }
    }
}
