//! Money: checked integer minor units and a currency. No floats anywhere.

use std::fmt;

use rust_decimal::Decimal;

use crate::{Currency, CurrencyError};

/// The largest amount: fifteen digits of minor units.
///
/// Every decimal of up to fifteen digits survives a trip through a JSON number that some client
/// reads as an IEEE 754 double, so no balance changes on the way out.
pub const MAX_MINOR_UNITS: i64 = 999_999_999_999_999;

/// An amount of zero or more, in minor units of its currency (cents for USD, yen for JPY).
///
/// There is no `Default` and no arithmetic that can wrap: additions and subtractions are checked
/// and say in which currency they failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

/// An amount that cannot be, or cannot be expressed in its currency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Below zero.
    #[error("an amount of money cannot be negative")]
    Negative,
    /// Above [`MAX_MINOR_UNITS`].
    #[error("the amount is above {MAX_MINOR_UNITS} minor units")]
    TooLarge,
    /// More decimals than the currency has. The source of the `CURRENCY_PRECISION` refusal.
    #[error("{amount} needs more decimal places than the {} of {currency}", currency.exponent())]
    Precision {
        /// The amount asked for.
        amount: Decimal,
        /// The currency that cannot express it.
        currency: Currency,
    },
    /// Two amounts in different currencies met.
    #[error("cannot combine {left} with {right}")]
    Mixed {
        /// Currency of the left amount.
        left: Currency,
        /// Currency of the right amount.
        right: Currency,
    },
    /// Not a plain decimal number.
    #[error("not a decimal number")]
    NotANumber,
    /// Not a currency.
    #[error(transparent)]
    Currency(#[from] CurrencyError),
}

impl Money {
    /// An amount from minor units.
    ///
    /// # Errors
    /// Below zero or above [`MAX_MINOR_UNITS`].
    pub fn from_minor(minor: i64, currency: Currency) -> Result<Self, MoneyError> {
        match minor {
            ..0 => Err(MoneyError::Negative),
            0..=MAX_MINOR_UNITS => Ok(Self { minor, currency }),
            _ => Err(MoneyError::TooLarge),
        }
    }

    /// Nothing, in a currency.
    #[must_use]
    pub fn zero(currency: Currency) -> Self {
        Self { minor: 0, currency }
    }

    /// An amount from a decimal, judged by value: `10.000` is ten.
    ///
    /// # Errors
    /// [`MoneyError::Precision`] when the currency has fewer decimals than the value needs; never a
    /// rounding. Otherwise as [`Money::from_minor`].
    pub fn from_decimal(amount: Decimal, currency: Currency) -> Result<Self, MoneyError> {
        let value = amount.normalize();
        if value.is_sign_negative() && !value.is_zero() {
            return Err(MoneyError::Negative);
        }
        let exponent = u32::from(currency.exponent());
        let Some(zeros) = exponent.checked_sub(value.scale()) else {
            return Err(MoneyError::Precision { amount, currency });
        };
        let minor = 10_i128
            .checked_pow(zeros)
            .and_then(|factor| value.mantissa().checked_mul(factor))
            .and_then(|minor| i64::try_from(minor).ok())
            .ok_or(MoneyError::TooLarge)?;
        Self::from_minor(minor, currency)
    }

    /// Minor units, 0 to [`MAX_MINOR_UNITS`].
    #[must_use]
    pub fn minor(self) -> i64 {
        self.minor
    }

    /// The currency.
    #[must_use]
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// The exact decimal, with the currency's number of decimals.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        Decimal::new(self.minor, u32::from(self.currency.exponent()))
    }

    /// Whether this is nothing.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.minor == 0
    }

    /// The sum.
    ///
    /// # Errors
    /// Different currencies, or a sum above [`MAX_MINOR_UNITS`].
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        let minor = self
            .minor
            .checked_add(other.minor)
            .ok_or(MoneyError::TooLarge)?;
        Self::from_minor(minor, self.currency)
    }

    /// The difference.
    ///
    /// # Errors
    /// Different currencies, or `other` is the larger amount ([`MoneyError::Negative`]).
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        let minor = self
            .minor
            .checked_sub(other.minor)
            .ok_or(MoneyError::Negative)?;
        Self::from_minor(minor, self.currency)
    }

    /// The amount so many times.
    ///
    /// # Errors
    /// A product above [`MAX_MINOR_UNITS`].
    pub fn checked_times(self, times: u32) -> Result<Self, MoneyError> {
        let minor = self
            .minor
            .checked_mul(i64::from(times))
            .ok_or(MoneyError::TooLarge)?;
        Self::from_minor(minor, self.currency)
    }

    fn same_currency(self, other: Self) -> Result<(), MoneyError> {
        if self.currency == other.currency {
            Ok(())
        } else {
            Err(MoneyError::Mixed {
                left: self.currency,
                right: other.currency,
            })
        }
    }
}

/// As a refusal shows it: `600.00 USD`, `500 JPY`, `1.250 KWD`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.decimal(), self.currency)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn currency(code: &str) -> Currency {
        Currency::new(code).unwrap()
    }

    fn minor(amount: &str, code: &str) -> Result<i64, MoneyError> {
        Money::from_decimal(amount.parse().unwrap(), currency(code)).map(Money::minor)
    }

    // Cases.
    #[test]
    fn decimals_become_minor_units_of_their_currency() {
        for (amount, code, expected) in [
            ("500", "JPY", 500),
            ("5800", "JPY", 5800),
            ("500.00", "JPY", 500),
            ("19.99", "USD", 1999),
            ("10.000", "USD", 1000),
            ("35.200", "KWD", 35_200),
            ("1.255", "KWD", 1255),
            ("1.2345", "CLF", 12_345),
            ("0", "USD", 0),
        ] {
            assert_eq!(minor(amount, code), Ok(expected), "{amount} {code}");
        }
        for (amount, code) in [("100.5", "JPY"), ("1.255", "USD"), ("1.2555", "KWD")] {
            assert!(
                matches!(minor(amount, code), Err(MoneyError::Precision { .. })),
                "{amount}"
            );
        }
    }

    // Case R-013: every price up to 100.00.
    #[test]
    fn every_cent_up_to_a_hundred_is_its_own_digits() {
        for cents in 1..=10_000_i64 {
            let text = format!("{}.{:02}", cents / 100, cents % 100);
            assert_eq!(minor(&text, "USD"), Ok(cents), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_held_is_an_error() {
        assert_eq!(minor("-0.01", "USD"), Err(MoneyError::Negative));
        assert_eq!(minor("-0", "USD"), Ok(0));
        assert_eq!(minor("9999999999999.99", "USD"), Ok(MAX_MINOR_UNITS));
        assert_eq!(minor("10000000000000.00", "USD"), Err(MoneyError::TooLarge));
        assert_eq!(
            minor("79228162514264337593543950335", "USD"),
            Err(MoneyError::TooLarge)
        );
        let (dollar, yen) = (Money::zero(currency("USD")), Money::zero(currency("JPY")));
        assert!(matches!(
            dollar.checked_add(yen),
            Err(MoneyError::Mixed { .. })
        ));
        let most = Money::from_minor(MAX_MINOR_UNITS, currency("USD")).unwrap();
        let cent = Money::from_minor(1, currency("USD")).unwrap();
        assert_eq!(most.checked_add(cent), Err(MoneyError::TooLarge));
        assert_eq!(dollar.checked_sub(cent), Err(MoneyError::Negative));
    }

    #[test]
    fn shown_with_the_currencys_own_decimals() {
        for (minor, code, text) in [
            (60_000, "USD", "600.00 USD"),
            (500, "JPY", "500 JPY"),
            (1250, "KWD", "1.250 KWD"),
        ] {
            assert_eq!(
                Money::from_minor(minor, currency(code))
                    .unwrap()
                    .to_string(),
                text
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn decimal_and_minor_units_are_two_spellings(
            minor in 0..=MAX_MINOR_UNITS,
            code in prop::sample::select(vec!["JPY", "USD", "KWD", "CLF"]),
        ) {
            let money = Money::from_minor(minor, currency(code)).unwrap();
            prop_assert_eq!(Money::from_decimal(money.decimal(), currency(code)), Ok(money));
            let text: Decimal = money.decimal().to_string().parse().unwrap();
            prop_assert_eq!(Money::from_decimal(text, currency(code)), Ok(money));
        }
    }
}
