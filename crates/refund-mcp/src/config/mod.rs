//! What is in force: flags, then the environment, then the configuration file, then defaults.

mod file;
mod flags;
mod http;
mod policy;
mod show;

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use refund_domain::{CivilDate, Principal, Role, TimeZone};
use refund_store::DemoData;
use refund_store::postgres::{ConnectError, Url};

use crate::catalogue::{ALL, Catalogue, Selection, Toolset};
use crate::logging::LogLevel;
use crate::mail::{Sender, SmtpUrl};
use crate::messages::Language;
use crate::outcome::ArgumentErrors;

use file::ConfigFile;
pub(crate) use file::FileError;
pub(crate) use flags::Flags;
use flags::UncheckedUrl;
use http::HttpSection;
pub(crate) use http::{HttpConfig, HttpFlags, TokenFlags};
pub(crate) use policy::Warranty;
pub(crate) use show::{show, values};

/// The configuration in force, each value with where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The configuration file, if there is one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) database: Setting<Database>,
    pub(crate) migrate: Setting<bool>,
    pub(crate) demo: Setting<Option<Demo>>,
    pub(crate) toolsets: Setting<Vec<Toolset>>,
    pub(crate) tools: Setting<Vec<&'static str>>,
    pub(crate) read_only: Setting<bool>,
    pub(crate) role: Setting<Role>,
    pub(crate) principal: Setting<Principal>,
    pub(crate) argument_errors: Setting<Option<ArgumentErrors>>,
    pub(crate) locale: Setting<Language>,
    pub(crate) timezone: Setting<TimeZone>,
    pub(crate) today: Setting<Option<CivilDate>>,
    pub(crate) payment_instructions: Setting<Option<String>>,
    pub(crate) smtp_url: Setting<Option<SmtpUrl>>,
    pub(crate) mail_from: Setting<Sender>,
    pub(crate) log_level: Setting<LogLevel>,
    /// The rules of warranties. They have no flags: a rule is not a matter of how a server is started.
    pub(crate) warranty: Setting<Warranty>,
    /// The section `[http]` as it stands in the file; [`HttpConfig`] has what is in force.
    http: HttpSection,
}

/// A value and its source.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Flag,
    File,
    Default,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag or environment",
            Self::File => "configuration file",
            Self::Default => "default",
        }
    }
}

/// Where the data is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Database {
    /// Demo data that is gone at exit.
    Memory,
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<Url>),
}

/// Demo data by name, or all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demo {
    /// One coherent small world.
    All,
    /// One set alone.
    One(DemoData),
}

/// A configuration that cannot be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{0}")]
    Value(String),
}

impl Config {
    /// Puts the sources together.
    ///
    /// # Errors
    /// The file cannot be read or holds something unknown, or a value in it is wrong.
    pub(crate) fn load(flags: &Flags) -> Result<Self, ConfigError> {
        let file = match &flags.config {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::default(),
        };
        Self::assemble(flags, &file, log_level_from_environment())
    }

    /// What is in force where nobody says anything.
    ///
    /// # Errors
    /// None: the defaults are what they should be.
    pub(crate) fn defaults() -> Result<Self, ConfigError> {
        Self::assemble(&Flags::default(), &ConfigFile::default(), None)
    }

    fn assemble(
        flags: &Flags,
        file: &ConfigFile,
        log_level: Option<LogLevel>,
    ) -> Result<Self, ConfigError> {
        let keys = Keys(flags.config.as_deref());
        Ok(Self {
            file: flags.config.clone(),
            database: pick(
                // Not by the reader of flags, which would repeat a wrong value, password included.
                from_text(flags.database.as_ref().map(UncheckedUrl::as_str), |text| {
                    parse_database(text).map_err(named("REFUND_DATABASE, or --database"))
                })?,
                keys.one("database", file.database.as_deref(), parse_database)?,
                Database::Memory,
            ),
            migrate: pick(flags.migrate.then_some(true), file.migrate, false),
            demo: pick(
                flags.demo.map(Some),
                keys.one("demo", file.demo.as_deref(), parse_demo)?
                    .map(Some),
                None,
            ),
            toolsets: pick(
                (!flags.toolsets.is_empty()).then(|| flags.toolsets.clone()),
                keys.list("toolsets", file.toolsets.as_deref(), flags::parse_toolset)?,
                Toolset::value_variants().to_vec(),
            ),
            tools: pick(
                (!flags.tools.is_empty()).then(|| flags.tools.clone()),
                keys.list("tools", file.tools.as_deref(), parse_tool)?,
                Vec::new(),
            ),
            read_only: pick(flags.read_only.then_some(true), file.read_only, false),
            role: pick(
                flags.role,
                keys.one("role", file.role.as_deref(), parse_role)?,
                Role::Agent,
            ),
            principal: pick(
                flags.principal.clone(),
                keys.one("principal", file.principal.as_deref(), parse_principal)?,
                parse_principal("local").map_err(ConfigError::Value)?,
            ),
            argument_errors: pick(
                flags.argument_errors.map(Some),
                keys.one(
                    "argument_errors",
                    file.argument_errors.as_deref(),
                    flags::parse_argument_errors,
                )?
                .map(Some),
                None,
            ),
            locale: pick(
                flags.locale,
                keys.one("locale", file.locale.as_deref(), flags::parse_locale)?,
                Language::En,
            ),
            timezone: pick(
                flags.timezone,
                keys.one("timezone", file.timezone.as_deref(), flags::parse_timezone)?,
                TimeZone::UTC,
            ),
            today: pick(
                match flags.today {
                    Some(today) => Some(Some(today)),
                    None => today_from_environment()?.map(Some),
                },
                keys.one("today", file.today.as_deref(), flags::parse_today)?
                    .map(Some),
                None,
            ),
            payment_instructions: pick(
                flags.payment_instructions.clone().map(Some),
                keys.one(
                    "payment_instructions",
                    file.payment_instructions.as_deref(),
                    flags::parse_payment_instructions,
                )?
                .map(Some),
                None,
            ),
            smtp_url: pick(
                // Not by the reader of flags, which would repeat a wrong value, password included.
                from_text(flags.smtp_url.as_ref().map(UncheckedUrl::as_str), |text| {
                    SmtpUrl::parse(text).map_err(named("REFUND_SMTP_URL, or --smtp-url"))
                })?
                .map(Some),
                keys.one("smtp_url", file.smtp_url.as_deref(), SmtpUrl::parse)?
                    .map(Some),
                None,
            ),
            mail_from: pick(
                from_text(flags.mail_from.as_deref(), |text| {
                    Sender::parse(text).map_err(named("REFUND_MAIL_FROM, or --mail-from"))
                })?,
                keys.one("mail_from", file.mail_from.as_deref(), Sender::parse)?,
                Sender::parse(Sender::DEFAULT).map_err(ConfigError::Value)?,
            ),
            log_level: pick(
                flags.log_level.or(log_level),
                keys.one(
                    "log_level",
                    file.log_level.as_deref(),
                    flags::parse_log_level,
                )?,
                LogLevel::Info,
            ),
            warranty: pick(None, warranty_from_file(flags, file)?, Warranty::default()),
            http: file.http.clone().unwrap_or_default(),
        })
    }

    /// Which tools are offered to a role. `read_only` takes away every tool that writes, even one that
    /// is named, and so does the role.
    pub(crate) fn selection(&self, role: Role) -> Selection {
        Selection {
            toolsets: self.toolsets.value.clone(),
            tools: self.tools.value.clone(),
            read_only: self.read_only.value,
            role,
        }
    }

    /// The tools that are offered to the configured role.
    ///
    /// # Errors
    /// Nothing is left.
    pub(crate) fn catalogue(&self) -> Result<Catalogue, ConfigError> {
        let catalogue = Catalogue::new(&self.selection(self.role.value));
        if catalogue.is_empty() {
            return Err(ConfigError::Value(format!(
                "no tool is left: read-only or the role {} takes away what toolsets and tools name",
                self.role.value.as_str()
            )));
        }
        Ok(catalogue)
    }
}

/// Says which setting is wrong.
fn named(setting: &'static str) -> impl Fn(String) -> String {
    move |problem| format!("{setting}: {problem}")
}

fn pick<T>(flag: Option<T>, file: Option<T>, default: T) -> Setting<T> {
    let (value, source) = match (flag, file) {
        (Some(value), _) => (value, Source::Flag),
        (None, Some(value)) => (value, Source::File),
        (None, None) => (default, Source::Default),
    };
    Setting { value, source }
}

fn from_text<T>(
    value: Option<&str>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    value.map(parse).transpose().map_err(ConfigError::Value)
}

/// The values of the configuration file at a path; a wrong one is told with the file and its key.
struct Keys<'f>(Option<&'f Path>);

impl Keys<'_> {
    fn one<T>(
        &self,
        key: &str,
        value: Option<&str>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let parsed = value.map(parse).transpose();
        parsed.map_err(|problem| self.wrong(key, &problem))
    }

    fn list<T>(
        &self,
        key: &str,
        values: Option<&[String]>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<Vec<T>>, ConfigError> {
        // An empty list would mean everything where nothing was meant.
        if values.is_some_and(<[String]>::is_empty) {
            return Err(self.wrong(key, "must name something, or be left out"));
        }
        let parsed = values.map(|values| values.iter().map(|value| parse(value)).collect());
        let parsed: Result<Option<Vec<T>>, String> = parsed.transpose();
        parsed.map_err(|problem| self.wrong(key, &problem))
    }

    fn wrong(&self, key: &str, problem: &str) -> ConfigError {
        ConfigError::File(FileError::Content {
            path: self.0.unwrap_or(Path::new("")).to_owned(),
            problem: format!("{key}: {problem}"),
        })
    }
}

/// The rules of warranties of the file; what cannot hold is named with the file and the key.
fn warranty_from_file(flags: &Flags, file: &ConfigFile) -> Result<Option<Warranty>, ConfigError> {
    let Some(policy) = &file.policy else {
        return Ok(None);
    };
    policy.warranty().map_err(|problem| {
        let path = flags.config.clone().unwrap_or_default();
        ConfigError::File(FileError::Content { path, problem })
    })
}

/// The environment variable of the log level. It has no prefix: clients set it for every server.
pub(crate) const LOG_LEVEL: &str = "LOG_LEVEL";

/// The level in [`LOG_LEVEL`], where an unknown word means the default.
fn log_level_from_environment() -> Option<LogLevel> {
    std::env::var(LOG_LEVEL)
        .ok()
        .map(|word| LogLevel::lenient(&word))
}

/// The environment variable of the day it is, beside `REFUND_TODAY`, which beats it.
const MCP_TODAY: &str = "MCP_TODAY";

/// The day in [`MCP_TODAY`]. What is no day stops the start: it must not be taken for today's date.
fn today_from_environment() -> Result<Option<CivilDate>, ConfigError> {
    let Some(text) = std::env::var_os(MCP_TODAY) else {
        return Ok(None);
    };
    let day = flags::parse_today(&text.to_string_lossy());
    day.map(Some)
        .map_err(|error| ConfigError::Value(format!("{MCP_TODAY}: {error}")))
}

/// Reads `memory:`, `sqlite:PATH` or `postgres://…`.
pub(crate) fn parse_database(text: &str) -> Result<Database, String> {
    const FORMS: &str = "use memory: (demo data, gone at exit), sqlite:PATH (a file) or postgres://USER@HOST:PORT/DATABASE (a database that several servers share)";
    if text == "memory:" {
        return Ok(Database::Memory);
    }
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        let url = text
            .parse()
            .map_err(|error: ConnectError| error.to_string())?;
        return Ok(Database::Postgres(Box::new(url)));
    }
    match text.strip_prefix("sqlite:") {
        Some("") => Err(format!("sqlite: needs a path; {FORMS}")),
        // SQLite's own spellings would become the name of a file.
        Some(path) if path.starts_with(":memory:") || path.starts_with("file:") => {
            Err(format!("sqlite: takes a plain path; {FORMS}"))
        }
        Some(path) => Ok(Database::Sqlite(PathBuf::from(path))),
        // The text is not repeated: a database URL can hold a password.
        None => Err(format!("this kind of database is not known; {FORMS}")),
    }
}

/// Reads the name of demo data.
pub(crate) fn parse_demo(text: &str) -> Result<Demo, String> {
    if text == "all" {
        return Ok(Demo::All);
    }
    let names = ["all"]
        .into_iter()
        .chain(DemoData::ALL.map(DemoData::as_str));
    DemoData::from_word(text)
        .map(Demo::One)
        .ok_or_else(|| unknown("demo data", text, names))
}

/// Reads the name of a tool.
pub(crate) fn parse_tool(text: &str) -> Result<&'static str, String> {
    let names = ALL.map(|spec| spec.name);
    names
        .into_iter()
        .find(|name| *name == text)
        .ok_or_else(|| unknown("tool", text, names))
}

/// Reads a role.
pub(crate) fn parse_role(text: &str) -> Result<Role, String> {
    Role::from_word(text).ok_or_else(|| unknown("role", text, Role::ALL.map(Role::as_str)))
}

/// Reads a principal.
pub(crate) fn parse_principal(text: &str) -> Result<Principal, String> {
    Principal::new(text).map_err(|error| error.to_string())
}

/// Says that a word is unknown, and which known one is meant.
pub(crate) fn unknown(
    what: &str,
    word: &str,
    known: impl IntoIterator<Item = &'static str>,
) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let near = nearest(word, known.iter().copied());
    let hint = near
        .map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default();
    format!(
        "unknown {what} {word:?}{hint} (known: {})",
        known.join(", ")
    )
}

/// The known word that is most like this one, if one is like it at all.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    const ALIKE: f64 = 0.7;
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, name)| name)
}
