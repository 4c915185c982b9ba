//! `cargo xtask smoke URL TOKEN`: a running server, wherever it is, tried from outside. It only looks.
//!
//! The requests are curl's, which knows proxies and certificates of this machine. The token goes to it
//! over a pipe, so that it stands in no list of processes.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::say;
use crate::sh::{Failure, Run};

const USAGE: &str = "usage: cargo xtask smoke URL TOKEN, such as http://127.0.0.1:3000/mcp";

/// What came back.
struct Reply {
    status: u16,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

struct Server<'a> {
    url: &'a str,
    base: String,
    token: &'a str,
}

/// One try: its name, and what is wrong, if anything is.
type Try = (&'static str, fn(&Server<'_>) -> Result<(), Failure>);

const TRIES: [Try; 10] = [
    ("it is up", |server| server.get("/healthz", 200)),
    ("its store answers", |server| server.get("/readyz", 200)),
    ("nobody gets in without a token", |server| {
        status(&server.post(&ping(), &[], None)?, 401)
    }),
    ("nobody gets in with another one", |server| {
        status(&server.post(&ping(), &[], Some("no-such-token"))?, 401)
    }),
    ("no page from elsewhere gets in", |server| {
        let origin = "origin: https://evil.example";
        status(&server.post(&ping(), &[origin], Some(server.token))?, 403)
    }),
    ("a batch is refused", |server| {
        status(&server.asked(&json!([ping()]))?, 400)
    }),
    ("a handshake is answered", |server| {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "smoke", "version": "1" } });
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let name = &server.asked(&asked)?.json()["result"]["serverInfo"]["name"];
        equal(name, &json!("refund-mcp"))
    }),
    ("the stateless revision is there", |server| {
        let discovered = server.stateless("server/discover", json!({}))?.json();
        let versions = &discovered["result"]["supportedVersions"];
        let found = versions
            .as_array()
            .is_some_and(|all| all.contains(&json!("2026-07-28")));
        if found {
            Ok(())
        } else {
            Err(Failure::new(discovered.to_string()))
        }
    }),
    ("it offers tools", |server| {
        let listed = server.stateless("tools/list", json!({}))?.json();
        let tools = listed["result"]["tools"].as_array();
        if tools.is_some_and(|tools| !tools.is_empty()) {
            Ok(())
        } else {
            Err(Failure::new(listed.to_string()))
        }
    }),
    ("an unknown tool is said to be unknown", |server| {
        let called = json!({ "name": "no_such_tool", "arguments": {} });
        let called = server.stateless("tools/call", called)?.json();
        equal(
            &called["error"]["message"],
            &json!("Unknown tool: no_such_tool"),
        )
    }),
];

/// `cargo xtask smoke URL TOKEN`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    let [url, token] = arguments else {
        return Err(Failure::usage(USAGE));
    };
    let Some(base) = url.strip_suffix("/mcp") else {
        return Err(Failure::usage(format!("the URL ends with /mcp; {USAGE}")));
    };
    let server = Server {
        url,
        base: base.to_owned(),
        token,
    };
    let mut failed = 0_u32;
    for (name, attempt) in TRIES {
        match attempt(&server) {
            Ok(()) => say::line(format!("ok   {name}")),
            Err(failure) => {
                failed = failed.saturating_add(1);
                say::line(format!("FAIL {name}: {failure}"));
            }
        }
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{failed} of {} tries failed",
            TRIES.len()
        )))
    }
}

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

fn status(reply: &Reply, wanted: u16) -> Result<(), Failure> {
    if reply.status == wanted {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} instead of {wanted}: {}",
        reply.status, reply.body
    )))
}

fn equal(found: &Value, wanted: &Value) -> Result<(), Failure> {
    if found == wanted {
        return Ok(());
    }
    Err(Failure::new(format!("{found} instead of {wanted}")))
}

impl Server<'_> {
    fn get(&self, path: &str, wanted: u16) -> Result<(), Failure> {
        status(
            &curl(&[format!("url = {}", quoted(&format!("{}{path}", self.base)))])?,
            wanted,
        )
    }

    /// A request with the token, in a handshake revision.
    fn asked(&self, message: &Value) -> Result<Reply, Failure> {
        self.post(
            message,
            &["mcp-protocol-version: 2025-11-25"],
            Some(self.token),
        )
    }

    /// A request in the stateless revision.
    fn stateless(&self, method: &str, mut params: Value) -> Result<Reply, Failure> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut headers = vec![
            "mcp-protocol-version: 2026-07-28".to_owned(),
            format!("mcp-method: {method}"),
        ];
        headers.extend(
            params["name"]
                .as_str()
                .map(|name| format!("mcp-name: {name}")),
        );
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        self.post(&message, &headers, Some(self.token))
    }

    fn post(
        &self,
        message: &Value,
        headers: &[&str],
        token: Option<&str>,
    ) -> Result<Reply, Failure> {
        let mut lines = vec![
            format!("url = {}", quoted(self.url)),
            format!("data-raw = {}", quoted(&message.to_string())),
        ];
        let token = token.map(|token| format!("authorization: Bearer {token}"));
        let always = [
            "content-type: application/json",
            "accept: application/json, text/event-stream",
        ];
        let headers = headers
            .iter()
            .copied()
            .chain(always)
            .chain(token.as_deref());
        lines.extend(headers.map(|header| format!("header = {}", quoted(header))));
        curl(&lines)
    }
}

/// A request from the lines of a configuration of curl's.
fn curl(lines: &[String]) -> Result<Reply, Failure> {
    let run = Run::new("curl", ["--silent", "--show-error", "--max-time", "30"])
        .arg("--write-out")
        .arg("\n%{http_code}")
        .arg("--config")
        .arg("-");
    let missing = |error| Failure::new(format!("this needs curl: {error}"));
    let mut child = run
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(lines.join("\n").as_bytes())
            .map_err(missing)?;
    }
    let output = child.wait_with_output().map_err(missing)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(text.trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let (body, status) = text.rsplit_once('\n').unwrap_or(("", &text));
    let status = status
        .parse()
        .map_err(|_| Failure::new("curl says no status"))?;
    Ok(Reply {
        status,
        body: body.to_owned(),
    })
}

/// A value in a configuration of curl's.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
