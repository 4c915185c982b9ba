//! The URL of a database: read once, and shown without its password.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::connect_error::ConnectError;

/// How long a connection may take to be made, to whichever of the hosts it is.
const CONNECT: Duration = Duration::from_secs(5);
/// After how long a server that does not acknowledge what was sent counts as gone.
const SILENCE: Duration = Duration::from_secs(15);

/// How the connection is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Not at all.
    Off,
    /// If the server can, with its certificate verified; otherwise not at all.
    IfOffered(Trust),
    /// Always, with the server's certificate and name verified.
    Always(Trust),
}

/// Whose certificates are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Those that this machine trusts.
    Machine,
    /// Those in this PEM file.
    File(PathBuf),
}

/// Where a database is: `postgres://user@host:5432/database`. Shown without its password.
///
/// Encryption is on with the certificate verified (`sslmode=verify-full`, and `sslrootcert=FILE` for
/// certificates that the machine does not trust by itself), except to this very machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    pub(crate) config: Config,
    pub(crate) tls: Tls,
    /// Without the password.
    pub(crate) shown: String,
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl FromStr for Url {
    type Err = ConnectError;

    fn from_str(text: &str) -> Result<Self, ConnectError> {
        Self::parse(text)
    }
}

impl Url {
    /// Whether it holds a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    pub(crate) fn parse(text: &str) -> Result<Self, ConnectError> {
        let error = |what: String| ConnectError::Url { what };
        let rest = text
            .strip_prefix("postgres://")
            .or_else(|| text.strip_prefix("postgresql://"))
            .ok_or_else(|| error("does not begin with postgres://".to_owned()))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut kept = Vec::new();
        let (mut mode, mut root) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => root = Some(value),
                _ => kept.push(pair),
            }
        }
        let plain = format!("postgres://{place}?{}", kept.join("&"));
        // The driver's text may quote a part of the URL, but of its options only.
        let mut config = Config::from_str(&plain).map_err(|cause| {
            let cause = std::error::Error::source(&cause)
                .map_or_else(|| cause.to_string(), ToString::to_string);
            error(format!("cannot be read: {cause}"))
        })?;
        if config.get_hosts().is_empty() {
            return Err(error("names no host".to_owned()));
        }
        if config.get_user().is_none() {
            return Err(error("names no user".to_owned()));
        }
        let trust = match root {
            None | Some("system") => Trust::Machine,
            Some(path) => Trust::File(decoded(path)?.into()),
        };
        let tls = match mode {
            None if is_local(&config) => Tls::Off,
            Some("disable") => Tls::Off,
            Some("prefer") => Tls::IfOffered(trust),
            // Whoever wants it encrypted wants to know to whom.
            None | Some("require" | "verify-ca" | "verify-full") => Tls::Always(trust),
            Some(other) => {
                return Err(error(format!(
                    "has sslmode={other}; the modes are disable, prefer, require and verify-full"
                )));
            }
        };
        config.ssl_mode(match tls {
            Tls::Off => SslMode::Disable,
            Tls::IfOffered(_) => SslMode::Prefer,
            Tls::Always(_) => SslMode::Require,
        });
        if config.get_connect_timeout().is_none() {
            // So that one that is silent leaves time for the others.
            let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
            config.connect_timeout(CONNECT / hosts);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        let shown = masked(text);
        Ok(Self { config, tls, shown })
    }
}

/// Whether nobody stands between us and the server: a socket file, or this very machine.
fn is_local(config: &Config) -> bool {
    let by_name = config.get_hosts().iter().all(|host| match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => ["localhost", "127.0.0.1", "::1"].contains(&name.as_str()),
    });
    by_name && config.get_hostaddrs().iter().all(|to| to.is_loopback())
}

/// A URL as people and logs may see it: `***` in the place of its password.
fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let place = match place.rsplit_once('@') {
        Some((owner, host)) => match owner.split_once(':') {
            Some((user, _password)) => format!("{user}:***@{host}"),
            None => place.to_owned(),
        },
        None => place.to_owned(),
    };
    let pairs: Vec<String> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| match pair.split_once('=') {
            Some(("password", _)) => "password=***".to_owned(),
            _ => pair.to_owned(),
        })
        .collect();
    match pairs.is_empty() {
        true => format!("{scheme}://{place}"),
        false => format!("{scheme}://{place}?{}", pairs.join("&")),
    }
}

/// `%2F` and the like read.
fn decoded(text: &str) -> Result<String, ConnectError> {
    let error = || ConnectError::Url {
        what: "has a sslrootcert that cannot be read".to_owned(),
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(error());
        };
        bytes.extend(u8::try_from(high * 16 + low));
    }
    String::from_utf8(bytes).map_err(|_| error())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tls(url: &str) -> Tls {
        Url::parse(url).unwrap().tls
    }

    #[test]
    fn a_password_is_never_shown() {
        for (url, shown) in [
            ("postgres://u:s3:cr@t@db/x", "postgres://u:***@db/x"),
            (
                "postgres://u@db/x?sslmode=require",
                "postgres://u@db/x?sslmode=require",
            ),
            (
                "postgres://db/x?user=u&password=s3cret",
                "postgres://db/x?user=u&password=***",
            ),
            ("postgres://u:p@a:1,b:2/x", "postgres://u:***@a:1,b:2/x"),
        ] {
            assert_eq!(masked(url), shown);
        }
        let url = Url::parse("postgres://u:s3cret@db/x").unwrap();
        assert!(!format!("{url:?}").contains("s3cret"));
        for bad in [
            "postgres://u:s3cret@db:port/x",
            "mysql://u:s3cret@db/x",
            "postgres://u:s3cret@db/x?y=z",
        ] {
            let error = Url::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_host_that_is_silent_leaves_time_for_the_next() {
        let patience = |url| {
            Url::parse(url)
                .unwrap()
                .config
                .get_connect_timeout()
                .copied()
        };
        let [one, both] = [CONNECT, CONNECT / 2].map(Some);
        assert_eq!(patience("postgres://u@a/x"), one);
        assert_eq!(patience("postgres://u@a,b:5433/x"), both);
        let theirs = Some(Duration::from_secs(1));
        assert_eq!(patience("postgres://u@a,b/x?connect_timeout=1"), theirs);
    }

    #[test]
    fn beyond_this_machine_nothing_is_believed_unseen() {
        assert_eq!(tls("postgres://u@127.0.0.1/x"), Tls::Off);
        assert_eq!(tls("postgres://u@%2Fvar%2Frun/x"), Tls::Off);
        assert_eq!(
            tls("postgres://u@db.example.com/x"),
            Tls::Always(Trust::Machine)
        );
        for elsewhere in [
            "postgres://u@127.0.0.1,db.example.com/x",
            "postgres://u@localhost/x?hostaddr=10.1.2.3",
        ] {
            assert_eq!(tls(elsewhere), Tls::Always(Trust::Machine), "{elsewhere}");
        }
        assert_eq!(
            tls("postgres://u@db/x?sslmode=require"),
            Tls::Always(Trust::Machine)
        );
        assert_eq!(
            tls("postgres://u@db/x?sslmode=prefer"),
            Tls::IfOffered(Trust::Machine)
        );
        assert_eq!(tls("postgres://u@db/x?sslmode=disable"), Tls::Off);
        let file = "postgres://u@db/x?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem";
        assert_eq!(tls(file), Tls::Always(Trust::File("/etc/ca.pem".into())));
        for bad in [
            "postgres://u@db/x?sslmode=allow",
            "postgres://u@db/x?sslrootcert=%2",
            "postgres:///x",
            "postgres://db/x",
        ] {
            assert!(
                matches!(Url::parse(bad), Err(ConnectError::Url { .. })),
                "{bad}"
            );
        }
    }
}
