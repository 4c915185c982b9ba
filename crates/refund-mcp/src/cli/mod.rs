//! The command line: what a person types, and where each command lives.

mod call;
mod check;
mod client_config;
mod completions;
mod config;
mod customers;
mod docs;
mod export;
mod format;
mod http;
mod import;
mod migrate;
mod progress;
mod refunds;
mod serve;
mod table;
mod token;
mod tools;

use std::io;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use refund_store::postgres::{ConnectError, Url};
use refund_store::{DemoData, OpenError, PostgresStore, SqliteStore};
use serde::Serialize;

use crate::config::{Config, ConfigError, Database, Demo, Flags, HttpFlags, Source};
use crate::exit::Exit;
use crate::identity::TokenFileError;
use crate::logging::{self, LogLevel};
use crate::stdout;
use crate::store::Store;

const ABOUT: &str = "The back office behind AI support agents, over the Model Context Protocol";

const AFTER_HELP: &str = "Without a command it serves MCP on standard input and output, which is what MCP clients expect.";

#[derive(Debug, Parser)]
#[command(name = "refund-mcp", version, about = ABOUT, after_help = AFTER_HELP)]
struct CommandLine {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP on standard input and output (the default)
    Stdio,
    /// Serve MCP over HTTP, at /mcp; needs a token in `MCP_HTTP_TOKEN` or in a token file
    Http(HttpFlags),
    /// Make, list and revoke the tokens of the HTTP server
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Run one tool and print its result
    Call {
        /// The tool's name
        tool: String,
        /// The arguments as a JSON object, or `-` to read them from standard input
        arguments: String,
    },
    /// List the tools that are offered
    Tools {
        /// As MCP clients see them, schemas included
        #[arg(long)]
        json: bool,
    },
    /// Bring data files, or demo data, into a database: all or nothing
    Import(import::ImportArgs),
    /// Write the data as a file that import reads: one moment, whole
    Export(export::ExportArgs),
    /// Look at customers, and correct a balance
    #[command(subcommand)]
    Customers(customers::CustomersCommand),
    /// Look at refunds
    #[command(subcommand)]
    Refunds(refunds::RefundsCommand),
    /// Bring a database to the newest schema; with a SQLite file, servers do so by themselves
    Migrate,
    /// Prove the invariants of a database: balances, keys, references, the audit trail, every row, the schema
    ///
    /// It finds what programs, people and disks get wrong. Whoever may write the database and means to
    /// deceive can change a row together with its audit row, or what nothing else tells of: a reason into
    /// another of the same length, balance and opening balance of a customer who was adjusted or has no
    /// refunds, a message that waits, how many turns a conversation has had.
    Check,
    /// Print what an MCP client needs in order to start this server with the configuration in force
    ClientConfig {
        /// The client: claude-desktop, claude-code, cursor or vscode
        #[arg(value_name = "CLIENT", value_parser = client_config::parse_client)]
        client: client_config::Client,
        /// For claude-code: the project's .mcp.json instead of the command to run
        #[arg(long)]
        json: bool,
        /// The address of a server that runs elsewhere, such as <https://mcp.example.com/mcp>: what the
        /// client needs to connect to it, with the header for its token
        #[arg(long, value_name = "URL", value_parser = client_config::parse_url)]
        url: Option<String>,
    },
    /// Print the configuration in force, and where each value came from
    Config {
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Print completions of this command line for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print a page of the documentation, for `cargo xtask docs`
    #[command(hide = true)]
    Docs {
        /// Which
        page: docs::Page,
    },
}

/// What stops a command before it can do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("failed to read {what}")]
    Read {
        what: String,
        #[source]
        source: io::Error,
    },
    #[error("failed to write {}", path.display())]
    Output {
        path: std::path::PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("failed to write the output")]
    Write(#[source] io::Error),
    #[error("failed to start")]
    Start(#[source] io::Error),
    #[error("failed to listen on {address}")]
    Listen {
        address: String,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    #[error("{0}")]
    Rejected(String),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(refund_domain::StoreError),
}

impl CliError {
    fn exit(&self) -> Exit {
        match self {
            Self::Config(_)
            | Self::Usage(_)
            | Self::Read { .. }
            | Self::Output { .. }
            | Self::Tokens(_)
            | Self::Listen { .. } => Exit::Usage,
            Self::Open(_) | Self::Connect(_) | Self::Store(_) => Exit::Store,
            Self::Write(_) | Self::Start(_) => Exit::Fault,
            Self::Rejected(_) => Exit::ImportRejected,
            Self::Refused(_) => Exit::Refused,
        }
    }
}

/// Runs the process: reads the command line, does what it says, and gives the exit code.
#[must_use]
pub fn run() -> Exit {
    let parsed = CommandLine::command()
        .try_get_matches()
        .and_then(|matches| CommandLine::from_arg_matches(&matches));
    let line = match parsed {
        Ok(line) => line,
        Err(error) => {
            if let Some(wrong) = from_environment(&error) {
                complain(&wrong);
                return Exit::Usage;
            }
            let wrong = error.use_stderr();
            // The only thing that can fail is a terminal that went away.
            let _ = error.print();
            return if wrong { Exit::Usage } else { Exit::Ok };
        }
    };
    match execute(&line) {
        Ok(exit) => exit,
        Err(error) => {
            complain(&error);
            error.exit()
        }
    }
}

/// What is wrong with an environment variable, if that is where a wrong value came from: clap names the
/// flag, which nobody has typed.
fn from_environment(error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidValue) else {
        return None;
    };
    let long = argument.strip_prefix("--")?.split([' ', '=']).next()?;
    let command = CommandLine::command();
    let of_one = command
        .get_subcommands()
        .flat_map(|one| one.get_arguments());
    let mut arguments = command.get_arguments().chain(of_one);
    let variable = arguments
        .find(|known| known.get_long() == Some(long) && known.get_env().is_some())?
        .get_env()?;
    let value = std::env::var_os(variable)?;
    let value = value.to_string_lossy();
    // Of a list one name can be wrong. What was typed is looked at first, so that it is another value.
    if value != *wrong && value.split(',').all(|part| part != wrong) {
        return None;
    }
    let variable = variable.to_string_lossy();
    Some(CliError::Usage(if value.is_empty() {
        format!("{variable} is set, but empty; give it a value, or unset it")
    } else {
        let reason = std::error::Error::source(error);
        let reason = reason.map_or_else(|| error.kind().to_string(), ToString::to_string);
        format!("{variable}: {reason}")
    }))
}

fn execute(line: &CommandLine) -> Result<Exit, CliError> {
    let config = Config::load(&line.flags)?;
    let serves = matches!(line.command, None | Some(Command::Stdio | Command::Http(_)));
    logging::start(match config.log_level.source {
        // A person at a terminal reads the result, not the log.
        Source::Default if !serves => LogLevel::Warn,
        _ => config.log_level.value,
    });
    match &line.command {
        None | Some(Command::Stdio) => serve::run(&config),
        Some(Command::Http(flags)) => http::run(&config, flags),
        Some(Command::Token(command)) => token::run(&config, command),
        Some(Command::Call { tool, arguments }) => call::run(&config, tool, arguments),
        Some(Command::Tools { json }) => tools::run(&config, *json),
        Some(Command::Import(args)) => import::run(&config, args),
        Some(Command::Export(args)) => export::run(&config, args),
        Some(Command::Customers(command)) => customers::run(&config, command),
        Some(Command::Refunds(command)) => refunds::run(&config, command),
        Some(Command::Migrate) => migrate::run(&config),
        Some(Command::Completions { shell }) => completions::run(*shell),
        Some(Command::Check) => check::run(&config),
        Some(Command::ClientConfig { client, json, url }) => match url {
            Some(url) => client_config::remote(*client, url, *json),
            None => client_config::run(&config, *client, *json),
        },
        Some(Command::Config { json }) => config::run(&config, *json),
        Some(Command::Docs { page }) => docs::run(*page),
    }
}

/// One error for a person, with its causes, on stderr.
fn complain(error: &dyn std::error::Error) {
    use io::Write as _;

    let mut text = format!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    // If stderr is gone, nobody is there to read it.
    let _ = writeln!(io::stderr(), "{text}");
}

/// A line beside the output, as a comment, on stderr.
fn note(text: &str) {
    use io::Write as _;

    // If stderr is gone, nobody is there to read it.
    let _ = writeln!(io::stderr(), "# {text}");
}

fn print(text: &str) -> Result<(), CliError> {
    stdout::print(text).map_err(CliError::Write)
}

/// Prints a result for a program.
fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text =
        serde_json::to_string_pretty(value).map_err(|error| CliError::Write(error.into()))?;
    print(&text)
}

/// Whether a person reads the output, who did not ask for JSON.
fn shows_tables(json: bool) -> bool {
    !json && stdout::is_terminal()
}

/// Read-only beats every command that writes.
fn may_write(config: &Config) -> Result<(), CliError> {
    if config.read_only.value || !config.role.value.writes() {
        return Err(CliError::Usage(
            "this command writes, and read-only or a role that only looks is in force; refund-mcp config says where it comes from".to_owned(),
        ));
    }
    Ok(())
}

/// The store of a command that needs it at once.
fn open(config: &Config) -> Result<Store, CliError> {
    match &config.database.value {
        Database::Memory => memory(config),
        Database::Postgres(url) => {
            no_demo(config)?;
            connected(config, url)
        }
        Database::Sqlite(path) => {
            no_demo(config)?;
            // Only a server, `import` and `migrate` make a database.
            Ok(Store::Sqlite(SqliteStore::open_existing(path)?))
        }
    }
}

/// A store in a database that answers and can be used.
fn connected(config: &Config, url: &Url) -> Result<Store, CliError> {
    let store = postgres(config, url)?;
    store.try_now()?;
    Ok(Store::Postgres(store))
}

/// A store that connects when it is used; the database is brought to the newest schema if that was asked
/// for, because servers of another version may be at work on it.
fn postgres(config: &Config, url: &Url) -> Result<PostgresStore, CliError> {
    if config.migrate.value {
        may_write(config)?;
        let _done = PostgresStore::migrate(url)?;
    }
    Ok(PostgresStore::new(url)?)
}

/// A store in memory with its demo data.
fn memory(config: &Config) -> Result<Store, CliError> {
    let store = SqliteStore::memory()?;
    let all = DemoData::WORLD.as_slice();
    let data = match &config.demo.value {
        None | Some(Demo::All) => all,
        Some(Demo::One(data)) => std::slice::from_ref(data),
    };
    for data in data {
        data.import_into(&store)
            .map_err(|error| CliError::Rejected(error.to_string()))?;
    }
    Ok(Store::Sqlite(store))
}

/// What only makes sense on a database that is kept is not done to demo data by mistake.
fn no_memory(config: &Config) -> Result<(), CliError> {
    match config.database.value {
        Database::Memory => Err(CliError::Usage(
            "memory: has nothing but demo data, which is gone at exit; give --database sqlite:PATH or postgres://…"
                .to_owned(),
        )),
        Database::Sqlite(_) | Database::Postgres(_) => Ok(()),
    }
}

/// Demo data never gets into a real database by itself.
fn no_demo(config: &Config) -> Result<(), CliError> {
    match config.demo.value {
        None => Ok(()),
        Some(_) => Err(CliError::Usage(
            "demo data is only for memory: and is never written into a real database by itself; if you want it there, run: refund-mcp import --demo NAME --database WHERE".to_owned(),
        )),
    }
}

/// What to do about a tier that warranties name and the policy does not have.
const TIER_HINT: &str =
    "add it to policy.warranty.tiers in the configuration file, or correct the warranty";

/// A runtime for one command or one client.
fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::Start)
}

/// A runtime for a server with many clients.
fn runtime_for_many() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::Start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_demo;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn flags_may_stand_on_either_side() {
        for line in [
            ["refund-mcp", "--database", "sqlite:x.db", "check"],
            ["refund-mcp", "check", "--database", "sqlite:x.db"],
        ] {
            let line = CommandLine::try_parse_from(line).unwrap();
            let database = line.flags.database.unwrap();
            assert_eq!(database.as_str(), "sqlite:x.db");
        }
    }

    #[test]
    fn demo_names() {
        assert!(parse_demo("refunds").is_ok());
        assert!(
            parse_demo("refund")
                .unwrap_err()
                .contains("did you mean refunds?")
        );
    }
}
