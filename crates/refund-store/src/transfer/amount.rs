//! Decimals from their text, exactly or not at all.

use rust_decimal::Decimal;

/// Characters of an amount at most, so that no text costs more than a short one.
const LONGEST: usize = 64;

/// The text of a JSON number, exponent included. `None` for what a decimal cannot hold exactly.
pub(crate) fn from_number(text: &str) -> Option<Decimal> {
    if text.len() > LONGEST {
        return None;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let value = Decimal::from_str_exact(mantissa).ok()?.normalize();
    let scale = i64::from(value.scale()) - i64::from(exponent);
    match u32::try_from(scale) {
        Ok(scale) => {
            let mut value = value;
            value.set_scale(scale).ok()?;
            Some(value)
        }
        Err(_) => {
            let zeros = u32::try_from(scale.unsigned_abs()).ok()?;
            let factor = 10_i128.checked_pow(zeros)?;
            let mantissa = value.mantissa().checked_mul(factor)?;
            Decimal::try_from_i128_with_scale(mantissa, 0).ok()
        }
    }
}

/// Digits with at most one point between them. No sign, no exponent, no blanks. `None` also for what a
/// decimal cannot hold exactly.
pub(crate) fn from_digits(text: &str) -> Option<Decimal> {
    if text.len() <= LONGEST && are_digits(text) {
        Decimal::from_str_exact(text).ok()
    } else {
        None
    }
}

/// Whether a text has the form of an amount, however large.
pub(crate) fn are_digits(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<String> {
        from_number(text).map(|value| value.to_string())
    }

    #[test]
    fn numbers_are_taken_by_their_text() {
        for (text, value) in [
            ("0.1", "0.1"),
            ("19.99", "19.99"),
            ("1e2", "100"),
            ("1.5E+1", "15"),
            ("255e-2", "2.55"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(number(text), Some(value.to_owned()), "{text}");
        }
        for text in [
            "1e999",
            "1e-999",
            "0.00000000000000000000000000001",
            "123456789012345678901234567890",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(from_number(&"1".repeat(65)), None);
    }

    #[test]
    fn digits_are_nothing_but_digits() {
        assert_eq!(from_digits("35.200"), Some(Decimal::new(35_200, 3)));
        assert_eq!(from_digits("007"), Some(Decimal::from(7)));
        for text in [
            "", ".5", "5.", "-1", "+1", "1e2", "10,10", "1_0", " 1", "١", "1.2.3",
        ] {
            assert_eq!(from_digits(text), None, "{text:?}");
        }
    }
}
