//! Two servers on one file: desktop clients start servers twice, and both must work.

use std::thread;
use std::time::Duration;

use super::Setting;
use super::durable::Embedded;
use super::machine::Placement;
use super::report::{Report, Row, Target, Unit, quantile};
use super::session::{Channel, Pace, Session};
use super::stdio;
use crate::sh::Failure;

/// How long both are kept busy.
const TIME: Duration = Duration::from_secs(2);
/// Refunds in flight at each.
const WINDOW: usize = 16;

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let database = setting.scratch.path().join("processes.db");
    Embedded::build(setting)?.prepare(&database, 1_000)?;
    setting.cores.place(Placement::Free)?;
    let mut shares = Vec::new();
    let mut rates = Vec::new();
    let mut latencies = Vec::new();
    for _ in 0..setting.rounds {
        let start = || Session::start(setting.server(Some(&database)), Channel::Pipes);
        let (first, _) = start()?;
        let (second, _) = start()?;
        let (first, second) = thread::scope(|scope| {
            let second = scope.spawn(|| keep_busy(second));
            (keep_busy(first), second.join())
        });
        let second = second.map_err(|_| Failure::new("a client of `processes` panicked"))?;
        let (first, second) = (first?, second?);
        let whole = first.rate() + second.rate();
        rates.push(whole);
        shares.push(first.rate().min(second.rate()) / whole * 100.0);
        latencies.extend(first.latencies);
        latencies.extend(second.latencies);
    }
    let millis = |part| quantile(&latencies, part) / 1000.0;
    report.add(
        "Two processes on one file",
        "Two servers on one SQLite file, each kept at 16 refunds in flight, spread over ten thousand customers. The smaller share is the smallest of all rounds; the latencies are those of all rounds together.",
        vec![
            Row::value("refunds of both", Unit::PerSecond, quantile(&rates, 0.5), Target::None),
            Row::value("smaller share of the work", Unit::Percent, quantile(&shares, 0.0), Target::AtLeast(20.0)),
            Row::value("latency, p50", Unit::Millis, millis(0.5), Target::None),
            Row::value("latency, p99.9", Unit::Millis, millis(0.999), Target::AtMost(250.0)),
            Row::value("latency, longest", Unit::Millis, millis(1.0), Target::None),
        ],
    );
    Ok(())
}

fn keep_busy(mut session: Session) -> Result<Pace, Failure> {
    let mut refund = stdio::refund(format!("processes-{}", session.id()), true);
    let pace = session.in_flight_for(WINDOW, TIME, &mut refund)?;
    session.end()?;
    Ok(pace)
}
