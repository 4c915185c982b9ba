//! Durable refunds on PostgreSQL, measured without a server. `cargo xtask bench` runs this program and
//! reads the one line of JSON that each run prints:
//!
//! ```text
//! postgres URL IN_FLIGHT hot|spread SECONDS
//! ```
//!
//! Without such words it does nothing, because test runners start every program they find.

#![allow(
    clippy::unwrap_used,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement that fails stops, times are no money, and stdout is for the reader"
)]

mod load;

use std::time::Duration;

use load::{Pick, many};
use refund_domain::RefundDesk;
use refund_store::postgres::PostgresStore;
use refund_store::system::{RandomIds, SystemClock};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [url, in_flight, spread, seconds] = *words.as_slice() else {
        return;
    };
    let store = PostgresStore::new(&url.parse().unwrap()).unwrap();
    let desk = RefundDesk::new(store, SystemClock, RandomIds);
    let time = Duration::from_secs_f64(seconds.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let pick = Pick::new(spread == "spread");
    println!(
        "{}",
        runtime.block_on(many(&desk, in_flight.parse().unwrap(), pick, time))
    );
}
