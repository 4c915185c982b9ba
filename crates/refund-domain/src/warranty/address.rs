//! A customer's address as it is stored.

use crate::TextError;
use crate::text::{length, named, text_type};

text_type!(
    /// A line of an address, or a name in it (a city, a label): 1 to 200 characters.
    AddressLine,
    personal
);
text_type!(
    /// A postal code, 1 to 20 characters.
    PostalCode,
    personal
);
text_type!(
    /// A country: the two capitals of ISO 3166-1.
    CountryCode,
    shown
);

impl AddressLine {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a line of an address", 200).map(Self)
    }
}

impl PostalCode {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 20, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a postal code", 20).map(Self)
    }
}

impl CountryCode {
    /// Checks the form, not the list.
    ///
    /// # Errors
    /// Not two ASCII capitals.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a country";
        length(text, WHAT, 2, 2)?;
        if text.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must be two capitals such as US",
            })
        }
    }
}

/// A place that things can be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// What the customer calls it.
    pub label: Option<AddressLine>,
    /// First line.
    pub line1: AddressLine,
    /// Second line.
    pub line2: Option<AddressLine>,
    /// Third line.
    pub line3: Option<AddressLine>,
    /// City.
    pub city: AddressLine,
    /// State or province.
    pub state_or_province: Option<AddressLine>,
    /// Postal code.
    pub postal_code: PostalCode,
    /// Country.
    pub country_code: CountryCode,
    /// Whether it is the customer's usual one.
    pub is_default: bool,
}

impl Address {
    /// The address as one text, in the order in which people write it, without its label.
    #[must_use]
    pub fn text(&self) -> String {
        let optional =
            |line: &Option<AddressLine>| line.as_ref().map(|line| line.as_str().to_owned());
        [
            Some(self.line1.as_str().to_owned()),
            optional(&self.line2),
            optional(&self.line3),
            Some(self.city.as_str().to_owned()),
            optional(&self.state_or_province),
            Some(self.postal_code.as_str().to_owned()),
            Some(self.country_code.as_str().to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
    }
}
