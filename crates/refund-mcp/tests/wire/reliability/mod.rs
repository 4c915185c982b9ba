//! That no money is lost: crashes, storms, cancellations, hostile input, and the end of everything.
//!
//! The tests judge with one oracle (`oracle.rs`): the client's own journal against the store. `T-…` and
//! `R-…` name the cases. They run at the volume that suits every change; `REFUND_FULL=1` is the volume
//! before a release. What is drawn by lot follows from a seed, which each test prints, and which
//! `REFUND_SEED` sets.

#[cfg(feature = "fault-points")]
mod cancel;
mod contention;
mod crash;
#[cfg(feature = "fault-points")]
mod fault;
mod hostile;
mod lab;
mod life;
mod locked;
mod lost_commit;
mod mutations;
mod oracle;
mod pipes;
mod restarts;
mod signals;
mod sizes;
mod web;

pub(crate) use hostile::suite;

use std::hash::{BuildHasher as _, RandomState};

/// How much to do: for every change, or before a release.
fn volume<T>(change: T, release: T) -> T {
    if std::env::var_os("REFUND_FULL").is_some_and(|value| value == "1") {
        release
    } else {
        change
    }
}

/// Random numbers that can be drawn again: SplitMix64.
#[derive(Debug)]
struct Lots(u64);

impl Lots {
    /// From `REFUND_SEED`, or from a seed that no run had before. Says which.
    fn draw() -> Self {
        let seed = match std::env::var("REFUND_SEED") {
            Ok(seed) => seed.parse().expect("REFUND_SEED is a number"),
            Err(_) => RandomState::new().hash_one("seed"),
        };
        eprintln!("to draw the same lots again: REFUND_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An index into something of this length.
    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("an index")
    }
}
