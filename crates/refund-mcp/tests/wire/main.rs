//! The wire, through the real binary. One module a subject; `client.rs` is the client they share.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test says what is wrong by failing"
)]

mod cli;
mod client;
#[path = "../../../refund-store/tests/support/cluster.rs"]
mod cluster;
#[path = "../../../refund-store/tests/support/database.rs"]
mod database;
mod http;
#[cfg(feature = "fault-points")]
mod isolation;
mod mail;
mod postgres;
mod privacy;
mod protocol;
#[cfg(unix)]
mod reliability;
mod returns;
mod transfer;
mod warranty;
