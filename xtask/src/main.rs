//! What contributors and CI run: one command per module. `cargo xtask` without a command lists
//! them.

mod arrows;
#[cfg(target_os = "linux")]
mod bench;
mod ci;
#[path = "../../crates/refund-store/tests/support/cluster.rs"]
mod cluster;
mod conformance;
mod coverage;
mod db;
mod demo;
mod demo_data;
mod docs;
mod examples;
mod fleet;
mod inspector;
mod json_suite;
mod listening;
mod metadata;
mod mutants;
mod node;
mod peer;
mod python;
mod reliability;
mod revisions;
mod say;
mod scratch;
mod sh;
mod smoke;
mod style;
mod suite;

use std::process::ExitCode;

use crate::sh::Failure;

/// A command: its name, what it does, and the function that does it.
type Command = (
    &'static str,
    &'static str,
    fn(&[String]) -> Result<(), Failure>,
);

/// Every command, in the order in which the usage text lists them.
const COMMANDS: [Command; 17] = [
    (
        "demo",
        "play a client's conversation with the real server and say what it means",
        demo::command,
    ),
    (
        "test",
        "everything that CI runs; `test STEP…` runs only those steps",
        ci::command,
    ),
    ("ci", "the same as `test`", ci::command),
    (
        "conformance",
        "the official MCP clients and the conformance suite against the real server; `conformance CLIENT…` runs only those",
        conformance::command,
    ),
    (
        "smoke",
        "try a running server from outside: `smoke URL TOKEN`",
        smoke::command,
    ),
    (
        "bench",
        "measure speed beside limits and a peer, and write docs/benchmarks.md; `bench NAME…` measures only those",
        bench::command,
    ),
    (
        "inspector",
        "the MCP Inspector's checks of the real server; `inspector --open` starts its page",
        inspector::command,
    ),
    (
        "coverage",
        "how many lines of each crate the tests run; fails below its threshold",
        coverage::command,
    ),
    (
        "reliability",
        "the tests that no money is lost; `--full` before a release, `--release` optimised",
        reliability::command,
    ),
    (
        "mutants",
        "take away what keeps money safe, and hold that a test notices",
        mutants::command,
    ),
    (
        "db",
        "a throw-away PostgreSQL server, for tests where none runs",
        db::command,
    ),
    (
        "json-suite",
        "install the inputs of JSONTestSuite, which the tests send to the server",
        json_suite::command,
    ),
    (
        "docs",
        "write the pages that the code knows best; `docs --check` only compares them",
        docs::command,
    ),
    (
        "demo-data",
        "write the demo data that follows from tables; `demo-data --check` only compares it",
        demo_data::command,
    ),
    (
        "examples",
        "run the examples of embedding and hold what they print",
        examples::command,
    ),
    (
        "arrows",
        "hold the crates' dependencies against docs/architecture.md",
        arrows::command,
    ),
    (
        "style",
        "the rules of this repository that no compiler checks",
        style::command,
    ),
];

#[cfg(not(target_os = "linux"))]
mod bench {
    //! Benchmarks read /proc and choose their cores, so they exist on Linux only.

    pub(crate) fn command(_: &[String]) -> Result<(), crate::sh::Failure> {
        Err(crate::sh::Failure::new("benchmarks run on Linux only"))
    }
}

fn main() -> ExitCode {
    if let Some(code) = coverage::as_rustc() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let Some(name) = name else {
        usage();
        return ExitCode::from(2);
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        usage();
        return ExitCode::SUCCESS;
    }
    let Some((_, _, run)) = COMMANDS.iter().find(|(known, _, _)| *known == name) else {
        say::error(format!("there is no command `{name}`"));
        usage();
        return ExitCode::from(2);
    };
    match run(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::error(&failure);
            ExitCode::from(failure.code())
        }
    }
}

fn usage() {
    say::error("cargo xtask COMMAND, where COMMAND is one of:");
    for (name, what, _) in COMMANDS {
        say::error(format!("  {name:<12} {what}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_about_testing_knows_every_command() {
        let page = sh::read(&sh::root().join("docs/testing.md")).unwrap();
        for (name, ..) in COMMANDS {
            let written = [
                format!("`cargo xtask {name}`"),
                format!("`cargo xtask {name} "),
            ];
            assert!(
                written.iter().any(|written| page.contains(written)),
                "`cargo xtask {name}` is not in docs/testing.md"
            );
        }
    }
}
