//! `cargo xtask reliability`: the tests that no money is lost, and nothing else. `--full` runs them at
//! the volume before a release, which takes hours, and the mutants; `--release` builds them optimised.

use crate::sh::{Failure, Run};
use crate::{json_suite, mutants, say};

/// `cargo xtask reliability [--full] [--release]`.
pub(crate) fn command(words: &[String]) -> Result<(), Failure> {
    if let Some(word) = words
        .iter()
        .find(|word| !["--full", "--release"].contains(&word.as_str()))
    {
        return Err(Failure::usage(format!(
            "there is no `{word}`; there are --full and --release"
        )));
    }
    let has = |name: &str| words.iter().any(|word| word == name);
    let left_out = json_suite::install()?;
    for tests in [
        "--package refund-store",
        "--package refund-mcp --features refund-mcp/fault-points --test wire reliability::",
    ] {
        let mut run = Run::cargo(&format!("test {tests}"));
        if has("--release") {
            run = Run::cargo(&format!("test --release {tests}"));
        }
        if has("--full") {
            run = run.env("REFUND_FULL", "1");
        }
        say::line(format!("==> {run}"));
        run.check()?;
    }
    if has("--full") {
        mutants::command(&[])?;
    }
    for sentence in left_out {
        say::line(format!("left out: {sentence}"));
    }
    Ok(())
}
