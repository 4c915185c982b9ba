//! T-21, R-142, R-143, R-145: how a server ends, and what it may be started on.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::lab::{HANDSHAKE, Lab, call, discreet, finish, ping};
use super::oracle::{Answer, Ask, Journal};
use super::pipes::{Pipes, SOON};
use super::volume;
use crate::client::{Start, binary, checked};

fn memory() -> Start {
    Start::memory().variable("LOG_LEVEL", "trace")
}

#[test]
fn the_end_of_input_while_idle() {
    for _ in 0..volume(10, 200) {
        let mut pipes = Pipes::connect(&memory());
        pipes.stdin = None;
        assert_eq!(pipes.end(SOON).0, Some(0));
        assert!(pipes.receive().is_none(), "nothing more is said");
    }
    let mut pipes = Pipes::spawn(&memory());
    pipes.stdin = None;
    assert_eq!(pipes.end(SOON).0, Some(0), "without a handshake");
    assert!(pipes.receive().is_none());
}

#[test]
fn the_end_of_input_with_calls_in_flight() {
    let lab = Lab::new(3, 100_000_000);
    let mut journal = Journal::default();
    for round in 0..volume(10, 200) {
        let mut client = lab.traced().connect();
        let mut lines = String::new();
        for number in 0..200 {
            let index = journal.ask(1 + number % 3, 100);
            lines.push_str(&(journal.asks[index].line(index) + "\n"));
        }
        // The last line is served without its end, too.
        client.write(lines.trim_end().as_bytes());
        client.close_stdin();
        let answers = finish(client).answers;
        assert_eq!(answers.len(), 200, "round {round}: answers first");
        answers.iter().for_each(|answer| journal.answered(answer));
    }
    journal.judge(&lab);
    assert!(
        journal
            .answers
            .values()
            .flatten()
            .all(|answer| matches!(answer, Answer::Paid(_)))
    );
}

#[test]
fn the_last_line_without_its_end() {
    let mut pipes = Pipes::connect(&memory());
    pipes.send(ping(5).trim_end());
    pipes.stdin = None;
    assert_eq!(pipes.receive().expect("an answer")["id"], 5);
    assert_eq!(pipes.end(SOON).0, Some(0));
}

#[test]
fn input_from_the_null_device_and_from_a_file() {
    let mut pipes = Pipes::with_input(&memory(), Stdio::null());
    assert_eq!(pipes.end(SOON).0, Some(0));
    assert!(pipes.receive().is_none());

    let lab = Lab::new(1, 100_000);
    let ask = Ask {
        key: "K".to_owned(),
        customer: 1,
        cents: 100,
    };
    let path = lab.directory.path().join("input");
    std::fs::write(&path, format!("{HANDSHAKE}{}\n{}", ask.line(1), ping(2))).expect("a file");
    let input = File::open(&path).expect("the file");
    let mut pipes = Pipes::with_input(&lab.traced(), input.into());
    let mut ids: Vec<String> = std::iter::from_fn(|| pipes.receive())
        .map(|answer| answer["id"].to_string())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [r#""handshake""#, "1", "2"]);
    assert_eq!(pipes.end(SOON).0, Some(0));
    lab.check();
}

// How clients on Node start a server.
#[test]
fn sockets_instead_of_pipes() {
    let lab = Lab::new(1, 100_000);
    for both_ways in [false, true] {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let (ours_out, theirs_out) = if both_ways {
            (
                ours.try_clone().expect("a clone"),
                theirs.try_clone().expect("a clone"),
            )
        } else {
            UnixStream::pair().expect("a pair")
        };
        let mut child = lab
            .start()
            .command()
            .stdin(OwnedFd::from(theirs))
            .stdout(OwnedFd::from(theirs_out))
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut answers = BufReader::new(ours_out);
        let mut receive = || {
            let mut line = Vec::new();
            answers.read_until(b'\n', &mut line).expect("stdout");
            checked(&line)
        };
        (&ours).write_all(HANDSHAKE.as_bytes()).expect("stdin");
        assert_eq!(receive()["id"], "handshake");
        // More than a socket's buffer holds, so that reading and writing take turns.
        for number in 0..50 {
            let long = "x".repeat(40_000);
            let call = call(
                number,
                "get_customer_record",
                &format!(r#"{{"customer_id":"{long}"}}"#),
            );
            (&ours).write_all((call + "\n").as_bytes()).expect("stdin");
            assert_eq!(receive()["id"], number);
        }
        ours.shutdown(std::net::Shutdown::Write).expect("the end");
        let begun = Instant::now();
        assert_eq!(child.wait().expect("wait").code(), Some(0));
        assert!(begun.elapsed() < SOON);
    }
}

// R-142: the program that started the server is killed, and leaves no orphan behind.
#[test]
fn the_parent_is_killed() {
    // The shell holds the only writing end of the server's input. The server inherits the shell's
    // stdout and stderr, so that their end is the server's.
    const PARENT: &str = r#"
        mkfifo "$1/input"
        LOG_LEVEL=trace "$0" --database "sqlite:$1/refunds.db" <"$1/input" &
        exec 4>"$1/input"
        printf '%s\n' "$2" >&4
        while read -r line; do printf '%s\n' "$line" >&4; done
    "#;
    let lab = Lab::new(1, 100_000);
    for round in 0..volume(10, 200) {
        let _ = std::fs::remove_file(lab.directory.path().join("input"));
        let mut parent = Command::new("sh")
            .args(["-c", PARENT])
            .arg(binary())
            .arg(lab.directory.path())
            .arg(HANDSHAKE.trim_end())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut answers = BufReader::new(parent.stdout.take().expect("piped"));
        let mut line = Vec::new();
        answers.read_until(b'\n', &mut line).expect("stdout");
        assert_eq!(checked(&line)["id"], "handshake");
        let ask = Ask {
            key: format!("K-{round}"),
            customer: 1,
            cents: 100,
        };
        let mut stdin = parent.stdin.take().expect("piped");
        stdin
            .write_all((ask.line(1) + "\n").as_bytes())
            .expect("stdin");
        if round % 2 == 0 {
            line.clear();
            answers.read_until(b'\n', &mut line).expect("stdout");
            assert_eq!(checked(&line)["result"]["isError"], false);
        }
        parent.kill().expect("kill");
        let begun = Instant::now();
        parent.wait().expect("wait");
        let mut log = String::new();
        let mut stderr = parent.stderr.take().expect("piped");
        stderr.read_to_string(&mut log).expect("the log");
        assert!(
            begun.elapsed() < SOON,
            "an orphan for {:?}",
            begun.elapsed()
        );
        assert!(
            log.contains("stopped") && !log.contains("panicked"),
            "{log}"
        );
        discreet(&log);
    }
    lab.check();
}

// R-145: nobody reads any more. The refund that comes is whole or not there, and the end is quiet.
#[test]
fn output_closed_then_a_refund() {
    for _ in 0..volume(10, 200) {
        let lab = Lab::new(1, 100_000);
        let mut pipes = Pipes::connect(&lab.traced());
        pipes.stdout = None;
        let ask = Ask {
            key: "K".to_owned(),
            customer: 1,
            cents: 100,
        };
        pipes.send(&(ask.line(1) + "\n"));
        let (code, log) = pipes.end(SOON);
        assert_eq!(code, Some(0), "{log}");
        assert!(!log.contains(r#""ERROR""#), "{log}");
        lab.check();
        let mut client = lab.start().connect();
        let list = client.call("list_refunds", &json!({ "customer_id": "CUST-00001" }));
        assert_eq!(
            list["total"], 1,
            "it was read before the answer could not be written"
        );
        finish(client);
    }
}

// R-142, R-145: a request that is being handed over when reading stops must not hold the end.
#[test]
fn output_closed_then_many_refunds_at_once() {
    let lab = Lab::new(1, 100_000);
    let mut pipes = Pipes::connect(&lab.traced());
    pipes.stdout = None;
    let lines: String = (0..100)
        .map(|number| {
            let ask = Ask {
                key: format!("K{number}"),
                customer: 1,
                cents: 1,
            };
            ask.line(number) + "\n"
        })
        .collect();
    pipes.send(&lines);
    let (code, log) = pipes.end(SOON);
    assert_eq!(code, Some(0), "{log}");
    lab.check();
}

// R-143: a server that waits does not spin, whichever of its pipes is closed.
#[test]
#[cfg(target_os = "linux")]
fn no_spinning() {
    let lab = Lab::new(1, 100_000);
    let lock = super::locked::Lock::of_writers(&lab.path);
    let ask = Ask {
        key: "K".to_owned(),
        customer: 1,
        cents: 100,
    };
    // Output closed, and nothing to say.
    let mut closed = Pipes::connect(&lab.traced());
    closed.stdout = None;
    // Input ended, and a call in flight.
    let mut ended = Pipes::connect(&lab.traced());
    ended.send(&(ask.line(1) + "\n"));
    ended.stdin = None;
    let idle = Pipes::connect(&lab.traced());
    let all = [&closed, &ended, &idle];
    let before = all.map(Pipes::processor_time);
    std::thread::sleep(Duration::from_millis(1500));
    let after = all.map(Pipes::processor_time);
    for (before, after) in before.into_iter().zip(after) {
        // The one that waits for the lock asks for it 5,000 times a second.
        assert!(
            after - before < Duration::from_millis(750),
            "{before:?} to {after:?}"
        );
    }
    drop(lock);
    assert_eq!(ended.end(SOON).0, Some(0));
    let answer = ended.receive().expect("the answer came first");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    closed.stdin = None;
    assert_eq!(closed.end(SOON).0, Some(0));
}
