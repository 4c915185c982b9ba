//! `refund-mcp migrate`.

use refund_store::{PostgresStore, SqliteStore};

use super::{CliError, may_write, print};
use crate::config::{Config, Database};
use crate::exit::Exit;

pub(super) fn run(config: &Config) -> Result<Exit, CliError> {
    may_write(config)?;
    let (shown, done) = match &config.database.value {
        Database::Memory => {
            return Err(CliError::Usage(
                "memory: is always new; give --database sqlite:PATH or postgres://…".to_owned(),
            ));
        }
        Database::Sqlite(path) => (path.display().to_string(), SqliteStore::migrate(path)?),
        Database::Postgres(url) => (url.to_string(), PostgresStore::migrate(url)?),
    };
    let to = done.to.unwrap_or_default();
    print(&match done.from {
        None => format!("{shown}: made, with schema version {to}"),
        Some(from) if from == to => format!("{shown}: has schema version {to} already"),
        Some(from) => format!("{shown}: brought from schema version {from} to {to}"),
    })?;
    Ok(Exit::Ok)
}
