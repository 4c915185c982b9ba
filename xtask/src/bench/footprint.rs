//! What the server costs before it has done anything: its start, its memory, its size.

use super::Setting;
use super::durable::Embedded;
use super::machine::{Placement, memory_of};
use super::report::{Report, Row, Target, Unit, median};
use super::session::{Channel, Session};
use crate::sh::{Failure, context};

/// Starts in a round.
const STARTS: usize = 5;

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let database = setting.scratch.path().join("footprint.db");
    Embedded::build(setting)?.prepare(&database, 1_000)?;
    setting.cores.place(Placement::Free)?;
    let mut starts = Vec::new();
    let mut new_starts = Vec::new();
    let mut memory = Vec::new();
    for round in 0..setting.rounds {
        for turn in 0..STARTS {
            let (session, took) = Session::start(setting.server(Some(&database)), Channel::Pipes)?;
            starts.push(took.as_secs_f64() * 1000.0);
            memory.push(memory_of(session.id(), "VmRSS")?);
            session.end()?;

            let new = format!("footprint-{round}-{turn}.db");
            let new = setting.scratch.path().join(new);
            let (session, took) = Session::start(setting.server(Some(&new)), Channel::Pipes)?;
            new_starts.push(took.as_secs_f64() * 1000.0);
            session.end()?;
        }
    }
    let size = std::fs::metadata(&setting.server)
        .map_err(context("read", &setting.server))?
        .len();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a program's size is far below 2^53"
    )]
    let size = size as f64 / (1024.0 * 1024.0);
    let row = |what: &str, unit, measured, target| Row::value(what, unit, measured, target);
    report.add(
        "Start, memory, size",
        "From starting the process to its answer to `initialize`, with a SQLite file; resident memory just after that; the program as released.",
        vec![
            row("start, file that is there", Unit::Millis, median(&starts), Target::AtMost(15.0)),
            row("start, new file", Unit::Millis, median(&new_starts), Target::None),
            row("memory at rest", Unit::Mebibytes, median(&memory), Target::AtMost(12.0)),
            row("size of the program", Unit::Mebibytes, size, Target::AtMost(12.0)),
        ],
    );
    Ok(())
}
