//! Delivering the messages in the outbox: at least once each, and later after each failure.

use crate::{Notification, ReturnId, Timestamp};

/// How long after a first failure a message is tried again, in milliseconds. Each further failure
/// doubles it.
const FIRST_PAUSE: i64 = 10_000;
/// The longest pause between two tries, in milliseconds. A message whose next try is later than that
/// from now is due: its time was set by a clock that has gone back since.
pub const LONGEST_PAUSE: i64 = 3_600_000;

/// A message that somebody has taken out of the outbox to deliver it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedMessage {
    /// The return that it is about. A return has one message, so that this names it for good.
    pub return_id: ReturnId,
    /// What to deliver.
    pub message: Notification,
    /// Which try this is, from 1. Whoever claims the message later gets a greater number.
    pub attempt: u32,
}

/// Why a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFailure {
    /// Whether the recipient's side said that trying again will not help. It is tried again all the
    /// same, but seldom: such an answer may as well come from a wrong configuration.
    pub is_refusal: bool,
    /// What happened, without personal data.
    pub what: &'static str,
    /// The code that the other side answered, if it did.
    pub code: Option<u16>,
}

impl ClaimedMessage {
    /// How long a message belongs to whoever claimed it, in milliseconds. Afterwards it is taken for
    /// abandoned. A delivery must be given up earlier.
    pub const CLAIM: i64 = 120_000;

    /// When to try again after a failure at this instant.
    #[must_use]
    pub fn next_attempt(&self, failure: &DeliveryFailure, at: Timestamp) -> Timestamp {
        let doublings = self.attempt.saturating_sub(1).min(16);
        let pause = match failure.is_refusal {
            true => LONGEST_PAUSE,
            false => (FIRST_PAUSE << doublings).min(LONGEST_PAUSE),
        };
        at.later(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmailAddress, NotificationWords};

    fn pause(attempt: u32, is_refusal: bool) -> i64 {
        let at = Timestamp::parse("2026-08-11T03:04:05Z").unwrap();
        let words = NotificationWords {
            subject: String::new(),
            body: String::new(),
        };
        let claimed = ClaimedMessage {
            return_id: ReturnId::new("3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f").unwrap(),
            message: Notification::new(EmailAddress::new("a@b").unwrap(), words, at),
            attempt,
        };
        let failure = DeliveryFailure {
            is_refusal,
            what: "refused",
            code: Some(550),
        };
        let next = claimed.next_attempt(&failure, at);
        (next.unix_millis() - at.unix_millis()) / 1000
    }

    #[test]
    fn pauses_double_up_to_an_hour() {
        let pauses: Vec<_> = (1..=10).map(|attempt| pause(attempt, false)).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]);
        assert_eq!(pause(u32::MAX, false), 3600);
        assert_eq!(pause(1, true), 3600);
    }
}
