//! A warranty world in memory: the readers of the desk over plain lists, and the demonstration data.

#![allow(
    dead_code,
    unused_imports,
    reason = "several test crates share this, and none uses all of it"
)]

mod demo;
mod memory;

pub(crate) use demo::{TODAY, date, demo, device, product, warranty};
pub(crate) use memory::{Memory, now};

use std::sync::{Arc, LazyLock};

use refund_domain::warranty::{
    Criterion, Identifier, ProblemText, ReportedFacts, WarrantyDesk, WarrantyPolicy,
};

/// Made once: reading all its words takes longer than a case.
static POLICY: LazyLock<Arc<WarrantyPolicy>> = LazyLock::new(Arc::default);

/// A desk over a world, with the policy that holds without configuration.
pub(crate) fn desk(world: Memory) -> WarrantyDesk<Memory> {
    WarrantyDesk::new(world, POLICY.clone())
}

pub(crate) fn identifier(text: &str) -> Identifier {
    Identifier::new(text).unwrap()
}

pub(crate) fn criterion(text: &str) -> Option<Criterion> {
    Some(Criterion::new(text).unwrap())
}

pub(crate) fn problem(text: &str) -> ReportedFacts {
    ReportedFacts {
        problem: Some(ProblemText::new(text).unwrap()),
        ..ReportedFacts::default()
    }
}
