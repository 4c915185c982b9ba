//! `refund-mcp config`: what is in force, as JSON or as a file that could be used.

use serde_json::{Map, Value, json};

use super::{Config, ConfigError, Database, Demo, HttpConfig, Setting, Source, policy};
use crate::catalogue::Toolset;
use crate::outcome::ArgumentErrors;

/// The configuration as JSON (`{"key": {"value": …, "source": …}}`) or as TOML with the sources in
/// comments. Secrets are masked.
///
/// # Errors
/// What `refund-mcp http` is told is wrong.
pub(crate) fn show(config: &Config, json: bool) -> Result<String, ConfigError> {
    let plain = rows(config).into_iter();
    let policy = policy::rows(&config.warranty.value).into_iter();
    let rows = plain
        .map(|(key, value, source)| (key.to_owned(), value, source))
        .chain(HttpConfig::without_flags(config)?.rows())
        .chain(policy.map(|(key, value)| (key, value, config.warranty.source)));
    if json {
        let object: Map<String, Value> = rows
            .map(|(key, value, source)| (key, json!({ "value": value, "source": source.as_str() })))
            .collect();
        return Ok(serde_json::to_string_pretty(&object).unwrap_or_default());
    }
    let lines = rows.map(|(key, value, source)| {
        // The values are texts, numbers, booleans and lists of texts, which JSON and TOML write alike.
        let off = if value.is_null() { "# " } else { "" };
        let value = if value.is_null() { json!("") } else { value };
        format!("{off}{key} = {value}  # {}", source.as_str())
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// What is in force and can be said with a flag, by key, in the order of the documentation. A value is null, a text, a boolean or
/// a list of texts.
pub(crate) fn values(config: &Config) -> Vec<(&'static str, Value)> {
    let rows = rows(config).into_iter();
    rows.map(|(key, value, _)| (key, value)).collect()
}

fn rows(config: &Config) -> Vec<(&'static str, Value, Source)> {
    fn row<T>(
        key: &'static str,
        setting: &Setting<T>,
        value: impl Fn(&T) -> Value,
    ) -> (&'static str, Value, Source) {
        (key, value(&setting.value), setting.source)
    }
    vec![
        row("database", &config.database, |database| match database {
            Database::Memory => json!("memory:"),
            Database::Sqlite(path) => json!(format!("sqlite:{}", path.display())),
            Database::Postgres(url) => json!(url.to_string()),
        }),
        row("migrate", &config.migrate, |migrate| json!(migrate)),
        row("demo", &config.demo, |demo| match demo {
            None => Value::Null,
            Some(Demo::All) => json!("all"),
            Some(Demo::One(data)) => json!(data.as_str()),
        }),
        row("toolsets", &config.toolsets, |names| {
            names.iter().map(|name: &Toolset| name.as_str()).collect()
        }),
        row("tools", &config.tools, |names| {
            names.iter().copied().collect()
        }),
        row("read_only", &config.read_only, |read_only| json!(read_only)),
        row("role", &config.role, |role| json!(role.as_str())),
        row("principal", &config.principal, |principal| {
            json!(principal.as_str())
        }),
        row("argument_errors", &config.argument_errors, |how| {
            json!(how.map(ArgumentErrors::as_str))
        }),
        row("locale", &config.locale, |language| {
            json!(language.as_str())
        }),
        row("timezone", &config.timezone, |zone| json!(zone.name())),
        row("today", &config.today, |today| {
            json!(today.map(|today| today.to_string()))
        }),
        row(
            "payment_instructions",
            &config.payment_instructions,
            |text| json!(text),
        ),
        row("smtp_url", &config.smtp_url, |url| {
            json!(url.as_ref().map(ToString::to_string))
        }),
        row("mail_from", &config.mail_from, |from| {
            json!(from.to_string())
        }),
        row("log_level", &config.log_level, |level| {
            json!(level.as_str())
        }),
    ]
}
