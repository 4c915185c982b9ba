//! Warranties and open returns, and which warranty governs a day.

use std::cmp::Reverse;

use crate::text::{length, named, no_control, text_type};
use crate::warranty::WarrantyPolicy;
use crate::{CivilDate, TextError, Timestamp};

text_type!(
    /// The name of a warranty plan, 1 to 200 characters.
    PlanName,
    shown
);
text_type!(
    /// The name of a tier of warranties: `[a-z0-9-]`, 1 to 64 characters. Which tiers there are, the
    /// policy says.
    TierName,
    shown
);
text_type!(
    /// A return's number, 1 to 64 characters without blanks at its ends.
    RmaNumber,
    shown
);
text_type!(
    /// The state of an open return in the words of the system that manages it, 1 to 64 characters.
    ReturnState,
    shown
);

impl PlanName {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a plan's name", 200).map(Self)
    }
}

impl TierName {
    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, or a character outside `[a-z0-9-]`.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a tier";
        length(text, WHAT, 1, 64)?;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must consist of a-z, 0-9 and -",
            })
        }
    }
}

impl RmaNumber {
    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, control characters, or white space at the ends.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a return's number";
        length(text, WHAT, 1, 64)?;
        no_control(text, WHAT)?;
        if text.trim() == text {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must not have white space at its ends",
            })
        }
    }
}

impl ReturnState {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 64, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a return's status", 64).map(Self)
    }
}

/// A return of a unit that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReturn {
    /// Its number.
    pub rma_number: RmaNumber,
    /// How far it has come.
    pub status: ReturnState,
    /// When it was opened.
    pub created_at: Timestamp,
}

/// The first and the last day of a warranty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    start: CivilDate,
    end: CivilDate,
}

/// A period that ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a warranty cannot end before it starts")]
pub struct PeriodError;

impl Period {
    /// A period; both days belong to it.
    ///
    /// # Errors
    /// It ends before it begins.
    pub fn new(start: CivilDate, end: CivilDate) -> Result<Self, PeriodError> {
        if start <= end {
            Ok(Self { start, end })
        } else {
            Err(PeriodError)
        }
    }

    /// The first day.
    #[must_use]
    pub fn start(self) -> CivilDate {
        self.start
    }

    /// The last day.
    #[must_use]
    pub fn end(self) -> CivilDate {
        self.end
    }
}

/// A warranty of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warranty {
    /// The plan.
    pub plan: PlanName,
    /// Its tier.
    pub tier: TierName,
    /// From when to when.
    pub period: Period,
    /// Whether it counts; one that was revoked does not.
    pub active: bool,
}

/// The warranty that governs a day: active, begun, and ended at most the grace days ago. The latest
/// end wins, then the latest start. Of those that are equal in both, a covered tier wins, so that a
/// plan without service never hides one with; then the order of the names decides.
#[must_use]
pub fn governing<'a>(
    warranties: &'a [Warranty],
    today: CivilDate,
    policy: &WarrantyPolicy,
) -> Option<&'a Warranty> {
    let grace = i64::from(policy.grace_days());
    warranties
        .iter()
        .filter(|warranty| {
            warranty.active
                && warranty.period.start <= today
                && today.days_since(warranty.period.end) <= grace
        })
        .min_by_key(|warranty| {
            let uncovered = !policy
                .tier(&warranty.tier)
                .is_some_and(|tier| tier.covered());
            (
                Reverse(warranty.period.end),
                Reverse(warranty.period.start),
                uncovered,
                warranty.plan.as_str(),
                warranty.tier.as_str(),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> CivilDate {
        CivilDate::parse(text).unwrap()
    }

    fn warranty(tier: &str, start: &str, end: &str) -> Warranty {
        Warranty {
            plan: PlanName::new("Plan").unwrap(),
            tier: TierName::new(tier).unwrap(),
            period: Period::new(date(start), date(end)).unwrap(),
            active: true,
        }
    }

    fn tier_on(warranties: &[Warranty], today: &str) -> Option<String> {
        let policy = WarrantyPolicy::default();
        governing(warranties, date(today), &policy).map(|warranty| warranty.tier.to_string())
    }

    #[test]
    fn thirty_days_of_grace_and_no_more() {
        let one = [warranty("standard", "2024-01-31", "2026-01-30")];
        for (today, covered) in [
            ("2024-01-30", false),
            ("2024-01-31", true),
            ("2026-01-30", true),
            ("2026-03-01", true),
            ("2026-03-02", false),
        ] {
            assert_eq!(tier_on(&one, today).is_some(), covered, "{today}");
        }
    }

    #[test]
    fn the_latest_end_wins_then_the_latest_start() {
        let mut all = vec![
            warranty("standard", "2022-01-01", "2026-06-30"),
            warranty("premium", "2023-01-01", "2026-06-30"),
            warranty("extended", "2025-01-01", "2026-06-29"),
        ];
        for _ in 0..3 {
            all.rotate_left(1);
            assert_eq!(tier_on(&all, "2026-03-01").as_deref(), Some("premium"));
        }
        for one in &mut all {
            one.active = one.tier.as_str() != "premium";
        }
        assert_eq!(tier_on(&all, "2026-03-01").as_deref(), Some("standard"));
    }

    #[test]
    fn a_plan_without_service_does_not_hide_an_equal_one_with() {
        let mut all = [
            warranty("no-service", "2024-01-01", "2026-06-30"),
            warranty("standard", "2024-01-01", "2026-06-30"),
        ];
        assert_eq!(tier_on(&all, "2026-03-01").as_deref(), Some("standard"));
        all.reverse();
        assert_eq!(tier_on(&all, "2026-03-01").as_deref(), Some("standard"));
    }

    // Case R-095.
    #[test]
    fn two_periods_with_a_gap() {
        let all = [
            warranty("standard", "2020-01-01", "2021-12-31"),
            warranty("extended", "2023-01-01", "2024-12-31"),
        ];
        assert_eq!(tier_on(&all, "2021-06-01").as_deref(), Some("standard"));
        assert_eq!(tier_on(&all, "2022-06-01"), None);
        assert_eq!(tier_on(&all, "2023-06-01").as_deref(), Some("extended"));
    }

    // Case R-056.
    #[test]
    fn a_year_from_the_29th_of_february() {
        let start = date("2024-02-29");
        let end = start.months_later(12);
        assert_eq!(end, date("2025-02-28"));
        let year = [warranty("standard", "2024-02-29", &end.to_string())];
        assert!(tier_on(&year, "2025-02-28").is_some());
        assert!(tier_on(&year, "2025-03-01").is_some());
        assert!(tier_on(&year, "2025-03-31").is_none());
    }

    #[test]
    fn a_period_has_an_order() {
        assert!(Period::new(date("2026-01-01"), date("2026-01-01")).is_ok());
        assert_eq!(
            Period::new(date("2026-01-02"), date("2026-01-01")),
            Err(PeriodError)
        );
    }
}
