//! `refund-mcp import`: data files, or demo data, into a real database.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use refund_domain::Clock as _;
use refund_store::system::SystemClock;
use refund_store::transfer::{Entity, Format, ImportError, Imported, Input};
use refund_store::{DemoData, SqliteStore};

use super::format::{self, FormatWord};
use super::progress::Progress;
use super::{CliError, connected, may_write, print};
use crate::config::{Config, Database, Demo};
use crate::exit::Exit;
use crate::identity;
use crate::store::Store;

/// The name of standard input in errors.
const STDIN: &str = "standard input";

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Data files, or `-` for standard input: .json, .ndjson, .jsonl or .csv
    #[arg(value_name = "FILE", required_unless_present = "demo")]
    files: Vec<PathBuf>,
    /// The format, where a file's ending does not tell it
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatWord>,
    /// What is in a CSV file whose name does not tell it: customers, addresses, products, orders, devices, warranties, open_returns, refunds, returns, escalations or escalation_turns
    #[arg(long, value_name = "NAME", value_parser = format::parse_entity)]
    entity: Option<Entity>,
    /// Update customers that are there (their balance and currency never), instead of refusing them
    #[arg(long)]
    upsert: bool,
}

pub(super) fn run(config: &Config, args: &ImportArgs) -> Result<Exit, CliError> {
    may_write(config)?;
    let mut progress = Progress::reading();
    let mut inputs = Vec::new();
    let demo = match &config.demo.value {
        None => &[],
        Some(Demo::All) => DemoData::WORLD.as_slice(),
        Some(Demo::One(data)) => std::slice::from_ref(data),
    };
    inputs.extend(demo.iter().map(|data| data.input()));
    for file in &args.files {
        inputs.push(input(file, args, &mut progress)?);
    }
    let store = match &config.database.value {
        Database::Memory => {
            return Err(CliError::Usage(
                "memory: keeps nothing, so that importing into it is of no use; give --database sqlite:PATH or postgres://…".to_owned(),
            ));
        }
        // Makes the file where there is none.
        Database::Sqlite(path) => Store::Sqlite(SqliteStore::open(path)?),
        Database::Postgres(url) => connected(config, url)?,
    };
    let imported = import(&store, inputs, args.upsert, config);
    progress.end();
    print(&summary(&imported?))?;
    Ok(Exit::Ok)
}

/// Imports with the time of now, by the caller of the configuration.
pub(super) fn import(
    store: &Store,
    inputs: Vec<Input>,
    upsert: bool,
    config: &Config,
) -> Result<Imported, CliError> {
    store
        .import(inputs, upsert, &identity::local(config), SystemClock.now())
        .map_err(|error| match error {
            ImportError::Read { file, source } => CliError::Read {
                what: file.to_string(),
                source,
            },
            ImportError::Fault(fault) => CliError::Store(fault),
            rejected @ ImportError::Rejected { .. } => CliError::Rejected(rejected.to_string()),
        })
}

fn input(file: &Path, args: &ImportArgs, progress: &mut Progress) -> Result<Input, CliError> {
    let format = format::of(file, args.format, args.entity).map_err(CliError::Usage)?;
    if args.entity.is_some() && !matches!(format, Format::Csv(_)) {
        let message = format!("{}: --entity is only for CSV files", file.display());
        return Err(CliError::Usage(message));
    }
    let name = file.display().to_string();
    let unreadable = |what: &str| {
        let what = what.to_owned();
        move |source| CliError::Read { what, source }
    };
    if file.as_os_str() == OsStr::new("-") {
        return Input::spooled(STDIN, format, std::io::stdin()).map_err(unreadable(STDIN));
    }
    let opened = File::open(file).map_err(unreadable(&name))?;
    let metadata = opened.metadata().map_err(unreadable(&name))?;
    if metadata.is_dir() {
        let source = std::io::ErrorKind::IsADirectory.into();
        return Err(CliError::Read { what: name, source });
    }
    if !metadata.is_file() {
        return Input::spooled(&name, format, opened).map_err(unreadable(&name));
    }
    let watched: Box<dyn Read> = progress.watch_file(opened, metadata.len());
    Ok(Input::new(&name, format, watched))
}

fn summary(imported: &Imported) -> String {
    let mut parts = Vec::new();
    for (entity, counts) in &imported.counts {
        for (count, did) in [
            (counts.added, ""),
            (counts.updated, " updated"),
            (counts.unchanged, " unchanged"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {entity}{did}"));
            }
        }
    }
    let mut text = match parts.as_slice() {
        [] => "imported nothing: there were no records".to_owned(),
        parts => format!("imported {}", parts.join(", ")),
    };
    if imported.balances_left > 0 {
        text.push_str(&format!(
            "\n{} balances in the files differ from those in the database, which were left as they are (refund-mcp customers adjust changes one)",
            imported.balances_left
        ));
    }
    text
}
