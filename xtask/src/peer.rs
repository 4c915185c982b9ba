//! A client that speaks newline-delimited JSON-RPC with a server it started itself, over pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sh::Failure;

/// How long an answer may take. Generous: running out of it means that something hangs.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A running server and our end of its pipes.
pub(crate) struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    next_id: i64,
}

impl Peer {
    /// Starts the server.
    pub(crate) fn start(binary: &Path, arguments: &[&str]) -> Result<Self, Failure> {
        let mut child = Command::new(binary)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Failure::new(format!("failed to start {}: {error}", binary.display()))
            })?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        // Always drained, so that a server that logs much never waits for us.
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stderr.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        Ok(Self {
            child,
            stdin,
            lines,
            stderr,
            next_id: 1,
        })
    }

    /// A request with the next id, not sent yet.
    pub(crate) fn new_request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    /// Sends one message as one line.
    pub(crate) fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let sent = match &mut self.stdin {
            Some(stdin) => stdin
                .write_all(format!("{message}\n").as_bytes())
                .and_then(|()| stdin.flush()),
            None => Err(std::io::Error::other("its stdin is closed")),
        };
        sent.map_err(|error| self.lost(&format!("failed to write to the server: {error}")))
    }

    /// The next message of the server.
    pub(crate) fn receive(&mut self) -> Result<Value, Failure> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => serde_json::from_str(&line).map_err(|error| {
                Failure::new(format!(
                    "the server wrote a line that is no JSON ({error}): {line}"
                ))
            }),
            Err(RecvTimeoutError::Timeout) => {
                Err(self.lost(&format!("the server did not answer in {DEADLINE:?}")))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.lost("the server closed its stdout before it answered"))
            }
        }
    }

    /// Sends a request and waits for its answer, whole.
    pub(crate) fn exchange(&mut self, request: &Value) -> Result<Value, Failure> {
        self.send(request)?;
        loop {
            let message = self.receive()?;
            // A notification of the server may come in between; nothing else may.
            if message.get("id").is_none() && message.get("method").is_some() {
                continue;
            }
            if message["id"] == request["id"] {
                return Ok(message);
            }
            return Err(Failure::new(format!(
                "the server answered {request} with {message}"
            )));
        }
    }

    /// Asks and waits for the answer, whole.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let request = self.new_request(method, params);
        self.exchange(&request)
    }

    /// Closes the server's stdin, as a client does that leaves, and waits until it has ended.
    pub(crate) fn close(mut self) -> Result<ExitStatus, Failure> {
        self.stdin = None;
        match self.lines.recv_timeout(DEADLINE) {
            Err(RecvTimeoutError::Disconnected) => {}
            Ok(line) => {
                return Err(Failure::new(format!(
                    "the server wrote after its last answer: {line}"
                )));
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(Failure::new(format!(
                    "the server did not end within {DEADLINE:?} after its stdin was closed"
                )));
            }
        }
        // Its stdout is closed, so it is about to end; std has no wait with a deadline.
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if start.elapsed() < DEADLINE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Ok(None) => {
                    return Err(Failure::new(format!(
                        "the server did not end within {DEADLINE:?} after it closed its stdout"
                    )));
                }
                Err(error) => {
                    return Err(Failure::new(format!(
                        "failed to wait for the server: {error}"
                    )));
                }
            }
        }
    }

    /// Ends the server at once, with no chance to tidy up (`kill -9`).
    pub(crate) fn kill(mut self) -> Result<ExitStatus, Failure> {
        self.child
            .kill()
            .and_then(|()| self.child.wait())
            .map_err(|error| Failure::new(format!("failed to kill the server: {error}")))
    }

    /// A failure with the server's last words.
    fn lost(&mut self, what: &str) -> Failure {
        let _ = self.child.kill();
        let log = self
            .stderr
            .take()
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = lines.split_at(lines.len().saturating_sub(20)).1;
        Failure::new(format!("{what}; its stderr ends:\n{}", last.join("\n")))
    }
}

/// No server outlives its client.
impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
