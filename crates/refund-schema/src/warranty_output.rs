//! The parts of answers that the tools of warranties share.

use std::borrow::Cow;

use refund_domain::warranty::{DeviceProduct, Suggestion};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::number::Number;
use crate::personal::Personal;

/// Whether an answer allows that a return is created. It has no value but false, so that no answer can
/// be written that says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NeverAllowed;

impl Serialize for NeverAllowed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(false)
    }
}

impl JsonSchema for NeverAllowed {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NeverAllowed")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// A unit that may be meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SuggestedUnit {
    /// Its serial number. Ask the customer whether it is this one; do not assume it.
    serial_number: Personal,
    /// What it is.
    product_name: String,
    /// How near its identifier is to the one asked for, from 0 to 1.
    match_score: Number,
}

impl From<&Suggestion> for SuggestedUnit {
    fn from(suggestion: &Suggestion) -> Self {
        Self {
            serial_number: Personal::new(suggestion.serial.as_str()),
            product_name: suggestion.product_name.to_string(),
            match_score: suggestion.score.into(),
        }
    }
}

/// All suggestions of an answer.
pub(crate) fn suggested(suggestions: &[Suggestion]) -> Vec<SuggestedUnit> {
    suggestions.iter().map(SuggestedUnit::from).collect()
}

/// A product in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProductSummary {
    /// The product's number.
    sku: String,
    /// The product's name.
    name: String,
    /// The model, where it is known apart from the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    model: Option<String>,
}

impl From<&DeviceProduct> for ProductSummary {
    fn from(product: &DeviceProduct) -> Self {
        Self {
            sku: product.sku.to_string(),
            name: product.name.to_string(),
            model: product.model.as_ref().map(ToString::to_string),
        }
    }
}
