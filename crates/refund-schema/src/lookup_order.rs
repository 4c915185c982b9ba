//! `lookup_order`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{BillingStatus, CustomerOrders, OrderLine, UserId};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::UserIdArgument;
use crate::decode::ToolInput;
use crate::number::{Number, yen};
use crate::rules::Rules;
use crate::schema::words;
use crate::user::User;

/// The arguments of `lookup_order`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct LookupOrderInput {
    /// The customer's e-mail address, as the customer gave it. Upper and lower case make no difference,
    /// nor does white space at the ends; everything else does: do not correct or complete an address.
    #[garde(dive)]
    user_id: UserIdArgument,
}

impl ToolInput for LookupOrderInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<LookupOrderInput>);
        &RULES
    }
}

impl From<LookupOrderInput> for UserId {
    fn from(input: LookupOrderInput) -> Self {
        input.user_id.into_domain()
    }
}

/// The answer of `lookup_order`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupOrderOutput {
    /// The customer who has this address.
    user: User,
    /// How many orders the customer has in all.
    order_count: u64,
    /// The orders, newest first; the 100 newest where there are more.
    orders: Vec<ListedOrder>,
}

/// An order in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListedOrder {
    /// The order's id, for check_return_eligibility and process_return.
    order_id: String,
    /// What was ordered.
    product_name: String,
    /// How many units.
    quantity: u32,
    /// Price of one unit in yen. Absent on an order in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    unit_price_jpy: Option<i64>,
    /// Price of one unit, in the currency given here.
    unit_price: Number,
    /// The order's currency, as an ISO 4217 code such as JPY.
    currency: &'static str,
    /// The day of the order, yyyy-MM-dd.
    order_date: String,
    /// Whether the order has been paid.
    #[schemars(schema_with = "billing_status")]
    billing_status: &'static str,
    /// Whether the order has been returned. Whether it still can be: ask check_return_eligibility.
    returned: bool,
}

impl From<&CustomerOrders> for LookupOrderOutput {
    fn from(found: &CustomerOrders) -> Self {
        Self {
            user: User::from(&found.customer),
            order_count: found.total,
            orders: found.orders.iter().map(ListedOrder::from).collect(),
        }
    }
}

impl From<&OrderLine> for ListedOrder {
    fn from(line: &OrderLine) -> Self {
        let order = &line.order;
        let unit_price = order.price.unit();
        Self {
            order_id: order.id.to_string(),
            product_name: line.product.name.to_string(),
            quantity: order.price.quantity().units(),
            unit_price_jpy: yen(unit_price),
            unit_price: unit_price.into(),
            currency: unit_price.currency().code(),
            order_date: order.order_date.to_string(),
            billing_status: order.billing_status.as_str(),
            returned: order.returned,
        }
    }
}

/// The words of a billing status.
pub(crate) fn billing_status(_: &mut SchemaGenerator) -> Schema {
    words(BillingStatus::ALL.map(BillingStatus::as_str))
}
