//! `refund-mcp client-config`: what to paste into an MCP client, so that it starts this binary with
//! the configuration in force.

use std::path::Path;

use clap::{CommandFactory as _, ValueEnum};
use serde_json::{Value, json};

use super::{CliError, CommandLine, note, print};
use crate::config::{Config, Database, LOG_LEVEL, Source, unknown, values};
use crate::exit::Exit;

/// What the server is called in the client.
const NAME: &str = "refunds";

const NO_WRAPPER: &str = "Name this binary itself, never a wrapper such as `cargo run`: a wrapper prints lines of its own to standard output, and the client takes them for protocol.";

/// A client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    Vscode,
}

impl Client {
    fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
        }
    }

    /// Where the snippet belongs, and what to do afterwards.
    fn place(self, json: bool) -> &'static [&'static str] {
        match (self, json) {
            (Self::ClaudeDesktop, _) => &[
                "Where it belongs:",
                "  macOS    ~/Library/Application Support/Claude/claude_desktop_config.json",
                r"  Windows  %APPDATA%\Claude\claude_desktop_config.json",
                "If the file has mcpServers already, add only what stands inside it.",
                "Quit Claude Desktop and start it again: it reads the file when it starts, and closing its window does not end it.",
            ],
            (Self::ClaudeCode, false) => &[
                "Run it in the directory of the project that gets the server; with `--scope user` after `add`, every project gets it.",
                "As a file to commit, .mcp.json: refund-mcp client-config claude-code --json",
                "Start Claude Code again afterwards; /mcp in it shows the server.",
            ],
            (Self::ClaudeCode, true) => &[
                "Where it belongs: .mcp.json in the root of a project, on every system.",
                "If the file has mcpServers already, add only what stands inside it.",
                "Start Claude Code again afterwards; /mcp in it shows the server.",
            ],
            (Self::Cursor, _) => &[
                "Where it belongs, or in .cursor/mcp.json of one project:",
                "  macOS    ~/.cursor/mcp.json",
                r"  Windows  %USERPROFILE%\.cursor\mcp.json",
                "  Linux    ~/.cursor/mcp.json",
                "If the file has mcpServers already, add only what stands inside it.",
                "Restart Cursor afterwards.",
            ],
            (Self::Vscode, _) => &[
                "Where it belongs, or in .vscode/mcp.json of one workspace:",
                "  macOS    ~/Library/Application Support/Code/User/mcp.json",
                r"  Windows  %APPDATA%\Code\User\mcp.json",
                "  Linux    ~/.config/Code/User/mcp.json",
                "If the file has servers already, add only what stands inside it.",
                "Restart the server afterwards: run `MCP: List Servers` from the command palette.",
            ],
        }
    }
}

/// Reads the name of a client.
pub(super) fn parse_client(text: &str) -> Result<Client, String> {
    let all = Client::value_variants();
    all.iter()
        .copied()
        .find(|client| client.as_str() == text)
        .ok_or_else(|| unknown("client", text, all.iter().map(|client| client.as_str())))
}

/// What stands for the token, which nobody but its owner has.
const TOKEN: &str = "<token>";

/// The address of a server that listens.
///
/// # Errors
/// It is none, or holds what must not stand in an address.
pub(super) fn parse_url(text: &str) -> Result<String, String> {
    let is_address = text.parse::<axum::http::Uri>().is_ok_and(|uri| {
        let scheme = uri.scheme_str();
        let authority = uri.authority().map(|authority| authority.as_str());
        // Neither a user with a password nor a token in the query.
        ["http", "https"].map(Some).contains(&scheme)
            && authority.is_some_and(|authority| !authority.contains('@'))
            && uri.query().is_none()
    });
    if is_address {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "{text:?} is no address of a server; write it as https://mcp.example.com{}, without user and query",
            crate::http::PATH
        ))
    }
}

/// `client-config --url`: a server that others start.
pub(super) fn remote(client: Client, url: &str, json: bool) -> Result<Exit, CliError> {
    let json = json || client != Client::ClaudeCode;
    print(&if json {
        remote_json(client, url)
    } else {
        let header = format!("Authorization: Bearer {TOKEN}");
        let words = [
            "claude",
            "mcp",
            "add",
            "--transport",
            "http",
            NAME,
            url,
            "--header",
            &header,
        ];
        words.map(|word| quoted(word, cfg!(windows))).join(" ")
    })?;
    for line in client.place(json) {
        note(line);
    }
    note(&format!(
        "Put the token in place of {TOKEN}: that of MCP_HTTP_TOKEN, or one of refund-mcp token new. The file is then a secret; do not commit it."
    ));
    if url.starts_with("http://") && !url.contains("//localhost") && !url.contains("//127.") {
        note("Warning: http:// shows the token to everybody on the way; use https://.");
    }
    Ok(Exit::Ok)
}

fn remote_json(client: Client, url: &str) -> String {
    let authorization = format!("Bearer {TOKEN}");
    let (servers, server) = match client {
        // It starts servers itself; this program carries lines to one that listens elsewhere.
        Client::ClaudeDesktop => (
            "mcpServers",
            json!({ "command": "npx", "args": ["-y", "mcp-remote", url, "--header", "Authorization:${AUTHORIZATION}"], "env": { "AUTHORIZATION": authorization } }),
        ),
        Client::Cursor => (
            "mcpServers",
            json!({ "url": url, "headers": { "Authorization": authorization } }),
        ),
        Client::ClaudeCode => (
            "mcpServers",
            json!({ "type": "http", "url": url, "headers": { "Authorization": authorization } }),
        ),
        Client::Vscode => (
            "servers",
            json!({ "type": "http", "url": url, "headers": { "Authorization": authorization } }),
        ),
    };
    serde_json::to_string_pretty(&json!({ servers: { NAME: server } })).unwrap_or_default()
}

pub(super) fn run(config: &Config, client: Client, json: bool) -> Result<Exit, CliError> {
    let binary = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .map_err(|source| CliError::Read {
            what: "the path of this binary".to_owned(),
            source,
        })?;
    let launch = Launch::new(&binary, config)?;
    let json = json || client != Client::ClaudeCode;
    print(&if json {
        launch.json(client)
    } else {
        launch.command_line(cfg!(windows))
    })?;
    for line in client.place(json) {
        note(line);
    }
    note(NO_WRAPPER);
    if config.smtp_url.value.is_some() && config.smtp_url.source != Source::File {
        note(
            "The mail server is left out, because its address can hold a password: give the client REFUND_SMTP_URL as an environment variable of the server.",
        );
    }
    if let Database::Postgres(url) = &config.database.value
        && url.has_password()
        && config.database.source != Source::File
    {
        note(
            "The database is left out, because its URL holds a password: give the client REFUND_DATABASE as an environment variable of the server.",
        );
    }
    if config.database.value == Database::Memory {
        note(
            "Warning: the database is memory:, so that the client gets demo data, which is gone when it stops. For a database of your own: refund-mcp client-config --database sqlite:PATH …",
        );
    }
    Ok(Exit::Ok)
}

/// How a client starts the server.
#[derive(Debug, PartialEq, Eq)]
struct Launch {
    command: String,
    arguments: Vec<String>,
    log_level: String,
}

impl Launch {
    /// With what is in force and differs from the defaults, as flags. A client starts its servers in
    /// a directory of its own choice, so paths are absolute.
    fn new(binary: &Path, config: &Config) -> Result<Self, CliError> {
        let defaults = Config::defaults()?;
        let mut arguments = Vec::new();
        // Rules have no flags.
        let mut in_file_only = config.warranty.source == Source::File;
        for ((key, value), (_, default)) in values(config).into_iter().zip(values(&defaults)) {
            // The level goes into the environment, where clients are used to have it.
            if value == default || key == "log_level" {
                continue;
            }
            if let (Database::Postgres(url), "database") = (&config.database.value, key)
                && url.has_password()
            {
                in_file_only |= config.database.source == Source::File;
                continue;
            }
            // It can hold a password, and is masked here.
            if key == "smtp_url" {
                in_file_only |= config.smtp_url.source == Source::File;
                continue;
            }
            let Some(flag) = flag(key) else {
                in_file_only = true;
                continue;
            };
            arguments.push(flag);
            match (&config.database.value, key) {
                (Database::Sqlite(path), "database") => {
                    arguments.push(format!("sqlite:{}", absolute(path)?));
                }
                _ => arguments.extend(words(&value)),
            }
        }
        if let (true, Some(file)) = (in_file_only, &config.file) {
            arguments.extend(["--config".to_owned(), absolute(file)?]);
        }
        Ok(Self {
            command: plain(text(binary)?).to_owned(),
            arguments,
            log_level: config.log_level.value.as_str().to_owned(),
        })
    }

    /// The client's file.
    fn json(&self, client: Client) -> String {
        let mut server = json!({
            "command": self.command,
            "args": self.arguments,
            "env": { LOG_LEVEL: self.log_level },
        });
        let typed = matches!(client, Client::Vscode | Client::ClaudeCode);
        if let (true, Some(server)) = (typed, server.as_object_mut()) {
            server.shift_insert(0, "type".to_owned(), "stdio".into());
        }
        let servers = if client == Client::Vscode {
            "servers"
        } else {
            "mcpServers"
        };
        let file = json!({ servers: { NAME: server } });
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// The line to run. `--env` takes words until the next option, so that it is not the last.
    fn command_line(&self, windows: bool) -> String {
        let level = format!("{LOG_LEVEL}={}", self.log_level);
        let before = ["claude", "mcp", "add", "--env", &level];
        let after = ["--transport", "stdio", NAME, "--", &self.command];
        before
            .into_iter()
            .chain(after)
            .chain(self.arguments.iter().map(String::as_str))
            .map(|word| quoted(word, windows))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The flag of a key of the configuration; keys that only a file can set have none.
fn flag(key: &str) -> Option<String> {
    let name = key.replace('_', "-");
    let command = CommandLine::command();
    let known = command
        .get_arguments()
        .any(|argument| argument.get_long() == Some(&name));
    known.then(|| format!("--{name}"))
}

/// A value as the words behind its flag.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(items.join(","))
        }
        other => Some(other.to_string()),
    }
}

fn absolute(path: &Path) -> Result<String, CliError> {
    let path = std::path::absolute(path).map_err(|source| CliError::Read {
        what: "the working directory".to_owned(),
        source,
    })?;
    text(&path).map(str::to_owned)
}

fn text(path: &Path) -> Result<&str, CliError> {
    path.to_str().ok_or_else(|| {
        CliError::Usage(format!(
            "the path {} is not valid Unicode, so that no client's configuration can hold it",
            path.display()
        ))
    })
}

/// Without the prefix `\\?\` that Windows puts before canonical paths and that some programs refuse.
fn plain(path: &str) -> &str {
    match path.strip_prefix(r"\\?\") {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => rest,
        _ => path,
    }
}

/// A word as a shell takes it for one: POSIX shells, or those of Windows.
fn quoted(word: &str, windows: bool) -> String {
    let harmless = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "-_./:=,@+".contains(letter)
            || (windows && letter == '\\')
    };
    if !word.is_empty() && word.chars().all(harmless) {
        word.to_owned()
    } else if windows {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn launch(binary: &str, line: &[&str]) -> Launch {
        let line = CommandLine::try_parse_from([&["refund-mcp"], line].concat()).unwrap();
        Launch::new(Path::new(binary), &Config::load(&line.flags).unwrap()).unwrap()
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_passed_on() {
        let here = std::env::current_dir().unwrap();
        let launch = launch(
            "/opt/refund-mcp",
            &[
                "--database",
                "sqlite:data/refunds.db",
                "--role",
                "agent",
                "--read-only",
                "--tools",
                "get_refund,list_refunds",
                "--log-level",
                "debug",
            ],
        );
        let database = format!("sqlite:{}/data/refunds.db", here.display());
        assert_eq!(
            launch.arguments,
            [
                "--database",
                &database,
                "--tools",
                "get_refund,list_refunds",
                "--read-only"
            ]
        );
        assert_eq!(launch.log_level, "debug");
    }

    #[test]
    fn what_is_passed_on_is_understood() {
        let launch = launch(
            "/opt/refund-mcp",
            &["--database", "sqlite:x.db", "--principal", "desk-7"],
        );
        let words = ["refund-mcp"]
            .into_iter()
            .chain(launch.arguments.iter().map(String::as_str));
        let line = CommandLine::try_parse_from(words).unwrap();
        let again = Launch::new(
            Path::new("/opt/refund-mcp"),
            &Config::load(&line.flags).unwrap(),
        );
        assert_eq!(again.unwrap(), launch);
    }

    #[test]
    fn backslashes_are_escaped_once_by_json() {
        let launch = Launch {
            command: plain(r"\\?\C:\Program Files\refund-mcp.exe").to_owned(),
            arguments: vec!["--database".to_owned(), r"sqlite:C:\data\r.db".to_owned()],
            log_level: "info".to_owned(),
        };
        assert_eq!(
            launch.json(Client::ClaudeDesktop),
            r#"{
  "mcpServers": {
    "refunds": {
      "command": "C:\\Program Files\\refund-mcp.exe",
      "args": [
        "--database",
        "sqlite:C:\\data\\r.db"
      ],
      "env": {
        "LOG_LEVEL": "info"
      }
    }
  }
}"#
        );
        assert_eq!(
            launch.command_line(true),
            r#"claude mcp add --env LOG_LEVEL=info --transport stdio refunds -- "C:\Program Files\refund-mcp.exe" --database sqlite:C:\data\r.db"#
        );
        let back: Value = serde_json::from_str(&launch.json(Client::Vscode)).unwrap();
        assert_eq!(back["servers"]["refunds"]["command"], launch.command);
        assert_eq!(back["servers"]["refunds"]["type"], "stdio");
        assert_eq!(plain(r"\\?\UNC\host\x"), r"\\?\UNC\host\x");
    }

    #[test]
    fn a_server_elsewhere_is_named_by_its_address() {
        let url = "https://mcp.example.com/mcp";
        for (client, pointer) in [
            (Client::ClaudeCode, "/mcpServers/refunds/url"),
            (Client::Cursor, "/mcpServers/refunds/url"),
            (Client::Vscode, "/servers/refunds/url"),
            (Client::ClaudeDesktop, "/mcpServers/refunds/args/2"),
        ] {
            let file: Value = serde_json::from_str(&remote_json(client, url)).unwrap();
            assert_eq!(file.pointer(pointer), Some(&Value::from(url)), "{file}");
            assert!(file.to_string().contains("Bearer <token>"), "{file}");
        }
        assert_eq!(parse_url(url).as_deref(), Ok(url));
        for wrong in [
            "mcp.example.com/mcp",
            "ftp://a.example/mcp",
            "https://u:p@a.example/mcp",
            "https://a.example/mcp?access_token=x",
            "",
        ] {
            assert!(parse_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_stay_words_in_a_shell() {
        assert_eq!(quoted("/opt/refund-mcp", false), "/opt/refund-mcp");
        assert_eq!(quoted("it's here", false), r"'it'\''s here'");
        assert_eq!(quoted("", false), "''");
    }

    #[test]
    fn an_unknown_client_names_the_nearest_one() {
        for client in Client::value_variants() {
            assert_eq!(parse_client(client.as_str()), Ok(*client));
        }
        let error = parse_client("claude").unwrap_err();
        assert!(error.contains("did you mean claude-"), "{error}");
        assert!(parse_client("vs-code").unwrap_err().contains("mean vscode"));
    }
}
