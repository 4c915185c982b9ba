//! How many requests a second each principal may make.

use std::fmt;
use std::num::NonZeroU32;

use axum::http::{HeaderValue, StatusCode, header};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use refund_domain::Principal;

use super::answer::Rejection;

/// A bucket for each principal, of which there are as many as the operator names.
type Buckets<C> =
    RateLimiter<Principal, HashMapStateStore<Principal>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// A bucket for each principal: it refills by `a_second` and holds `burst`. The clock only ever goes
/// forward, whatever is done to that of the machine.
pub(super) struct Rates<C: Clock = DefaultClock>(Buckets<C>);

impl Rates {
    pub(super) fn new(a_second: NonZeroU32, burst: NonZeroU32) -> Self {
        Self::with_clock(a_second, burst, DefaultClock::default())
    }
}

impl<C: Clock> Rates<C> {
    fn with_clock(a_second: NonZeroU32, burst: NonZeroU32, clock: C) -> Self {
        let quota = Quota::per_second(a_second).allow_burst(burst);
        Self(RateLimiter::hashmap_with_clock(quota, clock))
    }

    /// Takes one request from the principal's bucket.
    ///
    /// # Errors
    /// 429 with the seconds to wait: the bucket is empty.
    pub(super) fn take(&self, principal: &Principal) -> Result<(), Rejection> {
        let Err(not_until) = self.0.check_key(principal) else {
            return Ok(());
        };
        let wait = not_until.wait_time_from(self.0.clock().now());
        let seconds = wait.as_secs().saturating_add(1);
        Err(Rejection::new(
            StatusCode::TOO_MANY_REQUESTS,
            format!("Too many requests: nothing was executed; wait {seconds} s, and retry with the same idempotency_key"),
        )
        .with(header::RETRY_AFTER, HeaderValue::from(seconds)))
    }
}

impl<C: Clock> fmt::Debug for Rates<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rates").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    #[test]
    fn each_principal_has_a_bucket_of_its_own() {
        let number = |number| NonZeroU32::new(number).unwrap();
        let clock = FakeRelativeClock::default();
        let rates = Rates::with_clock(number(1), number(5), clock.clone());
        let (one, other) = (Principal::new("a").unwrap(), Principal::new("b").unwrap());
        for _ in 0..5 {
            assert_eq!(rates.take(&one), Ok(()));
        }
        assert!(rates.take(&one).is_err());
        assert_eq!(rates.take(&other), Ok(()));
        clock.advance(Duration::from_secs(1));
        assert_eq!(rates.take(&one), Ok(()));
        assert!(rates.take(&one).is_err());
    }
}
