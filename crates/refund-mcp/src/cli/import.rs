//! `refund-mcp import`: customers from JSON files, or demo data, into a real database.

use std::path::{Path, PathBuf};

use refund_store::import::{NewCustomer, RowError, read_customers};
use refund_store::{DemoData, SqliteStore};

use super::{CliError, print};
use crate::config::{Config, Database, Demo};
use crate::exit::Exit;

pub(super) fn run(config: &Config, files: &[PathBuf]) -> Result<Exit, CliError> {
    let Database::Sqlite(path) = &config.database.value else {
        return Err(CliError::Usage(
            "memory: keeps nothing, so that importing into it is of no use; give --database sqlite:PATH".to_owned(),
        ));
    };
    let mut customers = Vec::new();
    let mut errors = Vec::new();
    let mut take = |read: Result<Vec<NewCustomer>, Vec<RowError>>| match read {
        Ok(rows) => customers.extend(rows),
        Err(found) => errors.extend(found),
    };
    let demo = match &config.demo.value {
        None => &[],
        Some(Demo::All) => DemoData::WORLD.as_slice(),
        Some(Demo::One(data)) => std::slice::from_ref(data),
    };
    let mut orders = Vec::new();
    for data in demo {
        take(data.load());
        let lines = data.orders();
        orders.extend(lines.map_err(|error| CliError::Rejected(error.to_string()))?);
    }
    for file in files {
        take(read_customers(&file.display().to_string(), &text(file)?));
    }
    if !errors.is_empty() {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        return Err(CliError::Rejected(format!(
            "nothing was imported:\n{}",
            lines.join("\n")
        )));
    }
    let store = SqliteStore::open(path)?;
    let count = store
        .import_customers(customers)
        .map_err(|error| CliError::Rejected(format!("nothing was imported: {error}")))?;
    store.import_orders(&orders).map_err(CliError::Store)?;
    print(&format!("imported {count} customers"))?;
    Ok(Exit::Ok)
}

fn text(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|source| CliError::Read {
        what: file.display().to_string(),
        source,
    })
}
