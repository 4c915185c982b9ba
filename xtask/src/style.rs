//! `cargo xtask style`: the rules of this repository that no compiler checks.

use std::path::{Path, PathBuf};

use crate::say;
use crate::sh::{Failure, context, read, root};

/// Longest file of the product, without its trailing module of unit tests. A longer one owns two
/// ideas. Integration tests are read case by case and may be longer.
const MAX_LINES: usize = 500;

/// `cargo xtask style`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    let mut files = Vec::new();
    for directory in ["crates", "xtask"] {
        rust_files(&root().join(directory), &mut files)?;
    }
    files.sort();
    let mut problems = dependency_problems(&read(&root().join("Cargo.toml"))?);
    for path in &files {
        let name = path.strip_prefix(root()).unwrap_or(path).display();
        let name = name.to_string().replace('\\', "/");
        problems.extend(file_problems(&name, &read(path)?));
    }
    if problems.is_empty() {
        say::line(format!("style: {} files are as agreed", files.len()));
        Ok(())
    } else {
        Err(Failure::new(problems.join("\n")))
    }
}

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let read = context("read", directory);
    let entries = std::fs::read_dir(directory)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .map_err(read)?;
    for path in entries.into_iter().map(|entry| entry.path()) {
        let hidden = path
            .file_name()
            .is_some_and(|name| name == "target" || name == "node_modules");
        if path.is_dir() && !hidden {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn file_problems(name: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if !text.starts_with("//!") {
        problems.push(format!(
            "{name}:1: a file opens with `//!` and a sentence that says what it owns"
        ));
    }
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("#[ignore") {
            problems.push(format!(
                "{name}:{}: no ignored tests: fix it, or delete it and say why in the commit",
                index.saturating_add(1)
            ));
        }
    }
    let lines = if name.contains("/tests/") {
        0
    } else {
        product_lines(text)
    };
    if lines > MAX_LINES {
        problems.push(format!(
            "{name}: {lines} lines without its unit tests, {MAX_LINES} at most: split it by what its parts own"
        ));
    }
    problems
}

/// The lines before the unit tests at the end of a file.
pub(crate) fn product_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod tests {"))
        .unwrap_or(lines.len())
}

/// Each line of `[workspace.dependencies]` says what its dependency is for, except for the crates
/// of this workspace.
fn dependency_problems(manifest: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut inside = false;
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            inside = line.starts_with("[workspace.dependencies");
        }
        let Some((name, value)) = line.split_once('=').filter(|_| inside) else {
            continue;
        };
        let name = name.trim();
        let entry = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        let ours = value.contains("path = \"");
        let reason = comment(value).is_some_and(|reason| !reason.trim().is_empty());
        if entry && !ours && !reason {
            problems.push(format!(
                "Cargo.toml:{}: `{name}` needs a `# comment` on its line that says what it is for",
                index.saturating_add(1)
            ));
        }
    }
    problems
}

/// What stands behind the first `#` outside of a string.
fn comment(value: &str) -> Option<&str> {
    let mut quoted = false;
    value.char_indices().find_map(|(index, letter)| {
        quoted ^= letter == '"';
        (letter == '#' && !quoted).then(|| value.split_at(index).1.trim_start_matches('#'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_keeps_its_style() {
        command(&[]).unwrap();
    }

    #[test]
    fn a_file_opens_by_saying_what_it_owns() {
        assert_eq!(file_problems("a.rs", "//! Owns a.\n"), Vec::<String>::new());
        assert_eq!(file_problems("a.rs", "// Owns a.\n").len(), 1);
        assert_eq!(file_problems("a.rs", "").len(), 1);
    }

    #[test]
    fn unit_tests_do_not_count_into_the_length() {
        let product = "//! Owns a.\n".repeat(MAX_LINES);
        let tests = "#[cfg(test)]\nmod tests {\n}\n".repeat(MAX_LINES);
        assert_eq!(
            file_problems("a.rs", &format!("{product}{tests}")),
            Vec::<String>::new()
        );
        let long = format!("{product}x\n");
        assert_eq!(file_problems("a.rs", &long).len(), 1);
        assert_eq!(
            file_problems("crates/a/tests/b.rs", &long),
            Vec::<String>::new()
        );
    }

    #[test]
    fn ignored_tests_are_found() {
        let text = format!("//! Owns a.\n    #[{}]\n", "ignore = \"slow\"");
        assert_eq!(file_problems("a.rs", &text).len(), 1);
    }

    #[test]
    fn each_dependency_has_its_reason() {
        let manifest = |lines: &str| {
            dependency_problems(&format!(
                "[workspace.dependencies]\n{lines}\n[profile.dev]\ndebug = 1\n"
            ))
        };
        for fine in [
            "ours = { path = \"crates/ours\" }",
            "a = \"1\" # why",
            "a = { version = \"1\", features = [ # why\n  \"b\",\n] }",
        ] {
            assert_eq!(manifest(fine), Vec::<String>::new(), "{fine}");
        }
        for bad in ["a = \"1\"", "a = \"1\" #", "a = { git = \"x#y\" }"] {
            assert_eq!(manifest(bad).len(), 1, "{bad}");
        }
    }
}
