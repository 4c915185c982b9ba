//! Instants, and where they come from.

use std::fmt;

use chrono::{DateTime, SecondsFormat, TimeZone, Timelike as _, Utc};

/// An instant in UTC, to the millisecond, in the years 0 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// An instant that cannot be written as RFC 3339 with a four-digit year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TimestampError {
    /// Before year 0 or after year 9999.
    #[error("the instant is outside the years 0000 to 9999")]
    OutOfRange,
    /// Not RFC 3339.
    #[error("not an RFC 3339 time such as 2024-01-15T09:30:00Z")]
    NotRfc3339,
    /// RFC 3339 has them; to take one for the second after it would be to change what was said.
    #[error("a leap second (:60) cannot be kept; seconds are 00 to 59")]
    LeapSecond,
}

/// 0000-01-01T00:00:00.000Z.
const FIRST: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z.
const LAST: i64 = 253_402_300_799_999;

impl Timestamp {
    /// An instant from milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// Outside the years 0 to 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, TimestampError> {
        if (FIRST..=LAST).contains(&millis) {
            Ok(Self(millis))
        } else {
            Err(TimestampError::OutOfRange)
        }
    }

    /// An instant from a clock. A clock outside the years 0 to 9999 is taken as the nearest of them:
    /// a broken clock must not stop a refund, and its rows stay readable.
    #[must_use]
    pub fn from_clock(time: DateTime<Utc>) -> Self {
        Self(time.timestamp_millis().clamp(FIRST, LAST))
    }

    /// Reads RFC 3339, with any offset. Digits beyond milliseconds are cut off.
    ///
    /// # Errors
    /// Not RFC 3339, outside the years 0 to 9999, or a leap second.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| TimestampError::NotRfc3339)?;
        // How chrono writes a second 60.
        if time.nanosecond() >= 1_000_000_000 {
            return Err(TimestampError::LeapSecond);
        }
        Self::from_unix_millis(time.timestamp_millis())
    }

    /// So many milliseconds later, or the last instant of the year 9999.
    #[must_use]
    pub fn later(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis).clamp(FIRST, LAST))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn unix_millis(self) -> i64 {
        self.0
    }
}

/// ISO 8601 in UTC with milliseconds: `2024-01-15T09:30:00.000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Utc.timestamp_millis_opt(self.0).single() {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => write!(f, "{}ms", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where the present instant comes from. It may jump: nothing here depends on it going forward.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_with_milliseconds_and_a_z() {
        for (text, written) in [
            ("2024-01-15T09:30:00Z", "2024-01-15T09:30:00.000Z"),
            ("2024-01-15T18:30:00.1239+09:00", "2024-01-15T09:30:00.123Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(
                Timestamp::parse(text).map(|time| time.to_string()),
                Ok(written.to_owned())
            );
        }
        for text in ["2024-01-15", "2024-02-30T00:00:00Z", "yesterday", ""] {
            assert_eq!(
                Timestamp::parse(text),
                Err(TimestampError::NotRfc3339),
                "{text}"
            );
        }
    }

    #[test]
    fn a_leap_second_is_not_the_second_after_it() {
        for text in [
            "2016-12-31T23:59:60Z",
            "2016-12-31T23:59:60.5Z",
            "2024-01-15T09:30:60+09:00",
        ] {
            assert_eq!(
                Timestamp::parse(text),
                Err(TimestampError::LeapSecond),
                "{text}"
            );
        }
    }

    #[test]
    fn a_clock_far_out_of_range_is_held_at_the_edge() {
        assert_eq!(
            Timestamp::from_clock(DateTime::<Utc>::MAX_UTC).unix_millis(),
            LAST
        );
        assert_eq!(
            Timestamp::from_clock(DateTime::<Utc>::MIN_UTC).unix_millis(),
            FIRST
        );
        assert_eq!(
            Timestamp::from_unix_millis(LAST + 1),
            Err(TimestampError::OutOfRange)
        );
    }
}
