//! Why a database could not be opened, and what to do about it.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use refund_domain::StoreError;
use refund_domain::ports::Cause;
use rusqlite::ErrorCode;

/// Why a database could not be opened. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no file, or an empty one, and none shall be made.
    #[error("there is no database at {}; check the path, or make one with refund-mcp import or migrate", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The directory of the file does not exist.
    #[error("the directory of {} does not exist; create it, or choose another path", path.display())]
    MissingDirectory {
        /// The database.
        path: PathBuf,
    },
    /// The file is something else: no SQLite file, or the database of another program.
    #[error("{} is not a refund database; choose another path, or move that file away", path.display())]
    NotADatabase {
        /// The database.
        path: PathBuf,
    },
    /// The file or its directory cannot be written.
    #[error("{} or its directory cannot be written; give this user the right to write both", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// A newer version of this program made the database.
    #[error("{} has schema version {found} and this program knows versions up to {known}; use a newer version of this program", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest that this program knows.
        known: u32,
    },
    /// Another process holds the lock.
    #[error("{} is locked by another process; try again when that process has finished", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The linked SQLite can damage a database that two connections write.
    #[error("SQLite {found} can damage {}; use a build with SQLite 3.51.3 or newer", path.display())]
    SqliteTooOld {
        /// The database.
        path: PathBuf,
        /// The version of the linked SQLite.
        found: &'static str,
    },
    /// The file is damaged.
    #[error("{} is damaged; restore a backup, or save what is left with the sqlite3 command .recover", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: Cause,
    },
    /// Anything else.
    #[error("failed to open {}; the cause below says why", path.display())]
    Other {
        /// The database.
        path: PathBuf,
        /// What happened.
        #[source]
        source: Cause,
    },
}

impl OpenError {
    /// Whether the same call may succeed later without anybody doing something about it.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }

    pub(crate) fn other(path: &Path, source: impl Into<Cause>) -> Self {
        Self::Other {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// What a driver's error means for the file at `path`.
    pub(crate) fn from_driver(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::CannotOpen) if is_unwritable(&path) => Self::ReadOnly { path },
            Some(ErrorCode::NotADatabase) => Self::NotADatabase { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                source: Box::new(error),
            },
            _ => Self::other(&path, error),
        }
    }

    /// What a failed file operation beside the database at `path` means.
    pub(crate) fn from_io(path: &Path, error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly {
                path: path.to_owned(),
            },
            _ => Self::other(path, error),
        }
    }
}

/// For a store that opens its file later.
impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Damaged { .. } | OpenError::NotADatabase { .. } => {
                Self::Damaged(Box::new(error))
            }
            _ => Self::Unavailable(Box::new(error)),
        }
    }
}

/// SQLite says only "cannot open"; the system knows why.
fn is_unwritable(path: &Path) -> bool {
    let refused = |error: std::io::Error| {
        matches!(
            error.kind(),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
        )
    };
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .is_err_and(refused)
}
