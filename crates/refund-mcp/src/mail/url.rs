//! Where mail goes, and who sends it: checked when the configuration is read.

use std::fmt;
use std::net::IpAddr;

use lettre::message::Mailbox;
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::{AsyncSmtpTransport, Tokio1Executor};

/// The address of the SMTP server, with the credentials if it needs some. It shows itself without
/// them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SmtpUrl(String);

/// The address that messages come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sender(Mailbox);

impl SmtpUrl {
    const FORMS: &str = "use smtps://USER:PASSWORD@HOST (TLS), smtp://USER:PASSWORD@HOST?tls=required (STARTTLS), or smtp://HOST[:PORT] (neither TLS nor a password)";

    /// Reads a URL. The text is not repeated in the error: it can hold a password.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("this is no address of an SMTP server; {}", Self::FORMS);
        let url = Self(text.to_owned());
        let _usable = url.transport().map_err(|_| wrong())?;
        let (scheme, authority) = url.parts().ok_or_else(wrong)?;
        let in_the_clear = scheme == "smtp" && !text.contains("tls=required");
        if in_the_clear && authority.contains('@') && !is_this_machine(authority) {
            return Err(format!(
                "a password must not go over the network unencrypted; {}",
                Self::FORMS
            ));
        }
        Ok(url)
    }

    pub(super) fn transport(
        &self,
    ) -> Result<AsyncSmtpTransportBuilder, lettre::transport::smtp::Error> {
        AsyncSmtpTransport::<Tokio1Executor>::from_url(&self.0)
    }

    /// The scheme, and credentials with host and port.
    fn parts(&self) -> Option<(&str, &str)> {
        let (scheme, rest) = self.0.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        Some((scheme, rest.get(..end)?))
    }
}

/// Without the credentials.
impl fmt::Display for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, authority)) = self.parts() else {
            return f.write_str("***");
        };
        match authority.rsplit_once('@') {
            Some((_credentials, host)) => write!(f, "{scheme}://***@{host}"),
            None => write!(f, "{scheme}://{authority}"),
        }
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Whether the host of an authority is this machine, by its name or address.
fn is_this_machine(authority: &str) -> bool {
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    let name = name.unwrap_or(host);
    name == "localhost"
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

impl Sender {
    /// Where nobody says who sends.
    pub(crate) const DEFAULT: &str = "returns@localhost";

    /// Reads an address, with a name before it or without.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        text.parse::<Mailbox>().map(Self).map_err(|error| {
            format!("{text:?} is no sender such as returns@example.com or Shop <returns@example.com>: {error}")
        })
    }

    pub(super) fn mailbox(&self) -> Mailbox {
        self.0.clone()
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for (text, shown) in [
            ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525"),
            (
                "smtps://a:se%40cret@mail.example.com",
                "smtps://***@mail.example.com",
            ),
            (
                "smtps://a@b:sec@ret@mail.example.com:465/helo",
                "smtps://***@mail.example.com:465",
            ),
            (
                "smtp://a:secret@mail.example.com?tls=required",
                "smtp://***@mail.example.com",
            ),
            ("smtp://a:secret@[::1]:25", "smtp://***@[::1]:25"),
            ("smtp://a:secret@localhost:25", "smtp://***@localhost:25"),
        ] {
            let url = SmtpUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), shown);
        }
    }

    #[test]
    fn what_is_no_mail_server_is_said_without_the_text() {
        for text in [
            "",
            "secret",
            "secret:25",
            "http://a:secret@example.com",
            "smtp://",
            "smtp://a:secret@example.com?tls=maybe",
            "smtp://a:secret@mail.example.com",
            "smtp://a:secret@mail.example.com?tls=opportunistic",
            "smtp://a:secret@localhost.example.com",
            "smtp://a:secret@128.0.0.1",
        ] {
            let error = SmtpUrl::parse(text).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_sender_is_an_address() {
        for text in [Sender::DEFAULT, "Shop <returns@example.com>"] {
            assert_eq!(Sender::parse(text).unwrap().to_string(), text);
        }
        assert!(Sender::parse("returns").is_err());
        assert!(Sender::parse("a@b\r\nBcc: c@d").is_err());
    }
}
