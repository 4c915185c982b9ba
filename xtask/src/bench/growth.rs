//! How a refund's and a look-up's time grow with what is stored.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Setting;
use super::durable::{Embedded, Times};
use super::machine::Placement;
use super::report::{Report, Row, Target, Unit, median};
use super::session::{Channel, Session};
use super::stdio;
use crate::sh::Failure;

/// What is stored in the file beside which the large one is measured.
const SMALL: u64 = 1_000;
/// Refunds of one session.
const REFUNDS: usize = 300;
/// Look-ups of one session.
const LOOK_UPS: usize = 3_000;

/// The medians of one round on one file, in microseconds.
#[derive(Clone, Copy)]
struct Medians {
    refund: f64,
    look_up: f64,
    embedded: Times,
}

pub(super) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let (large, name) = if setting.full {
        (10_000_000, "10M")
    } else {
        (1_000_000, "1M")
    };
    let embedded = Embedded::build(setting)?;
    let file = |stored: u64| -> Result<(u64, PathBuf), Failure> {
        let path = setting.scratch.path().join(format!("{stored}.db"));
        embedded.prepare(&path, stored)?;
        Ok((stored, path))
    };
    let files = [file(SMALL)?, file(large)?];
    setting.cores.place(Placement::Pinned)?;
    let mut medians: [Vec<Medians>; 2] = Default::default();
    for _ in 0..setting.rounds {
        for ((stored, path), medians) in files.iter().zip(&mut medians) {
            let (refund, look_up) = session(setting, path, *stored)?;
            medians.push(Medians {
                refund,
                look_up,
                embedded: embedded.times(path, *stored)?,
            });
        }
    }
    setting.cores.place(Placement::Free)?;
    let [small, large] = medians;
    let row = |what: &str, figure: fn(&Medians) -> f64, target| {
        let each = |medians: &[Medians]| medians.iter().map(figure).collect::<Vec<_>>();
        let name = format!("{what}, p50, {name} refunds stored");
        let (measured, beside) = (each(&large), each(&small));
        Row::ratio(name, Unit::Micros, &measured, "1k", &beside, target)
    };
    let bound = Target::AtMost(1.5);
    report.add(
        "Growth",
        "A server on a file that holds a thousand refunds, and on one that holds very many, on one core, one call at a time: a refund of a customer chosen at random, and `get_refund` by a key chosen at random. *Embedded* is the same without the server. Such a look-up in the large file mostly meets memory that no cache of the processor holds.",
        vec![
            row("refund", |medians| medians.refund, bound),
            row("get_refund", |medians| medians.look_up, bound),
            row("embedded refund", |medians| medians.embedded.refund, bound),
            row("embedded look-up", |medians| medians.embedded.look_up, Target::None),
        ],
    );
    Ok(())
}

fn session(setting: &Setting, database: &Path, stored: u64) -> Result<(f64, f64), Failure> {
    let (mut session, _) = Session::start(setting.server(Some(database)), Channel::Pipes)?;
    let mut refund = stdio::refund(format!("growth-{}", session.id()), true);
    let refunds = session.one_at_a_time(REFUNDS, &mut refund)?;
    let mut look_up = look_up(stored);
    session.one_at_a_time(LOOK_UPS / 10, &mut look_up)?;
    let look_ups = session.one_at_a_time(LOOK_UPS, &mut look_up)?;
    session.end()?;
    Ok((median(&refunds), median(&look_ups)))
}

/// Asks for refunds of the past by keys at random, as `crates/refund-store/benches/refunds.rs` made
/// them.
fn look_up(stored: u64) -> impl FnMut(&mut Vec<u8>, u64) {
    let mut state = 88_172_645_463_325_252_u64;
    move |request, _| {
        // Xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let number = state % stored;
        let place = u128::from(number) * (u128::from(u32::MAX) + 1) / u128::from(stored);
        // Writing into memory cannot fail.
        let _ = write!(
            request,
            r#""name":"get_refund","arguments":{{"idempotency_key":"{place:08x}-0000-4000-8000-{number:012x}"}}"#
        );
    }
}
