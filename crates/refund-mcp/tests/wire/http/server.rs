//! The real server over HTTP on a port of its own, and a client that sends what it is told to, byte
//! for byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::client::{PATIENCE, Start};

/// The token of `MCP_HTTP_TOKEN` in these tests.
pub(crate) const TOKEN: &str = "a-token-for-tests-0123456789abcdef";

/// A server that listens.
pub(crate) struct HttpServer {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// Starts `refund-mcp http` on any free port. `start` says on which data.
pub(crate) fn listen(start: Start) -> HttpServer {
    listen_with_token(start, &[])
}

/// The same with more arguments.
pub(crate) fn listen_with_token(start: Start, arguments: &[&str]) -> HttpServer {
    listen_with(start.variable("MCP_HTTP_TOKEN", TOKEN), arguments)
}

/// The same with more arguments, and with no token but those that they name.
pub(crate) fn listen_with(start: Start, arguments: &[&str]) -> HttpServer {
    let mut command = start.command();
    command.args(["http", "--port", "0"]).args(arguments);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let log = Arc::new(Mutex::new(String::new()));
    let mut address = None;
    while address.is_none() {
        let Some(Ok(line)) = lines.next() else {
            panic!("it did not listen: {}", log.lock().unwrap());
        };
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        address = event["address"].as_str().map(|text| text.parse().unwrap());
        *log.lock().unwrap() += &(line + "\n");
    }
    let kept = Arc::clone(&log);
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            *kept.lock().unwrap() += &(line + "\n");
        }
    });
    HttpServer {
        child,
        address: address.expect("an address"),
        log,
        reader: Some(reader),
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/json"),
            "{self:?}"
        );
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The error of a JSON-RPC answer with this status, id and code.
    pub(crate) fn error(&self, status: u16, id: &Value, code: i64) -> Value {
        let answer = self.json();
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(answer["jsonrpc"], "2.0");
        assert_eq!(&answer["id"], id, "{self:?}");
        assert_eq!(answer["error"]["code"], code, "{self:?}");
        answer["error"].clone()
    }
}

/// A request in the making.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Post {
    /// To `/mcp`, with everything that a good client sends.
    pub(crate) fn new(body: impl Into<Vec<u8>>) -> Self {
        Self {
            line: "POST /mcp HTTP/1.1".to_owned(),
            headers: vec![],
            body: body.into(),
        }
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .token(TOKEN)
    }

    /// A call of a tool in a handshake revision.
    pub(crate) fn call(tool: &str, arguments: &str) -> Self {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        Self::new(format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#
        ))
        .header("mcp-protocol-version", "2025-11-25")
    }

    /// A request in the stateless revision, with its headers.
    pub(crate) fn stateless(method: &str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let name = params["name"].as_str().map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let post = Self::new(body.to_string())
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        match name {
            Some(name) => post.header("mcp-name", &name),
            None => post,
        }
    }

    /// With this first line.
    pub(crate) fn line(mut self, line: &str) -> Self {
        line.clone_into(&mut self.line);
        self
    }

    /// With this header, in place of one of that name.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// With this header, beside one of that name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without this header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// With this token.
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// How many bytes of it are the body.
    pub(crate) fn bytes_of_body(&self) -> usize {
        self.body.len()
    }

    /// How many headers it has on the wire.
    pub(crate) fn headers(&self) -> usize {
        let bytes = self.bytes();
        let head = bytes.len() - self.body.len();
        let lines = bytes.iter().take(head).filter(|byte| **byte == b'\n');
        // The first line, and the empty one.
        lines.count() - 2
    }

    /// As it goes over the wire, for one request a connection.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let post = self.clone().header("connection", "close");
        let post = if post
            .headers
            .iter()
            .any(|(name, _)| name == "transfer-encoding")
        {
            post
        } else {
            let length = post.body.len().to_string();
            post.header("content-length", &length)
        };
        let mut bytes = format!("{}\r\n", post.line).into_bytes();
        for (name, value) in &post.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&post.body);
        bytes
    }
}

impl HttpServer {
    /// A connection.
    pub(crate) fn connect(&self) -> TcpStream {
        connect_to(self.address).expect("it listens")
    }

    /// Kills it at once, as the system would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }

    /// Sends a request and reads the answer.
    pub(crate) fn send(&self, post: &Post) -> Reply {
        self.send_bytes(&post.bytes())
    }

    /// Sends bytes and reads the answer.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // It may have answered, and gone, before it had all of it.
        let _ = stream.write_all(bytes);
        receive(&mut stream)
    }

    /// Calls a tool and gives the result's text as JSON; it must have one.
    pub(crate) fn call(&self, token: &str, tool: &str, arguments: &Value) -> Value {
        let reply = self.send(&Post::call(tool, &arguments.to_string()).token(token));
        let answer = reply.json();
        assert_eq!(answer["result"]["isError"], false, "{reply:?}");
        answer["result"]["structuredContent"].clone()
    }

    /// Calls a tool that must refuse, and gives the code and the text.
    pub(crate) fn refused(&self, token: &str, tool: &str, arguments: &Value) -> (String, String) {
        let reply = self.send(&Post::call(tool, &arguments.to_string()).token(token));
        let answer = reply.json();
        assert_eq!(answer["result"]["isError"], true, "{reply:?}");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        (
            text(&answer["result"]["_meta"]["refund-mcp/code"]),
            text(&answer["result"]["content"][0]["text"]),
        )
    }

    /// What a customer can still get back.
    pub(crate) fn balance(&self, token: &str, customer: &str) -> Value {
        let arguments = json!({ "customer_id": customer });
        self.call(token, "get_customer_record", &arguments)["refundableBalance"].clone()
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the log says this.
    pub(crate) fn wait_for_log(&self, text: &str) {
        let begun = std::time::Instant::now();
        while !self.log().contains(text) {
            assert!(
                begun.elapsed() < PATIENCE,
                "{text} is not in {}",
                self.log()
            );
            std::thread::yield_now();
        }
    }

    /// Asks it to stop, as a supervisor would.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let process = i32::try_from(self.child.id()).unwrap();
        let process = rustix::process::Pid::from_raw(process).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits until it ended; the log, each line of which must be JSON, and stdout, which must be empty.
    pub(crate) fn finish(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("it ended");
        self.reader
            .take()
            .expect("once")
            .join()
            .expect("the log ended");
        let mut out = String::new();
        self.child
            .stdout
            .take()
            .expect("piped")
            .read_to_string(&mut out)
            .unwrap();
        assert_eq!(out, "", "stdout belongs to nobody here");
        let log = self.log();
        for line in log.lines() {
            serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("JSON: {line}"));
        }
        (status, log)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection, unless nobody listens there any more.
pub(crate) fn connect_to(address: SocketAddr) -> Option<TcpStream> {
    let stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    Some(stream)
}

/// Reads one answer to the end of the connection; none where the server went away before it was whole.
pub(crate) fn receive_if_any(stream: &mut TcpStream) -> Option<Reply> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let reply = reply(&bytes);
    let length: usize = reply.header("content-length")?.parse().ok()?;
    (bytes.len() == head + 4 + length).then_some(reply)
}

/// Reads one answer to the end of the connection.
pub(crate) fn receive(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A reset after the answer is what a client sees that was not heard out.
    let _ = stream.read_to_end(&mut bytes);
    reply(&bytes)
}

fn reply(bytes: &[u8]) -> Reply {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .expect("a status");
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(": ").expect("a header");
        (name.to_ascii_lowercase(), value.to_owned())
    });
    Reply {
        status: status.parse().expect("a number"),
        headers: headers.collect(),
        body: body.to_owned(),
    }
}

/// Sends a request on a connection that stays open, or on a new one where the server has closed it,
/// and reads the one answer.
pub(crate) fn ask(stream: &mut TcpStream, server: &HttpServer, post: &Post) -> Reply {
    let text = String::from_utf8(post.bytes()).unwrap();
    let bytes = text
        .replace("connection: close", "connection: keep-alive")
        .into_bytes();
    stream.write_all(&bytes).expect("it takes requests");
    let reply = one(stream).unwrap_or_else(|| panic!("no answer came of {text}"));
    if reply.header("connection") == Some("close") {
        *stream = server.connect();
    }
    reply
}

/// One answer with a length.
fn one(stream: &mut TcpStream) -> Option<Reply> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.extend_from_slice(&byte);
    }
    let length: usize = reply(&bytes).header("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    bytes.extend_from_slice(&body);
    Some(reply(&bytes))
}
