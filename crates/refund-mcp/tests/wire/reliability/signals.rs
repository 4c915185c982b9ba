//! T-21, R-146: SIGTERM and SIGINT, once and twice, idle and under load.

use std::time::Duration;

use rustix::process::Signal;

use super::crash::{Moment, pipeline};
use super::lab::{Lab, discreet};
use super::locked::Lock;
use super::oracle::{Ask, Journal};
use super::pipes::{Pipes, SOON, signal};
use super::{Lots, volume};
use crate::client::Start;

/// What clients and supervisors wait before they kill.
const IN_TIME: Duration = Duration::from_secs(10);

#[test]
fn asked_to_stop_while_idle() {
    for asked in [Signal::TERM, Signal::INT] {
        let start = Start::memory().variable("LOG_LEVEL", "trace");
        let mut pipes = Pipes::connect(&start);
        signal(pipes.child.id(), asked);
        assert_eq!(pipes.end(SOON).0, Some(0), "{asked:?}");
        // Before any handshake as well; the log says when the signal can be taken.
        let mut pipes = Pipes::spawn(&start);
        pipes.send("junk\n");
        pipes.wait_for_log("message dropped");
        signal(pipes.child.id(), asked);
        assert_eq!(pipes.end(SOON).0, Some(0), "{asked:?}");
    }
}

// Replies are delivered or can be had again with the key, whenever the signal comes.
#[test]
fn asked_to_stop_under_load() {
    const EACH: u64 = 300;
    let mut lots = Lots::draw();
    let lab = Lab::new(5, 100_000_000);
    let mut journal = Journal::default();
    for round in 0..volume(10, 200) {
        let begin = journal.asks.len();
        let mut lines = String::new();
        for _ in 0..EACH {
            let customer = u32::try_from(1 + lots.below(5)).expect("small");
            let index = journal.ask(customer, 1 + lots.below(5000));
            lines.push_str(&(journal.asks[index].line(index) + "\n"));
        }
        let mut moment = Some(Moment::draw(&mut lots, EACH - 100));
        let mut asked = None;
        let signals = [Signal::TERM, Signal::INT];
        let finished = pipeline(lab.traced().connect(), &lines, |client, answers| {
            if moment.is_some_and(|moment| moment.come(answers)) {
                signal(client.child.id(), signals[round % 2]);
                asked = Some(std::time::Instant::now());
                moment = None;
            }
        });
        assert!(asked.expect("asked").elapsed() < IN_TIME);
        assert_eq!(finished.status.code(), Some(0), "{}", finished.log);
        discreet(&finished.log);
        finished
            .answers
            .iter()
            .for_each(|answer| journal.answered(answer));
        journal.judge_part(&lab, begin..journal.asks.len());
    }
    // The oldest keys still replay after all that.
    journal.judge_part(&lab, 0..200);
}

/// A server with a refund in flight that waits for the lock of another process.
fn waiting(lab: &Lab) -> Pipes {
    let mut pipes = Pipes::connect(&lab.traced());
    let ask = Ask {
        key: "K".to_owned(),
        customer: 1,
        cents: 1_000,
    };
    pipes.send(&(ask.line(1) + "\n"));
    // The answer to the ping comes after the call was begun.
    pipes.send(&super::lab::ping(2));
    assert_eq!(pipes.receive().expect("an answer")["id"], 2);
    pipes
}

// A lock that another process holds does not hold up the end for longer than clients wait.
#[test]
fn asked_to_stop_while_a_call_waits_for_a_lock() {
    let lab = Lab::new(1, 100_000);
    let lock = Lock::of_writers(&lab.path);
    let mut pipes = waiting(&lab);
    signal(pipes.child.id(), Signal::TERM);
    let answer = pipes.receive();
    assert_eq!(pipes.end(IN_TIME).0, Some(0));
    if let Some(answer) = answer {
        let code = &answer["result"]["_meta"]["refund-mcp/code"];
        assert_eq!(code, "STORE_UNAVAILABLE", "{answer}");
    }
    drop(lock);
    lab.check();
}

#[test]
fn asked_twice() {
    for asked in [Signal::TERM, Signal::INT] {
        let lab = Lab::new(1, 100_000);
        let _lock = Lock::of_writers(&lab.path);
        let mut pipes = waiting(&lab);
        signal(pipes.child.id(), Signal::TERM);
        pipes.wait_for_log("asked to stop");
        signal(pipes.child.id(), asked);
        // The wait for the lock takes longer than this.
        let (code, log) = pipes.end(Duration::from_secs(3));
        assert_eq!(code, Some(130), "{log}");
    }
}
