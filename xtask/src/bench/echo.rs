//! The least that a server in Rust has to do: read a line of JSON, answer with a line of JSON. What
//! `stdio` measures the server beside.

use std::io::{self, BufRead as _, Write as _};

use serde_json::{Value, json};

use crate::sh::Failure;

/// Answers every request on stdin with its own arguments, until stdin ends.
pub(super) fn serve() -> Result<(), Failure> {
    answer_all().map_err(|error| Failure::new(format!("the echo was lost: {error}")))
}

fn answer_all() -> io::Result<()> {
    let mut input = io::stdin().lock();
    #[expect(
        clippy::disallowed_methods,
        reason = "the rule is for the server; this program is its own protocol"
    )]
    let mut output = io::LineWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let request: Value = serde_json::from_slice(&line)?;
        if let Some(id) = request.get("id") {
            let arguments = &request["params"]["arguments"];
            let answer = json!({
                "jsonrpc": "2.0",
                "id": id,
                "result": {
                    "content": [{ "type": "text", "text": arguments.to_string() }],
                    "structuredContent": arguments,
                    "isError": false,
                },
            });
            serde_json::to_writer(&mut output, &answer)?;
            output.write_all(b"\n")?;
        }
        line.clear();
    }
    Ok(())
}
