//! How long to wait before something that others were in the way of is tried again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Pauses that are longer with each try, and not as long as anybody else's.
pub(crate) struct Pauses {
    state: u64,
}

impl Pauses {
    pub(crate) fn new() -> Self {
        Self {
            state: RandomState::new().build_hasher().finish(),
        }
    }

    /// The pause after so many tries.
    pub(crate) fn after(&mut self, tries: u32) -> Duration {
        // Knuth's constants; the upper half is the good one.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let longest = 2_000_u64 << tries.min(6);
        Duration::from_micros(200 + (self.state >> 33) % longest)
    }
}
