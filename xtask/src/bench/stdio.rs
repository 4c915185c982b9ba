//! A call's way through standard input and output, beside a bare echo and beside the same tools on
//! the official TypeScript SDK.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use super::machine::Placement;
use super::report::{Report, Row, Target, Unit, median, quantile};
use super::session::{Channel, Session};
use super::{Setting, build};
use crate::sh::Failure;

/// Calls before anything counts: already more than most sessions ever make.
const WARM_UP: usize = 1_000;
/// Calls one after the other.
const ALONE: usize = 3_000;
/// Calls with [`WINDOW`] in flight.
const TOGETHER: usize = 20_000;
/// As many as the server takes at once.
const WINDOW: usize = 64;

/// Who is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Ours,
    Echo,
    Peer,
}

const PROGRAMS: [Program; 3] = [Program::Ours, Program::Echo, Program::Peer];

/// What one session came to.
#[derive(Clone, Copy, Default)]
struct Figures {
    p50: f64,
    p99: f64,
    /// Of calls one after the other again, when the peer's compiler has done all that it does.
    late_p50: f64,
    rate: f64,
}

/// All rounds of one program over one channel in one placement.
#[derive(Clone, Default)]
struct Rounds(Vec<Figures>);

impl Rounds {
    fn each(&self, figure: fn(&Figures) -> f64) -> Vec<f64> {
        self.0.iter().map(figure).collect()
    }
}

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let peer = build::peer(&setting.target)?;
    let mut rows = Vec::new();
    for placement in Placement::ALL {
        setting.cores.place(placement)?;
        for channel in Channel::ALL {
            let mut rounds: [Rounds; 3] = Default::default();
            for round in 0..setting.rounds {
                // Nobody is always the first.
                for turn in 0..PROGRAMS.len() {
                    let index = turn.wrapping_add(round) % PROGRAMS.len();
                    if let (Some(program), Some(rounds)) =
                        (PROGRAMS.get(index), rounds.get_mut(index))
                    {
                        rounds.0.push(session(setting, &peer, *program, channel)?);
                    }
                }
            }
            rows.extend(compare(placement, channel, &rounds));
        }
    }
    setting.cores.place(Placement::Free)?;
    report.add(
        "Calls over standard input and output",
        "`get_customer_record`, by a client that writes one request a write: one call at a time (3,000 after the first 1,000 of a session), and 64 in flight. Beside: *echo*, a program that parses each line with serde_json and prints another; *peer*, the two tools of `xtask/bench/peer` on the official TypeScript SDK, with strict schemas, customers in memory and a JSON log line a call, as our server has. Both logs go to /dev/null.",
        rows,
    );
    Ok(())
}

fn compare(placement: Placement, channel: Channel, rounds: &[Rounds; 3]) -> Vec<Row> {
    let [ours, echo, peer] = rounds;
    let name = |what: &str| format!("{what}, {}, {}", channel.name(), placement.name());
    let pinned = placement == Placement::Pinned;
    let p50: fn(&Figures) -> f64 = |figures| figures.p50;
    let p99: fn(&Figures) -> f64 = |figures| figures.p99;
    let late_p50: fn(&Figures) -> f64 = |figures| figures.late_p50;
    let rate: fn(&Figures) -> f64 = |figures| figures.rate;
    let row = |what: &str, unit, figure, beside_name, beside: &Rounds, target| {
        let (ours, beside) = (ours.each(figure), beside.each(figure));
        Row::ratio(name(what), unit, &ours, beside_name, &beside, target)
    };
    let alone = if pinned {
        Target::AtMost(0.45)
    } else {
        Target::None
    };
    let together = Target::AtLeast(if pinned { 2.0 } else { 1.5 });
    vec![
        row("one at a time, p50", Unit::Micros, p50, "peer", peer, alone),
        row(
            "one at a time, p50",
            Unit::Micros,
            p50,
            "echo",
            echo,
            Target::None,
        ),
        row(
            "one at a time, p99",
            Unit::Micros,
            p99,
            "peer",
            peer,
            Target::None,
        ),
        row(
            "one at a time, after 24,000 calls, p50",
            Unit::Micros,
            late_p50,
            "peer",
            peer,
            Target::None,
        ),
        row(
            "64 in flight",
            Unit::PerSecond,
            rate,
            "peer",
            peer,
            together,
        ),
        row(
            "64 in flight",
            Unit::PerSecond,
            rate,
            "echo",
            echo,
            Target::None,
        ),
    ]
}

fn session(
    setting: &Setting,
    peer: &Path,
    program: Program,
    channel: Channel,
) -> Result<Figures, Failure> {
    let command = match program {
        Program::Ours => setting.server(None),
        Program::Echo => setting.echo(),
        Program::Peer => {
            let mut command = Command::new("node");
            command.arg(peer);
            command
        }
    };
    let (mut session, _) = Session::start(command, channel)?;
    session.one_at_a_time(WARM_UP, &mut look_up)?;
    let alone = session.one_at_a_time(ALONE, &mut look_up)?;
    let together = session.in_flight(WINDOW, TOGETHER, &mut look_up)?;
    let late = session.one_at_a_time(ALONE, &mut look_up)?;
    session.end()?;
    Ok(Figures {
        p50: median(&alone),
        p99: quantile(&alone, 0.99),
        late_p50: median(&late),
        rate: together.rate(),
    })
}

/// Looks the same customer up.
fn look_up(request: &mut Vec<u8>, _: u64) {
    request.extend_from_slice(
        br#""name":"get_customer_record","arguments":{"customer_id":"CUST-00001"}"#,
    );
}

/// Refunds one cent, to one customer or to ten thousand of them, each refund with a key of its own.
pub(super) fn refund(run: String, spread: bool) -> impl FnMut(&mut Vec<u8>, u64) {
    move |request, number| {
        // A prime that is no divisor of 10,000 visits all of them before it visits one again.
        let customer = if spread {
            number.wrapping_mul(7_919) % 10_000
        } else {
            1
        };
        // Writing into memory cannot fail.
        let _ = write!(
            request,
            r#""name":"trigger_refund","arguments":{{"customer_id":"CUST-{customer:05}","amount":0.01,"reason":"damaged in transit","idempotency_key":"{run}-{number}"}}"#
        );
    }
}

impl Setting {
    /// Our server over this database, or in memory.
    pub(super) fn server(&self, database: Option<&Path>) -> Command {
        let mut command = Command::new(&self.server);
        let database = database.map_or_else(
            || "memory:".to_owned(),
            |path| format!("sqlite:{}", path.display()),
        );
        command.arg("--database").arg(database);
        // What somebody has set for their own server does not count here.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("REFUND_") || name == "LOG_LEVEL" {
                command.env_remove(name);
            }
        }
        command
    }

    fn echo(&self) -> Command {
        let mut command = Command::new(&self.myself);
        command.args(["bench", super::ECHO]);
        command
    }
}
