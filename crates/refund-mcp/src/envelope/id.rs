//! A request's id as the client wrote it.

use std::str::FromStr;

use rust_decimal::Decimal;

/// A string or a whole number. It is echoed in the client's own spelling, and compared by value:
/// `1` and `1.0` are one id, `1` and `"1"` are two.
#[derive(Debug, Clone)]
pub(crate) struct WireId {
    raw: Box<str>,
    value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    Number(Decimal),
    /// A whole number of more digits than a decimal holds, compared as it was written.
    LongNumber(Box<str>),
    Text(Box<str>),
}

/// A whole number; `None` for a fraction.
fn number(raw: &str) -> Option<Value> {
    const DECIMAL_DIGITS: usize = 28;
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() > DECIMAL_DIGITS {
        return Some(Value::LongNumber(raw.into()));
    }
    // A decimal rounds what is too long for it; a rounded id would be another id.
    if raw.bytes().filter(u8::is_ascii_digit).count() > DECIMAL_DIGITS {
        return None;
    }
    let number = Decimal::from_str(raw)
        .or_else(|_| Decimal::from_scientific(raw))
        .ok()?
        .normalize();
    (number.scale() == 0).then_some(Value::Number(number))
}

impl WireId {
    /// Reads a JSON value; `None` unless it is a string or a whole number.
    pub(crate) fn read(raw: &str) -> Option<Self> {
        let value = match raw.as_bytes().first()? {
            b'"' => Value::Text(serde_json::from_str::<String>(raw).ok()?.into_boxed_str()),
            b'-' | b'0'..=b'9' => number(raw)?,
            _ => return None,
        };
        Some(Self {
            raw: raw.into(),
            value,
        })
    }

    /// The JSON text to echo.
    pub(crate) fn raw(&self) -> &str {
        &self.raw
    }
}

impl PartialEq for WireId {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for WireId {}

impl std::hash::Hash for WireId {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Cases.
    #[test]
    fn ids_are_kept_to_the_letter_and_compared_by_value() {
        for raw in [
            "0",
            "42",
            "-1",
            "9007199254740993",
            "18446744073709551616",
            "99999999999999999999999999999999",
            "1.0",
            "1e2",
            "\"\"",
            "\"req-abc\"",
            "\"\\u00e9\"",
        ] {
            assert_eq!(
                WireId::read(raw).map(|id| id.raw().to_owned()),
                Some(raw.to_owned())
            );
        }
        for raw in [
            "null",
            "true",
            "{}",
            "[]",
            "1.5",
            "1e400",
            "1e-1",
            "\"\\ud800\"",
        ] {
            assert!(WireId::read(raw).is_none(), "{raw}");
        }
        assert_eq!(WireId::read("1"), WireId::read("1.0"));
        assert_eq!(WireId::read("\"e\""), WireId::read("\"\\u0065\""));
        assert_ne!(WireId::read("1"), WireId::read("\"1\""));
    }
}
