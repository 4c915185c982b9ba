//! `cargo xtask conformance`: the official MCP clients against the real server over stdio and over
//! HTTP, and the official conformance suite over HTTP.
//!
//! Each client starts the server itself and prints one line a check.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::metadata::workspace;
use crate::scratch::Scratch;
use crate::sh::{Failure, Run, build_server};
use crate::{fleet, node, python, revisions, say, suite};

/// What a client needs to run.
pub(crate) struct Setting<'a> {
    /// The server.
    pub(crate) binary: &'a Path,
    /// Where the client's packages are installed; kept from run to run.
    pub(crate) installed: PathBuf,
    /// An empty directory for this run's databases.
    pub(crate) scratch: &'a Path,
}

/// What became of a client.
pub(crate) enum Outcome {
    /// It ran.
    Ran(Tally),
    /// What it runs on is not there; the sentence says what, and how to get it.
    Missing(String),
}

/// How many checks passed and failed.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
}

/// A client: its name and how to run it.
type Client = (&'static str, fn(&Setting<'_>) -> Result<Outcome, Failure>);

/// Every client, the one that needs nothing installed first.
const CLIENTS: [Client; 6] = [
    ("revisions", revisions::run),
    ("python", python::run),
    ("typescript-v1", node::v1),
    ("typescript-v2", node::v2),
    ("fleet", fleet::run),
    ("suite", suite::run),
];

/// `cargo xtask conformance [CLIENT…]`.
pub(crate) fn command(chosen: &[String]) -> Result<(), Failure> {
    for sentence in run(chosen)? {
        say::line(format!("left out: {sentence}"));
    }
    Ok(())
}

/// Runs the clients and tells which had to be left out.
pub(crate) fn run(chosen: &[String]) -> Result<Vec<String>, Failure> {
    for name in chosen {
        if !CLIENTS.iter().any(|(known, _)| known == name) {
            let known = CLIENTS.map(|(known, _)| known).join(", ");
            return Err(Failure::usage(format!(
                "there is no client `{name}`; the clients are: {known}"
            )));
        }
    }
    let binary = build_server()?;
    let target = workspace()?.target.join("conformance");
    let mut total = Tally::default();
    let mut left_out = Vec::new();
    for (name, client) in CLIENTS {
        if !chosen.is_empty() && !chosen.iter().any(|chosen| chosen == name) {
            continue;
        }
        say::line(format!("--- {name}"));
        let scratch = Scratch::new(&target, "scratch")?;
        let setting = Setting {
            binary: &binary,
            installed: target.clone(),
            scratch: scratch.path(),
        };
        match client(&setting)? {
            Outcome::Ran(tally) => {
                total.passed = total.passed.saturating_add(tally.passed);
                total.failed = total.failed.saturating_add(tally.failed);
            }
            Outcome::Missing(sentence) if in_ci() => return Err(Failure::new(sentence)),
            Outcome::Missing(sentence) => left_out.push(sentence),
        }
    }
    // Two clients may miss the same thing.
    left_out.dedup();
    // The plain line that test reporters read, alone and uncoloured.
    let Tally { passed, failed } = total;
    say::line(format!("{passed} passed, {failed} failed"));
    if failed == 0 {
        Ok(left_out)
    } else {
        Err(Failure::new(
            "the server does not keep its contract with these clients",
        ))
    }
}

/// In CI nothing is left out.
pub(crate) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// Runs a client's script, shows what it prints, and reads its closing line.
pub(crate) fn script(run: &Run) -> Result<Tally, Failure> {
    obeyed(run, |_| Ok(false))
}

/// The same for a script that asks for something in lines of its own: `obey` does what a line asks for,
/// and tells whether it did.
pub(crate) fn obeyed(
    run: &Run,
    mut obey: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Tally, Failure> {
    let mut child = run
        .command()
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::new(format!("failed to start `{run}`: {error}")))?;
    let mut tally = None;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if obey(&line)? {
                continue;
            }
            say::line(&line);
            tally = closing_line(&line);
        }
    }
    let status = child
        .wait()
        .map_err(|error| Failure::new(format!("failed to wait for `{run}`: {error}")))?;
    match tally {
        Some(tally) if status.success() == (tally.failed == 0) && tally != Tally::default() => {
            Ok(tally)
        }
        _ => Err(Failure::new(format!(
            "`{run}` broke off before its closing line: {status}"
        ))),
    }
}

/// `name: N passed, N failed`.
fn closing_line(line: &str) -> Option<Tally> {
    let (_, counts) = line.split_once(": ")?;
    let (passed, failed) = counts.split_once(", ")?;
    Some(Tally {
        passed: passed.strip_suffix(" passed")?.parse().ok()?,
        failed: failed.strip_suffix(" failed")?.parse().ok()?,
    })
}

/// Whether `directory` was installed from exactly `wanted`; `installed` then says that it was.
pub(crate) fn is_installed(directory: &Path, wanted: &str) -> bool {
    std::fs::read_to_string(directory.join("installed-from")).is_ok_and(|stamp| stamp == wanted)
}

/// Remembers what `directory` was installed from. Written last, so that a broken installation is
/// made again.
pub(crate) fn installed(directory: &Path, wanted: &str) -> Result<(), Failure> {
    let path = directory.join("installed-from");
    std::fs::write(&path, wanted).map_err(crate::sh::context("write", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_is_read() {
        let tally = |passed, failed| Some(Tally { passed, failed });
        assert_eq!(closing_line("python: 12 passed, 0 failed"), tally(12, 0));
        assert_eq!(closing_line("v1: 1 passed, 3 failed"), tally(1, 3));
        for other in ["ok   a name: with 1 passed", "12 passed, 0 failed", ""] {
            assert_eq!(closing_line(other), None, "{other}");
        }
    }
}
