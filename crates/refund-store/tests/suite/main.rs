//! The tests of the store, in one binary.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are test code as well"
)]

mod audit;
mod check;
#[path = "../support/cluster.rs"]
mod cluster;
mod contract;
mod damage;
#[path = "../support/database.rs"]
mod database;
mod demo;
mod histories;
mod locks;
mod memory;
mod opening;
mod postgres;
mod processes;
mod returns;
mod roles;
mod same_answers;
mod support;
mod tls;
mod transfer;
mod warranty;
