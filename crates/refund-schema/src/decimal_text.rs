//! The value of a JSON number, read from its text, digit by digit. No floats, and no limit on the
//! exponent: `1e400` is compared like any other number.

use std::cmp::Ordering;

/// A decimal value: `0.DIGITS × 10^point`, negative or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecimalText {
    negative: bool,
    /// Digits 0 to 9 without zeros at either end; none for zero.
    digits: Vec<u8>,
    /// Where the decimal point stands, counted from before the first digit; 0 for zero.
    point: i64,
}

/// Exponents beyond this count as this: no text of a bounded length can make up for it.
const FAR: i64 = 1_000_000_000_000_000;

impl DecimalText {
    /// Reads a number as JSON writes it; `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        if !is_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }

        let all: Vec<u8> = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|digit| digit - b'0')
            .collect();
        let Some(first) = all.iter().position(|digit| *digit != 0) else {
            return Some(Self::zero());
        };
        let last = all.iter().rposition(|digit| *digit != 0)?;
        let before_point = i64::try_from(whole.len()).ok()?;
        let point = before_point
            .checked_sub(i64::try_from(first).ok()?)?
            .checked_add(exponent)?;
        Some(Self {
            negative,
            digits: all.get(first..=last)?.to_vec(),
            point,
        })
    }

    /// Minus zero is zero.
    fn zero() -> Self {
        Self {
            negative: false,
            digits: Vec::new(),
            point: 0,
        }
    }

    /// How many decimal places the value needs: none for `10.000`, 3 for `1e-3`.
    pub(crate) fn decimal_places(&self) -> u64 {
        let digits = i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        u64::try_from(digits.saturating_sub(self.point)).unwrap_or(0)
    }

    /// The value as an integer and a number of decimal places; `None` where 28 digits do not hold it.
    pub(crate) fn to_parts(&self) -> Option<(i128, u32)> {
        let places = u32::try_from(self.decimal_places()).ok()?;
        let digits = i64::try_from(self.digits.len()).ok()?;
        let zeros = u32::try_from(self.point.saturating_sub(digits).max(0)).ok()?;
        if places > 28 || self.digits.len() > 28 || zeros > 28 {
            return None;
        }
        let unsigned = self
            .digits
            .iter()
            .fold(0_i128, |value, digit| value * 10 + i128::from(*digit))
            .checked_mul(10_i128.checked_pow(zeros)?)?;
        Some((if self.negative { -unsigned } else { unsigned }, places))
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

impl Ord for DecimalText {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_size =
            || (self.point, self.digits.as_slice()).cmp(&(other.point, other.digits.as_slice()));
        self.sign()
            .cmp(&other.sign())
            .then_with(|| match self.sign() {
                0 => Ordering::Equal,
                1 => by_size(),
                _ => by_size().reverse(),
            })
    }
}

impl PartialOrd for DecimalText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn exponent_of(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !is_digits(digits) {
        return None;
    }
    // What is all digits and does not fit is far.
    let size = digits.parse::<i64>().unwrap_or(FAR).min(FAR);
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> DecimalText {
        DecimalText::parse(text).unwrap()
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        for (one, other) in [
            ("10", "10.000"),
            ("100", "1e2"),
            ("100", "0.1E+3"),
            ("0", "-0.0"),
            ("0", "0e999999999"),
            ("0.001", "1e-3"),
            ("1e99999999999999999999", "1e88888888888888888888"),
        ] {
            assert_eq!(of(one), of(other), "{one} {other}");
            assert_eq!(of(one).cmp(&of(other)), Ordering::Equal);
        }
    }

    #[test]
    fn order() {
        let ascending = [
            "-1e400",
            "-10",
            "-9.5",
            "-9",
            "-1e-400",
            "0",
            "1e-400",
            "0.001",
            "0.01",
            "0.1",
            "0.11",
            "9",
            "10",
            "11",
            "99",
            "1000000",
            "1000000.000000000000000000001",
            "1000000.01",
            "1e400",
        ];
        for pair in ascending.windows(2) {
            assert!(of(pair[0]) < of(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn places_and_parts() {
        for (text, places, parts) in [
            ("10.10", 1, Some((101, 1))),
            ("1e2", 0, Some((100, 0))),
            ("-1.005", 3, Some((-1005, 3))),
            ("0", 0, Some((0, 0))),
            (
                "10.000000000000000000001",
                21,
                Some((10_000_000_000_000_000_000_001, 21)),
            ),
            ("1e-400", 400, None),
            ("1e400", 0, None),
            ("1e-99999999999999999999", 1_000_000_000_000_000, None),
        ] {
            assert_eq!(of(text).decimal_places(), places, "{text}");
            assert_eq!(of(text).to_parts(), parts, "{text}");
        }
    }

    #[test]
    fn only_what_json_calls_a_number() {
        for text in [
            "",
            "-",
            "+1",
            "01",
            "1.",
            ".1",
            "1e",
            "1e+",
            "1e1.5",
            "NaN",
            "Infinity",
            "-Infinity",
            "0x10",
            "1_000",
            " 1",
            "1 ",
            "١",
            "1e١",
            "--1",
            "{}",
            "\"1\"",
            "true",
        ] {
            assert_eq!(DecimalText::parse(text), None, "{text}");
        }
    }
}
