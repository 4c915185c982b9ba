//! The warranty desk over a world in memory: the table of the demonstration data, and each promise.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy's exception for tests does not cover the helpers of a test crate"
)]

mod customers;
mod devices;
mod problem_texts;
mod promises;
mod scoped;
#[path = "../support/mod.rs"]
mod support;
mod table;
