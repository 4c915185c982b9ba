//! `cargo xtask test`: everything that CI runs, in an order in which the quick steps come first.

use std::time::Instant;

use crate::cluster::Cluster;
use crate::metadata::{Package, workspace};
use crate::sh::{Failure, Run};
use crate::{arrows, conformance, db, demo, demo_data, docs, examples, json_suite, say, style};

/// Features of the test builds: the second binary that prints, panics and dies at named points.
const FAULTS: &str = "--features refund-mcp/fault-points";

/// What a step does.
enum Work {
    /// Another program.
    Run(Run),
    /// A command of this tool; the text is how to run it alone. It tells what it had to leave out.
    Own(&'static str, fn() -> Result<Vec<String>, Failure>),
}

struct Step {
    name: &'static str,
    work: Work,
}

/// `cargo xtask test [STEP…]`.
pub(crate) fn command(chosen: &[String]) -> Result<(), Failure> {
    let steps = steps()?;
    for name in chosen {
        if !steps.iter().any(|step| step.name == name) {
            let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
            return Err(Failure::usage(format!(
                "there is no step `{name}`; the steps are: {}",
                known.join(", ")
            )));
        }
    }
    let whole = Instant::now();
    let mut left_out = Vec::new();
    for step in &steps {
        if chosen.is_empty() || chosen.iter().any(|name| name == step.name) {
            left_out.extend(run(step)?);
        }
    }
    for sentence in left_out {
        say::line(format!("left out: {sentence}"));
    }
    say::line(format!("everything passed in {}", seconds(whole)));
    Ok(())
}

fn run(step: &Step) -> Result<Vec<String>, Failure> {
    let start = Instant::now();
    let (command, result) = match &step.work {
        Work::Run(run) => {
            say::line(format!("==> {}: {run}", step.name));
            (run.to_string(), run.check().map(|()| Vec::new()))
        }
        Work::Own(command, own) => {
            say::line(format!("==> {}: {command}", step.name));
            ((*command).to_owned(), own())
        }
    };
    match result {
        Ok(left_out) => {
            say::line(format!("    {} passed in {}", step.name, seconds(start)));
            Ok(left_out)
        }
        Err(failure) => Err(Failure::new(format!(
            "{failure}\n==> {} failed after {}; to run it alone: {command}",
            step.name,
            seconds(start)
        ))),
    }
}

fn seconds(since: Instant) -> String {
    format!("{:.1} s", since.elapsed().as_secs_f64())
}

/// Every test; without a PostgreSQL server those that need none.
fn tests() -> Result<Vec<String>, Failure> {
    let mut left_out = Vec::new();
    let mut without = Vec::new();
    let server = db::find().map_err(|missing| {
        left_out.push(missing);
        without.push("postgres::");
    });
    if Cluster::programs().is_none() {
        left_out.push("a server that is stopped and started: PostgreSQL's programs (initdb, pg_ctl) are not on this machine".to_owned());
        without.push("cluster::");
    }
    if db::is_required() && !left_out.is_empty() {
        return Err(Failure::new(left_out.join("\n")));
    }
    let nextest = Run::cargo("nextest --version").probe().is_some();
    let mut run = match nextest {
        true => Run::cargo(&format!("nextest run --no-fail-fast --workspace {FAULTS}")),
        false => Run::cargo(&format!(
            "test --no-fail-fast --all-targets --workspace {FAULTS}"
        )),
    };
    if nextest && !without.is_empty() {
        let paths = without.join("|");
        run = run.arg("-E").arg(format!("not test(/(^|::)({paths})/)"));
    } else if !without.is_empty() {
        run = run.arg("--");
        run = without
            .iter()
            .fold(run, |run, path| run.arg("--skip").arg(*path));
    }
    if let Ok(server) = &server {
        run = server.tell(run);
    }
    run.check().map(|()| left_out)
}

fn steps() -> Result<Vec<Step>, Failure> {
    let program = |name, words: &str| Step {
        name,
        work: Work::Run(Run::cargo(words)),
    };
    let own = |name, command, run| Step {
        name,
        work: Work::Own(command, run),
    };
    let clippy = "clippy --workspace --all-targets";
    // What others use is read from outside, an application only from inside.
    let (libraries, applications): (Vec<_>, Vec<_>) = workspace()?
        .packages
        .into_iter()
        .partition(|package| package.is_library);
    let rustdoc = |words: &str, flags: &str, packages: &[Package]| {
        let names: Vec<String> = packages
            .iter()
            .map(|package| format!("--package {}", package.name))
            .collect();
        let run = Run::cargo(&format!("doc --no-deps {words} {}", names.join(" ")));
        Work::Run(run.env("RUSTDOCFLAGS", flags))
    };
    Ok(vec![
        program("fmt", "fmt --all --check"),
        own("arrows", "cargo xtask arrows", || {
            arrows::command(&[]).map(|()| Vec::new())
        }),
        own("style", "cargo xtask style", || {
            style::command(&[]).map(|()| Vec::new())
        }),
        own("demo-data", "cargo xtask demo-data --check", || {
            demo_data::command(&["--check".to_owned()]).map(|()| Vec::new())
        }),
        program("clippy", &format!("{clippy} -- -D warnings")),
        program(
            "clippy-faults",
            &format!("{clippy} {FAULTS} -- -D warnings"),
        ),
        own("json-suite", "cargo xtask json-suite", json_suite::install),
        own(
            "tests",
            "cargo nextest run --no-fail-fast --workspace --features refund-mcp/fault-points",
            tests,
        ),
        program("doctest", &format!("test --doc --workspace {FAULTS}")),
        Step {
            name: "rustdoc",
            work: rustdoc("", "-D warnings", &libraries),
        },
        Step {
            name: "rustdoc-inside",
            work: rustdoc(
                "--document-private-items",
                "-D warnings -A rustdoc::private-intra-doc-links",
                &applications,
            ),
        },
        own("examples", "cargo xtask examples", || {
            examples::command(&[]).map(|()| Vec::new())
        }),
        program("build", "build --package refund-mcp"),
        own("docs", "cargo xtask docs --check", || {
            docs::check().map(|()| Vec::new())
        }),
        own("demo", "cargo xtask demo", || {
            demo::quiet().map(|()| Vec::new())
        }),
        own("conformance", "cargo xtask conformance", || {
            conformance::run(&[])
        }),
    ])
}
