//! `cargo xtask docs`: the pages that the server writes about itself, and whether the written ones
//! are still true.

use std::fmt::Write as _;

use crate::say;
use crate::sh::{Failure, Run, build_server, context, read, root};

/// The pages: the server's word for each, and its file.
const PAGES: [(&str, &str); 2] = [("cli", "docs/cli.md"), ("tools", "docs/tools.md")];

/// `cargo xtask docs [--check]`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => write(),
        [flag] if flag == "--check" => check(),
        _ => Err(Failure::usage("usage: cargo xtask docs [--check]")),
    }
}

fn write() -> Result<(), Failure> {
    for (file, text) in pages()? {
        let path = root().join(file);
        std::fs::write(&path, text).map_err(context("write", &path))?;
        say::line(format!("wrote {file}"));
    }
    Ok(())
}

/// Holds the written pages against what the server says now.
pub(crate) fn check() -> Result<(), Failure> {
    let mut problems = String::new();
    for (file, text) in pages()? {
        if let Some(line) = first_difference(&read(&root().join(file))?, &text) {
            let _ = writeln!(problems, "{file}:{line} is not as the code says");
        }
    }
    if problems.is_empty() {
        say::line(format!("docs: {} pages are as the code says", PAGES.len()));
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{problems}to write them anew: cargo xtask docs"
        )))
    }
}

fn pages() -> Result<Vec<(&'static str, String)>, Failure> {
    let binary = build_server()?.display().to_string();
    PAGES
        .into_iter()
        .map(|(page, file)| {
            let text = Run::new(&binary, ["docs", page]).stdout()?;
            Ok((file, text.replace("\r\n", "\n")))
        })
        .collect()
}

/// The number of the first line in which two texts differ.
fn first_difference(written: &str, wanted: &str) -> Option<usize> {
    let written = written.replace("\r\n", "\n");
    if written == wanted {
        return None;
    }
    let alike = written
        .lines()
        .zip(wanted.lines())
        .take_while(|(left, right)| left == right);
    Some(alike.count().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\r\nb\r\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
        assert_eq!(first_difference("a\n", "a"), Some(2));
    }
}
