//! Tables for people: aligned columns without lines or colours, so that `NO_COLOR` has nothing to say.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{CliError, print};

/// Columns of the terminal that a cell has at most; what is wider is cut off with an ellipsis. A Chinese,
/// Japanese or Korean character takes two.
const WIDEST: usize = 48;

/// A column's title and side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    title: &'static str,
    right: bool,
}

impl Column {
    /// Text.
    pub(super) fn left(title: &'static str) -> Self {
        Self {
            title,
            right: false,
        }
    }

    /// Amounts.
    pub(super) fn right(title: &'static str) -> Self {
        Self { title, right: true }
    }
}

/// Prints rows under their titles.
pub(super) fn rows<const N: usize>(
    columns: [Column; N],
    rows: &[[String; N]],
) -> Result<(), CliError> {
    print(&lines(columns, rows).join("\n"))
}

/// Prints the parts of one thing, a line each; those that are empty are left out.
pub(super) fn pairs(pairs: &[(&str, String)]) -> Result<(), CliError> {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let shown = pairs.iter().filter(|(_, value)| !value.is_empty());
    let lines: Vec<_> = shown
        .map(|(name, value)| format!("{name:width$}  {}", visible(value)))
        .collect();
    print(&lines.join("\n"))
}

/// Prints what follows a table.
pub(super) fn note(text: &str) -> Result<(), CliError> {
    print(&format!("({text})"))
}

fn lines<const N: usize>(columns: [Column; N], rows: &[[String; N]]) -> Vec<String> {
    let titles = columns.map(|column| column.title.to_owned());
    let cells: Vec<[String; N]> = std::iter::once(&titles)
        .chain(rows)
        .map(|row| row.clone().map(|cell| cut(&visible(&cell))))
        .collect();
    let mut widths = [0; N];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    cells
        .iter()
        .map(|row| {
            let cells = row.iter().zip(widths).zip(columns);
            let padded = cells.map(|((cell, width), column)| {
                let padding = " ".repeat(width.saturating_sub(cell.width()));
                match column.right {
                    true => padding + cell,
                    false => format!("{cell}{padding}"),
                }
            });
            let line = padded.collect::<Vec<_>>().join("  ");
            line.trim_end().to_owned()
        })
        .collect()
}

/// A stored text must not be able to steer the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

fn cut(text: &str) -> String {
    if text.width() <= WIDEST {
        return text.to_owned();
    }
    // Room for the ellipsis.
    let mut room = WIDEST - 1;
    let fits = text.chars().take_while(|letter| {
        let left = room.checked_sub(letter.width().unwrap_or(0));
        room = left.unwrap_or(0);
        left.is_some()
    });
    fits.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = [
            ["お茶 350ml".to_owned(), "1 JPY".to_owned()],
            ["Cola".to_owned(), "10 JPY".to_owned()],
            ["茶".repeat(30), String::new()],
        ];
        let lines = lines([Column::left("PRODUCT"), Column::right("PRICE")], &rows);
        let cut = format!("{}…", "茶".repeat(23));
        assert_eq!(
            lines,
            [
                format!("PRODUCT{}   PRICE", " ".repeat(40)),
                format!("お茶 350ml{}   1 JPY", " ".repeat(37)),
                format!("Cola{}  10 JPY", " ".repeat(43)),
                cut,
            ]
        );
    }

    #[test]
    fn columns_are_aligned_and_tame() {
        let long = "x".repeat(60);
        let rows = [
            ["a".to_owned(), "1.00 USD".to_owned()],
            ["é\u{1b}[31m\n".to_owned(), "1000.00 USD".to_owned()],
            [long, String::new()],
        ];
        let lines = lines([Column::left("NAME"), Column::right("BALANCE")], &rows);
        let cut = format!("{}…", "x".repeat(47));
        assert_eq!(
            lines,
            [
                format!("NAME{}  {:>11}", " ".repeat(44), "BALANCE"),
                format!("a{}  {:>11}", " ".repeat(47), "1.00 USD"),
                format!("é [31m {}  1000.00 USD", " ".repeat(41)),
                cut,
            ]
        );
    }
}
