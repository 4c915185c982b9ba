//! Amounts on their way out: JSON numbers as people write them.

use refund_domain::warranty::Score;
use refund_domain::{Money, RefundAmount};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// An exact amount that is written `500`, `499.5` or `0.1`: never `500.0`, never with more digits than
/// it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number(Decimal);

impl From<Money> for Number {
    fn from(money: Money) -> Self {
        Self(money.decimal())
    }
}

/// The amount in yen; `None` for another currency.
pub(crate) fn yen(money: Money) -> Option<i64> {
    (money.currency().code() == "JPY").then_some(money.minor())
}

/// A score from 0 to 1.
impl From<Score> for Number {
    fn from(score: Score) -> Self {
        Self(score.decimal())
    }
}

impl From<RefundAmount> for Number {
    fn from(amount: RefundAmount) -> Self {
        Self(amount.decimal())
    }
}

/// Above or below zero.
impl From<&refund_domain::Adjustment> for Number {
    fn from(adjustment: &refund_domain::Adjustment) -> Self {
        Self(adjustment.by())
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0.normalize();
        if value.scale() == 0 {
            let whole = value
                .to_i64()
                .ok_or_else(|| S::Error::custom("an amount beyond 64 bits"))?;
            return serializer.serialize_i64(whole);
        }
        // No arithmetic happens on it: amounts have at most fifteen digits, and a decimal of so many
        // digits comes back from the nearest double as it was.
        let nearest: f64 = value.to_string().parse().map_err(S::Error::custom)?;
        serializer.serialize_f64(nearest)
    }
}

impl JsonSchema for Number {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Number")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

#[cfg(test)]
mod tests {
    use refund_domain::{Currency, MAX_MINOR_UNITS};

    use super::*;

    #[test]
    fn as_a_person_writes_them() {
        for (minor, code, written) in [
            (50_000, "USD", "500"),
            (49_950, "USD", "499.5"),
            (10, "USD", "0.1"),
            (30, "USD", "0.3"),
            (1, "USD", "0.01"),
            (0, "USD", "0"),
            (100_000_000, "USD", "1000000"),
            (500, "JPY", "500"),
            (MAX_MINOR_UNITS, "JPY", "999999999999999"),
            (MAX_MINOR_UNITS, "USD", "9999999999999.99"),
            (MAX_MINOR_UNITS, "KWD", "999999999999.999"),
            (MAX_MINOR_UNITS, "CLF", "99999999999.9999"),
            (1, "CLF", "0.0001"),
            (35_200, "KWD", "35.2"),
        ] {
            let money = Money::from_minor(minor, Currency::new(code).unwrap()).unwrap();
            let number = Number::from(money);
            assert_eq!(serde_json::to_string(&number).unwrap(), written);
            assert_eq!(serde_json::to_value(number).unwrap().to_string(), written);
        }
    }

    #[test]
    fn every_cent_up_to_a_hundred() {
        let usd = Currency::new("USD").unwrap();
        for minor in 1..=10_000_i64 {
            let text = serde_json::to_string(&Number::from(Money::from_minor(minor, usd).unwrap()));
            let full = format!("{}.{:02}", minor / 100, minor % 100);
            let written = full.trim_end_matches('0').trim_end_matches('.');
            assert_eq!(text.unwrap(), written);
        }
    }
}
