//! Logs: one JSON object a line on stderr.
//!
//! *Invariant:* no personal data at any level. Our own events name ids, amounts, outcomes and
//! durations; texts from a client are not logged, and ids only as [`RequestLabel`]. Other crates are heard from `warn` up,
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

/// An error with its causes, for the log.
pub(crate) struct Causes<'a>(pub(crate) &'a dyn std::error::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
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

/// A request's id in a log. Numbers and ids like a UUID are shown; any other text could be about a
/// person, and only its length is.
pub(crate) struct RequestLabel<'a>(pub(crate) &'a str);

impl fmt::Display for RequestLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 40;
        let id = self.0.trim_matches('"');
        let harmless = |byte: u8| byte.is_ascii_hexdigit() || b"-.+eE".contains(&byte);
        if id.len() <= MOST && id.bytes().all(harmless) {
            f.write_str(id)
        } else {
            write!(f, "text of {} bytes", id.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Cases.
    #[test]
    fn what_a_client_wrote_is_not_logged() {
        let shown = |id: &str| RequestLabel(id).to_string();
        assert_eq!(shown("42"), "42");
        let uuid = "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f";
        assert_eq!(shown(&format!("\"{uuid}\"")), uuid);
        assert_eq!(shown("\"alice.johnson@example.com\""), "text of 25 bytes");
        assert_eq!(shown("\"a\\nb\u{2028}\""), "text of 7 bytes");
        assert_eq!(shown(&"1".repeat(100)), "text of 100 bytes");
    }

    #[test]
    fn unknown_levels_mean_info() {
        assert_eq!(LogLevel::lenient("DEBUG"), LogLevel::Debug);
        assert_eq!(LogLevel::lenient("verbose"), LogLevel::Info);
        assert_eq!(LogLevel::lenient(""), LogLevel::Info);
    }
}
