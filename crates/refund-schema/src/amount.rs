//! The amount argument: exact from the text of the JSON number, never through a float.

use std::cmp::Ordering;

use garde::Validate;
use garde::rules::range::{Bounds, OutOfBounds};
use refund_domain::RefundAmount;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::decimal_text::DecimalText;

/// Most decimal places of an amount, by value.
const MOST_DECIMALS: u32 = 2;

/// An amount of money, in a currency that the customer's record names.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, Validate)]
#[schemars(extend("exclusiveMinimum" = 0, "x-max-decimals" = MOST_DECIMALS))]
#[garde(transparent)]
pub(crate) struct AmountArgument(
    #[schemars(with = "f64")]
    #[garde(range(max = 1_000_000), custom(above_zero), custom(few_decimals))]
    Exact,
);

impl AmountArgument {
    pub(crate) fn into_domain(self) -> RefundAmount {
        self.0.0
    }
}

/// The domain's amount, read from a number's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exact(RefundAmount);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let (digits, places) = DecimalText::parse(raw.get())
            .and_then(|number| number.to_parts())
            .ok_or_else(|| D::Error::custom("not a number of up to 28 digits"))?;
        let decimal =
            Decimal::try_from_i128_with_scale(digits, places).map_err(D::Error::custom)?;
        RefundAmount::new(decimal)
            .map(Self)
            .map_err(D::Error::custom)
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.decimal().partial_cmp(&other.0.decimal())
    }
}

/// Limits in whole units, so that the published ones are written as integers.
impl Bounds for Exact {
    type Size = i64;

    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;

    fn validate_bounds(&self, lower: i64, upper: i64) -> Result<(), OutOfBounds> {
        let amount = self.0.decimal();
        if amount < Decimal::from(lower) {
            Err(OutOfBounds::Lower)
        } else if amount > Decimal::from(upper) {
            Err(OutOfBounds::Upper)
        } else {
            Ok(())
        }
    }
}

fn above_zero(amount: &Exact, _: &()) -> garde::Result {
    if amount.0.decimal() > Decimal::ZERO {
        Ok(())
    } else {
        Err(garde::Error::new("must be greater than 0"))
    }
}

fn few_decimals(amount: &Exact, _: &()) -> garde::Result {
    if amount.0.decimal().normalize().scale() <= MOST_DECIMALS {
        Ok(())
    } else {
        Err(garde::Error::new("must have at most 2 decimal places"))
    }
}
