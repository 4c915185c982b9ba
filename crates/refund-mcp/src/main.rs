//! The `refund-mcp` binary. Everything is in the library, so that the tests' own build shares it.

use std::process::ExitCode;

fn main() -> ExitCode {
    refund_mcp::run().into()
}
