//! Many at once, in one process and in several: T-08, T-09, T-10, R-001, R-043, R-164.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::lab::{Lab, cents, customer, finish};
use super::oracle::{Answer, Journal};
use super::{Lots, volume};
use crate::client::Client;

fn connect(lab: &Lab, servers: usize) -> Vec<Client> {
    // One of them logs everything.
    (0..servers)
        .map(|server| {
            if server == 0 {
                lab.traced()
            } else {
                lab.start()
            }
        })
        .map(crate::client::Start::connect)
        .collect()
}

/// Sends each server its lines, all at once, and gives all answers.
fn exchange(clients: &mut [Client], lines: &[Vec<String>]) -> Vec<Value> {
    thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .zip(lines)
            .map(|(client, lines)| {
                scope.spawn(move || {
                    client.write((lines.join("\n") + "\n").as_bytes());
                    let answers = lines.iter().map(|_| client.receive());
                    answers.collect::<Vec<_>>()
                })
            })
            .collect();
        let answers = threads.into_iter().map(|thread| thread.join());
        answers
            .flat_map(|answers| answers.expect("a run"))
            .collect()
    })
}

// T-08: far more is asked for than is there. Never overdrawn, and not a cent is lost.
fn overdraft_storm(lab: fn(u32, u64) -> Lab) {
    let mut lots = Lots::draw();
    for servers in 1..=4 {
        let lab = lab(4, 20_000);
        let mut journal = Journal::default();
        let total = volume(2_000, 60_000);
        let mut lines = vec![Vec::new(); servers];
        for number in 0..total {
            // Large amounts first and cents at the end, so that the balances really reach zero.
            let most = if number < total / 2 { 500 } else { 40 };
            let who = u32::try_from(1 + lots.below(4)).expect("small");
            let index = journal.ask(who, 1 + lots.below(most));
            lines[lots.index(servers)].push(journal.asks[index].line(index));
        }
        let mut clients = connect(&lab, servers);
        let over = AtomicBool::new(false);
        let answers = thread::scope(|scope| {
            let watch = scope.spawn(|| watch(&lab, &over));
            let answers = exchange(&mut clients, &lines);
            over.store(true, Ordering::Relaxed);
            watch.join().expect("balances only fall");
            answers
        });
        let mut balances = HashMap::new();
        let mut refused = 0;
        for answer in &answers {
            journal.answered(answer);
            let index = usize::try_from(answer["id"].as_u64().expect("an index")).expect("small");
            let ask = &journal.asks[index];
            let balance = *balances
                .entry(ask.customer)
                .or_insert_with(|| balance(&mut clients[0], ask.customer));
            if let Answer::Refused(code) = Answer::read(answer) {
                assert_eq!(code, "EXCEEDS_BALANCE");
                // Balances only fall, so that what is left cannot have been enough at any time.
                assert!(
                    ask.cents > balance,
                    "{ask:?} was refused, and {balance} are left"
                );
                refused += 1;
            }
        }
        assert!(
            refused > total / 10,
            "a storm: {refused} of {total} refused"
        );
        clients.into_iter().for_each(|client| drop(finish(client)));
        journal.judge(&lab);
    }
}

fn balance(client: &mut Client, number: u32) -> u64 {
    let record = client.call(
        "get_customer_record",
        &json!({ "customer_id": customer(number) }),
    );
    cents(&record["refundableBalance"])
}

/// Reads the balances all the time: a negative one cannot be read, and none ever rises.
fn watch(lab: &Lab, over: &AtomicBool) {
    let mut client = lab.start().connect();
    let mut last = [u64::MAX; 4];
    while !over.load(Ordering::Relaxed) {
        for (number, last) in (1..).zip(&mut last) {
            let now = balance(&mut client, number);
            assert!(now <= *last, "customer {number}: {last} became {now}");
            *last = now;
        }
    }
    finish(client);
}

// T-09, R-040, R-043: every request many times at once over several processes is one refund, and
// everybody is told the same.
fn every_request_many_times(lab: &Lab) {
    const SERVERS: usize = 3;
    let mut lots = Lots::draw();
    let mut journal = Journal::default();
    let mut clients = connect(lab, SERVERS);
    // An id is only one call's, so the index of the request stands in front of the number of the copy.
    let index_of = |id: &Value| id.as_u64().expect("an id") / 100;
    for _ in 0..volume(20, 1000) {
        let mut lines = vec![Vec::new(); SERVERS];
        let mut copies = HashMap::new();
        for _ in 0..100 {
            let who = u32::try_from(1 + lots.below(10)).expect("small");
            let index = journal.ask(who, 1 + lots.below(1000));
            let times = 1 + lots.below(50);
            copies.insert(index as u64, times);
            for copy in 0..times {
                let line =
                    journal.asks[index].line(index * 100 + usize::try_from(copy).expect("small"));
                lines[lots.index(SERVERS)].push(line);
            }
        }
        // Copies of one request meet in one batch, or far apart.
        for lines in lines.iter_mut().filter(|lines| !lines.is_empty()) {
            for _ in 0..lines.len() {
                let (one, other) = (lots.index(lines.len()), lots.index(lines.len()));
                lines.swap(one, other);
            }
        }
        let mut firsts: HashMap<u64, u64> = HashMap::new();
        for mut answer in exchange(&mut clients, &lines) {
            let index = index_of(&answer["id"]);
            answer["id"] = json!(index);
            let Answer::Paid(receipt) = Answer::read(&answer) else {
                panic!("refused: {answer}")
            };
            *firsts.entry(index).or_default() += u64::from(!receipt.replayed);
            *copies.get_mut(&index).expect("asked for") -= 1;
            journal.answered(&answer);
        }
        assert!(
            copies.values().all(|left| *left == 0),
            "every copy has an answer"
        );
        assert!(
            firsts.values().all(|firsts| *firsts == 1),
            "one is the first: {firsts:?}"
        );
    }
    clients.into_iter().for_each(|client| drop(finish(client)));
    // I1 holds every one of the answers against the one row of its key.
    journal.judge(lab);
}

#[test]
fn an_overdraft_storm() {
    overdraft_storm(Lab::new);
}

#[test]
fn every_request_many_times_at_once() {
    every_request_many_times(&Lab::new(10, 100_000_000));
}

mod postgres {
    use super::*;

    #[test]
    fn an_overdraft_storm() {
        overdraft_storm(Lab::postgres);
    }

    #[test]
    fn every_request_many_times_at_once() {
        every_request_many_times(&Lab::postgres(10, 100_000_000));
    }
}

// R-043: fifty calls, one key, two processes.
#[test]
fn fifty_calls_with_one_key() {
    let lab = Lab::new(1, 100_000);
    let mut journal = Journal::default();
    let mut clients = connect(&lab, 2);
    for _ in 0..volume(20, 200) {
        let index = journal.ask(1, 100);
        let lines = |server: usize| -> Vec<String> {
            let ids = (0..25).map(|copy| format!(r#""{server}-{copy}""#));
            ids.map(|id| journal.asks[index].line(id)).collect()
        };
        let lines = [lines(0), lines(1)];
        let mut first = 0;
        for mut answer in exchange(&mut clients, &lines) {
            answer["id"] = json!(index);
            journal.answered(&answer);
            first += u32::from(answer["result"]["structuredContent"]["replayed"] != true);
        }
        assert_eq!((journal.answers[&index].len(), first), (50, 1));
    }
    clients.into_iter().for_each(|client| drop(finish(client)));
    journal.judge(&lab);
}

// R-001: two refunds that fit only alone, at once, over two processes.
#[test]
fn two_that_fit_only_alone() {
    let rounds = volume(1000, 20_000);
    let lab = Lab::new(rounds, 10_000);
    let mut journal = Journal::default();
    let mut clients = connect(&lab, 2);
    for round in 1..=rounds {
        let asks = [journal.ask(round, 6_000), journal.ask(round, 6_000)];
        // The server that is asked first has no advantage in half of the rounds.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for server in order {
            let index = asks[server];
            clients[server].send(&journal.asks[index].line(index));
        }
        let mut paid = 0;
        for client in &mut clients {
            let answer = client.receive();
            match Answer::read(&answer) {
                Answer::Paid(receipt) => {
                    assert_eq!((receipt.cents, receipt.remaining), (6_000, 4_000));
                    paid += 1;
                }
                Answer::Refused(code) => assert_eq!(code, "EXCEEDS_BALANCE"),
            }
            journal.answered(&answer);
        }
        assert_eq!(paid, 1, "round {round}");
    }
    clients.into_iter().for_each(|client| drop(finish(client)));
    journal.judge(&lab);
}

// T-10, R-164: two processes write one file as fast as they can. Neither ever sees that it is busy,
// and neither starves.
#[test]
fn two_processes_share_one_file() {
    const WINDOW: u64 = 16;
    let total: u64 = volume(10_000, 200_000);
    let lab = Lab::new(8, 100_000_000);
    let mut journal = Journal::default();
    for number in 0..2 * total {
        journal.ask(
            u32::try_from(1 + number % 8).expect("small"),
            1 + number % 50,
        );
    }
    let clients = connect(&lab, 2);
    let done = AtomicU64::new(0);
    let answers: Vec<Vec<Value>> = thread::scope(|scope| {
        let threads: Vec<_> = clients
            .into_iter()
            .zip([0, total])
            .map(|(client, first)| {
                let (journal, done) = (&journal, &done);
                scope.spawn(move || share(client, journal, first, total, WINDOW, done))
            })
            .collect();
        let answers = threads.into_iter().map(|thread| thread.join());
        answers.map(|answers| answers.expect("a run")).collect()
    });
    let [one, other] = [answers[0].len() as u64, answers[1].len() as u64];
    eprintln!("{one} and {other} refunds");
    let fifth = (one + other) / 5;
    assert!(one >= fifth && other >= fifth, "{one} and {other}");
    for answer in answers.iter().flatten() {
        assert!(matches!(Answer::read(answer), Answer::Paid(_)), "{answer}");
        journal.answered(answer);
    }
    let asked = journal.asks.len();
    journal.judge_part(&lab, asked - 500..asked);
}

/// Keeps a window of refunds in flight until both processes together have done the total.
fn share(
    mut client: Client,
    journal: &Journal,
    first: u64,
    total: u64,
    window: u64,
    done: &AtomicU64,
) -> Vec<Value> {
    let mut stdin = client.take_stdin();
    let mut answers = Vec::new();
    let (mut next, mut in_flight) = (first, 0);
    loop {
        while in_flight < window && next < first + total && done.load(Ordering::Relaxed) < total {
            let ask = &journal.asks[usize::try_from(next).expect("small")];
            let line = ask.line(next) + "\n";
            stdin.write_all(line.as_bytes()).expect("the server reads");
            (next, in_flight) = (next + 1, in_flight + 1);
        }
        if in_flight == 0 {
            break;
        }
        answers.push(client.receive());
        in_flight -= 1;
        done.fetch_add(1, Ordering::Relaxed);
    }
    drop(stdin);
    finish(client);
    answers
}
