//! What is counted and timed for `/metrics`. Where nobody asked for it, nothing is.
//!
//! *Invariant:* labels are names of tools, outcomes and statuses, which are few and say nothing about
//! a person.

use std::time::Duration;

use axum::http::StatusCode;
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use refund_store::postgres::Connections;

const CALLS: &str = "refund_mcp_calls_total";
const CALL_SECONDS: &str = "refund_mcp_call_seconds";
const RESPONSES: &str = "refund_mcp_http_responses_total";
const CONNECTIONS: &str = "refund_mcp_http_connections";
const STORE_CONNECTIONS: &str = "refund_store_connections";
const STORE_WAITING: &str = "refund_store_connections_waiting";

/// The upper bounds of durations, in seconds: a look-up takes less than a millisecond, and no call
/// longer than its deadline.
const SECONDS: [f64; 14] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0,
];

/// The upper bounds of commands in one commit, up to the most that a store takes.
const COMMANDS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// What was counted so far. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Metrics(PrometheusHandle);

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics(…)")
    }
}

impl Metrics {
    /// Begins to count. Called once a process.
    ///
    /// # Errors
    /// It was called before.
    pub(crate) fn start() -> Result<Self, BuildError> {
        let batch = refund_store::BATCH_COMMANDS;
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Full(CALL_SECONDS.to_owned()), &SECONDS)?
            .set_buckets_for_metric(Matcher::Full(batch.to_owned()), &COMMANDS)?
            .install_recorder()?;
        describe_counter!(CALLS, "Calls of tools, by tool and outcome");
        describe_histogram!(CALL_SECONDS, Unit::Seconds, "How long calls took, by tool");
        describe_counter!(RESPONSES, "HTTP responses, by status");
        describe_gauge!(CONNECTIONS, "HTTP connections that are open");
        describe_gauge!(
            STORE_CONNECTIONS,
            "Connections to the database, by what they are for"
        );
        describe_gauge!(
            STORE_WAITING,
            "Operations that wait for a connection to the database"
        );
        describe_histogram!(batch, "Commands that the store committed together");
        Ok(Self(handle))
    }

    /// In Prometheus' text format.
    pub(crate) fn render(&self) -> String {
        self.0.render()
    }

    /// Sums up what was timed. To be called now and then, or it is kept one by one.
    pub(crate) fn sum_up(&self) {
        self.0.run_upkeep();
    }
}

/// A call of a tool ended. Both words are of short lists.
pub(crate) fn call(tool: &'static str, outcome: &'static str, took: Duration) {
    counter!(CALLS, "tool" => tool, "outcome" => outcome).increment(1);
    histogram!(CALL_SECONDS, "tool" => tool).record(took.as_secs_f64());
}

/// A response goes out.
pub(crate) fn response(status: StatusCode) {
    counter!(RESPONSES, "status" => status.as_str().to_owned()).increment(1);
}

/// What the connections to the database do at this moment.
pub(crate) fn store_connections(connections: &[Connections]) {
    #[expect(clippy::cast_precision_loss, reason = "a handful of connections")]
    let number = |count: usize| count as f64;
    for found in connections {
        let pool = found.pool;
        gauge!(STORE_CONNECTIONS, "pool" => pool, "state" => "in_use").set(number(found.in_use));
        gauge!(STORE_CONNECTIONS, "pool" => pool, "state" => "idle").set(number(found.idle));
        gauge!(STORE_WAITING, "pool" => pool).set(number(found.waiting));
    }
}

/// A connection, for as long as this lives.
pub(crate) struct Connection(());

impl Connection {
    pub(crate) fn open() -> Self {
        gauge!(CONNECTIONS).increment(1);
        Self(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        gauge!(CONNECTIONS).decrement(1);
    }
}
