//! Civil dates, and which one is today.
//!
//! A date here never becomes an instant, so that no zone can shift it by a day. An instant becomes a
//! date in one place, [`Calendar::today`].

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, Months, NaiveDate, TimeZone as _, Utc};
use chrono_tz::Tz;

use crate::Timestamp;

/// A day in the years 0001 to 9999, written `yyyy-MM-dd`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CivilDate(NaiveDate);

/// A time zone of the IANA database, such as `Asia/Tokyo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

/// A text or a day that is no [`CivilDate`] or no [`TimeZone`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DateError {
    /// Not `yyyy-MM-dd`, or no day of the calendar.
    #[error("not a day such as 2026-08-11")]
    Date,
    /// Outside the years that are written with four digits.
    #[error("the day is outside the years 0001 to 9999")]
    OutOfRange,
    /// Not in the IANA database.
    #[error("not a time zone of the IANA database such as Asia/Tokyo or UTC")]
    TimeZone,
}

impl CivilDate {
    /// The last day that can be written.
    const LAST: NaiveDate = match NaiveDate::from_ymd_opt(9999, 12, 31) {
        Some(date) => date,
        None => NaiveDate::MAX,
    };

    /// A day.
    ///
    /// # Errors
    /// Outside the years 1 to 9999.
    pub fn new(date: NaiveDate) -> Result<Self, DateError> {
        if (1..=9999).contains(&date.year()) {
            Ok(Self(date))
        } else {
            Err(DateError::OutOfRange)
        }
    }

    /// Reads `yyyy-MM-dd`, to the letter.
    ///
    /// # Errors
    /// Any other form, and days that the calendar does not have.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| DateError::Date)?;
        let date = Self::new(date)?;
        // chrono also takes `2026-8-1`, blanks and a sign.
        if date.to_string() == text {
            Ok(date)
        } else {
            Err(DateError::Date)
        }
    }

    /// The day.
    #[must_use]
    pub fn naive(self) -> NaiveDate {
        self.0
    }

    /// The same day of a later month, or that month's last day where it has no such day: one month
    /// after 31 January is 28 or 29 February. Never later than the last day that can be written.
    #[must_use]
    pub fn months_later(self, months: u32) -> Self {
        let date = self.0.checked_add_months(Months::new(months));
        Self(date.unwrap_or(Self::LAST).min(Self::LAST))
    }

    /// Days from an earlier day to this one; negative where it is a later day.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> i64 {
        self.0.signed_duration_since(earlier.0).num_days()
    }
}

impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0;
        write!(
            f,
            "{:04}-{:02}-{:02}",
            date.year(),
            date.month(),
            date.day()
        )
    }
}

impl fmt::Debug for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CivilDate {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TimeZone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(Tz::UTC);

    /// The zone of an IANA name, to the letter.
    ///
    /// # Errors
    /// A name that the database does not have.
    pub fn new(name: &str) -> Result<Self, DateError> {
        name.parse().map(Self).map_err(|_| DateError::TimeZone)
    }

    /// The IANA name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    fn date(self, time: Timestamp) -> CivilDate {
        let time = Utc
            .timestamp_millis_opt(time.unix_millis())
            .single()
            .unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
        let date = time.with_timezone(&self.0).date_naive();
        // A zone can carry an instant of year 9999 into year 10000.
        CivilDate(date.clamp(
            NaiveDate::default().with_year(1).unwrap_or_default(),
            CivilDate::LAST,
        ))
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which day it is: in a time zone, unless a day is pinned (for demonstrations and tests).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// Where the business is.
    pub zone: TimeZone,
    /// The day it is, whatever the clock says.
    pub pinned: Option<CivilDate>,
}

impl Calendar {
    /// The day of an instant.
    #[must_use]
    pub fn today(&self, now: Timestamp) -> CivilDate {
        self.pinned.unwrap_or_else(|| self.zone.date(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_taken_to_the_letter() {
        for text in ["2026-08-11", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(
                CivilDate::parse(text).map(|date| date.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "2026-8-11",
            "2026-08-11 ",
            " 2026-08-11",
            "+2026-08-11",
            "2026-02-29",
            "2026-13-01",
            "2026-08-11T00:00:00Z",
            "26-08-11",
            "today",
            "0000-01-01",
            "10000-01-01",
            "",
        ] {
            assert!(CivilDate::parse(text).is_err(), "{text:?}");
        }
    }

    // Case R-059: the business's zone says which day it is.
    #[test]
    fn today_is_the_day_of_the_zone() {
        let late = Timestamp::parse("2026-08-11T23:30:00Z").unwrap();
        for (zone, day) in [
            ("UTC", "2026-08-11"),
            ("Asia/Tokyo", "2026-08-12"),
            ("Pacific/Honolulu", "2026-08-11"),
            ("Pacific/Kiritimati", "2026-08-12"),
            // Summer time: 19:30 in New York.
            ("America/New_York", "2026-08-11"),
        ] {
            let mut calendar = Calendar {
                zone: TimeZone::new(zone).unwrap(),
                pinned: None,
            };
            assert_eq!(calendar.today(late).to_string(), day, "{zone}");
            calendar.pinned = Some(CivilDate::parse("2026-01-31").unwrap());
            assert_eq!(calendar.today(late).to_string(), "2026-01-31", "{zone}");
        }
        for name in ["", "asia/tokyo", "Tokyo", "JST", "+09:00", "Asia/Tokyo "] {
            assert_eq!(TimeZone::new(name), Err(DateError::TimeZone), "{name:?}");
        }
    }

    #[test]
    fn the_edges_of_time_have_a_day_everywhere() {
        for time in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"] {
            let time = Timestamp::parse(time).unwrap();
            for zone in ["Pacific/Kiritimati", "Pacific/Honolulu"] {
                let date = TimeZone::new(zone).unwrap().date(time);
                assert!(CivilDate::new(date.naive()).is_ok(), "{date}");
            }
        }
        let last = CivilDate::parse("9999-12-31").unwrap();
        assert_eq!(last.months_later(1), last);
    }
}
