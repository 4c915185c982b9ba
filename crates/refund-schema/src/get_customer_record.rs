//! `get_customer_record`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::{Customer, CustomerId, CustomerStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::CustomerIdArgument;
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;

/// The arguments of `get_customer_record`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct GetCustomerRecordInput {
    /// The customer's id: CUST- and five digits, for example CUST-00001. Use it as it was given to
    /// you; do not guess one.
    #[garde(dive)]
    customer_id: CustomerIdArgument,
}

impl ToolInput for GetCustomerRecordInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<GetCustomerRecordInput>);
        &RULES
    }
}

impl From<GetCustomerRecordInput> for CustomerId {
    fn from(input: GetCustomerRecordInput) -> Self {
        input.customer_id.into_domain()
    }
}

/// The answer of `get_customer_record`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetCustomerRecordOutput {
    /// The customer's id.
    customer_id: String,
    /// Full name.
    name: Personal,
    /// E-mail address.
    email: Personal,
    /// Whether refunds can be made: only to an active customer.
    #[schemars(schema_with = "customer_status")]
    status: &'static str,
    /// Currency of the balance and of all refunds, as an ISO 4217 code such as USD.
    currency: &'static str,
    /// Amount that can still be refunded, in the customer's currency.
    refundable_balance: Number,
    /// When the account was made: ISO 8601, UTC, with milliseconds.
    created_at: String,
}

impl From<&Customer> for GetCustomerRecordOutput {
    fn from(customer: &Customer) -> Self {
        Self {
            customer_id: customer.id.to_string(),
            name: Personal::new(customer.name.as_str()),
            email: Personal::new(customer.email.as_str()),
            status: customer.status.as_str(),
            currency: customer.refundable_balance.currency().code(),
            refundable_balance: customer.refundable_balance.into(),
            created_at: customer.created_at.to_string(),
        }
    }
}

fn customer_status(_: &mut SchemaGenerator) -> Schema {
    words(CustomerStatus::ALL.map(CustomerStatus::as_str))
}
