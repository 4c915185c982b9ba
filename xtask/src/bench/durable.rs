//! Durable refunds through the embedded desk and through a server, beside a plain loop over the
//! database driver.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::machine::Placement;
use super::report::{Report, Row, Target, Unit};
use super::session::{Channel, Session};
use super::{Setting, build, stdio};
use crate::sh::{Failure, Run};

/// Seconds of one run of the embedded program.
const SECONDS: &str = "0.7";
/// Customers in the database: as many as refunds are spread over.
const CUSTOMERS: &str = "10000";

/// Medians in microseconds.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) refund: f64,
    pub(super) look_up: f64,
}

/// The program `crates/refund-store/benches/refunds.rs`.
pub(super) struct Embedded(PathBuf);

impl Embedded {
    pub(super) fn build(setting: &Setting) -> Result<Self, Failure> {
        build::embedded(&setting.target).map(Self)
    }

    /// Makes a database with customers and as many refunds of the past.
    pub(super) fn prepare(&self, database: &Path, refunds: u64) -> Result<(), Failure> {
        let words = ["prepare", &text(database), CUSTOMERS, &refunds.to_string()];
        self.run(&words).map(|_| ())
    }

    /// How long a refund and a look-up take on a file with this past.
    pub(super) fn times(&self, database: &Path, refunds: u64) -> Result<Times, Failure> {
        let told = self.told(&["growth", &text(database), &refunds.to_string()])?;
        Ok(Times {
            refund: number(&told, "refund_p50_micros"),
            look_up: number(&told, "look_up_p50_micros"),
        })
    }

    /// Refunds a second.
    fn rate(&self, words: &[&str]) -> Result<f64, Failure> {
        Ok(number(&self.told(words)?, "refunds_per_second"))
    }

    fn told(&self, words: &[&str]) -> Result<Value, Failure> {
        serde_json::from_str(&self.run(words)?)
            .map_err(|error| Failure::new(format!("the embedded program told no JSON: {error}")))
    }

    fn run(&self, words: &[&str]) -> Result<String, Failure> {
        Run::new(text(&self.0), words).stdout()
    }
}

fn number(told: &Value, name: &str) -> f64 {
    told[name].as_f64().unwrap_or(f64::NAN)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let embedded = Embedded::build(setting)?;
    let database = setting.scratch.path().join("durable.db");
    embedded.prepare(&database, 1_000)?;
    setting.cores.place(Placement::Free)?;

    let path = text(&database);
    let rate = |words: &[&str]| embedded.rate(words);
    let mut rates: [Vec<f64>; 10] = Default::default();
    for _ in 0..setting.rounds {
        let round = [
            rate(&["raw", &path, "1", "hot", SECONDS])?,
            rate(&["raw", &path, "1", "spread", SECONDS])?,
            rate(&["raw", &path, "64", "hot", SECONDS])?,
            rate(&["raw", &path, "64", "spread", SECONDS])?,
            rate(&["desk", &path, "1", "hot", SECONDS])?,
            rate(&["desk", &path, "1", "spread", SECONDS])?,
            rate(&["desk", &path, "64", "hot", SECONDS])?,
            rate(&["desk", &path, "64", "spread", SECONDS])?,
            through_server(setting, &database, 1)?,
            through_server(setting, &database, 64)?,
        ];
        for (rates, rate) in rates.iter_mut().zip(round) {
            rates.push(rate);
        }
    }
    let [
        raw,
        raw_spread,
        raw_together,
        raw_together_spread,
        alone,
        alone_spread,
        together,
        spread,
        server,
        server_together,
    ] = &rates;
    let beside = |what: &str, rates: &[f64], name, beside: &[f64], target| {
        Row::ratio(what, Unit::PerSecond, rates, name, beside, target)
    };
    report.add(
        "Durable refunds",
        "A SQLite file with `synchronous=FULL`: a refund is on the disk before it is answered. *Desk* is `RefundDesk` over `SqliteStore`, as another Rust service would embed it. *Raw* is a loop over rusqlite that runs the statements of a refund (look the key up, read the customer, reduce the balance, insert refund, key and audit row) and commits each one; *raw, 64 a commit* is the same loop with a commit after every 64th, which is as fast as sharing commits can get at 64 in flight. *Hot* is one customer, *spread* ten thousand.",
        vec![
            beside("desk, 1 in flight, hot", alone, "raw", raw, Target::AtLeast(0.8)),
            beside("desk, 1 in flight, spread", alone_spread, "raw", raw_spread, Target::AtLeast(0.8)),
            beside("desk, 64 in flight, hot", together, "raw", raw, Target::AtLeast(4.0)),
            beside("desk, 64 in flight, spread", spread, "raw", raw_spread, Target::AtLeast(4.0)),
            beside("desk, 64 in flight, hot", together, "raw, 64 a commit", raw_together, Target::None),
            beside("desk, 64 in flight, spread", spread, "raw, 64 a commit", raw_together_spread, Target::None),
            beside("desk, 64 in flight, hot", together, "spread", spread, Target::AtLeast(0.9)),
            beside("server, 1 in flight, hot", server, "raw", raw, Target::None),
            beside("server, 64 in flight, hot", server_together, "raw", raw, Target::None),
        ],
    );
    Ok(())
}

/// Refunds of one customer through a server over pipes.
fn through_server(setting: &Setting, database: &Path, window: usize) -> Result<f64, Failure> {
    let (mut session, _) = Session::start(setting.server(Some(database)), Channel::Pipes)?;
    let mut refund = stdio::refund(format!("server-{}", session.id()), false);
    let time = std::time::Duration::from_millis(700);
    let pace = session.in_flight_for(window, time, &mut refund)?;
    session.end()?;
    Ok(pace.rate())
}
