//! The warranty desk on a million units: how fast it finds them, and that it never takes one for
//! another.

use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use super::machine::{Placement, memory_of};
use super::report::{Report, Row, Target, Unit, median, quantile};
use super::session::{Channel, Session};
use super::{Setting, build};
use crate::sh::{Failure, Run};

const DEVICES: &str = "1000000";
const CUSTOMERS: &str = "100000";
/// Typos of serial numbers that are judged.
const TYPOS: &str = "10000";
/// Questions of each kind to a server, in one round.
const QUESTIONS: &str = "2000";

/// The names of the questions in what the program tells, and what asks them.
const KINDS: [(&str, &str, &str, &str); 4] = [
    (
        "near",
        "find_device",
        "identifier",
        "find_device, one edit away",
    ),
    (
        "products",
        "search_devices",
        "productName",
        "search_devices by name",
    ),
    ("names", "find_customer", "name", "find_customer by name"),
    ("exact", "find_device", "identifier", "find_device, exact"),
];

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let program = build::warranty(&setting.target)?;
    let program = program.display().to_string();
    let file = setting.scratch.path().join("warranty.db");
    let database = file.display().to_string();
    let run = |words: &[&str]| Run::new(program.clone(), words).stdout();
    run(&["prepare", &database, DEVICES, CUSTOMERS])?;
    let queries = told(&run(&["queries", DEVICES, CUSTOMERS, QUESTIONS])?)?;
    setting.cores.place(Placement::Pinned)?;
    let mut times: [Vec<f64>; KINDS.len()] = Default::default();
    let mut memory = Vec::new();
    for _ in 0..setting.rounds {
        memory.push(session(setting, &file, &queries, &mut times)?);
    }
    let judged = told(&run(&["judge", &database, DEVICES, CUSTOMERS, TYPOS])?)?;
    setting.cores.place(Placement::Free)?;

    let number = |name: &str| judged[name].as_f64().unwrap_or(f64::NAN);
    let bounds = [15_000.0, 50_000.0, 50_000.0, 1_000.0];
    let mut rows = Vec::new();
    for (((_, _, _, what), times), bound) in KINDS.iter().zip(&times).zip(bounds) {
        let row = |part: &str, measured, target| {
            Row::value(format!("{what}, {part}"), Unit::Micros, measured, target)
        };
        rows.push(row("p50", median(times), Target::None));
        rows.push(row("p99", quantile(times, 0.99), Target::AtMost(bound)));
    }
    let none =
        |what: &str, name: &str| Row::value(what, Unit::Count, number(name), Target::AtMost(0.0));
    rows.extend([
        Row::value(
            "server's memory at its peak",
            Unit::Mebibytes,
            quantile(&memory, 1.0),
            Target::AtMost(100.0),
        ),
        Row::value(
            "typos that were judged",
            Unit::Count,
            number("typos"),
            Target::None,
        ),
        none("typos whose unit was not offered", "lost"),
        none("typos that identified a unit", "falsely"),
        none(
            "suggestions that differ from a scan's",
            "near_scans_that_differ",
        ),
        none(
            "searches by name that differ from a scan's",
            "name_scans_that_differ",
        ),
        none("searches by name that were refused", "names_refused"),
        beside(
            "one edit away, embedded, p99",
            number("near_p99_micros"),
            number("near_scan_p50_micros"),
        ),
        beside(
            "by name, embedded, p99",
            number("name_p99_micros"),
            number("name_scan_p50_micros"),
        ),
    ]);
    report.add(
        "Warranties",
        "A million units with random serial numbers of twelve letters and digits, a hundred thousand customers, five hundred products, in a SQLite file; one call at a time on one core; exact questions come last, because a server that has just started still looks at the tiers of all warranties. *Typos* are serial numbers with one letter or digit put in, left out or replaced, without those that are another unit's. A unit is offered if it is among the suggestions, or found as one to be confirmed. Searches by product ask for a name in full, for two words of it, and for a word that a fifth of all units share. *Scan* is the same question put to every unit or name by the domain's scorer, in memory (p50).",
        rows,
    );
    Ok(())
}

fn beside(what: &str, measured: f64, scan: f64) -> Row {
    Row::ratio(
        what,
        Unit::Micros,
        &[measured],
        "scan",
        &[scan],
        Target::None,
    )
}

/// The line of JSON that the program printed.
fn told(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("the program of warranties told no JSON: {error}")))
}

/// Asks one server everything, and tells its memory at the peak.
fn session(
    setting: &Setting,
    database: &Path,
    queries: &Value,
    times: &mut [Vec<f64>; KINDS.len()],
) -> Result<f64, Failure> {
    let (mut session, _) = Session::start(setting.server(Some(database)), Channel::Pipes)?;
    for ((kind, tool, argument, _), times) in KINDS.iter().zip(times) {
        let texts = queries[*kind].as_array().map_or(&[][..], Vec::as_slice);
        let mut next = texts.iter();
        let mut ask = |request: &mut Vec<u8>, _: u64| {
            let text = next.next().unwrap_or(&Value::Null);
            // Writing into memory cannot fail.
            let _ = write!(
                request,
                r#""name":"{tool}","arguments":{{"{argument}":{text}}}"#
            );
        };
        times.extend(session.one_at_a_time(texts.len(), &mut ask)?);
    }
    let memory = memory_of(session.id(), "VmHWM")?;
    session.end()?;
    Ok(memory)
}
