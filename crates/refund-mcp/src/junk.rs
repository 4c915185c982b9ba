//! The log of what is turned away: bounded, whatever a noisy peer sends.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts messages that are turned away, and logs the first few of them and then ever fewer.
#[derive(Debug)]
pub(crate) struct JunkLog {
    what: &'static str,
    count: AtomicU64,
}

impl JunkLog {
    /// `what` says what becomes of them, for the log.
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            count: AtomicU64::new(0),
        }
    }

    /// Each of the first ten is logged, then the hundredth, the thousandth and so on.
    pub(crate) fn record(&self, reason: impl Display, bytes: usize) {
        let count = self.count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if count <= 10 || is_power_of_ten(count) {
            tracing::warn!(reason = %reason, bytes, count, "{}", self.what);
        }
    }
}

impl Drop for JunkLog {
    fn drop(&mut self) {
        let count = *self.count.get_mut();
        if count > 10 {
            tracing::warn!(count, "{}, in all", self.what);
        }
    }
}

fn is_power_of_ten(mut number: u64) -> bool {
    while number >= 10 && number.is_multiple_of(10) {
        number /= 10;
    }
    number == 1
}
