//! One message, one conversation with the SMTP server.

use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::Error;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use refund_domain::{ClaimedMessage, DeliveryFailure, Timestamp};

use super::{Sender, SmtpUrl};

/// How long the server may take for one answer.
const ANSWER: Duration = Duration::from_secs(20);
/// How long a whole conversation may take: less than a claim lasts.
const CONVERSATION: Duration = Duration::from_secs(60);

/// The way to an SMTP server.
#[derive(Debug)]
pub(crate) struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    conversation: Duration,
}

/// Why a message was not delivered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotDelivered {
    pub(super) failure: DeliveryFailure,
    /// Why the next message would fare no better; `None` where this one alone is at fault.
    pub(super) trouble: Option<Trouble>,
}

/// Why no message at all can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The server is not there, or too busy: it may be well again soon.
    Down,
    /// The server said for good that it does not serve us: the name, the password or the address of
    /// the configuration is wrong, and asking again and again gets accounts locked.
    Unwelcome,
}

impl Smtp {
    /// # Errors
    /// None for a URL that was parsed, except where the system's certificates cannot be read.
    pub(crate) fn new(url: &SmtpUrl, sender: &Sender) -> Result<Self, Error> {
        Ok(Self {
            transport: url.transport()?.timeout(Some(ANSWER)).build(),
            from: sender.mailbox(),
            conversation: CONVERSATION,
        })
    }

    #[cfg(test)]
    pub(super) fn impatient(mut self, conversation: Duration) -> Self {
        self.conversation = conversation;
        self
    }

    /// Sends a message. The server has taken charge of it when this succeeds; when it fails it may
    /// have done so too, and the message goes out again later with the same Message-ID.
    pub(super) async fn send(&self, claimed: &ClaimedMessage) -> Result<(), NotDelivered> {
        let message = self.message(claimed).ok_or(NotDelivered {
            failure: DeliveryFailure {
                is_refusal: true,
                what: "the address cannot be written in a mail",
                code: None,
            },
            trouble: None,
        })?;
        let error =
            match tokio::time::timeout(self.conversation, self.transport.send(message)).await {
                Ok(Ok(_answer)) => return Ok(()),
                Ok(Err(error)) => error,
                Err(_elapsed) => return Err(too_slow()),
            };
        let failed = not_delivered(&error);
        if failed.trouble.is_none() && error.is_permanent() {
            // Was that about the message, or did the server not even greet us? The error does not tell.
            return Err(self.greeted().await.err().unwrap_or(failed));
        }
        Err(failed)
    }

    /// Whether the server greets us and lets us in, on a connection of its own.
    async fn greeted(&self) -> Result<(), NotDelivered> {
        let asked = self.transport.test_connection();
        match tokio::time::timeout(self.conversation, asked).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.is_permanent() => Err(NotDelivered {
                failure: DeliveryFailure {
                    is_refusal: false,
                    what: "the server does not serve us",
                    code: error.status().map(u16::from),
                },
                trouble: Some(Trouble::Unwelcome),
            }),
            Ok(Err(error)) => Err(not_delivered(&error)),
            Err(_elapsed) => Err(too_slow()),
        }
    }

    /// The mail; `None` for a recipient that is none.
    fn message(&self, claimed: &ClaimedMessage) -> Option<Message> {
        let notification = &claimed.message;
        let to = notification.to.as_str().parse().ok()?;
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(notification.subject.clone())
            // Of the return alone, so that it is the same at every try, whoever makes it.
            .message_id(Some(format!("<{}@refund-mcp>", claimed.return_id)))
            .date(system_time(notification.sent_at))
            // So that nobody's absence notice answers it.
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-generated".to_owned(),
            ))
            .header(ContentType::TEXT_PLAIN)
            .body(notification.body.clone())
            .ok()
    }
}

/// A mail cannot be dated before 1970, nor need it be.
fn system_time(at: Timestamp) -> SystemTime {
    let millis = u64::try_from(at.unix_millis()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

fn too_slow() -> NotDelivered {
    NotDelivered {
        failure: DeliveryFailure {
            is_refusal: false,
            what: "the server was too slow",
            code: None,
        },
        trouble: Some(Trouble::Down),
    }
}

/// What lettre's error means. Its text stays here: servers repeat addresses in their answers.
fn not_delivered(error: &Error) -> NotDelivered {
    // "Authentication required", "too weak", "failed", "encryption required": the configuration is
    // wrong, not the message. "Service not available, closing" is for now.
    const UNWELCOME: [u16; 4] = [530, 534, 535, 538];
    const CLOSING: u16 = 421;
    let code = error.status().map(u16::from);
    let trouble = match code {
        Some(code) if UNWELCOME.contains(&code) => Some(Trouble::Unwelcome),
        Some(CLOSING) => Some(Trouble::Down),
        Some(_) => None,
        None => (!error.is_client()).then_some(Trouble::Down),
    };
    let what = match code {
        Some(_) if trouble == Some(Trouble::Unwelcome) => "the server does not serve us",
        Some(_) if trouble.is_some() => "the server serves nobody now",
        Some(_) if error.is_permanent() => "the server refused the message",
        Some(_) => "the server did not take the message now",
        // Addresses that need an extension the server lacks, for one.
        None if error.is_client() => "the message cannot be sent by this server",
        None if error.is_timeout() => "the server was too slow",
        None if error.is_tls() => "there is no trusted connection to the server",
        None => "the server was not reached, or the connection broke off",
    };
    let is_refusal = error.is_client() || (error.is_permanent() && trouble.is_none());
    NotDelivered {
        failure: DeliveryFailure {
            is_refusal,
            what,
            code,
        },
        trouble,
    }
}
