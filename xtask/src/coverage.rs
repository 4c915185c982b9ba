//! `cargo xtask coverage`: how many lines of each crate the tests run, and whether that is enough.
//!
//! rustc counts the lines; LLVM's own tools, of the major version that rustc was built with, read the
//! counts. Unit tests are not counted as lines, and documentation tests not as tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::metadata::workspace;
use crate::sh::{Failure, Run, context, read, root};
use crate::style::product_lines;
use crate::{json_suite, say};

/// The fewest lines that the tests must run, in tenths of a percent of all lines of the product: a
/// little below what was measured last, so that it falls only on purpose.
const LEAST: u64 = 945;

/// How many of the files with the most lines that no test runs are named.
const NAMED: usize = 10;

/// Set where this program stands in for rustc.
const INSTRUMENT: &str = "XTASK_INSTRUMENT";

/// The tests, as `cargo xtask test` runs them, without this tool's own.
const TESTS: &str =
    "test --all-targets --workspace --exclude xtask --features refund-mcp/fault-points";

/// Lines of a file or a crate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lines {
    all: u64,
    run: u64,
}

/// `cargo xtask coverage`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    if !arguments.is_empty() {
        return Err(Failure::usage("usage: cargo xtask coverage"));
    }
    let tools = Tools::find()?;
    for sentence in json_suite::install()? {
        say::line(format!("left out: {sentence}"));
    }
    let directory = workspace()?.target.join("coverage");
    let profiles = directory.join("profiles");
    if profiles.exists() {
        std::fs::remove_dir_all(&profiles).map_err(context("clear", &profiles))?;
    }
    std::fs::create_dir_all(&profiles).map_err(context("create", &profiles))?;

    let tests = instrumented(&directory, &profiles)?;
    say::line("Building and running the tests; the counting build is one of its own …");
    let objects = executables(
        &tests
            .clone()
            .arg("--no-run")
            .arg("--message-format=json-render-diagnostics")
            .stdout()?,
    );
    tests.check()?;

    let merged = directory.join("tests.profdata");
    Run::new(&tools.profdata, ["merge", "--sparse", "--failure-mode=all"])
        .arg("--output")
        .arg(text(&merged))
        .arg(text(&profiles))
        .check()?;
    let mut export =
        Run::new(&tools.cov, ["export", "--format=lcov", "--instr-profile"]).arg(text(&merged));
    for object in objects {
        export = export.arg("--object").arg(object);
    }
    let lcov = export.stdout()?;
    let file = directory.join("lcov.info");
    std::fs::write(&file, &lcov).map_err(context("write", &file))?;
    // The counts are large, and their sum is what is wanted.
    std::fs::remove_dir_all(&profiles).map_err(context("clear", &profiles))?;
    let result = judge(&files(&lcov)?);
    say::line(format!("line by line: {}", file.display()));
    result
}

/// Prints the numbers and holds their sum against the threshold.
fn judge(files: &BTreeMap<String, Lines>) -> Result<(), Failure> {
    let mut crates: BTreeMap<&str, Lines> = BTreeMap::new();
    let mut total = Lines::default();
    for (name, lines) in files {
        let owner = name.split('/').nth(1).unwrap_or(name);
        for sum in [crates.entry(owner).or_default(), &mut total] {
            sum.all = sum.all.saturating_add(lines.all);
            sum.run = sum.run.saturating_add(lines.run);
        }
    }
    for (name, lines) in crates.iter().chain([(&"all", &total)]) {
        say::line(format!(
            "{name:<16} {:>6} of {:>6} lines  {:>6}",
            lines.run,
            lines.all,
            percent(lines.tenths())
        ));
    }
    let mut missing: Vec<_> = files
        .iter()
        .map(|(name, lines)| (lines.all.saturating_sub(lines.run), name))
        .filter(|(missing, _)| *missing > 0)
        .collect();
    missing.sort_unstable_by(|left, right| right.cmp(left));
    say::line("most lines that no test runs:");
    for (missing, name) in missing.iter().take(NAMED) {
        say::line(format!("  {missing:>4}  {name}"));
    }
    if total.tenths() >= LEAST {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "the tests run {} of the lines, and {} is the least (LEAST in xtask/src/coverage.rs): test what is new",
            percent(total.tenths()),
            percent(LEAST)
        )))
    }
}

impl Lines {
    /// Tenths of a percent, rounded down.
    fn tenths(self) -> u64 {
        self.run
            .saturating_mul(1000)
            .checked_div(self.all)
            .unwrap_or_default()
    }
}

fn percent(tenths: u64) -> String {
    format!(
        "{}.{} %",
        tenths.checked_div(10).unwrap_or_default(),
        tenths.checked_rem(10).unwrap_or_default()
    )
}

/// The tests with this program in rustc's place, for the crates of this workspace only: a count of
/// every dependency's lines would take longer and tell nothing.
fn instrumented(directory: &Path, profiles: &Path) -> Result<Run, Failure> {
    let this = std::env::current_exe().map_err(context("find", "this program"))?;
    // A copy, because a build of this tool in the meantime would replace it.
    let wrapper = directory.join(format!("counting-rustc{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(&this, &wrapper).map_err(context("copy", &this))?;
    Ok(Run::cargo(TESTS)
        .arg("--target-dir")
        .arg(text(directory))
        .env("RUSTC_WORKSPACE_WRAPPER", &text(&wrapper))
        .env(INSTRUMENT, "1")
        .env("LLVM_PROFILE_FILE", &text(&profiles.join("%m%c.profraw"))))
}

/// What this program does where cargo calls it in rustc's place: its first argument is rustc.
pub(crate) fn as_rustc() -> Option<ExitCode> {
    std::env::var_os(INSTRUMENT)?;
    let mut arguments = std::env::args_os().skip(1);
    // Counts that stand in the file at once, so that those of a process that is killed are kept.
    let status = Command::new(arguments.next()?)
        .args(arguments)
        .args([
            "-Cinstrument-coverage",
            "-Cllvm-args=-runtime-counter-relocation",
        ])
        .status();
    Some(match status.map(|status| status.code()) {
        Ok(Some(0)) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            say::error(format!("failed to start rustc: {error}"));
            ExitCode::FAILURE
        }
    })
}

/// The programs that cargo says it built.
fn executables(messages: &str) -> Vec<String> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(str::to_owned))
        .collect()
}

/// The lines of the product, file by file, from LLVM's listing.
fn files(lcov: &str) -> Result<BTreeMap<String, Lines>, Failure> {
    let mut files = BTreeMap::new();
    let mut current: Option<(String, u64)> = None;
    for line in lcov.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            current = product(Path::new(path))?;
        } else if let (Some(entry), Some((name, last))) = (line.strip_prefix("DA:"), &current) {
            let (number, count) = entry.split_once(',').unwrap_or((entry, "0"));
            if number.parse::<u64>().is_ok_and(|number| number <= *last) {
                let lines: &mut Lines = files.entry(name.clone()).or_default();
                lines.all = lines.all.saturating_add(1);
                lines.run = lines.run.saturating_add(u64::from(count != "0"));
            }
        }
    }
    Ok(files)
}

/// A file of the product: its name from the root, and the last line before its unit tests.
fn product(path: &Path) -> Result<Option<(String, u64)>, Failure> {
    let Ok(name) = path.strip_prefix(root()) else {
        return Ok(None);
    };
    let name = name.display().to_string().replace('\\', "/");
    if !name.starts_with("crates/") || name.split('/').nth(2) != Some("src") {
        return Ok(None);
    }
    let last = product_lines(&read(path)?);
    Ok(Some((name, u64::try_from(last).unwrap_or(u64::MAX))))
}

/// LLVM's programs.
struct Tools {
    profdata: String,
    cov: String,
}

impl Tools {
    /// Those of rustc's LLVM: rustup's, or Debian's, which are installed if that can be done.
    fn find() -> Result<Self, Failure> {
        let rustc = Run::new("rustc", ["-vV"]).stdout()?;
        let field = |name: &str| {
            let mut lines = rustc.lines();
            lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
        };
        let (Some(version), Some(host)) = (field("LLVM version: "), field("host: ")) else {
            return Err(Failure::new("rustc -vV names no LLVM version and no host"));
        };
        let major = version.split('.').next().unwrap_or_default().to_owned();
        let sysroot = Run::new("rustc", ["--print", "sysroot"]).stdout()?;
        let rustup = Path::new(sysroot.trim()).join(format!("lib/rustlib/{host}/bin"));
        if let Some(tools) = Self::known(&rustup, &major) {
            return Ok(tools);
        }
        let package = format!("llvm-{major}");
        if is_root() && Run::new("apt-get", ["--version"]).probe().is_some() {
            say::line(format!("Installing {package} …"));
            let quiet = [
                "--quiet",
                "--quiet",
                "install",
                "--yes",
                "--no-install-recommends",
            ];
            let install = Run::new("apt-get", quiet)
                .arg(&package)
                .env("DEBIAN_FRONTEND", "noninteractive");
            if install.stdout().is_err() {
                Run::new("apt-get", ["--quiet", "--quiet", "update"]).check()?;
                install.stdout()?;
            }
        }
        Self::known(&rustup, &major).ok_or_else(|| {
            Failure::new(format!(
                "llvm-profdata and llvm-cov of LLVM {major} are needed, which is what rustc was built with: rustup component add llvm-tools, or on Debian: apt install {package}"
            ))
        })
    }

    fn known(rustup: &Path, major: &str) -> Option<Self> {
        let debian = PathBuf::from(format!("/usr/lib/llvm-{major}/bin"));
        let in_directory = |directory: &Path| Self {
            profdata: text(&directory.join("llvm-profdata")),
            cov: text(&directory.join("llvm-cov")),
        };
        let plain = Self {
            profdata: "llvm-profdata".to_owned(),
            cov: "llvm-cov".to_owned(),
        };
        let wanted = format!("LLVM version {major}.");
        [in_directory(rustup), in_directory(&debian), plain]
            .into_iter()
            .find(|tools| {
                [&tools.profdata, &tools.cov].into_iter().all(|program| {
                    let version = Run::new(program, ["--version"]).probe();
                    version.is_some_and(|version| version.contains(&wanted))
                })
            })
    }
}

fn is_root() -> bool {
    Run::new("id", ["-u"])
        .probe()
        .is_some_and(|id| id.trim() == "0")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_the_product_count() {
        let here = root().join("crates/refund-mcp/src/exit.rs");
        let tests = product_lines(&read(&here).unwrap()) + 1;
        let lcov = format!(
            "SF:/elsewhere/lib.rs\nDA:1,1\nend_of_record\nSF:{}\nDA:1,7\nDA:2,0\nDA:{tests},1\nend_of_record\nSF:{}\nDA:1,1\n",
            here.display(),
            root().join("xtask/src/main.rs").display()
        );
        let found = files(&lcov).unwrap();
        let lines = Lines { all: 2, run: 1 };
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("crates/refund-mcp/src/exit.rs".to_owned(), lines)]
        );
        assert_eq!(percent(lines.tenths()), "50.0 %");
    }

    #[test]
    fn too_little_is_a_failure() {
        let files =
            |run| BTreeMap::from([("crates/a/src/b.rs".to_owned(), Lines { all: 1000, run })]);
        assert!(judge(&files(LEAST)).is_ok());
        assert!(judge(&files(LEAST - 1)).is_err());
    }
}
