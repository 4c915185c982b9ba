//! The message that tells a customer about a return.

use std::fmt;

use crate::{CivilDate, Customer, EmailAddress, OrderDetails, ReturnId, Timestamp};

/// A message to a customer, as it was handed over for delivery. It waits in the store's outbox, saved
/// together with what it is about.
#[derive(Clone, PartialEq, Eq)]
pub struct Notification {
    /// Who gets it.
    pub to: EmailAddress,
    /// The subject, one line.
    pub subject: String,
    /// The text.
    pub body: String,
    /// When it was handed over for delivery. It may arrive later.
    pub sent_at: Timestamp,
}

impl Notification {
    /// A message. What is no one-line text in the subject becomes a blank: a subject is a mail header.
    #[must_use]
    pub fn new(to: EmailAddress, words: NotificationWords, sent_at: Timestamp) -> Self {
        let NotificationWords { subject, body } = words;
        Self {
            to,
            subject: subject.replace(char::is_control, " "),
            body,
            sent_at,
        }
    }
}

/// Personal data, so that it does not show itself.
impl fmt::Debug for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("sent_at", &self.sent_at)
            .finish_non_exhaustive()
    }
}

/// What a message says.
#[derive(Clone, PartialEq, Eq)]
pub struct NotificationWords {
    /// The subject.
    pub subject: String,
    /// The text.
    pub body: String,
}

impl fmt::Debug for NotificationWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NotificationWords(…)")
    }
}

/// What a message about a return can say.
#[derive(Debug, Clone, Copy)]
pub struct ReturnNews<'a> {
    /// The return.
    pub return_id: ReturnId,
    /// What was returned.
    pub details: &'a OrderDetails,
    /// The day of the return.
    pub today: CivilDate,
}

impl ReturnNews<'_> {
    /// Who gets the message.
    #[must_use]
    pub fn customer(&self) -> &Customer {
        &self.details.customer
    }
}

/// Writes messages, in the language that was chosen when the call came in. Pure, and it cannot fail:
/// a store calls it inside the transaction in which it learns what the message is about.
pub trait NotificationWriter: fmt::Debug + Send + Sync {
    /// The message about a return.
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords;
}
