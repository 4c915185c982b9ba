//! A server that is driven as fast as it answers: over two pipes, or over two socket pairs, which is
//! how Node-based clients start servers.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sh::Failure;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// What stands between client and server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    Pipes,
    Sockets,
}

impl Channel {
    pub(super) const ALL: [Self; 2] = [Self::Pipes, Self::Sockets];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pipes => "pipes",
            Self::Sockets => "sockets",
        }
    }
}

/// A running server after its handshake.
pub(super) struct Session {
    child: Child,
    input: Option<Box<dyn Write + Send>>,
    output: BufReader<Box<dyn Read + Send>>,
    next_id: u64,
    line: String,
    request: Vec<u8>,
}

/// Writes the tool and the arguments of the call with this number: `"name":…,"arguments":…`.
pub(super) type Call<'a> = &'a mut dyn FnMut(&mut Vec<u8>, u64);

/// What a run with several calls in flight came to.
pub(super) struct Pace {
    pub(super) calls: usize,
    pub(super) seconds: f64,
    /// Each call's, in microseconds, in the order of the answers.
    pub(super) latencies: Vec<f64>,
}

impl Pace {
    pub(super) fn rate(&self) -> f64 {
        count(self.calls) / self.seconds
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
fn count(number: usize) -> f64 {
    number as f64
}

impl Session {
    /// Starts a server, and tells how long it took until it had answered `initialize`. Its log goes
    /// to the null device.
    pub(super) fn start(
        mut command: Command,
        channel: Channel,
    ) -> Result<(Self, Duration), Failure> {
        let program = command.get_program().to_string_lossy().into_owned();
        let not_started =
            |error: std::io::Error| Failure::new(format!("failed to start {program}: {error}"));
        command.stderr(Stdio::null());
        let began = Instant::now();
        let (child, input, output): (_, Box<dyn Write + Send>, Box<dyn Read + Send>) = match channel
        {
            Channel::Pipes => {
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut child = command.spawn().map_err(not_started)?;
                match (child.stdin.take(), child.stdout.take()) {
                    (Some(input), Some(output)) => (child, Box::new(input), Box::new(output)),
                    _ => return Err(Failure::new("a child without its pipes")),
                }
            }
            Channel::Sockets => {
                let (input, its_input) = UnixStream::pair().map_err(not_started)?;
                let (output, its_output) = UnixStream::pair().map_err(not_started)?;
                command
                    .stdin(OwnedFd::from(its_input))
                    .stdout(OwnedFd::from(its_output));
                let child = command.spawn().map_err(not_started)?;
                // Its ends must be closed here, or we would never see that it has gone.
                drop(command);
                (child, Box::new(input), Box::new(output))
            }
        };
        let mut session = Self {
            child,
            input: Some(input),
            output: BufReader::with_capacity(64 * 1024, output),
            next_id: 1,
            line: String::new(),
            request: Vec::new(),
        };
        session.send(INITIALIZE)?;
        session.receive()?;
        let took = began.elapsed();
        session.send(INITIALIZED)?;
        Ok((session, took))
    }

    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Calls one after the other; each call's microseconds.
    pub(super) fn one_at_a_time(
        &mut self,
        calls: usize,
        call: Call<'_>,
    ) -> Result<Vec<f64>, Failure> {
        let mut latencies = Vec::with_capacity(calls);
        for _ in 0..calls {
            let id = self.prepare(call);
            let began = Instant::now();
            self.send_prepared()?;
            self.receive()?;
            latencies.push(began.elapsed().as_secs_f64() * 1e6);
            self.expect_result(id)?;
        }
        Ok(latencies)
    }

    /// Keeps `window` calls in flight until `calls` are answered: each answer is followed by one more
    /// request, in a write of its own.
    pub(super) fn in_flight(
        &mut self,
        window: usize,
        calls: usize,
        call: Call<'_>,
    ) -> Result<Pace, Failure> {
        self.keep_in_flight(window, call, &mut |sent, _| sent < calls)
    }

    /// The same for a time instead of a number of calls.
    pub(super) fn in_flight_for(
        &mut self,
        window: usize,
        time: Duration,
        call: Call<'_>,
    ) -> Result<Pace, Failure> {
        self.keep_in_flight(window, call, &mut |_, passed| passed < time)
    }

    fn keep_in_flight(
        &mut self,
        window: usize,
        call: Call<'_>,
        more: &mut dyn FnMut(usize, Duration) -> bool,
    ) -> Result<Pace, Failure> {
        let first = self.next_id;
        // When the call with the id `first + index` was sent.
        let mut sent: Vec<Instant> = Vec::new();
        let mut latencies = Vec::new();
        let began = Instant::now();
        while sent.len() < window {
            self.prepare(call);
            sent.push(Instant::now());
            self.send_prepared()?;
        }
        while latencies.len() < sent.len() {
            self.receive()?;
            let now = Instant::now();
            let index = id_of(&self.line)
                .and_then(|id| usize::try_from(id.checked_sub(first)?).ok())
                .filter(|_| is_result(&self.line));
            let Some(sent_at) = index.and_then(|index| sent.get(index)) else {
                return Err(self.unexpected());
            };
            latencies.push(now.duration_since(*sent_at).as_secs_f64() * 1e6);
            if more(sent.len(), now.duration_since(began)) {
                self.prepare(call);
                sent.push(now);
                self.send_prepared()?;
            }
        }
        Ok(Pace {
            calls: latencies.len(),
            seconds: began.elapsed().as_secs_f64(),
            latencies,
        })
    }

    /// Closes the server's input and waits for its end.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        self.input = None;
        let status = self.child.wait();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::new(format!("a server ended with {status}"))),
            Err(error) => Err(Failure::new(format!(
                "failed to wait for a server: {error}"
            ))),
        }
    }

    fn prepare(&mut self, call: Call<'_>) -> u64 {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        self.request.clear();
        // Writing into memory cannot fail.
        let _ = write!(
            self.request,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"#
        );
        call(&mut self.request, id);
        self.request.extend_from_slice(b"}}\n");
        id
    }

    fn send_prepared(&mut self) -> Result<(), Failure> {
        match &mut self.input {
            Some(input) => input.write_all(&self.request).map_err(lost),
            None => Err(Failure::new("the session was ended")),
        }
    }

    fn send(&mut self, message: &str) -> Result<(), Failure> {
        self.request.clear();
        self.request.extend_from_slice(message.as_bytes());
        self.request.push(b'\n');
        self.send_prepared()
    }

    fn receive(&mut self) -> Result<(), Failure> {
        self.line.clear();
        match self.output.read_line(&mut self.line) {
            Ok(0) => Err(Failure::new("a server closed its output")),
            Ok(_) => Ok(()),
            Err(error) => Err(lost(error)),
        }
    }

    fn expect_result(&self, id: u64) -> Result<(), Failure> {
        if id_of(&self.line) == Some(id) && is_result(&self.line) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn unexpected(&self) -> Failure {
        Failure::new(format!("a server answered {}", self.line.trim_end()))
    }
}

/// No server outlives its session.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn lost(error: std::io::Error) -> Failure {
    Failure::new(format!("a server was lost: {error}"))
}

/// The id of an answer. It is the only member of that name in what these servers answer, and reading
/// the whole answer would cost more than some servers take to make it.
fn id_of(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once(r#""id":"#)?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    rest.get(..digits)?.parse().ok()
}

/// Whether an answer is the result of a call that succeeded.
fn is_result(line: &str) -> bool {
    line.contains(r#""result":{"#) && !line.contains(r#""isError":true"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let ours = r#"{"jsonrpc":"2.0","id":12,"result":{"content":[],"isError":false}}"#;
        let peers = r#"{"result":{"content":[]},"jsonrpc":"2.0","id":12}"#;
        for line in [ours, peers] {
            assert_eq!(id_of(line), Some(12), "{line}");
            assert!(is_result(line), "{line}");
        }
        assert_eq!(id_of("{}"), None);
        assert!(!is_result(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#));
        assert!(!is_result(
            r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true}}"#
        ));
    }
}
