//! T-02: the database goes away under the hands of many clients of one server, and comes back.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::lab::{Lab, discreet};
use super::oracle::{Answer, Journal};
use super::web::ask;
use super::{Lots, volume};
use crate::client::PATIENCE;
use crate::cluster::Cluster;
use crate::database::Database;
use crate::http::{HttpServer, listen_with_token};

const CLIENTS: usize = 16;
/// How soon after its return the database is used again.
const SOON: Duration = Duration::from_secs(5);
/// Answers that come between two stops.
const BETWEEN: usize = 100;

mod cluster {
    use super::*;

    #[test]
    fn the_database_is_restarted_under_load() {
        let cluster = Cluster::start().expect("a server of its own");
        let database = Database::on(cluster.url(), "read committed");
        let lab = Lab::on(database, 5, 100_000_000).over_http();
        let server = listen_with_token(
            lab.start(),
            &["--rate-limit", "100000", "--rate-burst", "100000"],
        );
        let mut journal = Journal::default();
        let mut lots = Lots::draw();
        let mut fastest = Duration::MAX;
        for round in 0..volume(3, 50) {
            let mode = if round % 2 == 0 { "immediate" } else { "fast" };
            // The third one is away for longer than a call waits.
            let away = if round % 3 == 2 { 10 } else { 0 };
            let begin = journal.asks.len();
            fastest = fastest.min(load(&server, &mut journal, &mut lots, || {
                cluster.stop(mode).expect("it stops");
                thread::sleep(Duration::from_secs(away));
                cluster.begin().expect("it starts");
            }));
            journal.judge_part(&lab, begin..journal.asks.len());
        }
        assert!(fastest < SOON, "used again only after {fastest:?}");
        drop(lab);
        server.terminate();
        let (status, log) = server.finish();
        assert_eq!(status.code(), Some(0), "{log}");
        discreet(&log);
    }
}

/// Clients ask all the time while `accident` happens, and until one of them was paid again. How long after
/// the accident that was.
fn load(
    server: &HttpServer,
    journal: &mut Journal,
    lots: &mut Lots,
    accident: impl FnOnce(),
) -> Duration {
    let (answers, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let paid_at = Mutex::new(None);
    let shared = Mutex::new(&mut *journal);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (answers, over, shared, paid_at) = (&answers, &over, &shared, &paid_at);
            let mut lots = Lots(lots.next());
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let who = u32::try_from(1 + client % 5).expect("small");
                    let begun = Instant::now();
                    let line = {
                        let mut journal = shared.lock().expect("no panic");
                        let index = journal.ask(who, 1 + lots.below(5000));
                        journal.asks[index].line(index)
                    };
                    // The server stays, so that there is an answer, whatever it says.
                    let answer = ask(server.address, &line).expect("an answer");
                    if matches!(Answer::read(&answer), Answer::Paid(_)) {
                        *paid_at.lock().expect("no panic") = Some((begun, Instant::now()));
                    }
                    shared.lock().expect("no panic").answered(&answer);
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let begun = Instant::now();
        while answers.load(Ordering::Relaxed) < BETWEEN {
            assert!(begun.elapsed() < PATIENCE, "no answers");
            thread::yield_now();
        }
        accident();
        let returned = Instant::now();
        // One that was asked after the return, so that it is no answer from before.
        let used = loop {
            let paid = *paid_at.lock().expect("no panic");
            if let Some((_, paid)) = paid.filter(|(begun, _)| *begun > returned) {
                break paid - returned;
            }
            assert!(returned.elapsed() < PATIENCE, "it never came back");
            thread::yield_now();
        };
        over.store(true, Ordering::Relaxed);
        used
    })
}
