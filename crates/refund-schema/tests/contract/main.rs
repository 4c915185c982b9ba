//! The contract of this crate, seen from outside.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy's exception for tests does not cover the helpers of a test crate"
)]

mod amounts;
mod bad_input;
mod judges;
mod outputs;
mod returns;
mod schemas;
#[path = "../../../refund-domain/tests/support/mod.rs"]
mod support;
mod warranty;

use refund_schema::{ToolInput, decode};
use serde_json::Value;

/// The problems of a call, as they go on the wire; empty for a good call.
fn issues<T: ToolInput>(arguments: &str) -> Vec<Value> {
    match decode::<T>(Some(arguments)) {
        Ok(_) => Vec::new(),
        Err(issues) => issues
            .iter()
            .map(|issue| serde_json::to_value(issue).unwrap())
            .collect(),
    }
}

/// Path and code of each problem: `amount:too_big`, `:required` for the arguments as a whole.
fn codes<T: ToolInput>(arguments: &str) -> Vec<String> {
    issues::<T>(arguments)
        .iter()
        .map(|issue| {
            let path = issue["path"].as_array().unwrap();
            let path: Vec<&str> = path.iter().map(|key| key.as_str().unwrap()).collect();
            format!("{}:{}", path.join("."), issue["code"].as_str().unwrap())
        })
        .collect()
}

/// A call of `trigger_refund` with the text of one value.
fn refund_with(key: &str, value: &str) -> String {
    let text = |name: &str, usual: &str| {
        if name == key {
            value.to_owned()
        } else {
            usual.to_owned()
        }
    };
    let customer_id = text("customer_id", r#""CUST-00001""#);
    let amount = text("amount", "10.5");
    let reason = text("reason", r#""Item arrived damaged""#);
    let idempotency_key = text("idempotency_key", r#""ticket-4711""#);
    format!(
        r#"{{"customer_id":{customer_id},"amount":{amount},"reason":{reason},"idempotency_key":{idempotency_key}}}"#
    )
}
