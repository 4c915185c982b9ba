//! The pool of read-only connections.
//!
//! Reads run on the caller's thread, async or not: one is a few microseconds of B-tree in cached
//! pages, less than handing it to another thread would cost. What bounds them is the page size of the
//! ports and the short wait for locks.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::connection;
use super::error::SqlError;

/// Idle connections that are kept; more are opened when more threads read at once.
const IDLE: usize = 8;

#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            idle: Mutex::default(),
        }
    }

    /// Runs `read` on one snapshot of the database.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let taken = self.idle().pop();
        let conn = match taken {
            Some(conn) => conn,
            None => connection::reader(&self.path)?,
        };
        // Kept prepared: read from text each time they would cost half of what a look-up costs.
        conn.prepare_cached("BEGIN")?.execute([])?;
        let result = read(&conn)?;
        conn.prepare_cached("ROLLBACK")?.execute([])?;
        // Only after a success: a connection that failed is closed and never used again.
        let mut idle = self.idle();
        if idle.len() < IDLE {
            idle.push(conn);
        }
        Ok(result)
    }

    /// A panic elsewhere leaves a list of idle connections as it was.
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
