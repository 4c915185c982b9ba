//! `docs/cli.md`, from clap's commands and the table of exit codes.

use clap::{Arg, Command, CommandFactory as _};
use serde_json::Value;

use super::{GENERATED, code, table};
use crate::cli::{CliError, CommandLine};
use crate::config::{Config, LOG_LEVEL, values};
use crate::exit::Exit;

const INTRODUCTION: &str = "Without a command, `refund-mcp` serves MCP on standard input and output. Results go to standard output, everything else to standard error. Flags beat environment variables, which beat the configuration file (`--config`), which beats the defaults.";

pub(super) fn page() -> Result<String, CliError> {
    let mut command = CommandLine::command();
    command.build();
    let mut text = format!("# The command line\n\n{GENERATED}\n\n{INTRODUCTION}\n");
    text.push_str("\n## Commands\n");
    for command in command.get_subcommands() {
        if !command.is_hide_set() && command.get_name() != "help" {
            text.push_str(&section(command));
        }
    }
    text.push_str("\n## Options of every command\n\nBefore the command's name or after it.\n\n");
    text.push_str(&global(&command)?);
    text.push_str("\n## Exit codes\n\n");
    let rows: Vec<_> = Exit::all()
        .iter()
        .map(|exit| [exit.code().to_string(), exit.meaning().to_owned()])
        .collect();
    text.push_str(&table(["code", "meaning"], &rows));
    Ok(text)
}

fn section(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let title = usage.split(" [").next().unwrap_or(usage);
    let title = title.split(" <").next().unwrap_or(title);
    let [about, whole] = [command.get_about(), command.get_long_about()]
        .map(|text| text.map(ToString::to_string).unwrap_or_default());
    let more = whole.strip_prefix(&about).unwrap_or_default();
    let mut text = format!("\n### `{title}`\n\n{about}.{more}\n\n```text\n{usage}\n```\n");
    let rows: Vec<_> = command
        .get_arguments()
        .filter(|argument| !argument.is_global_set() && !is_built_in(argument))
        .map(|argument| {
            [
                code(&written(argument)),
                environment(argument),
                default(argument),
                help(argument),
            ]
        })
        .collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(
            ["argument", "environment", "default", "meaning"],
            &rows,
        ));
    }
    for command in command.get_subcommands() {
        if !command.is_hide_set() && command.get_name() != "help" {
            text.push_str(&section(command));
        }
    }
    text
}

fn global(command: &Command) -> Result<String, CliError> {
    let defaults = values(&Config::defaults()?);
    let rows: Vec<_> = command
        .get_arguments()
        .filter(|argument| !is_built_in(argument))
        .map(|argument| {
            let key = argument.get_id().as_str();
            let default = defaults.iter().find(|(known, _)| *known == key);
            [
                code(&written(argument)),
                if key == "log_level" {
                    code(LOG_LEVEL)
                } else {
                    environment(argument)
                },
                default.map(|(key, _)| code(key)).unwrap_or_default(),
                default
                    .map(|(_, value)| default_of(value))
                    .unwrap_or_default(),
                help(argument),
            ]
        })
        .collect();
    Ok(table(
        [
            "flag",
            "environment",
            "key in the file",
            "default",
            "meaning",
        ],
        &rows,
    ))
}

/// `--help` and `--version`, which need no word here.
fn is_built_in(argument: &Arg) -> bool {
    ["help", "version"].contains(&argument.get_id().as_str())
}

/// An argument as it is typed.
fn written(argument: &Arg) -> String {
    let values = argument.get_action().takes_values();
    let names = argument.get_value_names().unwrap_or_default();
    let more = argument
        .get_num_args()
        .is_some_and(|range| range.max_values() > 1);
    let value = names
        .iter()
        .filter(|_| values && argument.get_num_args() != Some(0.into()))
        .map(|name| format!("{name}{}", if more { "…" } else { "" }))
        .collect::<Vec<_>>()
        .join(" ");
    match argument.get_long() {
        Some(long) => format!("--{long} {value}").trim_end().to_owned(),
        None => value,
    }
}

/// The default of an argument that has a value; a switch is off.
fn default(argument: &Arg) -> String {
    let values = argument.get_default_values().iter();
    values
        .filter(|_| argument.get_action().takes_values())
        .map(|value| code(&value.to_string_lossy()))
        .collect()
}

fn environment(argument: &Arg) -> String {
    let name = argument.get_env().map(|name| name.to_string_lossy());
    name.map(|name| code(&name)).unwrap_or_default()
}

fn help(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string);
    help.unwrap_or_default().replace('\n', " ")
}

fn default_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::String(text) => code(text),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            code(&items.join(","))
        }
        other => code(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A flag that means a key of the configuration file has its name, so that both are one row.
    #[test]
    fn flags_and_keys_meet_in_one_row() {
        let text = page().unwrap();
        for row in [
            "| `--database WHERE` | `REFUND_DATABASE` | `database` | `memory:` |",
            "| `--read-only` | `REFUND_READ_ONLY` | `read_only` | off |",
            "| `--log-level LEVEL` | `LOG_LEVEL` | `log_level` | `info` |",
            "### `refund-mcp call`",
            "| 130 |",
        ] {
            assert!(text.contains(row), "{row} is not in\n{text}");
        }
        assert!(
            !text.contains("refund-mcp docs"),
            "hidden commands stay hidden"
        );
    }
}
