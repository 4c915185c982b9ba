//! `cargo xtask demo`: a client's conversation with the real server, each message shown with what
//! it means. It is a test too: an answer that is not as told ends it with exit code 1.

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::workspace;
use crate::peer::Peer;
use crate::revisions::initialize_params;
use crate::say::{self, Paint};
use crate::scratch::Scratch;
use crate::sh::{Failure, Run, build_server};

/// Longest message that is shown whole, in characters.
const SHOWN: usize = 360;
/// The same for an error, whose every word is for the caller.
const SHOWN_ERROR: usize = 800;

/// `cargo xtask demo`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    say::line("Building the server …");
    play(&Stage {
        paint: Some(Paint::detect()),
    })
}

/// The same conversation without showing it, as a test.
pub(crate) fn quiet() -> Result<(), Failure> {
    play(&Stage { paint: None })
}

/// Where the conversation is shown.
struct Stage {
    /// Absent: nowhere.
    paint: Option<Paint>,
}

impl Stage {
    fn heading(&self, text: &str) {
        if let Some(Paint { strong, off, .. }) = &self.paint {
            say::line(format!("\n{strong}{text}{off}"));
        }
    }

    fn say(&self, text: &str) {
        if self.paint.is_some() {
            say::line(format!("  {text}"));
        }
    }

    fn client(&self, message: &Value) {
        if let Some(Paint { client, off, .. }) = &self.paint {
            say::line(format!("\n{client}client →{off} {}", short(message)));
        }
    }

    fn server(&self, message: &Value) {
        if let Some(Paint { server, off, .. }) = &self.paint {
            say::line(format!("{server}server ←{off} {}", short(message)));
        }
    }

    /// Shows a request, sends it, shows the answer, and holds it against what was expected of it.
    fn ask(
        &self,
        peer: &mut Peer,
        method: &str,
        params: Value,
        expected: &[(&str, Value)],
    ) -> Result<Value, Failure> {
        let request = peer.new_request(method, params);
        self.client(&request);
        let answer = peer.exchange(&request)?;
        self.server(&answer);
        for (pointer, wanted) in expected {
            let found = answer.pointer(pointer).unwrap_or(&Value::Null);
            if found != wanted {
                return Err(Failure::new(format!(
                    "the answer to {request} has {found} at {pointer} instead of {wanted}: {answer}"
                )));
            }
        }
        Ok(answer)
    }

    fn call(
        &self,
        peer: &mut Peer,
        tool: &str,
        arguments: Value,
        expected: &[(&str, Value)],
    ) -> Result<Value, Failure> {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask(peer, "tools/call", params, expected)
    }

    /// Starts the server and shakes hands with it, showing it.
    fn start(&self, binary: &Path, database: &str) -> Result<Peer, Failure> {
        self.say(&format!("$ refund-mcp --database {database}"));
        let mut peer = Peer::start(binary, &["--database", database])?;
        self.ask(
            &mut peer,
            "initialize",
            initialize_params("2025-11-25"),
            &[
                ("/result/protocolVersion", json!("2025-11-25")),
                ("/result/serverInfo/name", json!("refund-mcp")),
            ],
        )?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.client(&ready);
        peer.send(&ready)?;
        Ok(peer)
    }

    /// The same for a reader who has seen a handshake before.
    fn start_again(&self, binary: &Path, database: &str) -> Result<Peer, Failure> {
        self.say(&format!(
            "$ refund-mcp --database {database}   (the handshake as above)"
        ));
        Self { paint: None }.start(binary, database)
    }
}

const BALANCE: &str = "/result/structuredContent/refundableBalance";
const REMAINING: &str = "/result/structuredContent/remainingRefundableBalance";
const REFUND_ID: &str = "/result/structuredContent/refundId";
const REPLAYED: &str = "/result/structuredContent/replayed";
const TEXT: &str = "/result/content/0/text";
const CODE: &str = "/result/_meta/refund-mcp~1code";

fn play(stage: &Stage) -> Result<(), Failure> {
    let binary = build_server()?;
    conversation(stage, &binary)?;
    let scratch = Scratch::new(&workspace()?.target, "demo")?;
    power_cut(stage, &binary, scratch.path())?;
    stage.heading("Where to go next");
    let snippet = json!({"mcpServers": {"refunds": {"command": binary, "args": []}}});
    stage.say("Every answer was as told. To use the server from your own client, give it this:");
    stage.say(&snippet.to_string());
    stage.say("README.md says what the tools do and how to keep real data.");
    Ok(())
}

fn conversation(stage: &Stage, binary: &Path) -> Result<(), Failure> {
    stage.heading("1. A client and the server, with demo data in memory");
    let mut peer = stage.start(binary, "memory:")?;
    stage.say("They agree on a revision of the protocol; the server says who it is.");

    let tools = stage.ask(&mut peer, "tools/list", json!({}), &[])?;
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    if !names.contains(&"get_customer_record") || !names.contains(&"trigger_refund") {
        return Err(Failure::new(format!("tools are missing: {names:?}")));
    }
    stage.say(&format!(
        "{} tools, each with a schema of what goes in and what comes out: {}.",
        names.len(),
        names.join(", ")
    ));

    let alice = json!({"customer_id": "CUST-00001"});
    stage.call(
        &mut peer,
        "get_customer_record",
        alice.clone(),
        &[(BALANCE, json!(500))],
    )?;
    stage.say("Alice can be refunded up to 500.00 USD.");

    let refund = json!({"customer_id": "CUST-00001", "amount": 10.10, "reason": "The parcel arrived damaged", "idempotency_key": "ticket-4711"});
    let receipt = stage.call(
        &mut peer,
        "trigger_refund",
        refund.clone(),
        &[(REMAINING, json!(489.9)), (REPLAYED, Value::Null)],
    )?;
    stage.say("10.10 USD went back; exactly 489.90 USD are left.");

    let id = receipt.pointer(REFUND_ID).cloned().unwrap_or_default();
    stage.call(
        &mut peer,
        "trigger_refund",
        refund,
        &[
            (REFUND_ID, id),
            (REPLAYED, json!(true)),
            (REMAINING, json!(489.9)),
        ],
    )?;
    stage.say("The same call with the same key is the same refund: its receipt comes again, and no money moves.");

    stage.call(
        &mut peer,
        "trigger_refund",
        json!({"customer_id": "CUST-00001", "amount": 600, "reason": "The whole order went missing"}),
        &[
            ("/result/isError", json!(true)),
            (
                TEXT,
                json!(
                    "Refund of 600.00 USD exceeds the refundable balance of 489.90 USD for customer CUST-00001."
                ),
            ),
            (CODE, json!("EXCEEDS_BALANCE")),
        ],
    )?;
    stage.say("A refusal is a result that a model can read and act on.");

    stage.call(
        &mut peer,
        "trigger_refund",
        json!({"customer_id": "cust-1", "amount": "10.00", "reason": "short", "note": true}),
        &[
            ("/error/code", json!(-32602)),
            (
                "/error/message",
                json!("Invalid arguments for tool trigger_refund"),
            ),
            ("/error/data/issues/0/code", json!("pattern")),
            ("/error/data/issues/1/code", json!("invalid_type")),
            ("/error/data/issues/2/code", json!("too_short")),
            ("/error/data/issues/3/code", json!("unknown_key")),
        ],
    )?;
    stage.say(
        "A malformed call is a protocol error and never reaches the desk; all four problems come in one answer.",
    );

    stage.call(
        &mut peer,
        "get_customer_record",
        alice,
        &[(BALANCE, json!(489.9))],
    )?;
    stage.say("Of all that, one refund moved money.");

    let status = peer.close()?;
    if !status.success() {
        return Err(Failure::new(format!("the server ended with {status}")));
    }
    stage.say("The client leaves, the server ends with exit code 0.");
    Ok(())
}

fn power_cut(stage: &Stage, binary: &Path, directory: &Path) -> Result<(), Failure> {
    stage.heading("2. The same on a file, with the server killed in between");
    let database = format!("sqlite:{}", directory.join("refunds.db").display());
    stage.say(&format!(
        "$ refund-mcp import --demo refunds --database {database}"
    ));
    Run::new(
        binary.display().to_string(),
        ["import", "--demo", "refunds", "--database", &database],
    )
    .stdout()?;
    let mut peer = stage.start_again(binary, &database)?;
    let refund = json!({"customer_id": "CUST-00001", "amount": 25, "reason": "The parcel never arrived", "idempotency_key": "ticket-4712"});
    let receipt = stage.call(
        &mut peer,
        "trigger_refund",
        refund.clone(),
        &[(REMAINING, json!(475))],
    )?;
    let id = receipt.pointer(REFUND_ID).cloned().unwrap_or_default();
    peer.kill()?;
    stage.say("$ kill -9: no time to tidy up. Suppose that the client never saw that answer.");

    let mut peer = stage.start_again(binary, &database)?;
    stage.call(
        &mut peer,
        "get_refund",
        json!({"idempotency_key": "ticket-4712"}),
        &[(REFUND_ID, id.clone())],
    )?;
    stage.say("The refund is on disk, and its key finds it.");
    stage.call(
        &mut peer,
        "trigger_refund",
        refund,
        &[
            (REFUND_ID, id),
            (REPLAYED, json!(true)),
            (REMAINING, json!(475)),
        ],
    )?;
    stage.say("So a client that does not know simply tries again: still one refund.");
    stage.call(
        &mut peer,
        "get_customer_record",
        json!({"customer_id": "CUST-00001"}),
        &[(BALANCE, json!(475))],
    )?;
    stage.say("500.00 less 25.00, once.");
    let status = peer.close()?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("the server ended with {status}")))
    }
}

/// A message on one line: without what stands in it twice, and cut where it is long.
fn short(message: &Value) -> String {
    let mut message = message.clone();
    if let Some(object) = message.as_object_mut() {
        object.shift_remove("jsonrpc");
    }
    if !message["result"]["structuredContent"].is_null() {
        message["result"]["content"] = json!("(the same as text)");
    }
    let shown = if message["error"].is_null() {
        SHOWN
    } else {
        SHOWN_ERROR
    };
    let text = message.to_string();
    let length = text.chars().count();
    if length <= shown {
        return text;
    }
    let head: String = text.chars().take(shown).collect();
    format!("{head}… ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_shown_short() {
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "{}"}], "structuredContent": {}}});
        assert_eq!(
            short(&message),
            r#"{"id":1,"result":{"content":"(the same as text)","structuredContent":{}}}"#
        );
        let long = short(&json!("é".repeat(SHOWN)));
        assert!(
            long.ends_with(&format!("… ({} characters)", SHOWN + 2)),
            "{long}"
        );
    }
}
