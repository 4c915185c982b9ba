//! How many requests a second each principal may make.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderValue, StatusCode, header};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use refund_domain::Principal;

use super::answer::Rejection;

/// A bucket for each principal: it refills by `a_second` and holds `burst`. The clock only ever goes
/// forward, whatever is done to that of the machine.
#[derive(Debug)]
pub(super) struct Rates {
    quota: Quota,
    clock: DefaultClock,
    /// As many as there were principals, whom the operator names.
    buckets: Mutex<HashMap<Principal, Arc<DefaultDirectRateLimiter>>>,
}

impl Rates {
    pub(super) fn new(a_second: NonZeroU32, burst: NonZeroU32) -> Self {
        Self {
            quota: Quota::per_second(a_second).allow_burst(burst),
            clock: DefaultClock::default(),
            buckets: Mutex::default(),
        }
    }

    /// Takes one request from the principal's bucket.
    ///
    /// # Errors
    /// 429 with the seconds to wait: the bucket is empty.
    pub(super) fn take(&self, principal: &Principal) -> Result<(), Rejection> {
        let not_until = match self.bucket(principal).check() {
            Ok(()) => return Ok(()),
            Err(not_until) => not_until,
        };
        let wait = not_until.wait_time_from(self.clock.now());
        let seconds = wait.as_secs().saturating_add(1);
        Err(Rejection::new(
            StatusCode::TOO_MANY_REQUESTS,
            format!("Too many requests: nothing was executed; wait {seconds} s, and retry with the same idempotency_key"),
        )
        .with(header::RETRY_AFTER, HeaderValue::from(seconds)))
    }

    fn bucket(&self, principal: &Principal) -> Arc<DefaultDirectRateLimiter> {
        // Nothing can panic while the lock is held.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get(principal) {
            return Arc::clone(bucket);
        }
        let bucket = Arc::new(RateLimiter::direct(self.quota));
        buckets.insert(principal.clone(), Arc::clone(&bucket));
        bucket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_has_a_bucket_of_its_own() {
        let number = |number| NonZeroU32::new(number).unwrap();
        // One an hour would be slower still, but a second is the unit.
        let rates = Rates::new(number(1), number(5));
        let (one, other) = (Principal::new("a").unwrap(), Principal::new("b").unwrap());
        for _ in 0..5 {
            assert_eq!(rates.take(&one), Ok(()));
        }
        // A second may pass here, but not many.
        let refused = (0..50).filter_map(|_| rates.take(&one).err()).count();
        assert!(refused >= 40, "{refused}");
        assert_eq!(rates.take(&other), Ok(()));
    }
}
