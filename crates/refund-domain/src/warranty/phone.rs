//! Telephone numbers as far as two of them can be the same.
//!
//! People write one number in many ways: with a country code or a zero in front, with blanks, with
//! brackets. Two numbers are the same if their digits are, not counting zeros in front; they fit if one
//! is the end of the other and has seven digits or more.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use crate::warranty::Score;

/// Fewest digits with which a number is looked for.
const FEWEST_DIGITS: usize = 4;

/// Fewest digits that, standing at the end of a longer number, mean that number.
const FEWEST_AT_THE_END: usize = 7;

/// The digits of a number from the last to the first, without zeros in front of the number. Numbers
/// that end alike begin alike in this form, so that an ordinary index finds them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneKey(String);

impl PhoneKey {
    /// The key of a number; `None` where it has no digits. `(0)` is left out, as people do who dial
    /// the country code.
    #[must_use]
    pub fn of(number: &str) -> Option<Self> {
        let digits = digits(number);
        let key: String = digits.trim_start_matches('0').chars().rev().collect();
        (!key.is_empty()).then_some(Self(key))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn digits(number: &str) -> String {
    let plain: String = number.nfkc().collect();
    plain
        .replace("(0)", "")
        .chars()
        .filter(char::is_ascii_digit)
        .collect()
}

/// What a search by number asks a store for: the keys that are the same, begin with it, or are a
/// beginning of it.
#[derive(Clone, PartialEq, Eq)]
pub struct PhoneProbe {
    key: PhoneKey,
    below: String,
    shorter: Vec<PhoneKey>,
}

impl PhoneProbe {
    /// The probe of a number; `None` where it has fewer than four digits.
    #[must_use]
    pub fn of(number: &str) -> Option<Self> {
        if digits(number).len() < FEWEST_DIGITS {
            return None;
        }
        let key = PhoneKey::of(number)?;
        let shorter = (FEWEST_AT_THE_END..key.0.len())
            .filter_map(|length| key.0.get(..length))
            .map(|part| PhoneKey(part.to_owned()))
            .collect();
        let below = if key.0.len() >= FEWEST_AT_THE_END {
            // Behind every digit.
            format!("{}:", key.0)
        } else {
            // Behind the key itself and before every longer one.
            format!("{}!", key.0)
        };
        Some(Self {
            key,
            below,
            shorter,
        })
    }

    /// The range of keys, from the first to before the second: the number, and longer ones that end
    /// with it.
    #[must_use]
    pub fn key_range(&self) -> (&str, &str) {
        (&self.key.0, &self.below)
    }

    /// Shorter numbers that this one ends with.
    #[must_use]
    pub fn shorter(&self) -> &[PhoneKey] {
        &self.shorter
    }

    /// How well a number fits: 1 for the same, 0.90 where one is the end of the other.
    #[must_use]
    pub fn score(&self, number: &str) -> Score {
        match PhoneKey::of(number) {
            None => Score::ZERO,
            Some(key) if key == self.key => Score::ONE,
            Some(key) => {
                let (short, long) = if key.0.len() < self.key.0.len() {
                    (&key.0, &self.key.0)
                } else {
                    (&self.key.0, &key.0)
                };
                if short.len() >= FEWEST_AT_THE_END && long.starts_with(short.as_str()) {
                    Score::PREFIX
                } else {
                    Score::ZERO
                }
            }
        }
    }

    /// Whether a number is a candidate, as an index would say. For stores without an index, and for
    /// tests.
    #[must_use]
    pub fn finds(&self, number: &str) -> bool {
        PhoneKey::of(number).is_some_and(|key| {
            let (from, below) = self.key_range();
            (from <= key.as_str() && key.as_str() < below) || self.shorter.contains(&key)
        })
    }
}

/// Hidden: a number names a person.
impl fmt::Debug for PhoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneKey(…)")
    }
}

/// Hidden: a number names a person.
impl fmt::Debug for PhoneProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneProbe(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_number_in_many_spellings() {
        for (asked, stored, score) in [
            ("+1 (202) 555-0101", "+12025550101", "1"),
            ("001 202 555 0101", "+1-202-555-0101", "1"),
            ("(202) 555-0101", "+1-202-555-0101", "0.9"),
            ("+44 20 7946 0958", "020 7946 0958", "0.9"),
            ("020 7946 0958", "+44 20 7946 0958", "0.9"),
            ("+44 (0)20 7946 0958", "+44 20 7946 0958", "1"),
            ("＋８１ ３ ５５５０ ０１００", "+81-3-5550-0100", "1"),
            ("555-0101", "+1-202-555-0101", "0.9"),
            ("0101", "+1-202-555-0101", "0"),
            ("+1 202 555 0102", "+1-202-555-0101", "0"),
        ] {
            let probe = PhoneProbe::of(asked).unwrap();
            assert_eq!(probe.score(stored).to_string(), score, "{asked} {stored}");
            assert_eq!(probe.finds(stored), score != "0", "{asked} {stored}");
        }
        for number in ["", "12", "call me", "000"] {
            assert!(PhoneProbe::of(number).is_none(), "{number}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// *Invariant:* an index finds exactly what fits.
        #[test]
        fn the_index_finds_what_fits(asked in "[0-2]{3,12}", stored in "[0-2]{3,12}") {
            if let Some(probe) = PhoneProbe::of(&asked) {
                prop_assert_eq!(probe.finds(&stored), probe.score(&stored) > Score::ZERO);
            }
        }
    }
}
