//! T-01: the server is killed at random moments under load and started again.

use std::io::Write as _;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::lab::{Lab, discreet};
use super::oracle::Journal;
use super::web::ask;
use super::{Lots, volume};
use crate::client::{Client, Finished};
use crate::http::listen_with_token;

/// When to kill: after so many answers, and so long after that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) answers: u64,
    pub(super) later: Duration,
}

impl Moment {
    pub(super) fn draw(lots: &mut Lots, answers: u64) -> Self {
        Self {
            answers: lots.below(answers),
            later: Duration::from_micros(lots.below(3000)),
        }
    }

    /// Whether it has come.
    pub(super) fn come(self, answers: usize) -> bool {
        let come = self.answers <= answers as u64;
        let reached = Instant::now();
        while come && reached.elapsed() < self.later {
            std::hint::spin_loop();
        }
        come
    }
}

/// Sends all lines while it reads answers until the server ends. Before each answer it calls `before`
/// with the number of those that have come.
pub(super) fn pipeline(
    mut client: Client,
    lines: &str,
    mut before: impl FnMut(&mut Client, usize),
) -> Finished {
    let mut stdin = client.take_stdin();
    let mut answers = Vec::new();
    thread::scope(|scope| {
        // The write fails when the server is gone.
        scope.spawn(move || stdin.write_all(lines.as_bytes()));
        loop {
            before(&mut client, answers.len());
            match client.next_message() {
                Some(message) => answers.push(message),
                None => break,
            }
        }
    });
    let mut finished = client.finish();
    finished.answers.splice(0..0, answers);
    finished
}

#[test]
fn killed_at_random_moments() {
    killed(&Lab::new(5, 100_000_000), volume(50, 1000));
}

#[test]
fn killed_over_http() {
    killed_with_clients(&Lab::new(5, 100_000_000).over_http(), volume(50, 1000));
}

mod postgres {
    use super::*;

    #[test]
    fn killed_at_random_moments() {
        killed(&Lab::postgres(5, 100_000_000), volume(50, 300));
    }

    #[test]
    fn killed_over_http() {
        killed_with_clients(&Lab::postgres(5, 100_000_000).over_http(), volume(50, 300));
    }
}

/// A server of many clients is killed in each round.
fn killed_with_clients(lab: &Lab, rounds: u64) {
    const CLIENTS: u64 = 8;
    const EACH: u64 = 15;
    let limits = ["--rate-limit", "100000", "--rate-burst", "100000"];
    let mut lots = Lots::draw();
    let mut journal = Journal::default();
    let mut begin = 0;
    for round in 0..rounds {
        let asked = journal.asks.len();
        for _ in 0..CLIENTS * EACH {
            let customer = u32::try_from(1 + lots.below(5)).expect("small");
            let _index = journal.ask(customer, 1 + lots.below(5000));
        }
        let moment = Moment::draw(&mut lots, CLIENTS * EACH);
        let start = if round % 2 == 0 {
            lab.traced()
        } else {
            lab.start()
        };
        let mut server = listen_with_token(start, &limits);
        let answers = Mutex::new(Vec::new());
        thread::scope(|scope| {
            let mut threads = Vec::new();
            let each = usize::try_from(EACH).expect("small");
            for (number, asks) in journal.asks[asked..].chunks(each).enumerate() {
                let (server, answers) = (server.address, &answers);
                threads.push(scope.spawn(move || {
                    for (index, ask_for) in asks.iter().enumerate() {
                        let line = ask_for.line(asked + number * each + index);
                        // The server is gone.
                        let Some(answer) = ask(server, &line) else {
                            return;
                        };
                        answers.lock().expect("no panic").push(answer);
                    }
                }));
            }
            let come = || moment.come(answers.lock().expect("no panic").len());
            while !come() && threads.iter().any(|thread| !thread.is_finished()) {
                thread::yield_now();
            }
            server.kill();
        });
        discreet(&server.log());
        for answer in answers.into_inner().expect("no panic") {
            journal.answered(&answer);
        }
        // The proof of all rows now and then, and at the end.
        if round % 5 == 4 || round + 1 == rounds {
            journal.judge_part(lab, begin..journal.asks.len());
            begin = journal.asks.len();
        }
    }
}

/// The first of 5 customers' servers is killed in each round.
fn killed(lab: &Lab, rounds: u64) {
    const EACH: u64 = 120;
    let mut lots = Lots::draw();
    let mut journal = Journal::default();
    for round in 0..rounds {
        let begin = journal.asks.len();
        // In every third round another server works on the same file, and is not killed.
        let servers = if round % 3 == 2 { 2 } else { 1 };
        let mut work = Vec::new();
        for server in 0..servers {
            let mut lines = String::new();
            for _ in 0..EACH {
                let customer = u32::try_from(1 + lots.below(5)).expect("small");
                let index = journal.ask(customer, 1 + lots.below(5000));
                lines.push_str(&journal.asks[index].line(index));
                lines.push('\n');
            }
            let kill = (server == 0).then(|| Moment::draw(&mut lots, EACH));
            let traced = round % 2 == 0;
            let start = if traced { lab.traced() } else { lab.start() };
            work.push((start.connect(), lines, kill));
        }
        let results: Vec<Finished> = thread::scope(|scope| {
            let threads: Vec<_> = work
                .into_iter()
                .map(|(client, lines, mut kill)| {
                    scope.spawn(move || {
                        pipeline(client, &lines, |client, answers| {
                            if kill.is_some_and(|moment| moment.come(answers)) {
                                client.kill();
                                kill = None;
                            }
                        })
                    })
                })
                .collect();
            let results = threads.into_iter().map(|thread| thread.join());
            results.map(|result| result.expect("a run")).collect()
        });
        for (server, finished) in results.into_iter().enumerate() {
            discreet(&finished.log);
            // Killed, unless it had done everything by then.
            let killed = server == 0 && finished.status.code().is_none();
            assert!(killed || finished.status.success(), "{}", finished.log);
            assert!(killed || finished.answers.len() as u64 == EACH);
            finished
                .answers
                .iter()
                .for_each(|answer| journal.answered(answer));
        }
        journal.judge_part(lab, begin..journal.asks.len());
    }
    // The oldest keys still replay after all that.
    journal.judge_part(lab, 0..200);
}
