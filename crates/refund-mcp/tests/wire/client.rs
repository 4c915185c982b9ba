//! A client that sends raw lines to the real binary and checks everything that comes back: each line
//! on stdout must be one JSON-RPC message, and each line on stderr one JSON object.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Far longer than anything here takes: a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The server's binary.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_refund-mcp"))
}

/// The build of the server with fault points (feature `fault-points`).
#[cfg(feature = "fault-points")]
pub(crate) fn faulty() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_refund-mcp-faulty"))
}

/// How to start a server.
#[derive(Debug)]
pub(crate) struct Start {
    binary: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Start {
    /// With the demo data in memory.
    pub(crate) fn memory() -> Self {
        Self {
            binary: binary().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// On a SQLite file.
    pub(crate) fn file(path: &Path) -> Self {
        Self::memory()
            .argument("--database")
            .argument(&format!("sqlite:{}", path.display()))
    }

    /// Another binary.
    #[cfg(feature = "fault-points")]
    pub(crate) fn binary(mut self, binary: &Path) -> Self {
        self.binary = binary.to_owned();
        self
    }

    /// On a PostgreSQL database.
    pub(crate) fn postgres(url: &str) -> Self {
        Self::memory().variable("REFUND_DATABASE", url)
    }

    /// One more argument.
    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// One more environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The command, for a test that wants pipes of its own.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().cloned());
        for name in [
            "REFUND_DATABASE",
            "REFUND_CONFIG",
            "REFUND_DEMO",
            "LOG_LEVEL",
            "MCP_HTTP_TOKEN",
            "REFUND_TOKEN_FILE",
            "HOST",
            "PORT",
        ] {
            if !self.environment.iter().any(|(set, _)| set == name) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs to the end and gives the exit code, stdout and stderr.
    pub(crate) fn run(&self) -> (i32, String, String) {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (
            output.status.code().expect("an exit code"),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Starts a server.
    pub(crate) fn spawn(self) -> Client {
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let stdin = child.stdin.take();
        let answers = lines(child.stdout.take().expect("piped"));
        let log = lines(child.stderr.take().expect("piped"));
        Client {
            child,
            stdin,
            answers,
            log,
            next: 1,
        }
    }

    /// Starts a server and shakes hands.
    pub(crate) fn connect(self) -> Client {
        let mut client = self.spawn();
        client.handshake();
        client
    }
}

/// A server process and the pipes to it.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    log: Receiver<Vec<u8>>,
    next: u64,
}

fn lines(from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            match from.read_until(b'\n', &mut line) {
                Ok(1..) if sender.send(line).is_ok() => {}
                _ => return,
            }
        }
    });
    receiver
}

/// A line of the server's output, which must be one JSON-RPC response.
pub(crate) fn checked(line: &[u8]) -> Value {
    let text = std::str::from_utf8(line).expect("stdout is UTF-8");
    assert!(
        text.ends_with('\n') && !text.contains('\r'),
        "one line feed, no CR: {text:?}"
    );
    let message: Value = serde_json::from_str(text).expect("stdout is JSON");
    assert_eq!(message["jsonrpc"], "2.0", "stdout is JSON-RPC: {text}");
    let one = message.get("result").is_some() ^ message.get("error").is_some();
    assert!(one && message.get("id").is_some(), "a response: {text}");
    message
}

impl Client {
    /// `initialize` and `notifications/initialized`; the result of the first.
    pub(crate) fn handshake(&mut self) -> Value {
        let result = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        result["result"].clone()
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// The next message from the server.
    pub(crate) fn receive(&mut self) -> Value {
        checked(&self.receive_raw())
    }

    /// The next line from the server.
    pub(crate) fn receive_raw(&mut self) -> Vec<u8> {
        self.answers.recv_timeout(PATIENCE).expect("an answer")
    }

    /// Sends a request with an id of its own and gives the answer to it, which must come next.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool with arguments as JSON text.
    pub(crate) fn call_text(&mut self, tool: &str, arguments: &str) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        ));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and gives its structured result, which must equal its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.call_text(tool, &arguments.to_string());
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).unwrap();
        assert_eq!(text, result["structuredContent"]);
        text
    }

    /// Calls a tool that must refuse, and gives code and text.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> (String, String) {
        let answer = self.call_text(tool, &arguments.to_string());
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert!(result.get("structuredContent").is_none(), "{answer}");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        (
            text(&result["_meta"]["refund-mcp/code"]),
            text(&result["content"][0]["text"]),
        )
    }

    /// Checks that the server still serves, and that nothing came before the answer to that.
    pub(crate) fn ping(&mut self) {
        let answer = self.request("ping", &json!({}));
        assert!(answer.get("result").is_some(), "{answer}");
    }

    /// The next message, or `None` at the end of output. A line that a kill cut off is no message.
    #[cfg(unix)]
    pub(crate) fn next_message(&mut self) -> Option<Value> {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(line) if line.ends_with(b"\n") => Some(checked(&line)),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither an answer nor the end of output"),
        }
    }

    /// The next line of the log, or `None` at its end.
    pub(crate) fn next_log_line(&mut self) -> Option<String> {
        match self.log.recv_timeout(PATIENCE) {
            Ok(line) => Some(String::from_utf8(line).expect("stderr is UTF-8")),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither a log line nor the end of the log"),
        }
    }

    /// The server's input, for a thread that writes while this one reads. Dropping it ends the input.
    #[cfg(unix)]
    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().expect("stdin is open")
    }

    /// Ends the input.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to end; everything it still wrote to stdout, and its log.
    pub(crate) fn finish(self) -> Finished {
        let finished = self.finish_with_prints();
        for line in finished.log.lines() {
            let event: Value =
                serde_json::from_str(line).unwrap_or_else(|_| panic!("stderr is JSON: {line}"));
            assert!(event["level"].is_string(), "{line}");
        }
        finished
    }

    /// As [`Client::finish`], for a build that prints to stderr beside its log.
    pub(crate) fn finish_with_prints(mut self) -> Finished {
        self.stdin = None;
        let mut answers = Vec::new();
        let mut log = String::new();
        for (from, is_log) in [(&self.answers, false), (&self.log, true)] {
            loop {
                match from.recv_timeout(PATIENCE) {
                    Ok(line) if is_log => {
                        log.push_str(&String::from_utf8(line).expect("stderr is UTF-8"));
                    }
                    Ok(line) => answers.push(
                        serde_json::from_slice(&line).expect("stdout is JSON to the very end"),
                    ),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => panic!("the server did not end"),
                }
            }
        }
        let status = self.child.wait().expect("the process ended");
        Finished {
            status,
            answers,
            log,
        }
    }

    /// Kills the process at once, as the system would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server left behind.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) answers: Vec<Value>,
    pub(crate) log: String,
}

/// Resident memory of a process at its peak, in KiB.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory(process: u32) -> u64 {
    status(process, "VmHWM:").expect("a process that runs")
}

/// The same without the pages of the program itself, which are most of a test build's memory; nothing once
/// the process has ended.
#[cfg(target_os = "linux")]
pub(crate) fn peak_of_its_own(process: u32) -> Option<u64> {
    status(process, "VmHWM:")?.checked_sub(status(process, "RssFile:")?)
}

#[cfg(target_os = "linux")]
fn status(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
