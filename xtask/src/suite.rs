//! The official MCP conformance suite against `refund-mcp http`: its newest release and its newest
//! alpha, on every revision they know. What does not apply stands in `docs/conformance.md`, which is
//! held against what the suite says: a scenario that is neither passed nor listed fails, and so does a
//! line that nothing needs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::conformance::{Outcome, Setting, Tally};
use crate::listening::{Listening, TOKEN};
use crate::sh::{Failure, Run, context, read, root};
use crate::{inspector, node, say};

/// The oldest Node.js that the suite runs on.
const NODE: (u32, u32) = (22, 0);

/// Where what does not apply is listed.
const PAGE: &str = "docs/conformance.md";

/// The packages, each with the revision it is asked for; the release knows those with a handshake only.
const RUNS: [(&str, Option<&str>); 3] = [
    ("conformance-release", None),
    ("conformance-alpha", Some("2025-11-25")),
    ("conformance-alpha", Some("2026-07-28")),
];

/// What the checks of a scenario came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checked {
    passed: u32,
    /// The ids of checks that did not pass.
    failed: BTreeSet<String>,
}

/// A scenario, or one check of it, that does not apply.
type Listed = (String, Option<String>);

pub(crate) fn run(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    let directory = setting.installed.join("suite");
    let Some(program) = install(&directory)? else {
        return Ok(Outcome::Missing(format!(
            "the conformance suite: it needs Node.js {}.{} or newer with npm, which its installer brings",
            NODE.0, NODE.1
        )));
    };
    let listed = listed(&read(&root().join(PAGE))?)?;
    let mut unused: BTreeSet<&Listed> = listed.iter().collect();
    let mut known = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut tally = Tally::default();
    for (package, revision) in RUNS {
        let script = directory.join(format!("node_modules/{package}/dist/index.js"));
        let suite = Run::new(&program, ["--import", "./token.mjs"])
            .directory(&directory)
            .arg(script.display().to_string());
        known.extend(scenarios(
            &suite.clone().arg("list").arg("--server").stdout()?,
        ));
        let server = Listening::start(setting.binary)?;
        let name = format!("{package} {}", revision.unwrap_or("handshake"));
        let results = setting.scratch.join(name.replace(' ', "-"));
        let mut suite = suite.env("MCP_HTTP_TOKEN", TOKEN);
        let results_text = results.display().to_string();
        for word in [
            "server",
            "--url",
            &server.url,
            "--suite",
            "all",
            "-o",
            &results_text,
        ] {
            suite = suite.arg(word);
        }
        if let Some(revision) = revision {
            suite = suite.arg("--spec-version").arg(revision);
        }
        // It ends with an error when anything failed; what failed, its files say.
        let _ended = suite
            .command()
            .output()
            .map_err(|error| Failure::new(format!("failed to start `{suite}`: {error}")))?;
        for (scenario, result) in outcomes(&results)? {
            seen.insert(scenario.clone());
            let verdict = judge(&scenario, &result, &listed, &mut unused);
            match verdict {
                Verdict::Passed => {
                    tally.passed = tally.passed.saturating_add(1);
                    say::line(format!("ok   {name}: {scenario}"));
                }
                Verdict::DoesNotApply => {}
                Verdict::Failed(why) => {
                    tally.failed = tally.failed.saturating_add(1);
                    say::line(format!("FAIL {name}: {scenario}: {why}"));
                }
            }
        }
    }
    let mut complain = |text: String| {
        tally.failed = tally.failed.saturating_add(1);
        say::line(format!("FAIL {PAGE}: {text}"));
    };
    for scenario in known.difference(&seen) {
        let line = (scenario.clone(), None);
        if listed.contains(&line) {
            // Of an extension, which no revision asks for.
            unused.remove(&line);
        } else {
            complain(format!("{scenario} was not run, and is not listed"));
        }
    }
    for (scenario, check) in unused {
        let check = check.as_deref().map(|check| format!("/{check}"));
        complain(format!(
            "{scenario}{} is listed, although it passes or is not there",
            check.unwrap_or_default()
        ));
    }
    Ok(Outcome::Ran(tally))
}

/// Installs the suite; the Node.js to run it with, if there is one.
fn install(directory: &Path) -> Result<Option<String>, Failure> {
    let Some(node) = node::find() else {
        return Ok(None);
    };
    let sources = root().join("xtask/conformance/suite");
    node::install(&node, &sources, directory)?;
    let (from, to) = (sources.join("token.mjs"), directory.join("token.mjs"));
    std::fs::copy(&from, to).map_err(context("copy", &from))?;
    if node.version() >= Some(NODE) {
        return Ok(Some("node".to_owned()));
    }
    Ok(inspector::own_node(directory).map(|program| program.display().to_string()))
}

/// The scenarios in what `list` prints.
fn scenarios(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "));
    lines
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect()
}

/// The lines of the page's tables: a scenario or `scenario/check` in the first cell.
fn listed(page: &str) -> Result<BTreeSet<Listed>, Failure> {
    let mut listed = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [names, reason] = cells[..] else {
            return Err(Failure::new(format!("{PAGE}: a row has two cells: {row}")));
        };
        if reason.is_empty() {
            return Err(Failure::new(format!("{PAGE}: a row needs a reason: {row}")));
        }
        for name in names.split(',').map(|name| name.trim().trim_matches('`')) {
            let line = match name.split_once('/') {
                Some((scenario, check)) => (scenario.to_owned(), Some(check.to_owned())),
                None => (name.to_owned(), None),
            };
            if !listed.insert(line) {
                return Err(Failure::new(format!("{PAGE}: {name} stands twice")));
            }
        }
    }
    Ok(listed)
}

/// The results that the suite wrote: a directory a scenario, `server-NAME-INSTANT`.
fn outcomes(directory: &Path) -> Result<BTreeMap<String, Checked>, Failure> {
    let entries = std::fs::read_dir(directory).map_err(context("read", directory))?;
    let mut outcomes = BTreeMap::new();
    for entry in entries {
        let path: PathBuf = entry.map_err(context("read", directory))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let Some(scenario) = name.as_deref().and_then(scenario_of) else {
            continue;
        };
        let checks = read(&path.join("checks.json"))?;
        let checks: Value = serde_json::from_str(&checks).map_err(context("read", &path))?;
        outcomes.insert(scenario.to_owned(), result(&checks));
    }
    if outcomes.is_empty() {
        return Err(Failure::new("the conformance suite wrote no results"));
    }
    Ok(outcomes)
}

fn scenario_of(directory: &str) -> Option<&str> {
    const INSTANT: usize = "-2026-12-01T02-09-46-196Z".len();
    let rest = directory.strip_prefix("server-")?;
    rest.get(..rest.len().checked_sub(INSTANT)?)
}

fn result(checks: &Value) -> Checked {
    let mut result = Checked::default();
    for check in checks.as_array().into_iter().flatten() {
        match check["status"].as_str() {
            // The alpha looks at every message of every scenario, also of those that do not apply.
            Some("SUCCESS") if check["id"] != "wire-schema-valid" => {
                result.passed = result.passed.saturating_add(1);
            }
            Some("SUCCESS" | "INFO" | "SKIPPED") => {}
            _ => {
                let id = check["id"].as_str().unwrap_or("a check without an id");
                result.failed.insert(id.to_owned());
            }
        }
    }
    result
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    DoesNotApply,
    Failed(String),
}

/// What a result means beside the list; what of the list it needed is taken out of `unused`.
fn judge(
    scenario: &str,
    result: &Checked,
    listed: &BTreeSet<Listed>,
    unused: &mut BTreeSet<&Listed>,
) -> Verdict {
    let whole = (scenario.to_owned(), None);
    if listed.contains(&whole) {
        let has_failed = result
            .failed
            .iter()
            .any(|check| check != "wire-schema-valid");
        if has_failed || result.passed == 0 {
            unused.remove(&whole);
            // That what we sent was no MCP is never a matter of what applies.
            return if result.failed.contains("wire-schema-valid") {
                Verdict::Failed("wire-schema-valid".to_owned())
            } else {
                Verdict::DoesNotApply
            };
        }
        return Verdict::Passed;
    }
    let mut left = Vec::new();
    for check in &result.failed {
        let line = (scenario.to_owned(), Some(check.clone()));
        if listed.contains(&line) {
            unused.remove(&line);
        } else {
            left.push(check.as_str());
        }
    }
    if !left.is_empty() {
        Verdict::Failed(left.join(", "))
    } else if result.passed == 0 {
        Verdict::Failed("nothing was checked".to_owned())
    } else {
        Verdict::Passed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_read() {
        let text = "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n  - caching [2026-07-28]\n";
        assert_eq!(scenarios(text), ["ping", "caching"]);
        assert_eq!(
            scenario_of("server-tools-list-2026-12-01T02-09-46-196Z"),
            Some("tools-list")
        );
        assert_eq!(scenario_of("client-x"), None);
        let page = "| scenario | why |\n| --- | --- |\n| `a`, `b/c` | x |\n";
        let rows = listed(page).ok().unwrap();
        assert!(rows.contains(&("a".to_owned(), None)));
        assert!(rows.contains(&("b".to_owned(), Some("c".to_owned()))));
        assert!(listed("| `a` |  |\n").is_err());
        assert!(listed("| `a` | x |\n| `a` | y |\n").is_err());
    }

    #[test]
    fn what_is_listed_must_be_needed_and_what_fails_must_be_listed() {
        let of = |checks: &[(&str, &str)]| {
            let checks = checks
                .iter()
                .map(|(id, status)| json!({ "id": id, "status": status }));
            result(&checks.collect())
        };
        let rows = listed("| `a`, `b/c` | x |\n").ok().unwrap();
        let verdict = |scenario: &str, result: &Checked| {
            let mut unused = rows.iter().collect();
            let verdict = judge(scenario, result, &rows, &mut unused);
            (verdict, unused.len())
        };
        assert_eq!(
            verdict("a", &of(&[("x", "FAILURE")])),
            (Verdict::DoesNotApply, 1)
        );
        assert_eq!(verdict("a", &of(&[])), (Verdict::DoesNotApply, 1));
        assert_eq!(verdict("a", &of(&[("x", "SUCCESS")])), (Verdict::Passed, 2));
        let invalid = of(&[("x", "FAILURE"), ("wire-schema-valid", "FAILURE")]);
        assert!(matches!(verdict("a", &invalid).0, Verdict::Failed(_)));
        let partly = of(&[("c", "FAILURE"), ("d", "SUCCESS")]);
        assert_eq!(verdict("b", &partly), (Verdict::Passed, 1));
        assert!(matches!(verdict("d", &partly).0, Verdict::Failed(_)));
        assert!(matches!(
            verdict("d", &of(&[("wire-schema-valid", "SUCCESS")])).0,
            Verdict::Failed(_)
        ));
    }
}
