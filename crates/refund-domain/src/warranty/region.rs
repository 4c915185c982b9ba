//! Regions: a country, or a part of one.

use crate::TextError;
use crate::text::{length, text_type};

text_type!(
    /// A region as ISO 3166 writes it: two letters (`US`), perhaps a hyphen and up to three letters or
    /// digits (`US-CA`). Kept in capitals.
    RegionCode,
    shown
);

impl RegionCode {
    /// Checks the form, not the list; small letters become capitals.
    ///
    /// # Errors
    /// Any other form.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a region";
        length(text, WHAT, 2, 6)?;
        let (country, part) = match text.split_once('-') {
            Some((country, part)) => (country, Some(part)),
            None => (text, None),
        };
        let letters = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_alphabetic());
        let sound = part.is_none_or(|part| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        if letters && sound {
            Ok(Self(text.to_ascii_uppercase()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must be like US or US-CA",
            })
        }
    }

    /// Whether a region lies in this one: itself, or a part of this country.
    #[must_use]
    pub fn contains(&self, region: &Self) -> bool {
        self == region
            || region
                .0
                .strip_prefix(&self.0)
                .is_some_and(|rest| rest.starts_with('-'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_contains_its_parts() {
        let region = |text| RegionCode::new(text).unwrap();
        assert_eq!(region("us-ca").as_str(), "US-CA");
        assert!(region("US").contains(&region("us-ca")));
        assert!(region("US").contains(&region("US")));
        assert!(!region("US-CA").contains(&region("US")));
        assert!(!region("US-C").contains(&region("US-CA")));
        for text in [
            "", "U", "USA", "US-", "US-CALI", "U1", "US CA", "ÄÖ", "US-Ä",
        ] {
            assert!(RegionCode::new(text).is_err(), "{text}");
        }
    }
}
