//! `resolve_shipping_address`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::CustomerId;
use refund_domain::warranty::{
    Address, AddressFound, AddressLine, AddressMatch, AddressText, NO_ADDRESS_REASON,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::CustomerIdArgument;
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::warranty_argument::AddressTextArgument;

/// The arguments of `resolve_shipping_address`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveShippingAddressInput {
    /// The customer's id as find_customer gave it: CUST- and five digits, for example CUST-00009.
    #[garde(dive)]
    customer_id: CustomerIdArgument,
    /// The address as the customer wrote it, or what they call it, at most 500 characters. A country or
    /// a street word alone is not enough.
    #[garde(dive)]
    free_text_address: AddressTextArgument,
}

impl ResolveShippingAddressInput {
    /// The customer and the text.
    #[must_use]
    pub fn into_parts(self) -> (CustomerId, AddressText) {
        (
            self.customer_id.into_domain(),
            self.free_text_address.into_domain(),
        )
    }
}

impl ToolInput for ResolveShippingAddressInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<ResolveShippingAddressInput>);
        &RULES
    }
}

/// The answer of `resolve_shipping_address`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveShippingAddressOutput {
    /// Whether the text means the address that is shown. If false, ship nothing to it unconfirmed.
    resolved: bool,
    /// How well the best address fits the text, from 0 to 1.
    match_score: Number,
    /// Whether the address that is shown is merely the customer's usual one.
    is_fallback: bool,
    /// The address. Absent if the customer has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AddressSummary")]
    address: Option<AddressSummary>,
    /// Why the text was not resolved. Absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    reason: Option<&'static str>,
    /// What this answer is and is not, and what to do next.
    note: String,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AddressSummary {
    /// What the customer calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    label: Option<Personal>,
    /// First line.
    line1: Personal,
    /// Second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    line2: Option<Personal>,
    /// Third line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    line3: Option<Personal>,
    /// City of the address.
    city: Personal,
    /// State or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    state_or_province: Option<Personal>,
    /// Postal code.
    postal_code: Personal,
    /// Country, as an ISO 3166 code such as US.
    country_code: String,
}

impl From<&Address> for AddressSummary {
    fn from(address: &Address) -> Self {
        let line = |line: &AddressLine| Personal::new(line.as_str());
        Self {
            label: address.label.as_ref().map(line),
            line1: line(&address.line1),
            line2: address.line2.as_ref().map(line),
            line3: address.line3.as_ref().map(line),
            city: line(&address.city),
            state_or_province: address.state_or_province.as_ref().map(line),
            postal_code: Personal::new(address.postal_code.as_str()),
            country_code: address.country_code.to_string(),
        }
    }
}

impl From<&AddressMatch> for ResolveShippingAddressOutput {
    fn from(answer: &AddressMatch) -> Self {
        let (resolved, address, reason) = match &answer.found {
            AddressFound::Resolved(address) => (true, Some(address), None),
            AddressFound::Fallback(address, why) => (false, Some(address), Some(why.reason())),
            AddressFound::NoAddress => (false, None, Some(NO_ADDRESS_REASON)),
        };
        Self {
            resolved,
            match_score: answer.score.into(),
            is_fallback: !resolved && address.is_some(),
            address: address.map(AddressSummary::from),
            reason,
            note: answer.note(),
        }
    }
}
