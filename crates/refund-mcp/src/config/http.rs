//! What `refund-mcp http` is told: its own flags, the environment, then the section `[http]` of the
//! configuration file.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Config, ConfigError, Keys, Setting, pick};
use crate::http::{Allowed, AllowedHost, AllowedOrigin, Terms};

/// The flags of `refund-mcp http`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HttpFlags {
    /// The address to listen on; 127.0.0.1 unless another is asked for, 0.0.0.0 for all of them
    #[arg(long, env = "HOST", value_name = "ADDRESS", value_parser = parse_host)]
    host: Option<String>,

    /// The port to listen on, 3000 unless another is asked for; 0 for any that is free
    #[arg(long, env = "PORT", value_name = "NUMBER")]
    port: Option<u16>,

    /// Names, beside those of this machine, that requests may use for this server in `Host`, such as
    /// mcp.example.com
    #[arg(long, env = "REFUND_ALLOW_HOST", value_name = "HOSTS", value_delimiter = ',', value_parser = AllowedHost::parse)]
    allow_host: Vec<AllowedHost>,

    /// Pages, beside those of this machine, that may send requests, such as <https://app.example.com>
    #[arg(long, env = "REFUND_ALLOW_ORIGIN", value_name = "ORIGINS", value_delimiter = ',', value_parser = AllowedOrigin::parse)]
    allow_origin: Vec<AllowedOrigin>,

    #[command(flatten)]
    tokens: TokenFlags,

    /// Requests a second that each principal may make in the long run, 100 unless said otherwise
    #[arg(long, env = "REFUND_RATE_LIMIT", value_name = "NUMBER", value_parser = at_least_one)]
    rate_limit: Option<NonZeroU32>,

    /// Requests that each principal may make at once, 200 unless said otherwise
    #[arg(long, env = "REFUND_RATE_BURST", value_name = "NUMBER", value_parser = at_least_one)]
    rate_burst: Option<NonZeroU32>,

    /// The most connections at a time, 1024 unless said otherwise; more wait
    #[arg(long, env = "REFUND_MAX_CONNECTIONS", value_name = "NUMBER", value_parser = at_least_one)]
    max_connections: Option<NonZeroU32>,

    /// How long a client may take to send a request, to read an answer, or to be idle, in seconds; 20
    /// unless said otherwise
    #[arg(long, env = "REFUND_CLIENT_TIMEOUT", value_name = "SECONDS", value_parser = at_least_one)]
    client_timeout: Option<NonZeroU32>,
}

/// The flag of every command that deals with tokens.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TokenFlags {
    /// The file of tokens, which refund-mcp token writes
    #[arg(long, env = "REFUND_TOKEN_FILE", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// `[http]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSection {
    host: Option<String>,
    port: Option<u16>,
    allow_host: Option<Vec<String>>,
    allow_origin: Option<Vec<String>>,
    token_file: Option<PathBuf>,
    rate_limit: Option<NonZeroU32>,
    rate_burst: Option<NonZeroU32>,
    max_connections: Option<NonZeroU32>,
    client_timeout: Option<NonZeroU32>,
}

/// What is in force for `refund-mcp http`.
#[derive(Debug, Clone)]
pub(crate) struct HttpConfig {
    pub(crate) host: Setting<String>,
    pub(crate) port: Setting<u16>,
    allow_host: Setting<Vec<AllowedHost>>,
    allow_origin: Setting<Vec<AllowedOrigin>>,
    pub(crate) token_file: Setting<Option<PathBuf>>,
    rate_limit: Setting<NonZeroU32>,
    rate_burst: Setting<NonZeroU32>,
    max_connections: Setting<NonZeroU32>,
    client_timeout: Setting<NonZeroU32>,
}

fn parse_host(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(
            "it is empty; leave it out for 127.0.0.1, or name an address such as 0.0.0.0"
                .to_owned(),
        ),
        host => Ok(host.to_owned()),
    }
}

fn at_least_one(text: &str) -> Result<NonZeroU32, String> {
    let wrong = "it must be a whole number of at least 1; there is no way to turn the limit off";
    text.parse().map_err(|_| wrong.to_owned())
}

const fn number(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl HttpConfig {
    /// Puts the sources together.
    ///
    /// # Errors
    /// A host or an origin of the file is none.
    pub(crate) fn load(flags: &HttpFlags, config: &Config) -> Result<Self, ConfigError> {
        fn list<T>(
            values: Option<&[String]>,
            parse: fn(&str) -> Result<T, String>,
        ) -> Result<Option<Vec<T>>, ConfigError> {
            let values = values.map(|values| values.iter().map(|value| parse(value)).collect());
            values.transpose().map_err(ConfigError::Value)
        }
        fn given<T: Clone>(values: &[T]) -> Option<Vec<T>> {
            (!values.is_empty()).then(|| values.to_vec())
        }
        let file = config.http.clone();
        Ok(Self {
            host: pick(
                flags.host.clone(),
                Keys(config.file.as_deref()).one("http.host", file.host.as_deref(), parse_host)?,
                "127.0.0.1".to_owned(),
            ),
            port: pick(flags.port, file.port, 3000),
            allow_host: pick(
                given(&flags.allow_host),
                list(file.allow_host.as_deref(), AllowedHost::parse)?,
                Vec::new(),
            ),
            allow_origin: pick(
                given(&flags.allow_origin),
                list(file.allow_origin.as_deref(), AllowedOrigin::parse)?,
                Vec::new(),
            ),
            token_file: Self::token_file(&flags.tokens, config),
            rate_limit: pick(flags.rate_limit, file.rate_limit, number(100)),
            rate_burst: pick(flags.rate_burst, file.rate_burst, number(200)),
            max_connections: pick(flags.max_connections, file.max_connections, number(1024)),
            client_timeout: pick(flags.client_timeout, file.client_timeout, number(20)),
        })
    }

    /// What is in force where no flag is given.
    ///
    /// # Errors
    /// As [`HttpConfig::load`], or a variable of the environment is wrong.
    pub(crate) fn without_flags(config: &Config) -> Result<Self, ConfigError> {
        let command = HttpFlags::augment_args(clap::Command::new("http"));
        let wrong = |error: clap::Error| ConfigError::Value(error.to_string());
        let matches = command.try_get_matches_from(["http"]).map_err(wrong)?;
        Self::load(
            &HttpFlags::from_arg_matches(&matches).map_err(wrong)?,
            config,
        )
    }

    /// The token file, for every command that deals with it.
    pub(crate) fn token_file(flags: &TokenFlags, config: &Config) -> Setting<Option<PathBuf>> {
        pick(
            flags.token_file.clone().map(Some),
            config.http.token_file.clone().map(Some),
            None,
        )
    }

    /// On which terms clients are served.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            allowed: Allowed {
                hosts: self.allow_host.value.clone(),
                origins: self.allow_origin.value.clone(),
            },
            a_second: self.rate_limit.value,
            burst: self.rate_burst.value,
            connections: self.max_connections.value,
            patience: Duration::from_secs(self.client_timeout.value.get().into()),
        }
    }

    /// Whether nobody but this machine can be meant.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.value.trim_matches(['[', ']']);
        host.eq_ignore_ascii_case("localhost")
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }

    /// Whether others can be meant, and no name is allowed for them to use.
    pub(crate) fn is_unreachable(&self) -> bool {
        !self.is_loopback() && self.allow_host.value.is_empty()
    }

    /// By key, with where each came from.
    pub(super) fn rows(&self) -> Vec<(String, Value, super::Source)> {
        fn row<T>(
            key: &str,
            setting: &Setting<T>,
            value: impl Fn(&T) -> Value,
        ) -> (String, Value, super::Source) {
            (format!("http.{key}"), value(&setting.value), setting.source)
        }
        fn texts<T: Display>(values: &[T]) -> Value {
            values.iter().map(ToString::to_string).collect()
        }
        vec![
            row("host", &self.host, |host| json!(host)),
            row("port", &self.port, |port| json!(port)),
            row("allow_host", &self.allow_host, |hosts| texts(hosts)),
            row("allow_origin", &self.allow_origin, |origins| texts(origins)),
            row("token_file", &self.token_file, |file| json!(file)),
            row("rate_limit", &self.rate_limit, |number| json!(number)),
            row("rate_burst", &self.rate_burst, |number| json!(number)),
            row("max_connections", &self.max_connections, |number| {
                json!(number)
            }),
            row("client_timeout", &self.client_timeout, |number| {
                json!(number)
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFile, Flags};

    fn config(text: &str) -> Result<HttpConfig, ConfigError> {
        let file = ConfigFile::parse(text).map_err(ConfigError::Value)?;
        let config = Config::assemble(&Flags::default(), &file, None)?;
        HttpConfig::load(&HttpFlags::default(), &config)
    }

    #[test]
    fn the_file_has_a_section() {
        let defaults = config("").unwrap();
        assert_eq!(
            (defaults.host.value.as_str(), defaults.port.value),
            ("127.0.0.1", 3000)
        );
        assert!(!defaults.is_unreachable());
        let terms = defaults.terms();
        assert_eq!(
            (
                terms.a_second.get(),
                terms.burst.get(),
                terms.connections.get()
            ),
            (100, 200, 1024)
        );

        let own = config("[http]\nhost = \"0.0.0.0\"\nport = 80\nallow_origin = [\"https://a.example\"]\nrate_limit = 7\n").unwrap();
        assert_eq!((own.host.value.as_str(), own.port.value), ("0.0.0.0", 80));
        assert!(own.is_unreachable(), "no name of it is allowed");
        assert_eq!(own.terms().a_second.get(), 7);
        for (text, problem) in [
            ("[http]\nhots = \"x\"", "did you mean host?"),
            ("[http]\nallow_host = [\"http://a.example\"]", "is no host"),
            ("[http]\nallow_origin = [\"a.example\"]", "is no origin"),
            ("[http]\nrate_limit = 0", "nonzero"),
            ("[http]\nhost = \" \"", "is empty"),
            ("[http]\nallow_host = [\"*.example.com\"]", "no wildcards"),
            ("[http]\nallow_origin = [\"https://*\"]", "no wildcards"),
        ] {
            let error = config(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
