//! Which names a request may use for this server (`Host`), and which pages may send one (`Origin`).
//! A page whose name was made to point here, DNS rebinding, is turned away by either.

use std::fmt;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

/// Names of this machine, which no other machine can have.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A name that requests may use for this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowedHost {
    host: String,
    /// Any port where there is none.
    port: Option<u16>,
}

impl AllowedHost {
    /// Reads `HOST` or `HOST:PORT`.
    ///
    /// # Errors
    /// It is neither.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let authority = authority(text).ok_or_else(|| {
            format!("{text:?} is no host; write its name as it stands in a URL, such as mcp.example.com, with a port only if no other may be used (a name with letters beyond ASCII in its xn-- form); there are no wildcards")
        })?;
        Ok(Self {
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16(),
        })
    }

    fn allows(&self, authority: &Authority) -> bool {
        let is_port = |port| authority.port_u16() == Some(port);
        authority.host().eq_ignore_ascii_case(&self.host) && self.port.is_none_or(is_port)
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Where pages that may send requests come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowedOrigin {
    scheme: String,
    host: String,
    /// That of the scheme where an origin names none.
    port: u16,
}

impl AllowedOrigin {
    /// Reads `SCHEME://HOST` or `SCHEME://HOST:PORT`.
    ///
    /// # Errors
    /// It is neither, or the scheme is not `http` or `https`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text).ok_or_else(|| {
            format!("{text:?} is no origin; write scheme and host, and the port if there is one, such as https://app.example.com; there are no wildcards")
        })
    }

    /// An origin as browsers write it.
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let usual = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let authority = authority(rest)?;
        Some(Self {
            scheme,
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().unwrap_or(usual),
        })
    }
}

impl fmt::Display for AllowedOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port } = self;
        match (scheme.as_str(), port) {
            ("http", 80) | ("https", 443) => write!(f, "{scheme}://{host}"),
            _ => write!(f, "{scheme}://{host}:{port}"),
        }
    }
}

/// A host with or without a port, and nothing else: no user, no path, no letters beyond ASCII, no
/// wildcard.
fn authority(text: &str) -> Option<Authority> {
    let authority = Authority::try_from(text).ok()?;
    let host = authority.host();
    let rest = text.strip_prefix(host)?;
    let port = match rest.strip_prefix(':') {
        None => rest.is_empty(),
        Some(digits) => {
            digits.bytes().all(|digit| digit.is_ascii_digit()) && authority.port_u16().is_some()
        }
    };
    (port && !host.is_empty() && !host.contains('*')).then_some(authority)
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Foreign {
    #[error("this Host is not allowed; its operator can allow it with --allow-host")]
    Host,
    #[error("this Origin is not allowed; its operator can allow it with --allow-origin")]
    Origin,
}

/// What is allowed: names of this machine always, and what the configuration lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    pub(crate) hosts: Vec<AllowedHost>,
    pub(crate) origins: Vec<AllowedOrigin>,
}

impl Allowed {
    /// Whether a request comes under an allowed name and from an allowed page, or from no page.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Foreign::Host);
        };
        let host = host
            .to_str()
            .ok()
            .and_then(authority)
            .ok_or(Foreign::Host)?;
        // A request for a whole URL, as proxies get them, names a host of its own.
        let named = uri.authority().is_none_or(|named| self.allows_host(named));
        if !named || !self.allows_host(&host) {
            return Err(Foreign::Host);
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if self.allows_origin(origin) => Ok(()),
            _ => Err(Foreign::Origin),
        }
    }

    /// Whether pages from there may send requests.
    pub(crate) fn allows_origin(&self, origin: &HeaderValue) -> bool {
        let Some(origin) = origin.to_str().ok().and_then(AllowedOrigin::read) else {
            return false;
        };
        LOOPBACK.contains(&origin.host.as_str()) || self.origins.contains(&origin)
    }

    fn allows_host(&self, authority: &Authority) -> bool {
        let loopback = |name: &str| authority.host().eq_ignore_ascii_case(name);
        LOOPBACK.iter().any(|name| loopback(name))
            || self.hosts.iter().any(|host| host.allows(authority))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Allowed {
        Allowed {
            hosts: vec![
                AllowedHost::parse("MCP.example.com").unwrap(),
                AllowedHost::parse("port.example.com:8443").unwrap(),
                AllowedHost::parse("xn--bcher-kva.example").unwrap(),
            ],
            origins: vec![
                AllowedOrigin::parse("https://app.example.com").unwrap(),
                AllowedOrigin::parse("http://app.example.com:8080").unwrap(),
            ],
        }
    }

    fn check(headers: &[(&str, &[u8])], uri: &str) -> Result<(), Foreign> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        allowed().check(&uri.parse().unwrap(), &map)
    }

    // Case R-154.
    #[test]
    fn hosts() {
        for host in [
            "localhost",
            "LOCALHOST:3000",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:3000",
            "mcp.example.com",
            "Mcp.Example.Com:443",
            "port.example.com:8443",
            "xn--bcher-kva.example",
        ] {
            assert_eq!(
                check(&[("host", host.as_bytes())], "/mcp"),
                Ok(()),
                "{host}"
            );
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "localhost@evil.example",
            "localhost:3000@evil.example",
            "evil.example:3000",
            "port.example.com",
            "port.example.com:443",
            "mcp.example.com.",
            "xmcp.example.com",
            "bücher.example",
            "xn--bcher-kva.example.evil.example",
            "xn--loclhost-4ya",
            "127.0.0.2",
            "2130706433",
            "0.0.0.0",
            "[::]",
            "::1",
            "[::1",
            "localhost:",
            "localhost:99999",
            "localhost:+1",
            "localhost/",
            "local host",
            "null",
            "*",
        ] {
            assert_eq!(
                check(&[("host", host.as_bytes())], "/mcp"),
                Err(Foreign::Host),
                "{host}"
            );
        }
        assert_eq!(check(&[], "/mcp"), Err(Foreign::Host));
        assert_eq!(
            check(&[("host", b"localhost"), ("host", b"evil.example")], "/mcp"),
            Err(Foreign::Host)
        );
        assert_eq!(
            check(&[("host", b"localhost\xff")], "/mcp"),
            Err(Foreign::Host)
        );
        assert_eq!(
            check(&[("host", b"localhost")], "http://evil.example/mcp"),
            Err(Foreign::Host)
        );
        assert_eq!(
            check(&[("host", b"localhost")], "http://localhost:3000/mcp"),
            Ok(())
        );
    }

    #[test]
    fn origins() {
        let host: (&str, &[u8]) = ("host", b"localhost");
        for origin in [
            "http://localhost",
            "http://localhost:5173",
            "https://[::1]:3000",
            "http://127.0.0.1:8080",
            "https://app.example.com",
            "https://app.example.com:443",
            "HTTPS://APP.example.com",
            "http://app.example.com:8080",
        ] {
            assert_eq!(
                check(&[host, ("origin", origin.as_bytes())], "/mcp"),
                Ok(()),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "NULL",
            "",
            "evil.example",
            "http://evil.example",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "https://app.example.com@evil.example",
            "https://xn--pp-via.example.com",
            "https://аpp.example.com",
            "file://localhost",
            "chrome-extension://localhost",
            "http://localhost/",
            "http://localhost http://evil.example",
            "http://localhost,http://evil.example",
            "//localhost",
            "*",
        ] {
            assert_eq!(
                check(&[host, ("origin", origin.as_bytes())], "/mcp"),
                Err(Foreign::Origin),
                "{origin}"
            );
        }
        let two: [(&str, &[u8]); 3] = [
            host,
            ("origin", b"http://localhost"),
            ("origin", b"http://localhost"),
        ];
        assert_eq!(check(&two, "/mcp"), Err(Foreign::Origin));
    }

    #[test]
    fn what_is_written_in_a_configuration_is_read_once() {
        for text in [
            "evil.example/x",
            "http://a.example",
            "bücher.example",
            "a b",
            "",
            "a.example:x",
        ] {
            assert!(AllowedHost::parse(text).is_err(), "{text}");
        }
        for text in [
            "app.example.com",
            "https://",
            "https://a.example/",
            "ftp://a.example",
            "null",
            "*",
        ] {
            assert!(AllowedOrigin::parse(text).is_err(), "{text}");
        }
        for text in ["a.example", "a.example:1", "[2001:db8::1]:8080"] {
            assert_eq!(AllowedHost::parse(text).unwrap().to_string(), text);
        }
        for (text, shown) in [
            ("https://A.example:443", "https://a.example"),
            ("http://a.example:8080", "http://a.example:8080"),
        ] {
            assert_eq!(AllowedOrigin::parse(text).unwrap().to_string(), shown);
        }
    }
}
