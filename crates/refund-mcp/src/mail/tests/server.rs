//! An SMTP server on loopback that does what it is told, one conversation after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What a conversation comes to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Manner {
    /// The message is taken.
    Accept,
    /// Nobody is greeted but with this answer.
    Greeting(&'static str),
    /// The name and password get this answer.
    Login(&'static str),
    /// The recipient gets this answer.
    Recipient(&'static str),
    /// The message gets this answer.
    Message(&'static str),
    /// The message is received whole, and the connection closed without an answer.
    CutAfterData,
    /// No word is said.
    Silence,
}

/// What happened, in the order in which it did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    Connected,
    /// A message came in whole: envelope recipient, and the lines of the mail.
    Received(String, String),
}

pub(super) struct Server {
    pub(super) url: String,
    pub(super) events: mpsc::UnboundedReceiver<Event>,
    manners: Arc<Mutex<VecDeque<Manner>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// A server that treats its conversations like this, in this order, and accepts what comes after.
    pub(super) async fn start(manners: &[Manner]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let manners = Arc::new(Mutex::new(VecDeque::from(manners.to_vec())));
        let (sender, events) = mpsc::unbounded_channel();
        let task = tokio::spawn({
            let manners = Arc::clone(&manners);
            async move {
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let manner = manners.lock().unwrap().pop_front();
                    let manner = manner.unwrap_or(Manner::Accept);
                    let _ended = sender.send(Event::Connected);
                    tokio::spawn(converse(stream, manner, sender.clone()));
                }
            }
        });
        Self {
            url,
            events,
            manners,
            task,
        }
    }

    /// What has happened so far.
    pub(super) fn so_far(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }

    /// The mails that came in so far.
    pub(super) fn mails(&mut self) -> Vec<String> {
        let events = self.so_far().into_iter();
        let mails = events.filter_map(|event| match event {
            Event::Received(_, mail) => Some(mail),
            Event::Connected => None,
        });
        mails.collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        if !std::thread::panicking() {
            assert!(
                self.manners.lock().unwrap().is_empty(),
                "a conversation is missing"
            );
        }
    }
}

async fn converse(stream: TcpStream, manner: Manner, events: mpsc::UnboundedSender<Event>) {
    let mut stream = BufReader::new(stream);
    if matches!(manner, Manner::Silence) {
        let mut line = String::new();
        // Until the client has had enough.
        let _ = stream.read_line(&mut line).await;
        return;
    }
    if let Manner::Greeting(answer) = manner {
        say(&mut stream, answer).await;
        return;
    }
    say(&mut stream, "220 ready").await;
    let mut recipient = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let command = line.trim_end();
        let word = command.get(..4).unwrap_or(command).to_uppercase();
        let answer = match (word.as_str(), manner) {
            ("EHLO", _) => "250-here\r\n250-AUTH PLAIN\r\n250 8BITMIME",
            ("AUTH", Manner::Login(answer)) => answer,
            ("AUTH", _) => "235 welcome",
            ("RCPT", Manner::Recipient(answer)) => answer,
            ("RCPT", _) => {
                recipient = command.to_owned();
                "250 ok"
            }
            ("DATA", _) => {
                say(&mut stream, "354 go on").await;
                let mail = mail(&mut stream).await;
                let _ended = events.send(Event::Received(recipient.clone(), mail));
                match manner {
                    Manner::CutAfterData => return,
                    Manner::Message(answer) => answer,
                    _ => "250 taken",
                }
            }
            ("QUIT", _) => {
                say(&mut stream, "221 bye").await;
                return;
            }
            _ => "250 ok",
        };
        say(&mut stream, answer).await;
    }
}

async fn say(stream: &mut BufReader<TcpStream>, answer: &str) {
    // A client that has gone away notices by itself.
    let _ = stream.write_all(format!("{answer}\r\n").as_bytes()).await;
}

async fn mail(stream: &mut BufReader<TcpStream>) -> String {
    let mut mail = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap() == 0 || line == ".\r\n" {
            return mail;
        }
        mail.push_str(&line);
    }
}
