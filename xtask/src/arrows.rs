//! `cargo xtask arrows`: which crate may depend on which. The table stands in
//! `docs/architecture.md`, where people read it; cargo says what is.
//!
//! *Invariant:* a dependency between two crates of this workspace exists if and only if the table
//! has its arrow. Only dependencies of the product count, not those of tests.

use std::collections::BTreeMap;

use crate::metadata::{Package, workspace};
use crate::say;
use crate::sh::{Failure, read, root};

/// Where the table stands.
const TABLE: &str = "docs/architecture.md";
const OPEN: &str = "<!-- arrows -->";
const CLOSE: &str = "<!-- /arrows -->";

/// The table, parsed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rules {
    /// `a -> b, c`: what each crate of this workspace may depend on inside it.
    arrows: BTreeMap<String, Vec<String>>,
    /// `only a: x, y`: `x` and `y` are dependencies of `a` and of no other crate here.
    only: BTreeMap<String, Vec<String>>,
    /// `never a: x, y`: `x` and `y` are not dependencies of `a`.
    never: BTreeMap<String, Vec<String>>,
}

/// `cargo xtask arrows`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    let rules = parse(&read(&root().join(TABLE))?)?;
    let packages = workspace()?.packages;
    let problems = problems(&rules, &packages);
    if problems.is_empty() {
        say::line(format!(
            "arrows: {} crates are as {TABLE} says",
            packages.len()
        ));
        Ok(())
    } else {
        Err(Failure::new(problems.join("\n")))
    }
}

/// Reads the block between the markers; lines that open or close its code fence are skipped.
fn parse(document: &str) -> Result<Rules, Failure> {
    let block = document
        .split_once(OPEN)
        .and_then(|(_, rest)| rest.split_once(CLOSE))
        .map(|(block, _)| block)
        .ok_or_else(|| Failure::new(format!("{TABLE} has no block from {OPEN} to {CLOSE}")))?;
    let mut rules = Rules::default();
    for line in block.lines().map(str::trim) {
        if line.is_empty() || line.starts_with("```") {
            continue;
        }
        let entry = if let Some((from, to)) = line.split_once("->") {
            rules.arrows.insert(from.trim().to_owned(), names(to))
        } else if let Some((from, what)) = rule(line, "only ") {
            rules.only.insert(from, what)
        } else if let Some((from, what)) = rule(line, "never ") {
            rules.never.insert(from, what)
        } else {
            return Err(Failure::new(format!(
                "{TABLE}: `{line}` is neither `crate -> crates`, `only crate: names` nor `never crate: names`"
            )));
        };
        if entry.is_some() {
            return Err(Failure::new(format!(
                "{TABLE}: `{line}` is the second line of its kind for one crate"
            )));
        }
    }
    Ok(rules)
}

fn rule(line: &str, word: &str) -> Option<(String, Vec<String>)> {
    let (from, what) = line.strip_prefix(word)?.split_once(':')?;
    Some((from.trim().to_owned(), names(what)))
}

fn names(list: &str) -> Vec<String> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Everything that is not as the table says, one sentence each.
fn problems(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    let known = |name: &str| packages.iter().any(|package| package.name == name);
    let named = rules.arrows.keys().chain(rules.arrows.values().flatten());
    for name in named.chain(rules.only.keys()).chain(rules.never.keys()) {
        if !known(name) {
            problems.push(format!(
                "{TABLE} speaks of `{name}`, which is no crate of this workspace"
            ));
        }
    }
    for package in packages {
        let Package {
            name,
            manifest,
            dependencies,
            ..
        } = package;
        let Some(allowed) = rules.arrows.get(name) else {
            problems.push(format!(
                "{TABLE} has no line for `{name}` ({manifest}): write `{name} -> …` there"
            ));
            continue;
        };
        for other in dependencies {
            if known(other) && !allowed.contains(other) {
                problems.push(format!(
                    "{manifest}: the arrow {name} -> {other} is not in {TABLE}"
                ));
            }
            for (owner, what) in &rules.only {
                if what.contains(other) && owner != name {
                    problems.push(format!(
                        "{manifest}: the arrow {name} -> {other} is forbidden: {TABLE} says that only {owner} knows {other}"
                    ));
                }
            }
            if rules
                .never
                .get(name)
                .is_some_and(|never| never.contains(other))
            {
                problems.push(format!(
                    "{manifest}: the arrow {name} -> {other} is forbidden: {TABLE} says never"
                ));
            }
        }
        for other in allowed {
            if known(other) && !dependencies.contains(other) {
                problems.push(format!(
                    "{TABLE}: the arrow {name} -> {other} is not used, so it does not belong there"
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# X\n<!-- arrows -->\n```text\ntop -> base\nbase ->\nonly top: wire, web\nnever base: clock\n```\n<!-- /arrows -->\nmore";

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            is_library: true,
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn found(top: &[&str], base: &[&str]) -> Vec<String> {
        let rules = parse(DOCUMENT).unwrap();
        problems(&rules, &[package("base", base), package("top", top)])
    }

    #[test]
    fn a_tree_as_the_table_says_has_no_problems() {
        assert_eq!(
            found(&["base", "wire", "clock"], &["other"]),
            [] as [&str; 0]
        );
    }

    #[test]
    fn each_forbidden_arrow_is_named_with_its_file() {
        assert_eq!(
            found(&["base"], &["clock", "top", "wire"]),
            [
                "crates/base/Cargo.toml: the arrow base -> clock is forbidden: docs/architecture.md says never",
                "crates/base/Cargo.toml: the arrow base -> top is not in docs/architecture.md",
                "crates/base/Cargo.toml: the arrow base -> wire is forbidden: docs/architecture.md says that only top knows wire",
            ]
        );
    }

    #[test]
    fn the_table_itself_must_be_true() {
        assert_eq!(
            found(&[], &[]),
            [
                "docs/architecture.md: the arrow top -> base is not used, so it does not belong there"
            ]
        );
        let rules = parse(DOCUMENT).unwrap();
        assert_eq!(
            problems(&rules, &[package("new", &[])]),
            [
                "docs/architecture.md speaks of `base`, which is no crate of this workspace",
                "docs/architecture.md speaks of `top`, which is no crate of this workspace",
                "docs/architecture.md speaks of `base`, which is no crate of this workspace",
                "docs/architecture.md speaks of `top`, which is no crate of this workspace",
                "docs/architecture.md speaks of `base`, which is no crate of this workspace",
                "docs/architecture.md has no line for `new` (crates/new/Cargo.toml): write `new -> …` there",
            ]
        );
    }

    #[test]
    fn a_table_that_cannot_be_read_is_refused() {
        for document in [
            "no markers",
            "<!-- arrows -->\n<!-- end -->",
            "<!-- arrows -->\nhello\n<!-- /arrows -->",
            "<!-- arrows -->\na -> b\na -> c\n<!-- /arrows -->",
        ] {
            assert!(parse(document).is_err(), "{document}");
        }
    }

    #[test]
    fn this_workspace_is_as_its_table_says() {
        command(&[]).unwrap();
    }
}
