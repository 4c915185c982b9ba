//! Mail: messages to customers leave the store's outbox over SMTP. The only module that knows lettre.
//!
//! [`SmtpUrl`] is the configuration, [`Smtp`] one conversation with the server, [`Courier`] the
//! background task that takes messages out of the outbox until they are delivered.

mod courier;
mod smtp;
#[cfg(test)]
mod tests;
mod url;

pub(crate) use courier::Courier;
pub(crate) use smtp::Smtp;
pub(crate) use url::{Sender, SmtpUrl};
