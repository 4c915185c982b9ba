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
    /// Whether the next message would fare no better.
    pub(super) server_is_down: bool,
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
            server_is_down: false,
        })?;
        match tokio::time::timeout(self.conversation, self.transport.send(message)).await {
            Ok(Ok(_answer)) => Ok(()),
            Ok(Err(error)) => Err(not_delivered(&error)),
            Err(_elapsed) => Err(NotDelivered {
                failure: DeliveryFailure {
                    is_refusal: false,
                    what: "the server was too slow",
                    code: None,
                },
                server_is_down: true,
            }),
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

/// What lettre's error means. Its text stays here: servers repeat addresses in their answers.
fn not_delivered(error: &Error) -> NotDelivered {
    // "Authentication required", "too weak", "failed", "encryption required": the configuration is
    // wrong, not the message. And "service not available, closing".
    const OF_THE_SERVER: [u16; 5] = [421, 530, 534, 535, 538];
    let code = error.status().map(u16::from);
    let of_the_server = code.is_none_or(|code| OF_THE_SERVER.contains(&code));
    let what = match code {
        Some(_) if of_the_server => "the server serves nobody, or not us",
        Some(_) if error.is_permanent() => "the server refused the message",
        Some(_) => "the server did not take the message now",
        // Addresses that need an extension the server lacks, for one.
        None if error.is_client() => "the message cannot be sent by this server",
        None if error.is_timeout() => "the server was too slow",
        None if error.is_tls() => "there is no trusted connection to the server",
        None => "the server was not reached, or the connection broke off",
    };
    let is_refusal = error.is_client() || (error.is_permanent() && !of_the_server);
    NotDelivered {
        failure: DeliveryFailure {
            is_refusal,
            what,
            code,
        },
        server_is_down: of_the_server && !error.is_client(),
    }
}
