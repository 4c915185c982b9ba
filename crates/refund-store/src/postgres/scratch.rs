//! A scratch copy of the database in SQLite, private and gone afterwards: imports are judged and
//! exports are written by the code that does it for the SQLite store, so that both stores take the same
//! files, say the same about what is wrong in them, and write the same ones.
//!
//! Rows are carried in portions, so that memory does not grow with their number; the copy takes room in
//! the temporary directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use refund_domain::StoreError;
use rusqlite::Connection;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Client, Row};

use super::engine::Engine;
use super::error::{SqlError, untrue};
use super::flight::{BEGIN_TO_READ, Param};
use super::session;
use super::tables::{Changes, TABLES, Table};
use super::url::Url;
use crate::SqliteStore;

/// Rows that are carried at once.
const PORTION: usize = 2_000;
/// How often the locks are tried for where others are in their way.
const TRIES: u32 = 5;

/// The locks make it serializable.
const BEGIN_TO_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// What the connection is set to first, in a message of its own: whatever stands before BEGIN in the same
/// message has begun a transaction already. What is answered is on the disk.
const SETTINGS: &str = "SET statement_timeout = 0; SET jit = off; SET lock_timeout = '5s';
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') IN ('off', 'local');";

/// A transaction on a connection of its own. Dropped before its end it changes nothing.
pub(crate) struct Transaction<'e> {
    engine: &'e Engine,
    client: Arc<Client>,
}

impl<'e> Transaction<'e> {
    /// Begins one that reads.
    pub(crate) fn reading(engine: &'e Engine) -> Result<Self, StoreError> {
        let transaction = Self::connect(engine, TargetSessionAttrs::Any)?;
        transaction.run(|client| async move {
            client.batch_execute(SETTINGS).await?;
            Ok(client.batch_execute(BEGIN_TO_READ).await?)
        })?;
        Ok(transaction)
    }

    /// Begins one that nobody else writes beside: commands of servers wait for a moment, then they say
    /// that the store is unavailable.
    pub(crate) fn writing(engine: &'e Engine) -> Result<Self, StoreError> {
        let transaction = Self::connect(engine, TargetSessionAttrs::ReadWrite)?;
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let lock = format!("LOCK TABLE {} IN EXCLUSIVE MODE", names.join(", "));
        transaction.run(|client| async move {
            client.batch_execute(SETTINGS).await?;
            let mut tries = 0;
            loop {
                tries += 1;
                client.batch_execute(BEGIN_TO_WRITE).await?;
                match client.batch_execute(&lock).await.map_err(SqlError::from) {
                    Ok(()) => {
                        client.batch_execute("SET CONSTRAINTS ALL DEFERRED").await?;
                        return Ok(());
                    }
                    Err(error)
                        if tries < TRIES && error.remedy() == super::error::Remedy::Again =>
                    {
                        client.batch_execute("ROLLBACK").await?;
                    }
                    Err(error) => return Err(error),
                }
            }
        })?;
        Ok(transaction)
    }

    fn connect(engine: &'e Engine, to: TargetSessionAttrs) -> Result<Self, StoreError> {
        let url: Arc<Url> = engine.url();
        let client = engine.block_on(async move {
            let client = session::alone(&url, to).await?;
            session::is_suitable(&client, &url.shown).await?;
            super::migrate::require_current(&client, &url.shown).await?;
            Ok::<_, SqlError>(client)
        })??;
        let client = Arc::new(client);
        Ok(Self { engine, client })
    }

    pub(crate) fn run<T, W>(&self, work: impl FnOnce(Arc<Client>) -> W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, SqlError>> + Send + 'static,
    {
        let work = work(Arc::clone(&self.client));
        Ok(self.engine.block_on(work)??)
    }

    /// Copies these tables into a scratch store; says how many rows there were.
    pub(crate) fn copy_into(
        &self,
        scratch: &SqliteStore,
        wanted: impl Fn(&Table) -> bool,
    ) -> Result<u64, StoreError> {
        let mut conn = open(scratch.path())?;
        let mut copied = 0;
        let transaction = conn.transaction().map_err(of_scratch)?;
        for table in TABLES.iter().filter(|table| wanted(table)) {
            let cursor = format!(
                "DECLARE portion NO SCROLL CURSOR FOR SELECT {} FROM {}",
                table.columns_here(),
                table.name
            );
            self.run(|client| async move { Ok(client.batch_execute(&cursor).await?) })?;
            let insert = table.insert_there();
            let mut insert = transaction.prepare(&insert).map_err(of_scratch)?;
            loop {
                let fetch = format!("FETCH FORWARD {PORTION} FROM portion");
                let rows: Vec<Row> =
                    self.run(|client| async move { Ok(client.query(&fetch, &[]).await?) })?;
                for row in &rows {
                    let mut values = Vec::with_capacity(table.columns.len());
                    for (column, (_, kind)) in table.columns.iter().enumerate() {
                        values.push(kind.value_there(row, column)?);
                    }
                    let _one = insert
                        .execute(rusqlite::params_from_iter(values))
                        .map_err(of_scratch)?;
                    copied += 1;
                }
                if rows.len() < PORTION {
                    break;
                }
            }
            self.run(|client| async move { Ok(client.batch_execute("CLOSE portion").await?) })?;
        }
        transaction.commit().map_err(of_scratch)?;
        Ok(copied)
    }

    /// Makes the database what the scratch store is, which was this before.
    pub(crate) fn take_over(
        &self,
        scratch: &SqliteStore,
        before: Option<&Before>,
    ) -> Result<(), StoreError> {
        let conn = open(scratch.path())?;
        let mut changed = BTreeSet::new();
        if let Some(before) = before {
            let path = before.0.to_string_lossy();
            let attached = conn.execute("ATTACH DATABASE ?1 AS before", [path.as_ref()]);
            let _none = attached.map_err(of_scratch)?;
        }
        if before.is_some() {
            for table in TABLES
                .iter()
                .rev()
                .filter(|table| table.changes == Changes::Replace)
            {
                // What changed is taken away as well: it comes again below.
                let all = table.columns_there(table.columns.len());
                let key = table.columns_there(table.key);
                let name = table.name;
                let gone = format!(
                    "SELECT {key} FROM (SELECT * FROM before.{name} EXCEPT SELECT * FROM main.{name})"
                );
                debug_assert!(!all.is_empty(), "every table has columns");
                if self.carry(&conn, table, table.key, &gone, &table.delete_here())? {
                    let _new = changed.insert(name);
                }
            }
        }
        for table in &TABLES {
            let all = table.columns_there(table.columns.len());
            let name = table.name;
            let mut new = format!("SELECT {all} FROM main.{name}");
            if before.is_some() {
                new = format!(
                    "SELECT {all} FROM (SELECT * FROM main.{name} EXCEPT SELECT * FROM before.{name})"
                );
            }
            let (columns, insert) = (table.columns.len(), table.insert_here());
            if self.carry(&conn, table, columns, &new, &insert)? {
                let _new = changed.insert(name);
            }
        }
        for table in TABLES.iter().filter(|table| table.numbered) {
            let name = table.name;
            let next = format!(
                "SELECT setval(pg_get_serial_sequence('{name}', 'seq'),
                     greatest((SELECT coalesce(max(seq), 0) FROM {name}), last_value) + 1, false)
                 FROM {name}_seq_seq"
            );
            self.run(|client| async move { Ok(client.batch_execute(&next).await?) })?;
        }
        self.analyze(&changed)
    }

    /// Tells the planner what is in these tables now: until the server does it by itself, in a minute or
    /// more, it would plan for what they were before. A user who does not own them may not, and the server
    /// leaves it at a warning.
    fn analyze(&self, tables: &BTreeSet<&'static str>) -> Result<(), StoreError> {
        if tables.is_empty() {
            return Ok(());
        }
        let tables: Vec<&str> = tables.iter().copied().collect();
        let analyze = format!("ANALYZE {}", tables.join(", "));
        self.run(|client| async move { Ok(client.batch_execute(&analyze).await?) })
    }

    /// Carries what a query gives there, in portions, to a statement here. Says whether there was
    /// anything.
    fn carry(
        &self,
        conn: &Connection,
        table: &Table,
        columns: usize,
        from: &str,
        to: &str,
    ) -> Result<bool, StoreError> {
        let mut statement = conn.prepare(from).map_err(of_scratch)?;
        let mut rows = statement.query([]).map_err(of_scratch)?;
        let mut carried = false;
        loop {
            let mut portion = vec![Vec::with_capacity(PORTION); columns];
            let mut count = 0;
            while count < PORTION
                && let Some(row) = rows.next().map_err(of_scratch)?
            {
                for (column, values) in portion.iter_mut().enumerate() {
                    values.push(row.get(column).map_err(of_scratch)?);
                }
                count += 1;
            }
            if count == 0 {
                return Ok(carried);
            }
            carried = true;
            let params = portion
                .into_iter()
                .zip(table.columns)
                .map(|(values, (_, kind))| kind.array_here(values.into_iter()))
                .collect::<Result<Vec<Param>, _>>()
                .map_err(of_scratch)?;
            let (sql, name) = (to.to_owned(), table.name);
            self.run(|client| async move {
                let references: Vec<_> = params
                    .iter()
                    .map(|param| {
                        let param: &(dyn tokio_postgres::types::ToSql + Sync) = param.as_ref();
                        param
                    })
                    .collect();
                let changed = client.execute(&sql, &references).await?;
                super::flight::all_changed(name, changed, count, "it was not carried over")
            })?;
        }
    }

    /// Ends it; what was changed is there from now on.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        let client = Arc::clone(&self.client);
        let committed = self
            .engine
            .block_on(async move { client.batch_execute("COMMIT").await })?;
        committed.map_err(|error| match error.as_db_error() {
            Some(_said) => StoreError::from(SqlError::from(error)),
            None => StoreError::OutcomeUnknown(Box::new(error)),
        })
    }
}

/// What a scratch store was, for comparison. The file lies beside it and goes with it.
pub(crate) struct Before(PathBuf);

impl Before {
    pub(crate) fn of(scratch: &SqliteStore) -> Result<Self, StoreError> {
        let path = scratch.path().with_extension("before");
        let conn = open(scratch.path())?;
        let copied = conn.execute("VACUUM INTO ?1", [path.to_string_lossy().as_ref()]);
        let _none = copied.map_err(of_scratch)?;
        Ok(Self(path))
    }
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    let conn = Connection::open(path).map_err(of_scratch)?;
    // What is copied was whole where it came from, and the file is gone afterwards.
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;")
        .map_err(of_scratch)?;
    Ok(conn)
}

/// A failure of the scratch copy: of the temporary directory, as a rule.
fn of_scratch(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => StoreError::Full(Box::new(error)),
        Some(rusqlite::ErrorCode::ConstraintViolation) => {
            untrue("any", "of a copy", error.to_string()).into()
        }
        _ => StoreError::Unavailable(Box::new(error)),
    }
}
