//! Mail to customers through the real binary: sent with `--smtp-url`, simulated without.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use serde_json::json;

use crate::client::Start;

/// Takes one mail, and gives its lines.
fn take_mail(listener: TcpListener) -> JoinHandle<Vec<String>> {
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let say = |mut stream: &TcpStream, line: &str| {
            stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        };
        say(&stream, "220 ready");
        let mut mail = Vec::new();
        while let Some(Ok(line)) = lines.next() {
            match line.get(..4).unwrap_or("") {
                "DATA" => {
                    say(&stream, "354 go on");
                    mail = lines
                        .by_ref()
                        .map(Result::unwrap)
                        .take_while(|line| line != ".")
                        .collect();
                    say(&stream, "250 taken");
                }
                "QUIT" => {
                    say(&stream, "221 bye");
                    break;
                }
                "AUTH" => say(&stream, "235 welcome"),
                "EHLO" => say(&stream, "250-here\r\n250 AUTH PLAIN"),
                _ => say(&stream, "250 ok"),
            }
        }
        mail
    })
}

fn start() -> Start {
    Start::memory()
        .argument("--demo=returns")
        .argument("--today=2026-08-11")
        .variable("LOG_LEVEL", "trace")
}

// Neither the password nor an address gets into the log.
#[test]
fn a_return_over_http_is_mailed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://shop:pass-word@{}", listener.local_addr().unwrap());
    let mail = take_mail(listener);
    let server = crate::http::listen(start().variable("REFUND_SMTP_URL", &url));
    let call = json!({ "order_id": "ORD-1001", "reason": "leaks" });
    let returned = server.call(crate::http::TOKEN, "process_return", &call);
    let id = returned["return_id"].as_str().unwrap();
    let mail = mail.join().unwrap();
    let line = format!("Message-ID: <{id}@refund-mcp>");
    assert!(mail.contains(&line), "{mail:?}");
    for secret in ["pass-word", "murasaki", "Murasaki", "leaks"] {
        assert!(!server.log().contains(secret), "{}", server.log());
    }
}

#[test]
fn a_return_is_mailed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://shop:pass-word@{}", listener.local_addr().unwrap());
    let mail = take_mail(listener);
    let mut client = start()
        .variable("REFUND_SMTP_URL", &url)
        .argument("--mail-from=Shop <returns@example.com>")
        .connect();
    let call = json!({ "order_id": "ORD-1001", "reason": "leaks" });
    let returned = client.call("process_return", &call);
    let mail = mail.join().unwrap();
    let id = returned["return_id"].as_str().unwrap();
    for line in [
        "From: Shop <returns@example.com>",
        "To: Ami.Murasaki@example.com",
        &format!("Message-ID: <{id}@refund-mcp>"),
    ] {
        assert!(mail.iter().any(|found| found == line), "{line}: {mail:?}");
    }
    let finished = client.finish();
    assert!(finished.status.success());
    for secret in ["pass-word", "murasaki", "Murasaki", "leaks"] {
        assert!(!finished.log.contains(secret), "{}", finished.log);
    }
}

#[test]
fn without_a_mail_server_the_message_is_in_the_result_alone() {
    let mut client = start().connect();
    let call = json!({ "order_id": "ORD-1001", "reason": "leaks" });
    let returned = client.call("process_return", &call);
    assert_eq!(
        returned["notification"]["to"].as_str(),
        Some("Ami.Murasaki@example.com")
    );
    assert!(client.finish().status.success());
}

#[test]
fn a_password_is_never_repeated() {
    for (url, code) in [
        ("smtps://shop:pass-word@mail.example.com", 0),
        ("smtp://shop:pass-word@mail.example.com", 2),
        ("http://shop:pass-word@mail.example.com", 2),
    ] {
        for start in [
            Start::memory().variable("REFUND_SMTP_URL", url),
            Start::memory().argument(&format!("--smtp-url={url}")),
        ] {
            let (found, stdout, stderr) = start.argument("config").run();
            assert_eq!(found, code, "{stderr}");
            assert!(
                !format!("{stdout}{stderr}").contains("pass-word"),
                "{stderr}"
            );
            assert_eq!(stdout.contains("***@mail.example.com"), code == 0);
        }
    }
}
