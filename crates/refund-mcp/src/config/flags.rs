//! The flags that mean the same for every command, and the environment variables beside them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use refund_domain::{CivilDate, Principal, Role, TimeZone};

use super::{Demo, parse_demo, parse_principal, parse_role, parse_tool, unknown};
use crate::catalogue::Toolset;
use crate::logging::LogLevel;
use crate::messages::Language;
use crate::outcome::ArgumentErrors;

/// Options of every command, before or after its name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Flags {
    /// Where the data is: `memory:` (demo data, gone at exit), `sqlite:PATH` or
    /// `postgres://USER@HOST:PORT/DATABASE`. A password is safer in the environment
    #[arg(
        long,
        global = true,
        env = "REFUND_DATABASE",
        hide_env_values = true,
        value_name = "WHERE"
    )]
    pub(crate) database: Option<UncheckedUrl>,

    /// Bring a PostgreSQL database to the newest schema first; a SQLite file is brought to it always
    #[arg(long, global = true, env = "REFUND_MIGRATE", value_parser = clap::builder::BoolishValueParser::new(), num_args = 0, default_missing_value = "true")]
    pub(crate) migrate: bool,

    /// A configuration file in TOML
    #[arg(long, global = true, env = "REFUND_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Demo data for `memory:`: all, refunds, customers, returns or warranty
    #[arg(long, global = true, env = "REFUND_DEMO", value_name = "NAME", value_parser = parse_demo)]
    pub(crate) demo: Option<Demo>,

    /// Offer only the tools of these groups: refunds, returns, warranty
    #[arg(long, global = true, env = "REFUND_TOOLSETS", value_name = "NAMES", value_delimiter = ',', value_parser = parse_toolset)]
    pub(crate) toolsets: Vec<Toolset>,

    /// Offer exactly these tools
    #[arg(long, global = true, env = "REFUND_TOOLS", value_name = "NAMES", value_delimiter = ',', value_parser = parse_tool)]
    pub(crate) tools: Vec<&'static str>,

    /// Offer no tool that writes, whatever else is said
    #[arg(long, global = true, env = "REFUND_READ_ONLY", value_parser = clap::builder::BoolishValueParser::new(), num_args = 0, default_missing_value = "true")]
    pub(crate) read_only: bool,

    /// What the caller may do: viewer (look), agent (look and refund), approver (look at what is no
    /// refund) or admin (everything)
    #[arg(long, global = true, env = "REFUND_ROLE", value_name = "ROLE", value_parser = parse_role)]
    pub(crate) role: Option<Role>,

    /// Who calls, for idempotency keys and the audit trail
    #[arg(long, global = true, env = "REFUND_PRINCIPAL", value_name = "NAME", value_parser = parse_principal)]
    pub(crate) principal: Option<Principal>,

    /// How bad arguments are answered: as a JSON-RPC error (protocol) or as a tool result (tool); by
    /// default refunds and warranties answer with the one and returns with the other
    #[arg(long, global = true, env = "REFUND_ARGUMENT_ERRORS", value_name = "HOW", value_parser = parse_argument_errors)]
    pub(crate) argument_errors: Option<ArgumentErrors>,

    /// The language of messages and notifications: en or ja, or a tag of theirs such as ja-JP
    #[arg(long, global = true, env = "REFUND_LOCALE", value_name = "LANGUAGE", value_parser = parse_locale)]
    pub(crate) locale: Option<Language>,

    /// The time zone whose days count for returns and look-ups, an IANA name such as Asia/Tokyo
    #[arg(long, global = true, env = "REFUND_TIMEZONE", value_name = "NAME", value_parser = parse_timezone)]
    pub(crate) timezone: Option<TimeZone>,

    /// The day it is for returns and look-ups, whatever the clock says, for demonstrations (also `MCP_TODAY`)
    #[arg(long, global = true, env = "REFUND_TODAY", value_name = "YYYY-MM-DD", value_parser = parse_today)]
    pub(crate) today: Option<CivilDate>,

    /// What customers are told about paying; a dummy account by default
    #[arg(long, global = true, env = "REFUND_PAYMENT_INSTRUCTIONS", value_name = "TEXT", value_parser = parse_payment_instructions)]
    pub(crate) payment_instructions: Option<String>,

    /// Send mail to customers over this SMTP server; without it, mail is simulated. A password is safer
    /// in the environment
    #[arg(
        long,
        global = true,
        env = "REFUND_SMTP_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) smtp_url: Option<UncheckedUrl>,

    /// Who mail to customers comes from, such as `Shop <returns@example.com>`
    #[arg(long, global = true, env = "REFUND_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,

    /// How much is logged to stderr: trace, debug, info, warn or error (also `LOG_LEVEL`)
    #[arg(long, global = true, value_name = "LEVEL", value_parser = parse_log_level)]
    pub(crate) log_level: Option<LogLevel>,
}

/// What somebody gave as a URL. It shows nothing, because it may be anything, a password included: the
/// reader of flags would repeat a wrong one.
#[derive(Clone)]
pub(crate) struct UncheckedUrl(String);

impl UncheckedUrl {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UncheckedUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err("it is empty"),
            _ => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Debug for UncheckedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UncheckedUrl(…)")
    }
}

/// Reads the name of a group of tools.
pub(super) fn parse_toolset(text: &str) -> Result<Toolset, String> {
    word("toolset", text, Toolset::as_str)
}

/// Reads how bad arguments are answered.
pub(super) fn parse_argument_errors(text: &str) -> Result<ArgumentErrors, String> {
    word("way to answer bad arguments", text, ArgumentErrors::as_str)
}

/// Reads a language, by its name or by a tag of one of its regions.
pub(super) fn parse_locale(text: &str) -> Result<Language, String> {
    match Language::of_tag(text) {
        Some(language) => Ok(language),
        None => word("language", text, Language::as_str),
    }
}

/// Reads a time zone.
pub(super) fn parse_timezone(text: &str) -> Result<TimeZone, String> {
    TimeZone::new(text).map_err(|error| format!("{text:?} is {error}"))
}

/// Reads the day it is.
pub(super) fn parse_today(text: &str) -> Result<CivilDate, String> {
    CivilDate::parse(text).map_err(|error| format!("{text:?} cannot be today: {error}"))
}

/// Reads what customers are told about paying.
pub(super) fn parse_payment_instructions(text: &str) -> Result<String, String> {
    const MOST: usize = 500;
    let text = text.trim();
    match text.chars().count() {
        0 => Err("payment instructions must not be blank".to_owned()),
        1..=MOST => Ok(text.to_owned()),
        _ => Err(format!(
            "payment instructions have at most {MOST} characters"
        )),
    }
}

/// Reads a log level; strict, because a flag is meant for us.
pub(super) fn parse_log_level(text: &str) -> Result<LogLevel, String> {
    word("log level", text, LogLevel::as_str)
}

fn word<T: ValueEnum>(what: &str, text: &str, name: fn(T) -> &'static str) -> Result<T, String> {
    let all = T::value_variants();
    all.iter()
        .find(|value| name((*value).clone()) == text)
        .cloned()
        .ok_or_else(|| unknown(what, text, all.iter().map(|value| name(value.clone()))))
}
