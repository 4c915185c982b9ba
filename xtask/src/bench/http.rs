//! A call's way through HTTP, beside a bare axum server and beside the same tools on the official
//! TypeScript SDK.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::machine::Placement;
use super::report::{Report, Row, Target, Unit, median, quantile};
use super::{Setting, build};
use crate::sh::Failure;

/// Calls before anything counts.
const WARM_UP: usize = 2_000;
/// Calls one after the other.
const ALONE: usize = 2_000;
/// Connections that each have a call in flight.
const WINDOW: usize = 64;
/// Calls of all of them.
const TOGETHER: usize = 12_800;
const TOKEN: &str = "a-token-for-one-measurement-run";
/// A body that is refused before it comes to rmcp, and one that rmcp answers without a tool.
const REFUSED: &str = r#"{"jsonrpc":"2.0","id":1,"method":7}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_customer_record","arguments":{"customer_id":"CUST-00001"}}}"#;

/// Who is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Ours,
    Echo,
    Peer,
}

const PROGRAMS: [Program; 3] = [Program::Ours, Program::Echo, Program::Peer];

/// Where the programs are.
struct Programs {
    echo: PathBuf,
    peer: PathBuf,
}

/// What one run came to.
#[derive(Clone, Copy)]
struct Figures {
    p50: f64,
    p99: f64,
    rate: f64,
    /// Of our own server, with less to do.
    refused: f64,
    ping: f64,
}

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let programs = Programs {
        echo: build::echo(&setting.target)?,
        peer: build::peer(&setting.target)?,
    };
    // The echo answers with as many bytes as we do.
    let size = answer_size(setting)?;
    let mut rows = Vec::new();
    for placement in Placement::ALL {
        setting.cores.place(placement)?;
        let mut rounds: [Vec<Figures>; 3] = Default::default();
        for round in 0..setting.rounds {
            // Nobody is always the first.
            for turn in 0..PROGRAMS.len() {
                let index = turn.wrapping_add(round) % PROGRAMS.len();
                if let (Some(program), Some(rounds)) = (PROGRAMS.get(index), rounds.get_mut(index))
                {
                    let server = Server::start(setting, &programs, *program, size)?;
                    rounds.push(run(&server, *program == Program::Ours)?);
                }
            }
        }
        rows.extend(compare(placement, &rounds));
    }
    setting.cores.place(Placement::Free)?;
    report.add(
        "Calls over HTTP",
        "`get_customer_record` in a POST of its own, over connections that stay open: one call at a time over one of them, and 64 in flight over 64. Beside: *echo*, an axum server that reads the body and answers with as many bytes (`crates/refund-mcp/benches/echo.rs`); *peer*, the two tools of `xtask/bench/peer` over the Streamable HTTP transport of the official TypeScript SDK, stateless and with JSON answers, with node's own HTTP server and without tokens. Ours checks its token, Host, Origin and rate, and counts for `/metrics`. For information, what is refused before rmcp sees it, and `ping`, which rmcp answers without a tool. Logs go to /dev/null.",
        rows,
    );
    Ok(())
}

fn compare(placement: Placement, rounds: &[Vec<Figures>; 3]) -> Vec<Row> {
    let [ours, echo, peer] = rounds;
    let each = |rounds: &[Figures], figure: fn(&Figures) -> f64| -> Vec<f64> {
        rounds.iter().map(figure).collect()
    };
    let row = |what: &str, unit, figure: fn(&Figures) -> f64, name, beside: &[Figures], target| {
        let what = format!("{what}, {}", placement.name());
        Row::ratio(
            what,
            unit,
            &each(ours, figure),
            name,
            &each(beside, figure),
            target,
        )
    };
    let less = |what: &str, figure: fn(&Figures) -> f64| {
        let what = format!("{what}, {}", placement.name());
        let beside = each(echo, |run| run.rate);
        Row::ratio(
            what,
            Unit::PerSecond,
            &each(ours, figure),
            "echo",
            &beside,
            Target::None,
        )
    };
    let none = Target::None;
    vec![
        row(
            "one at a time, p50",
            Unit::Micros,
            |run| run.p50,
            "echo",
            echo,
            none,
        ),
        row(
            "one at a time, p50",
            Unit::Micros,
            |run| run.p50,
            "peer",
            peer,
            none,
        ),
        row(
            "one at a time, p99",
            Unit::Micros,
            |run| run.p99,
            "peer",
            peer,
            none,
        ),
        row(
            "64 in flight",
            Unit::PerSecond,
            |run| run.rate,
            "echo",
            echo,
            Target::AtLeast(0.4),
        ),
        row(
            "64 in flight",
            Unit::PerSecond,
            |run| run.rate,
            "peer",
            peer,
            Target::AtLeast(5.0),
        ),
        less("64 refused messages in flight", |run| run.refused),
        less("64 pings in flight", |run| run.ping),
    ]
}

/// How long our answer's body is.
fn answer_size(setting: &Setting) -> Result<usize, Failure> {
    let none = PathBuf::new();
    let programs = Programs {
        echo: none.clone(),
        peer: none,
    };
    let server = Server::start(setting, &programs, Program::Ours, 0)?;
    let mut connection = Connection::open(server.port, CALL, "200")?;
    connection.call()?;
    let answer: Value = serde_json::from_slice(&connection.body)
        .map_err(|error| Failure::new(format!("the server answered no JSON: {error}")))?;
    if answer["result"]["structuredContent"].is_object() {
        Ok(connection.body.len())
    } else {
        Err(Failure::new(format!("the server answered {answer}")))
    }
}

fn run(server: &Server, ours: bool) -> Result<Figures, Failure> {
    let mut connections = connect(server, CALL, "200")?;
    let _warm = in_flight(&mut connections, WARM_UP)?;
    let mut latencies = Vec::with_capacity(ALONE);
    if let Some(connection) = connections.first_mut() {
        for _ in 0..ALONE {
            let began = Instant::now();
            connection.call()?;
            latencies.push(began.elapsed().as_secs_f64() * 1e6);
        }
    }
    let rate = in_flight(&mut connections, TOGETHER)?;
    let with_less = |body: &str, expected| match ours {
        true => in_flight(&mut connect(server, body, expected)?, TOGETHER),
        false => Ok(f64::NAN),
    };
    Ok(Figures {
        p50: median(&latencies),
        p99: quantile(&latencies, 0.99),
        rate,
        refused: with_less(REFUSED, "400")?,
        ping: with_less(PING, "200")?,
    })
}

fn connect(
    server: &Server,
    body: &str,
    expected: &'static str,
) -> Result<Vec<Connection>, Failure> {
    (0..WINDOW)
        .map(|_| Connection::open(server.port, body, expected))
        .collect()
}

/// Keeps a request in flight on each connection; how many were answered a second.
fn in_flight(connections: &mut [Connection], calls: usize) -> Result<f64, Failure> {
    let began = Instant::now();
    for connection in connections.iter_mut() {
        connection.send()?;
    }
    for _ in 1..calls / WINDOW {
        for connection in connections.iter_mut() {
            connection.receive()?;
            connection.send()?;
        }
    }
    for connection in connections.iter_mut() {
        connection.receive()?;
    }
    Ok(count(calls / WINDOW * WINDOW) / began.elapsed().as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
fn count(number: usize) -> f64 {
    number as f64
}

/// A running server; it ends when this is dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(
        setting: &Setting,
        programs: &Programs,
        program: Program,
        size: usize,
    ) -> Result<Self, Failure> {
        let mut command = match program {
            Program::Ours => {
                let mut command = setting.server(None);
                let words = ["--rate-limit", "1000000", "--rate-burst", "1000000"];
                command.args(["http", "--port", "0"]).args(words);
                command.env("MCP_HTTP_TOKEN", TOKEN);
                command
            }
            Program::Echo => {
                let mut command = Command::new(&programs.echo);
                command.arg(size.to_string());
                command
            }
            Program::Peer => {
                let mut command = Command::new("node");
                command.arg(&programs.peer).arg("http");
                command
            }
        };
        // Ours says where it listens in its log, and the others on standard output.
        let (out, log) = match program {
            Program::Ours => (Stdio::null(), Stdio::piped()),
            Program::Echo | Program::Peer => (Stdio::piped(), Stdio::null()),
        };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(log)
            .spawn()
            .map_err(|error| {
                Failure::new(format!("failed to start a server of `http`: {error}"))
            })?;
        let said: Option<Box<dyn Read + Send>> = match program {
            Program::Ours => child.stderr.take().map(|pipe| Box::new(pipe) as _),
            Program::Echo | Program::Peer => child.stdout.take().map(|pipe| Box::new(pipe) as _),
        };
        let mut lines = BufReader::new(said.unwrap_or_else(|| Box::new(std::io::empty()))).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| port(&line));
        // A pipe that nobody empties would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let server = Self {
            child,
            port: port.unwrap_or_default(),
        };
        match port {
            Some(_) => Ok(server),
            None => Err(Failure::new("a server of `http` does not listen")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port in a line that is one, or in an event of our log.
fn port(line: &str) -> Option<u16> {
    line.parse().ok().or_else(|| {
        let event: Value = serde_json::from_str(line).ok()?;
        event["address"].as_str()?.rsplit(':').next()?.parse().ok()
    })
}

/// A connection that stays open.
struct Connection {
    input: TcpStream,
    output: BufReader<TcpStream>,
    request: Vec<u8>,
    /// The status of its answers.
    expected: &'static str,
    line: String,
    body: Vec<u8>,
}

impl Connection {
    fn open(port: u16, body: &str, expected: &'static str) -> Result<Self, Failure> {
        let opened = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).and_then(|input| {
            input.set_nodelay(true)?;
            let output = BufReader::new(input.try_clone()?);
            Ok((input, output))
        });
        let (input, output) = opened.map_err(lost)?;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Ok(Self {
            input,
            output,
            request: request.into_bytes(),
            expected,
            line: String::new(),
            body: Vec::new(),
        })
    }

    fn call(&mut self) -> Result<(), Failure> {
        self.send()?;
        self.receive()
    }

    fn send(&mut self) -> Result<(), Failure> {
        self.input.write_all(&self.request).map_err(lost)
    }

    /// Reads an answer, which must have the expected status, and keeps its body.
    fn receive(&mut self) -> Result<(), Failure> {
        self.body.clear();
        let status = self.line()?.to_owned();
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().unwrap_or_default();
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = true;
            }
        }
        while chunked {
            let size = usize::from_str_radix(self.line()?, 16).unwrap_or_default();
            self.take(size)?;
            self.line()?;
            chunked = size > 0;
        }
        self.take(length)?;
        if status
            .strip_prefix("HTTP/1.1 ")
            .is_some_and(|rest| rest.starts_with(self.expected))
        {
            Ok(())
        } else {
            let body = String::from_utf8_lossy(&self.body);
            Err(Failure::new(format!("a server answered {status}: {body}")))
        }
    }

    fn line(&mut self) -> Result<&str, Failure> {
        self.line.clear();
        self.output.read_line(&mut self.line).map_err(lost)?;
        Ok(self.line.trim_end())
    }

    fn take(&mut self, length: usize) -> Result<(), Failure> {
        let had = self.body.len();
        self.body.resize(had.saturating_add(length), 0);
        let rest = self.body.get_mut(had..).unwrap_or_default();
        self.output.read_exact(rest).map_err(lost)
    }
}

fn lost(error: std::io::Error) -> Failure {
    Failure::new(format!("a connection of `http` broke: {error}"))
}
