//! The checks of the conformance run that no SDK makes, because each speaks one revision: every
//! revision is served, with the same tools and the same answers.

use serde_json::{Value, json};

use crate::conformance::{Outcome, Setting, Tally};
use crate::peer::Peer;
use crate::say;
use crate::sh::Failure;

/// Those with a handshake, oldest first; the last is the answer to an unknown one.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The one without.
const STATELESS: &str = "2026-07-28";

pub(crate) fn run(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    let mut tally = Tally::default();
    let mut check = |name: &str, result: Result<(), Failure>| match result {
        Ok(()) => {
            tally.passed = tally.passed.saturating_add(1);
            say::line(format!("ok   {name}"));
        }
        Err(failure) => {
            tally.failed = tally.failed.saturating_add(1);
            say::line(format!("FAIL {name}: {failure}"));
        }
    };
    let mut first = Value::Null;
    for version in HANDSHAKE {
        let result = handshake(setting, version, version, &mut first);
        check(
            &format!("{version} is agreed and serves the same tools"),
            result,
        );
    }
    for version in ["1999-01-01", STATELESS, ""] {
        let newest = HANDSHAKE[3];
        let result = handshake(setting, version, newest, &mut first);
        check(
            &format!("a handshake with `{version}` is answered with {newest}"),
            result,
        );
    }
    let result = stateless(setting, &first);
    check(
        &format!("{STATELESS} is discovered and serves the same tools"),
        result,
    );
    Ok(Outcome::Ran(tally))
}

fn handshake(
    setting: &Setting<'_>,
    asked: &str,
    agreed: &str,
    first: &mut Value,
) -> Result<(), Failure> {
    let mut peer = Peer::start(setting.binary, &["--database", "memory:"])?;
    let hello = peer.request("initialize", initialize_params(asked))?;
    equal(&hello["result"]["protocolVersion"], &json!(agreed))?;
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let tools = peer.request("tools/list", json!({}))?["result"]["tools"].take();
    if first.is_null() {
        first.clone_from(&tools);
    }
    equal(&tools, first)?;
    let call = json!({"name": "get_customer_record", "arguments": {"customer_id": "CUST-00001"}});
    let record = peer.request("tools/call", call)?["result"].take();
    equal(
        &record["structuredContent"]["refundableBalance"],
        &json!(500),
    )?;
    let status = peer.close()?;
    equal(&json!(status.code()), &json!(0))
}

fn stateless(setting: &Setting<'_>, first: &Value) -> Result<(), Failure> {
    let mut peer = Peer::start(setting.binary, &["--database", "memory:"])?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "xtask", "version": "1"},
    });
    let found = peer.request("server/discover", json!({"_meta": meta}))?["result"].take();
    let all: Vec<&str> = HANDSHAKE.into_iter().chain([STATELESS]).collect();
    for version in all {
        let offered = found["supportedVersions"]
            .as_array()
            .is_some_and(|versions| versions.contains(&json!(version)));
        if !offered {
            return Err(Failure::new(format!("{version} is not offered: {found}")));
        }
    }
    let tools = peer.request("tools/list", json!({"_meta": meta}))?["result"]["tools"].take();
    equal(&tools, first)?;
    let call = json!({"name": "get_customer_record", "arguments": {"customer_id": "CUST-00001"}, "_meta": meta});
    let record = peer.request("tools/call", call)?["result"].take();
    equal(
        &record["structuredContent"]["refundableBalance"],
        &json!(500),
    )?;
    let status = peer.close()?;
    equal(&json!(status.code()), &json!(0))
}

/// What a client says of itself in the handshake.
pub(crate) fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "xtask", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn equal(found: &Value, wanted: &Value) -> Result<(), Failure> {
    if found == wanted {
        Ok(())
    } else {
        Err(Failure::new(format!("found {found} instead of {wanted}")))
    }
}
