//! What was measured, beside what, and whether that was the target: on the terminal and in
//! `docs/benchmarks.md`.

use std::fmt;

use super::machine::Machine;
use crate::sh::{Failure, context, read, root};

/// Where the report goes.
const DOCUMENT: &str = "docs/benchmarks.md";
/// What stands between these is written by the command; the rest is kept by hand.
const OPEN: &str = "<!-- measured -->";
const CLOSE: &str = "<!-- /measured -->";

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Micros,
    Millis,
    PerSecond,
    Mebibytes,
    Percent,
    Count,
}

/// A bound on what is judged: the ratio where there is something beside, else the value itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// For information.
    None,
}

/// One line of the report.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) unit: Unit,
    pub(super) measured: f64,
    pub(super) beside: Option<Beside>,
    pub(super) target: Target,
}

/// What was measured in the same run for comparison.
pub(super) struct Beside {
    pub(super) name: &'static str,
    pub(super) measured: f64,
    pub(super) ratio: f64,
}

impl Row {
    /// A value that stands for itself.
    pub(super) fn value(
        what: impl Into<String>,
        unit: Unit,
        measured: f64,
        target: Target,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            measured,
            beside: None,
            target,
        }
    }

    /// A value beside another, from rounds in which both were measured one after the other. The ratio
    /// is the median of the rounds' ratios, so that a slow minute of the machine counts for both.
    pub(super) fn ratio(
        what: impl Into<String>,
        unit: Unit,
        measured: &[f64],
        name: &'static str,
        beside: &[f64],
        target: Target,
    ) -> Self {
        let ratios: Vec<f64> = measured.iter().zip(beside).map(|(a, b)| a / b).collect();
        Self {
            what: what.into(),
            unit,
            measured: median(measured),
            beside: Some(Beside {
                name,
                measured: median(beside),
                ratio: median(&ratios),
            }),
            target,
        }
    }

    /// Whether the target was met; `None` where there is none.
    fn met(&self) -> Option<bool> {
        let judged = self
            .beside
            .as_ref()
            .map_or(self.measured, |beside| beside.ratio);
        match self.target {
            Target::AtMost(bound) => Some(judged <= bound),
            Target::AtLeast(bound) => Some(judged >= bound),
            Target::None => None,
        }
    }

    fn cells(&self) -> [String; 6] {
        let beside = |show: fn(&Beside, Unit) -> String| {
            let shown = self.beside.as_ref().map(|beside| show(beside, self.unit));
            shown.unwrap_or_default()
        };
        [
            self.what.clone(),
            self.unit.show(self.measured),
            beside(|beside, unit| format!("{} {}", beside.name, unit.show(beside.measured))),
            beside(|beside, _| format!("{:.2}", beside.ratio)),
            match (self.target, &self.beside) {
                (Target::None, _) => String::new(),
                (Target::AtMost(bound), None) => format!("≤ {}", self.unit.show(bound)),
                (Target::AtLeast(bound), None) => format!("≥ {}", self.unit.show(bound)),
                (Target::AtMost(bound), Some(_)) => format!("≤ {bound}"),
                (Target::AtLeast(bound), Some(_)) => format!("≥ {bound}"),
            },
            match self.met() {
                Some(true) => "met".to_owned(),
                Some(false) => "missed".to_owned(),
                None => String::new(),
            },
        ]
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Micros if value >= 1000.0 => format!("{:.2} ms", value / 1000.0),
            Self::Micros => format!("{value:.1} µs"),
            Self::Millis => format!("{value:.1} ms"),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Percent => format!("{value:.0} %"),
            Self::Count => format!("{value:.0}"),
        }
    }
}

/// The middle one of some numbers; `NaN`, which meets no target, where there are none.
pub(super) fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// The number below which this part of them lies.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index into a list that fits into memory"
)]
pub(super) fn quantile(numbers: &[f64], part: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len().saturating_sub(1) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// Everything a run measured, by the name of the measurement.
#[derive(Default)]
pub(super) struct Report {
    groups: Vec<Group>,
}

struct Group {
    title: &'static str,
    how: &'static str,
    rows: Vec<Row>,
}

const HEAD: [&str; 6] = ["", "measured", "beside", "ratio", "target", ""];

impl Report {
    pub(super) fn add(&mut self, title: &'static str, how: &'static str, rows: Vec<Row>) {
        self.groups.push(Group { title, how, rows });
    }

    /// The rows whose target was missed.
    pub(super) fn missed(&self) -> Vec<&str> {
        self.rows()
            .filter(|row| row.met() == Some(false))
            .map(|row| row.what.as_str())
            .collect()
    }

    /// How many rows have a target.
    pub(super) fn judged(&self) -> usize {
        self.rows().filter(|row| row.met().is_some()).count()
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// Writes what was measured into the document, each group with its command, date and machine; the rest
    /// stays as it is.
    pub(super) fn write(
        &self,
        machine: &Machine,
        command: &str,
        date: &str,
    ) -> Result<(), Failure> {
        let path = root().join(DOCUMENT);
        let document = read(&path)?;
        let (before, rest) = document
            .split_once(OPEN)
            .ok_or_else(|| Failure::new(format!("{DOCUMENT} has no line {OPEN}")))?;
        let (measured, after) = rest
            .split_once(CLOSE)
            .ok_or_else(|| Failure::new(format!("{DOCUMENT} has no line {CLOSE}")))?;
        let groups: Vec<(&str, String)> = self
            .groups
            .iter()
            .map(|Group { title, how, rows }| {
                let rows = markdown(rows);
                let text = format!("{how}\n\n{rows}\n`{command}` on {date}. {machine}.\n\n");
                (*title, text)
            })
            .collect();
        let measured = merged(measured, &groups);
        let text = format!("{before}{OPEN}\n\n{measured}{CLOSE}{after}");
        std::fs::write(&path, text).map_err(context("write", &path))
    }
}

/// The groups of a document with these in the place of those of the same titles, or behind them all.
fn merged(document: &str, groups: &[(&str, String)]) -> String {
    const HEADING: &str = "### ";
    let mut sections: Vec<(&str, &str)> = document
        .split(HEADING)
        .skip(1)
        .filter_map(|section| section.split_once("\n\n"))
        .collect();
    for (title, text) in groups {
        match sections.iter_mut().find(|(known, _)| known == title) {
            Some((_, old)) => *old = text,
            None => sections.push((title, text)),
        }
    }
    let sections = sections.iter();
    sections
        .map(|(title, text)| format!("{HEADING}{title}\n\n{text}"))
        .collect()
}

fn markdown(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&HEAD.map(str::to_owned));
    text.push_str("| --- | ---: | ---: | ---: | ---: | --- |\n");
    for row in rows {
        text.push_str(&line(&row.cells()));
    }
    text
}

/// For a terminal: each column as wide as it must be.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.rows().map(Row::cells));
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: [usize; 6] = std::array::from_fn(width);
        for line in &lines {
            let cells = line
                .iter()
                .zip(widths)
                .enumerate()
                .map(|(column, (cell, width))| {
                    if column == 0 || column == 5 {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_tail_of_some_numbers() {
        let numbers = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert!((median(&numbers) - 3.0).abs() < 1e-9);
        assert!((quantile(&numbers, 1.0) - 5.0).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_target_is_a_bound_on_the_ratio_where_there_is_one() {
        let ratio =
            |target| Row::ratio("x", Unit::Micros, &[20.0, 30.0], "y", &[50.0, 60.0], target);
        assert_eq!(ratio(Target::AtMost(0.5)).met(), Some(true));
        assert_eq!(ratio(Target::AtMost(0.45)).met(), Some(false));
        assert_eq!(ratio(Target::AtLeast(0.45)).met(), Some(true));
        assert_eq!(ratio(Target::None).met(), None);
        let alone = Row::value("x", Unit::Millis, 16.0, Target::AtMost(15.0));
        assert_eq!(alone.met(), Some(false));
        let nothing = Row::value("x", Unit::Millis, f64::NAN, Target::AtMost(15.0));
        assert_eq!(nothing.met(), Some(false));
    }

    #[test]
    fn a_group_takes_the_place_of_the_one_that_was_measured_before() {
        let old = "\n\n### A\n\none\n\n### B\n\ntwo\n\n";
        let groups = [("B", "new\n\n".to_owned()), ("C", "more\n\n".to_owned())];
        assert_eq!(
            merged(old, &groups),
            "### A\n\none\n\n### B\n\nnew\n\n### C\n\nmore\n\n"
        );
    }

    #[test]
    fn the_document_has_a_place_for_the_numbers() {
        let document = read(&root().join(DOCUMENT)).unwrap();
        let (_, rest) = document.split_once(OPEN).unwrap();
        assert!(rest.contains(CLOSE));
    }
}
