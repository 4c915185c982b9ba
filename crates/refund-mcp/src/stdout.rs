//! The one owner of standard output.
//!
//! *Invariant:* while a server runs on stdio, nothing but the protocol's writer can reach the
//! descriptor that the client reads. The descriptor is duplicated and number 1 is pointed at stderr,
//! so that even a `printf` in a C library cannot corrupt the stream. `tests/wire/isolation.rs` guards
//! it with a build that prints; `clippy.toml` forbids `std::io::stdout` everywhere else.

use std::io::{self, Write as _};

/// Takes the descriptor that the client reads, and points everything else that writes to standard
/// output at stderr. For the life of the process.
#[cfg(unix)]
pub(crate) fn take_for_protocol() -> io::Result<std::os::fd::OwnedFd> {
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(channel)
}

/// Whether standard output is a terminal, where a person reads.
pub(crate) fn is_terminal() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "this module owns standard output"
    )]
    let stdout = io::stdout();
    io::IsTerminal::is_terminal(&stdout)
}

/// Standard output for a command that writes more than fits into one text.
pub(crate) fn stream() -> io::StdoutLock<'static> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this module owns standard output"
    )]
    let stdout = io::stdout();
    stdout.lock()
}

/// Prints the output of a command that is not a server, with a line end. A reader that went away is
/// no error: `refund-mcp tools | head` is a normal thing to do.
///
/// # Errors
/// Any other failure to write.
pub(crate) fn print(text: &str) -> io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this module owns standard output"
    )]
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
