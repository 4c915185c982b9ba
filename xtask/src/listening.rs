//! The real server over HTTP on a port of its own, for clients that are given an address.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::sh::Failure;

/// The token that it takes; it lives as long as the server.
pub(crate) const TOKEN: &str = "a-token-for-one-conformance-run";

/// A server that listens; it ends when this is dropped.
pub(crate) struct Listening {
    child: Child,
    /// Where MCP is served.
    pub(crate) url: String,
    reader: Option<JoinHandle<()>>,
}

impl Listening {
    /// Starts it on demo data, with a rate that no suite reaches.
    pub(crate) fn start(binary: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(binary)
            .args([
                "http",
                "--port",
                "0",
                "--demo",
                "all",
                "--database",
                "memory:",
            ])
            .args(["--rate-limit", "100000", "--rate-burst", "100000"])
            .env("MCP_HTTP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Failure::new(format!("failed to start {}: {error}", binary.display()))
            })?;
        let mut lines = child.stderr.take().map(|pipe| BufReader::new(pipe).lines());
        let mut said = String::new();
        let address = loop {
            let Some(Ok(line)) = lines.as_mut().and_then(Iterator::next) else {
                return Err(Failure::new(format!("the server does not listen:\n{said}")));
            };
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(address) = event["address"].as_str() {
                break address.to_owned();
            }
            said.push_str(&line);
            said.push('\n');
        };
        // A pipe that nobody empties would stop it.
        let reader = lines
            .map(|lines| std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop)));
        Ok(Self {
            child,
            url: format!("http://{address}/mcp"),
            reader,
        })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
