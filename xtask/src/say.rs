//! What is printed, and in which colours. A reader that went away (`cargo xtask demo | head`) is
//! no reason to panic, so failed writes are dropped.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// One line on stdout.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(stdout(), "{text}");
}

/// One line on stderr.
pub(crate) fn error(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rule is for the server, whose stdout is the protocol; here stdout is for people"
)]
fn stdout() -> std::io::Stdout {
    std::io::stdout()
}

/// The colours, all empty where nobody wants them.
pub(crate) struct Paint {
    pub(crate) client: &'static str,
    pub(crate) server: &'static str,
    pub(crate) strong: &'static str,
    pub(crate) off: &'static str,
}

impl Paint {
    /// Colours on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    pub(crate) fn detect() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if stdout().is_terminal() && !set("NO_COLOR") && !dumb {
            Self {
                client: "\x1b[36m",
                server: "\x1b[32m",
                strong: "\x1b[1m",
                off: "\x1b[0m",
            }
        } else {
            Self {
                client: "",
                server: "",
                strong: "",
                off: "",
            }
        }
    }
}
