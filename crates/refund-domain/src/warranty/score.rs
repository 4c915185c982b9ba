//! How well two texts match: a share of one, exact to four decimals, without floats.

use std::fmt;

use rust_decimal::Decimal;

/// A score from 0 to 1 in ten-thousandths, rounded down.
///
/// No float is involved, so that scores, their order and what is above a threshold are the same on
/// every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score(u16);

impl Score {
    /// No match.
    pub const ZERO: Self = Self(0);
    /// The same.
    pub const ONE: Self = Self(10_000);
    /// One begins with the other.
    pub const PREFIX: Self = Self(9_000);
    /// Every word that was asked for is there.
    pub const ALL_WORDS: Self = Self(8_500);
    /// The most that resemblance alone can reach.
    pub const BEST_BLEND: Self = Self(8_900);
    /// The least for a product.
    pub const DEVICE_THRESHOLD: Self = Self(7_200);
    /// The least for a customer or an address.
    pub const PERSON_THRESHOLD: Self = Self(5_500);

    /// So many ten-thousandths, at most [`Score::ONE`].
    pub(crate) fn from_basis_points(points: u64) -> Self {
        u16::try_from(points).map_or(Self::ONE, |points| Self(points).min(Self::ONE))
    }

    /// A part of a whole; no match where there is no whole.
    pub(crate) fn share(part: usize, whole: usize) -> Self {
        let points = (part as u64)
            .saturating_mul(10_000)
            .checked_div(whole as u64);
        Self::from_basis_points(points.unwrap_or(0))
    }

    /// The score in ten-thousandths.
    #[must_use]
    pub fn basis_points(self) -> u16 {
        self.0
    }

    /// The score as a decimal from 0 to 1.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        Decimal::new(i64::from(self.0), 4).normalize()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.decimal(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_down_and_never_above_one() {
        for (part, whole, text) in [
            (0, 0, "0"),
            (1, 0, "0"),
            (1, 3, "0.3333"),
            (2, 3, "0.6666"),
            (3, 3, "1"),
            (17, 20, "0.85"),
            (9, 3, "1"),
        ] {
            assert_eq!(Score::share(part, whole).to_string(), text);
        }
    }
}
