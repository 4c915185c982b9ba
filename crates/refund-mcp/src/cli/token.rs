//! `refund-mcp token`: who may use the HTTP server.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use refund_domain::{Caller, CustomerId, Principal, Role};
use serde_json::json;

use super::table::{self, Column};
use super::{CliError, note, print, print_json, shows_tables};
use crate::config::{Config, HttpConfig, Source, TokenFlags, parse_principal};
use crate::exit::Exit;
use crate::identity::{self, HTTP, NewToken, TokenEntry};

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token for the role that `--role` names, print it once, and keep its hash in the token file
    New(NewArgs),
    /// List the tokens of the token file: names, roles and customers
    List {
        #[command(flatten)]
        file: TokenFlags,
        /// As JSON also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Take a token out of the token file; a running server turns it away from then on
    Revoke {
        /// Its name
        #[arg(value_name = "NAME", value_parser = parse_principal)]
        name: Principal,
        #[command(flatten)]
        file: TokenFlags,
    },
}

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// Who gets it: the owner of its idempotency keys, and its name in the audit trail
    #[arg(value_name = "NAME", value_parser = parse_principal)]
    name: Principal,
    /// The only customer that exists for it
    #[arg(long, value_name = "ID", value_parser = parse_customer)]
    customer: Option<CustomerId>,
    #[command(flatten)]
    file: TokenFlags,
}

fn parse_customer(text: &str) -> Result<CustomerId, String> {
    CustomerId::new(text).map_err(|error| error.to_string())
}

pub(super) fn run(config: &Config, command: &TokenCommand) -> Result<Exit, CliError> {
    match command {
        TokenCommand::New(args) => new(config, &file(config, &args.file)?, args),
        TokenCommand::List { file: flags, json } => list(&file(config, flags)?, *json),
        TokenCommand::Revoke { name, file: flags } => revoke(&file(config, flags)?, name),
    }
}

fn file(config: &Config, flags: &TokenFlags) -> Result<PathBuf, CliError> {
    HttpConfig::token_file(flags, config).value.ok_or_else(|| {
        CliError::Usage("name the token file with --token-file or REFUND_TOKEN_FILE".to_owned())
    })
}

fn new(config: &Config, path: &Path, args: &NewArgs) -> Result<Exit, CliError> {
    // A role is not given away by what happens to be configured.
    if config.role.source != Source::Flag {
        return Err(CliError::Usage(format!(
            "say with --role what the token may do: {}",
            Role::ALL.map(Role::as_str).join(", ")
        )));
    }
    let mut entries = if path.exists() {
        identity::read(path)?
    } else {
        Vec::new()
    };
    let name = args.name.as_str();
    if name == HTTP {
        return Err(CliError::Refused(format!(
            "{HTTP} is the principal of {}; choose another name",
            identity::MCP_HTTP_TOKEN
        )));
    }
    if entries
        .iter()
        .any(|entry| entry.caller.principal == args.name)
    {
        return Err(CliError::Refused(format!(
            "there is a token with the name {name} already; revoke it first, or choose another name"
        )));
    }
    let token = NewToken::random()
        .map_err(|error| CliError::Start(std::io::Error::other(error.to_string())))?;
    let mut caller = Caller::new(args.name.clone(), config.role.value);
    caller.customer = args.customer;
    entries.push(TokenEntry {
        hash: token.hash(),
        caller,
    });
    identity::write(path, &entries)?;
    print(token.reveal())?;
    note(
        "This is shown once. Hand it over by a safe way, and keep it out of files that are shared.",
    );
    Ok(Exit::Ok)
}

fn list(path: &Path, json: bool) -> Result<Exit, CliError> {
    let entries = identity::read(path)?;
    if !shows_tables(json) {
        let rows = entries.iter().map(|TokenEntry { caller, .. }| {
            json!({
                "name": caller.principal.as_str(),
                "role": caller.role.as_str(),
                "customer": caller.customer.map(|customer| customer.to_string()),
            })
        });
        print_json(&rows.collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<_> = entries
        .iter()
        .map(|TokenEntry { caller, .. }| {
            [
                caller.principal.as_str().to_owned(),
                caller.role.as_str().to_owned(),
                caller
                    .customer
                    .map(|customer| customer.to_string())
                    .unwrap_or_default(),
            ]
        })
        .collect();
    table::rows(["NAME", "ROLE", "CUSTOMER"].map(Column::left), &rows)?;
    Ok(Exit::Ok)
}

fn revoke(path: &Path, name: &Principal) -> Result<Exit, CliError> {
    let mut entries = identity::read(path)?;
    let before = entries.len();
    entries.retain(|entry| entry.caller.principal != *name);
    if entries.len() == before {
        return Err(CliError::Refused(format!(
            "there is no token with the name {}; refund-mcp token list shows those that there are",
            name.as_str()
        )));
    }
    identity::write(path, &entries)?;
    Ok(Exit::Ok)
}
