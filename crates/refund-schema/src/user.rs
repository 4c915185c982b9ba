//! The customer as the answers of the `returns` toolset show one.

use refund_domain::Customer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::personal::Personal;

/// A customer in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    /// The customer's e-mail address, as stored.
    user_id: Personal,
    /// Full name.
    name: Personal,
    /// The customer's id, which the tools of the refund desk take: CUST- and five digits.
    customer_id: String,
}

impl From<&Customer> for User {
    fn from(customer: &Customer) -> Self {
        Self {
            user_id: Personal::new(customer.email.as_str()),
            name: Personal::new(customer.name.as_str()),
            customer_id: customer.id.to_string(),
        }
    }
}
