//! Logs: one JSON object a line on stderr.
//!
//! *Invariant:* no personal data at any level. Our own events name ids, amounts, outcomes and
//! durations; texts from a client pass through [`Untrusted`]. Other crates are heard from `warn` up,
//! and rmcp not at all, because it logs whole messages. `tests/wire/privacy.rs` guards it.

mod line;

use std::fmt;
use std::str::FromStr as _;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use line::JsonLines;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum LogLevel {
    /// Everything.
    Trace,
    /// Also what is of use only while looking for a fault.
    Debug,
    /// Start, each call with its outcome, stop.
    #[default]
    Info,
    /// What should not happen, but was dealt with.
    Warn,
    /// Faults.
    Error,
}

impl LogLevel {
    /// The level of a word, in any case; any other word means the default.
    pub(crate) fn lenient(word: &str) -> Self {
        <Self as ValueEnum>::from_str(word, true).unwrap_or_default()
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Starts logging. Called once.
pub(crate) fn start(level: LogLevel) {
    let ours = LevelFilter::from_str(level.as_str()).unwrap_or(LevelFilter::INFO);
    let filter = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("rmcp", LevelFilter::OFF)
        .with_target("refund_mcp", ours)
        .with_target("refund_store", ours);
    // A second start keeps the first; only tests of this crate could cause one.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(JsonLines)
        .try_init();
}

/// A text from a client in a log: escaped, so that it stays on one line whatever it holds, and cut.
pub(crate) struct Untrusted<'a>(pub(crate) &'a str);

impl fmt::Display for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 64;
        let mut rest = self.0.chars();
        for escaped in rest.by_ref().take(MOST).flat_map(char::escape_default) {
            fmt::Write::write_char(f, escaped)?;
        }
        if rest.next().is_some() {
            f.write_str("…")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case R-175.
    #[test]
    fn client_text_stays_on_one_line() {
        let shown = Untrusted("a\nb\u{1b}[2J\u{2028}é\u{202e}").to_string();
        assert_eq!(shown, "a\\nb\\u{1b}[2J\\u{2028}\\u{e9}\\u{202e}");
        assert!(Untrusted(&"x".repeat(100)).to_string().chars().count() < 70);
    }

    #[test]
    fn unknown_levels_mean_info() {
        assert_eq!(LogLevel::lenient("DEBUG"), LogLevel::Debug);
        assert_eq!(LogLevel::lenient("verbose"), LogLevel::Info);
        assert_eq!(LogLevel::lenient(""), LogLevel::Info);
    }
}
