//! `refund-mcp export`: everything, or one entity, as a data file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use refund_store::transfer::{Entity, ExportError, Format};

use super::format::{self, FormatWord};
use super::progress::Progress;
use super::{CliError, no_memory, open};
use crate::config::Config;
use crate::exit::Exit;
use crate::stdout;
use crate::store::Store;

/// Bytes written at once.
const CHUNK: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Only this: customers, addresses, products, orders, devices, warranties, open_returns, refunds, returns, escalations or escalation_turns
    #[arg(long, value_name = "NAME", value_parser = format::parse_entity)]
    entity: Option<Entity>,
    /// The format; otherwise what the ending of the output tells, or JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatWord>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(config: &Config, args: &ExportArgs) -> Result<Exit, CliError> {
    let to = args.output.as_deref();
    let word = args
        .format
        .or_else(|| format::by_ending(to?))
        .unwrap_or(FormatWord::Json);
    let name = to.unwrap_or(Path::new("the output"));
    let format = format::of(name, Some(word), args.entity).map_err(CliError::Usage)?;
    let entities: Vec<_> = match args.entity {
        Some(entity) => vec![entity],
        None => Entity::ALL.into(),
    };
    no_memory(config)?;
    let store = open(config)?;
    match to {
        None => into(&store, &entities, format, stdout::stream()),
        Some(path) => into_file(&store, &entities, format, path),
    }?;
    Ok(Exit::Ok)
}

fn into(
    store: &Store,
    entities: &[Entity],
    format: Format,
    out: impl Write,
) -> Result<(), CliError> {
    let progress = Progress::writing();
    let out = progress.watch_output(BufWriter::with_capacity(CHUNK, out));
    let exported = store.export(entities, format, out);
    progress.end();
    match exported {
        Ok(_count) => Ok(()),
        // A reader that went away is no error: `refund-mcp export | head` is a normal thing to do.
        Err(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(ExportError::Write(error)) => Err(CliError::Write(error)),
        Err(ExportError::Fault(fault)) => Err(CliError::Store(fault)),
    }
}

/// Under another name until it is complete, so that nobody takes half an export for a whole one. Only
/// its owner may read it: it holds personal data.
fn into_file(
    store: &Store,
    entities: &[Entity],
    format: Format,
    path: &Path,
) -> Result<(), CliError> {
    let unusable = |source| CliError::Output {
        path: path.to_owned(),
        source,
    };
    if path.exists() && !path.is_file() {
        // A device or a pipe.
        let file = OpenOptions::new().write(true).open(path);
        return into(store, entities, format, file.map_err(unusable)?);
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = create(&part)
        .map_err(unusable)
        .and_then(|file| {
            into(store, entities, format, &file)?;
            file.sync_all().map_err(CliError::Write)
        })
        .and_then(|()| fs::rename(&part, path).map_err(unusable));
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&part);
    }
    written
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
