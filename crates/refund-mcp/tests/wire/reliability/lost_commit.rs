//! T-03: the connection to the database is cut around a commit, so that nobody hears what became of it.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::thread;

use super::lab::{Lab, call, finish};
use super::oracle::{Answer, Journal};
use super::{Lots, volume};
use crate::database::server;

/// How the text of a commit ends, from the client and in the answer to it.
const COMMIT: &[u8] = b"COMMIT\0";

const NOTHING: u8 = 0;
/// The next commit does not reach the database.
const BEFORE: u8 = 1;
/// The answer to the next commit does not reach the server.
const AFTER: u8 = 2;

/// Stands between the server and its database, and cuts connections when it is told to.
struct Cutter {
    address: SocketAddr,
    orders: Arc<AtomicU8>,
    cuts: Arc<AtomicUsize>,
}

impl Cutter {
    fn start(database: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let cutter = Self {
            address: listener.local_addr().expect("an address"),
            orders: Arc::default(),
            cuts: Arc::default(),
        };
        let (orders, cuts) = (Arc::clone(&cutter.orders), Arc::clone(&cutter.cuts));
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let far = TcpStream::connect(&database).expect("the database");
                let order = Arc::new(AtomicU8::new(NOTHING));
                pass(&near, &far, &order, &cuts, Some(Arc::clone(&orders)));
                pass(&far, &near, &order, &cuts, None);
            }
        });
        cutter
    }
}

/// Passes on what comes; `orders` are for the direction in which commits go. `order` is what was ordered
/// for this connection.
fn pass(
    from: &TcpStream,
    to: &TcpStream,
    order: &Arc<AtomicU8>,
    cuts: &Arc<AtomicUsize>,
    orders: Option<Arc<AtomicU8>>,
) {
    let both = (
        from.try_clone().expect("a handle"),
        to.try_clone().expect("a handle"),
    );
    let (order, cuts) = (Arc::clone(order), Arc::clone(cuts));
    thread::spawn(move || {
        let (mut from, mut to) = both;
        let mut end = Vec::new();
        let mut bytes = [0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            // What is split over two reads is found as well.
            end.extend_from_slice(&bytes[..count]);
            let commit = end.windows(COMMIT.len()).any(|part| part == COMMIT);
            end.drain(..end.len().saturating_sub(COMMIT.len() - 1));
            let mut cut = false;
            match &orders {
                Some(orders) if commit => {
                    order.store(orders.swap(NOTHING, Ordering::SeqCst), Ordering::SeqCst);
                    cut = order.load(Ordering::SeqCst) == BEFORE;
                }
                Some(_) => {}
                // Nothing of the answer goes through, and it ends when the commit is answered.
                None if order.load(Ordering::SeqCst) == AFTER => {
                    if !commit {
                        continue;
                    }
                    cut = true;
                }
                None => {}
            }
            if cut {
                cuts.fetch_add(1, Ordering::SeqCst);
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
                return;
            }
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}

mod postgres {
    use super::*;

    #[test]
    fn a_commit_that_nobody_heard_of() {
        let mut lots = Lots::draw();
        let lab = Lab::postgres(3, 100_000_000);
        let url = server();
        let place = url
            .rsplit_once('@')
            .map_or(&*url, |(_, place)| place)
            .to_owned();
        let cutter = Cutter::start(place);
        let mut client = lab
            .start_by(cutter.address)
            .variable("LOG_LEVEL", "trace")
            .connect();
        let mut journal = Journal::default();
        let rounds = volume(20, 500);
        for round in 0..rounds {
            let order = if round % 2 == 0 { AFTER } else { BEFORE };
            cutter.orders.store(order, Ordering::SeqCst);
            let mut lines = String::new();
            let count = 1 + lots.below(30);
            for _ in 0..count {
                let who = u32::try_from(1 + lots.below(3)).expect("small");
                let index = journal.ask(who, 1 + lots.below(5000));
                lines.push_str(&(journal.asks[index].line(index) + "\n"));
            }
            client.write(lines.as_bytes());
            for _ in 0..count {
                let answer = client.receive();
                // What became of it was found out, and what had come to nothing was done again.
                assert!(matches!(Answer::read(&answer), Answer::Paid(_)), "{answer}");
                journal.answered(&answer);
            }
        }
        assert_eq!(
            cutter.cuts.load(Ordering::SeqCst),
            rounds,
            "cut in every round"
        );
        finish(client);
        journal.judge(&lab);
    }

    // Nobody could ask by a key.
    #[test]
    fn without_a_key_nothing_is_done_twice() {
        let lab = Lab::postgres(1, 100_000_000);
        let url = server();
        let place = url
            .rsplit_once('@')
            .map_or(&*url, |(_, place)| place)
            .to_owned();
        let cutter = Cutter::start(place);
        let mut client = lab.start_by(cutter.address).connect();
        for round in 0..volume(10, 100) {
            cutter.orders.store(
                if round % 2 == 0 { AFTER } else { BEFORE },
                Ordering::SeqCst,
            );
            let reason = format!("canary of round {round}");
            client.send(&call(
                round,
                "trigger_refund",
                &format!(r#"{{"customer_id":"CUST-00001","amount":1,"reason":"{reason}"}}"#),
            ));
            let answer = client.receive();
            assert!(matches!(Answer::read(&answer), Answer::Paid(_)), "{answer}");
            let rows = lab.query(&format!(
                "SELECT count(*) FROM refunds WHERE reason = '{reason}'"
            ));
            assert_eq!(rows, [["1"]]);
        }
        finish(client);
        lab.check();
    }
}
