//! `cargo xtask bench`: how fast the real server and the store are, beside the limits of the machine
//! and beside a peer, and whether that is as fast as we promise. `docs/benchmarks.md` is its report.

#![expect(
    clippy::float_arithmetic,
    reason = "times and their ratios are measured here, not money"
)]

mod build;
mod durable;
mod echo;
mod footprint;
mod growth;
mod http;
mod machine;
mod postgres;
mod processes;
mod report;
mod session;
mod stdio;
mod warranty;

use std::path::PathBuf;
use std::process::Stdio;

use crate::metadata::workspace;
use crate::say;
use crate::scratch::Scratch;
use crate::sh::{Failure, Run};
use machine::{Cores, Machine};
use report::Report;

/// A measurement.
type Measurement = fn(&Setting, &mut Report) -> Result<(), Failure>;

/// Every measurement, in the order of the report.
const MEASUREMENTS: [(&str, Measurement); 8] = [
    ("stdio", stdio::measure),
    ("http", http::measure),
    ("durable", durable::measure),
    ("processes", processes::measure),
    ("postgres", postgres::measure),
    ("footprint", footprint::measure),
    ("growth", growth::measure),
    ("warranty", warranty::measure),
];

/// The word that makes this program the echo that `stdio` measures beside.
const ECHO: &str = "echo-server";

/// Rounds unless said otherwise; what fewer come to is told, and not written down.
const ROUNDS: usize = 5;

const USAGE: &str = "cargo xtask bench [NAME…] [--rounds N] [--full] [--check]";

/// What the measurements share.
struct Setting {
    /// This program, compiled as a release.
    myself: PathBuf,
    server: PathBuf,
    target: PathBuf,
    scratch: Scratch,
    cores: Cores,
    rounds: usize,
    full: bool,
}

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    names: Vec<String>,
    rounds: usize,
    full: bool,
    check: bool,
}

/// `cargo xtask bench`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    if arguments.first().is_some_and(|word| word == ECHO) {
        return echo::serve();
    }
    let wanted = parse(arguments)?;
    let target = workspace()?.target.join("bench");
    let myself = build::myself(&target)?;
    if cfg!(debug_assertions) {
        return again(&myself, arguments);
    }
    let setting = Setting {
        myself,
        server: build::server(&target)?,
        scratch: Scratch::new(&target, "scratch")?,
        cores: Cores::find()?,
        rounds: wanted.rounds,
        full: wanted.full,
        target,
    };
    let mut machine = Machine::look();
    let mut report = Report::default();
    for (name, measure) in MEASUREMENTS {
        if wanted.names.is_empty() || wanted.names.iter().any(|chosen| chosen == name) {
            say::error(format!("measuring {name} …"));
            measure(&setting, &mut report)?;
        }
    }
    machine.look_again();
    say::line(&report);
    say::line(&machine);
    if wanted.rounds >= ROUNDS {
        let command = format!("cargo xtask bench {}", arguments.join(" "));
        let date = Run::new("date", ["-u", "+%Y-%m-%d"]).stdout()?;
        report.write(&machine, command.trim_end(), date.trim_end())?;
    }
    let missed = report.missed();
    say::line(format!(
        "{} of {} targets missed",
        missed.len(),
        report.judged()
    ));
    if wanted.check && !missed.is_empty() {
        return Err(Failure::new(format!("missed: {}", missed.join("; "))));
    }
    Ok(())
}

/// Goes on in the release build of this program.
fn again(myself: &std::path::Path, arguments: &[String]) -> Result<(), Failure> {
    let words = std::iter::once("bench").chain(arguments.iter().map(String::as_str));
    let status = Run::new(myself.display().to_string(), words)
        .command()
        .stdin(Stdio::null())
        .status()
        .map_err(|error| Failure::new(format!("failed to start {}: {error}", myself.display())))?;
    match status.code() {
        Some(0) => Ok(()),
        // It has said why.
        _ => Err(Failure::new("the benchmarks did not succeed")),
    }
}

fn parse(arguments: &[String]) -> Result<Wanted, Failure> {
    let mut wanted = Wanted {
        names: Vec::new(),
        rounds: ROUNDS,
        full: false,
        check: false,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--full" => wanted.full = true,
            "--check" => wanted.check = true,
            "--rounds" => {
                let number = words.next().and_then(|number| number.parse().ok());
                wanted.rounds = number.filter(|number| *number > 0).ok_or_else(|| {
                    Failure::usage(format!("--rounds needs a number above 0; {USAGE}"))
                })?;
            }
            name if MEASUREMENTS.iter().any(|(known, _)| *known == name) => {
                wanted.names.push(name.to_owned());
            }
            other => {
                let known = MEASUREMENTS.map(|(name, _)| name).join(", ");
                return Err(Failure::usage(format!(
                    "`{other}` is no measurement; the measurements are: {known}; {USAGE}"
                )));
            }
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wanted, Failure> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn the_command_line_is_read() {
        let wanted = parsed("growth --rounds 7 stdio --full").unwrap();
        assert_eq!(wanted.names, ["growth", "stdio"]);
        assert_eq!((wanted.rounds, wanted.full, wanted.check), (7, true, false));
        assert!(parsed("").unwrap().names.is_empty());
        for wrong in ["speed", "--rounds", "--rounds 0", "--fast"] {
            assert_eq!(parsed(wrong).unwrap_err().code(), 2, "{wrong}");
        }
    }
}
