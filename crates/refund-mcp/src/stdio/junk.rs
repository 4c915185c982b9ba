//! The log of what gets no answer: bounded, whatever a noisy peer sends.

use crate::envelope::Junk;

/// Counts messages that are dropped, and logs the first few of them and then ever fewer.
#[derive(Debug, Default)]
pub(super) struct JunkLog {
    count: u64,
}

impl JunkLog {
    /// Each of the first ten is logged, then the hundredth, the thousandth and so on.
    pub(super) fn record(&mut self, junk: Junk, bytes: usize) {
        self.count += 1;
        if self.count <= 10 || is_power_of_ten(self.count) {
            tracing::warn!(reason = %junk, bytes, count = self.count, "message dropped without an answer");
        }
    }
}

impl Drop for JunkLog {
    fn drop(&mut self) {
        if self.count > 10 {
            tracing::warn!(
                count = self.count,
                "messages dropped without an answer in all"
            );
        }
    }
}

fn is_power_of_ten(mut number: u64) -> bool {
    while number >= 10 && number.is_multiple_of(10) {
        number /= 10;
    }
    number == 1
}
