//! Refunds over HTTP.

use std::io::Write as _;
use std::net::SocketAddr;

use serde_json::Value;

use crate::http::{Post, connect_to, receive_if_any};

/// Sends a request, and gives the answer; none where the server went away before it was whole.
pub(super) fn ask(server: SocketAddr, line: &str) -> Option<Value> {
    let post = Post::new(line).header("mcp-protocol-version", "2025-11-25");
    let mut stream = connect_to(server)?;
    stream.write_all(&post.bytes()).ok()?;
    let reply = receive_if_any(&mut stream)?;
    assert_eq!(reply.status, 200, "{reply:?}");
    Some(reply.json())
}
