//! Whether the tables, indexes and triggers are those that this program makes.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::check::Findings;
use super::error::SqlError;
use super::migrate;

/// By type and name, the statement that made it; none where SQLite made it by itself.
type Schema = BTreeMap<(String, String), Option<String>>;

/// Compares with a database that is made for the purpose. Tables and indexes of other people are left
/// out of account; their triggers are not, because a trigger can change what is written.
pub(crate) fn look(conn: &Connection) -> Result<Findings, SqlError> {
    let made = migrate::scratch()
        .map_err(|cause| SqlError::untrue("sqlite_schema", "of a new file", cause))?;
    let (expected, mut found) = (schema(&made)?, schema(conn)?);
    let mut findings = Findings::default();
    for ((kind, name), sql) in expected {
        match found.remove(&(kind.clone(), name.clone())) {
            None => findings.add(format!("the {kind} {name} is missing")),
            Some(other) if other != sql => {
                findings.add(format!("the {kind} {name} is not as this program makes it"))
            }
            Some(_) => true,
        };
    }
    for (kind, name) in found.into_keys() {
        if kind == "trigger" {
            findings.add(format!("the trigger {name} is none of this program's"));
        }
    }
    Ok(findings)
}

fn schema(conn: &Connection) -> rusqlite::Result<Schema> {
    let mut statement = conn.prepare("SELECT type, name, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    rows.collect()
}
