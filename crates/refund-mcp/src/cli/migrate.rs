//! `refund-mcp migrate`.

use refund_store::SqliteStore;

use super::{CliError, may_write, print};
use crate::config::{Config, Database};
use crate::exit::Exit;

pub(super) fn run(config: &Config) -> Result<Exit, CliError> {
    may_write(config)?;
    let Database::Sqlite(path) = &config.database.value else {
        return Err(CliError::Usage(
            "memory: is always new; give --database sqlite:PATH".to_owned(),
        ));
    };
    let done = SqliteStore::migrate(path)?;
    let shown = path.display();
    let to = done.to.unwrap_or_default();
    print(&match done.from {
        None => format!("{shown}: made, with schema version {to}"),
        Some(from) if from == to => format!("{shown}: has schema version {to} already"),
        Some(from) => format!("{shown}: brought from schema version {from} to {to}"),
    })?;
    Ok(Exit::Ok)
}
