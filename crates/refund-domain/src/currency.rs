//! Currencies that money can be counted in: ISO 4217 codes with an exponent.

use std::fmt;
use std::str::FromStr;

/// An ISO 4217 currency that has a minor unit, or none but still counts in whole units.
///
/// The exponent is the number of decimals: 0 (JPY), 2 (USD), 3 (KWD) or 4 (CLF). Codes without an
/// exponent in ISO 4217 (gold, `XXX`) are not currencies that a refund can be made in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency {
    iso: iso_currency::Currency,
    exponent: u8,
}

/// A text that is not the code of a currency money can be counted in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CurrencyError {
    /// Not one of the three-letter codes of ISO 4217, in capitals.
    #[error("{0:?} is not an ISO 4217 currency code such as USD")]
    Unknown(String),
    /// In ISO 4217, but without a number of decimals.
    #[error("{0} has no minor unit in ISO 4217, so amounts in it cannot be exact")]
    NotCountable(&'static str),
}

impl Currency {
    /// The currency of an ISO 4217 code in capitals.
    ///
    /// # Errors
    /// Unknown codes, lower case, and codes that ISO 4217 gives no exponent.
    pub fn new(code: &str) -> Result<Self, CurrencyError> {
        let iso = iso_currency::Currency::from_code(code)
            .filter(|iso| iso.code() == code)
            .ok_or_else(|| CurrencyError::Unknown(code.chars().take(16).collect()))?;
        match iso.exponent().map(u8::try_from) {
            Some(Ok(exponent)) if exponent <= 4 => Ok(Self { iso, exponent }),
            _ => Err(CurrencyError::NotCountable(iso.code())),
        }
    }

    /// The code, three capitals.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.iso.code()
    }

    /// The number of decimals, 0 to 4.
    #[must_use]
    pub fn exponent(self) -> u8 {
        self.exponent
    }
}

impl FromStr for Currency {
    type Err = CurrencyError;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Self::new(code)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_iso_4217() {
        for (code, exponent) in [
            ("JPY", 0),
            ("KRW", 0),
            ("USD", 2),
            ("EUR", 2),
            ("KWD", 3),
            ("BHD", 3),
            ("CLF", 4),
        ] {
            assert_eq!(
                Currency::new(code).map(Currency::exponent),
                Ok(exponent),
                "{code}"
            );
        }
    }

    #[test]
    fn what_is_no_countable_currency_is_refused() {
        for code in ["usd", "US", "USDX", "", "ZZZ", " USD", "XAU", "XXX"] {
            assert!(Currency::new(code).is_err(), "{code}");
        }
    }
}
