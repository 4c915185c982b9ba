//! Durable refunds on PostgreSQL through the embedded desk, one and two of them, beside pgbench running
//! the same statements.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;

use serde_json::Value;

use super::machine::Placement;
use super::report::{Report, Row, Target, Unit};
use super::{Setting, build};
use crate::cluster::Cluster;
use crate::sh::{Failure, Run, context, root};

/// Seconds of one run.
const SECONDS: &str = "2";
const CUSTOMERS: &str = "10000";
const IN_FLIGHT: &str = "64";
/// The numbers of clients among which pgbench's best is looked for.
const CLIENTS: [&str; 6] = ["2", "4", "8", "16", "32", "64"];

/// Whose money it is.
#[derive(Clone, Copy)]
enum Load {
    Hot,
    Spread,
}

impl Load {
    fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Spread => "spread",
        }
    }

    fn customers(self) -> &'static str {
        match self {
            Self::Hot => "1",
            Self::Spread => CUSTOMERS,
        }
    }
}

/// A server of its own with two databases of the same kind, one for each side.
struct Stage<'a> {
    setting: &'a Setting,
    cluster: Cluster,
    programs: PathBuf,
    desk: PathBuf,
}

impl<'a> Stage<'a> {
    fn new(setting: &'a Setting) -> Result<Self, Failure> {
        let missing = || Failure::new("`postgres` needs PostgreSQL 15 or later on this machine");
        let stage = Self {
            setting,
            programs: Cluster::programs().ok_or_else(missing)?,
            cluster: Cluster::start()
                .map_err(|error| Failure::new(format!("failed to start PostgreSQL: {error}")))?,
            desk: build::postgres(&setting.target)?,
        };
        let file = setting.scratch.path().join("customers.json");
        std::fs::write(&file, customers()).map_err(context("write", &file))?;
        for database in ["ours", "theirs"] {
            let sql = format!("CREATE DATABASE {database}");
            stage
                .program("psql")
                .arg("-qc")
                .arg(sql)
                .arg(stage.url("postgres"))
                .stdout()?;
            stage.server(database, "migrate")?;
            stage.server(database, &format!("import {}", file.display()))?;
        }
        Ok(stage)
    }

    fn program(&self, name: &str) -> Run {
        let none: [&str; 0] = [];
        Run::new(self.programs.join(name).display().to_string(), none)
    }

    fn url(&self, database: &str) -> String {
        format!("{}/{database}", self.cluster.url())
    }

    /// A command of our server's on one of the databases.
    fn server(&self, database: &str, words: &str) -> Result<String, Failure> {
        let program = self.setting.server.display().to_string();
        Run::new(program, words.split(' '))
            .arg("--database")
            .arg(self.url(database))
            .stdout()
    }

    /// Refunds a second of a desk.
    fn desk(&self, load: Load) -> Result<f64, Failure> {
        let program = self.desk.display().to_string();
        let words = [&self.url("ours"), IN_FLIGHT, load.name(), SECONDS];
        let told = Run::new(program, words).stdout()?;
        let told: Value = serde_json::from_str(&told)
            .map_err(|error| Failure::new(format!("the desk told no JSON: {error}")))?;
        Ok(told["refunds_per_second"].as_f64().unwrap_or(f64::NAN))
    }

    /// Refunds a second of two desks in processes of their own.
    fn desks(&self, load: Load) -> Result<f64, Failure> {
        let (first, second) = thread::scope(|scope| {
            let second = scope.spawn(|| self.desk(load));
            (self.desk(load), second.join())
        });
        let second = second.map_err(|_| Failure::new("a desk of `postgres` panicked"))?;
        Ok(first? + second?)
    }

    /// Transactions a second of pgbench.
    fn pgbench(&self, load: Load, clients: &str, seconds: &str) -> Result<f64, Failure> {
        let script = root().join("xtask/bench/refund.sql");
        let run = self
            .program("pgbench")
            .arg("--no-vacuum")
            .arg("--protocol=prepared")
            .arg(format!("--file={}", script.display()))
            .arg(format!("--define=customers={}", load.customers()))
            .arg(format!("--client={clients}"))
            .arg(format!("--jobs={}", if clients == "1" { 1 } else { 2 }))
            .arg(format!("--time={seconds}"))
            .arg(self.url("theirs"));
        let said = run
            .probe()
            .ok_or_else(|| Failure::new(format!("`{run}` failed")))?;
        said.lines()
            .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
            .ok_or_else(|| Failure::new(format!("`{run}` told no rate: {said}")))
    }

    /// The number of clients with which pgbench is at its best.
    fn best(&self, load: Load) -> Result<&'static str, Failure> {
        let mut best = ("1", self.pgbench(load, "1", "1")?);
        for clients in CLIENTS {
            let rate = self.pgbench(load, clients, "1")?;
            if rate > best.1 {
                best = (clients, rate);
            }
        }
        Ok(best.0)
    }
}

/// Ten thousand customers who do not run out of money.
fn customers() -> String {
    let mut text = String::from(r#"{"customers":["#);
    for number in 0..10_000 {
        let comma = if number == 0 { "" } else { "," };
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            r#"{comma}{{"customer_id":"CUST-{number:05}","name":"Customer {number}","email":"customer{number}@example.com","status":"active","currency":"USD","refundable_balance":9000000000000.00,"created_at":"2024-01-15T09:30:00Z"}}"#
        );
    }
    text.push_str("]}");
    text
}

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let stage = Stage::new(setting)?;
    setting.cores.place(Placement::Free)?;
    let mut rows = Vec::new();
    for (load, target) in [
        (Load::Spread, Target::AtLeast(1.3)),
        (Load::Hot, Target::AtLeast(5.0)),
    ] {
        let clients = stage.best(load)?;
        let mut rates: [Vec<f64>; 3] = Default::default();
        for _ in 0..setting.rounds {
            let round = [
                stage.desk(load)?,
                stage.pgbench(load, clients, SECONDS)?,
                stage.desks(load)?,
            ];
            for (rates, rate) in rates.iter_mut().zip(round) {
                rates.push(rate);
            }
        }
        let [one, bench, two] = &rates;
        let name = |what: &str| format!("{what}, {}", load.name());
        rows.push(Row::ratio(
            name("desk"),
            Unit::PerSecond,
            one,
            "pgbench",
            bench,
            target,
        ));
        rows.push(Row::ratio(
            name("two desks"),
            Unit::PerSecond,
            two,
            "one",
            one,
            Target::AtLeast(0.9),
        ));
        let clients = clients.parse().unwrap_or(f64::NAN);
        rows.push(Row::value(
            name("pgbench's clients"),
            Unit::Count,
            clients,
            Target::None,
        ));
    }
    // What was measured must have been right.
    stage.server("ours", "check")?;
    report.add(
        "Durable refunds on PostgreSQL",
        "A server of its own on the same machine, with its default settings: a refund is on the disk before it is answered. *Desk* is `RefundDesk` over `PostgresStore` with 64 refunds in flight. *pgbench* runs the same statements (`xtask/bench/refund.sql`: look the key up, read and lock the customer, reduce the balance, insert refund, key and audit row, commit), prepared, with the number of clients with which it is fastest, on a database of its own. *Two desks* are two processes on one database, each with 64 in flight. *Hot* is one customer, *spread* ten thousand. Afterwards `refund-mcp check` proves the books.",
        rows,
    );
    Ok(())
}
