//! T-01 at the named points of a refund: the test build kills itself there.

use std::os::unix::process::ExitStatusExt as _;

use refund_store::fault;

use super::Lots;
use super::crash::pipeline;
use super::lab::{Lab, discreet};
use super::oracle::Journal;
use crate::client;

// Everything in flight is lost at each point, in the first batch and in a later one; what was
// acknowledged is not, and the keys settle the rest.
#[test]
fn killed_at_every_point() {
    killed_everywhere(Lab::new);
}

mod postgres {
    use super::*;

    #[test]
    fn killed_at_every_point() {
        killed_everywhere(Lab::postgres);
    }
}

fn killed_everywhere(lab: fn(u32, u64) -> Lab) {
    const EACH: u64 = 150;
    let mut lots = Lots::draw();
    for point in fault::ALL.into_iter().chain(["call.begun"]) {
        // At most 64 are in flight, so that there are at least three batches.
        let of_a_batch = [
            fault::REFUND_BEGUN,
            fault::BATCH_BEFORE_COMMIT,
            fault::BATCH_AFTER_COMMIT,
        ];
        let most = if of_a_batch.contains(&point) { 3 } else { EACH };
        for pass in [1, 2 + lots.below(most - 1)] {
            let lab = lab(2, 100_000_000);
            let mut journal = Journal::default();
            let mut lines = String::new();
            for _ in 0..EACH {
                let customer = if lots.below(2) == 0 { 1 } else { 2 };
                let index = journal.ask(customer, 1 + lots.below(5000));
                lines.push_str(&journal.asks[index].line(index));
                lines.push('\n');
            }
            let client = lab
                .traced()
                .binary(client::faulty())
                .variable("REFUND_FAULT", &format!("kill@{point}"))
                .variable("REFUND_FAULT_PASS", &pass.to_string())
                .connect();
            let finished = pipeline(client, &lines, |_, _| {});
            assert_eq!(finished.status.signal(), Some(9), "{point}, pass {pass}");
            discreet(&finished.log);
            assert!((finished.answers.len() as u64) < EACH);
            finished
                .answers
                .iter()
                .for_each(|answer| journal.answered(answer));
            journal.judge(&lab);
        }
    }
}
