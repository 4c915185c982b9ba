//! `refund-mcp docs`: the pages of the documentation that the code itself knows best. `cargo xtask
//! docs` writes them, and its `--check` holds the written ones against the code.

mod command_line;
mod tools;

use clap::ValueEnum;

use super::{CliError, print};
use crate::exit::Exit;

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Page {
    /// `docs/cli.md`
    Cli,
    /// `docs/tools.md`
    Tools,
}

pub(super) fn run(page: Page) -> Result<Exit, CliError> {
    let text = match page {
        Page::Cli => command_line::page()?,
        Page::Tools => tools::page(),
    };
    print(text.trim_end())?;
    Ok(Exit::Ok)
}

const GENERATED: &str =
    "<!-- Written by `cargo xtask docs` from the code. Change the code, not this page. -->";

/// A table of Markdown, without the columns in which nothing stands.
fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let used: Vec<bool> = (0..N)
        .map(|column| {
            rows.iter()
                .any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells
            .zip(&used)
            .filter_map(|(cell, used)| used.then(|| cell.replace('|', "\\|")))
            .collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&mut head.iter().map(|&cell| cell.to_owned()));
    text.push_str(&line(&mut head.iter().map(|_| "---".to_owned())));
    for row in rows {
        text.push_str(&line(&mut row.iter().cloned()));
    }
    text
}

/// Words as code, nothing as nothing.
fn code(words: &str) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!("`{words}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_without_anything_is_left_out() {
        let row = |a: &str, b: &str, c: &str| [a, b, c].map(str::to_owned);
        assert_eq!(
            table(["a", "b", "c"], &[row("1", "", "x|y"), row("2", "", "")]),
            "| a | c |\n| --- | --- |\n| 1 | x\\|y |\n| 2 |  |\n"
        );
    }
}
