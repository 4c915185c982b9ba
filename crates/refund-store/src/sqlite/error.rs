//! What a driver's error means: the driver failed, or a row cannot be true.

use std::fmt::Display;

use refund_domain::StoreError;
use refund_domain::ports::Cause;
use rusqlite::ErrorCode;

/// Why a piece of SQL gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    /// The driver failed.
    #[error(transparent)]
    Driver(#[from] rusqlite::Error),
    /// A row that no refund can have left behind.
    #[error("row {row} of table {table} cannot be true")]
    Untrue {
        table: &'static str,
        row: String,
        #[source]
        cause: Cause,
    },
}

/// Whether a failure came before the commit, or from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Before,
    Commit,
}

impl SqlError {
    /// A row of `table` that cannot be true.
    pub(crate) fn untrue(table: &'static str, row: impl Display, cause: impl Into<Cause>) -> Self {
        Self::Untrue {
            table,
            row: row.to_string(),
            cause: cause.into(),
        }
    }

    /// What it means for the caller.
    pub(crate) fn at(self, stage: Stage) -> StoreError {
        let Self::Driver(error) = &self else {
            return StoreError::Damaged(Box::new(self));
        };
        match error.sqlite_error_code() {
            _ if is_damage(error) => StoreError::Damaged(Box::new(self)),
            // The rules allowed what the constraints forbid, so one of the rows they read is wrong.
            Some(ErrorCode::ConstraintViolation) => StoreError::Damaged(Box::new(self)),
            Some(ErrorCode::DiskFull) => StoreError::Full(Box::new(self)),
            // The frames may have reached the disk although the call failed.
            Some(ErrorCode::SystemIoFailure) if stage == Stage::Commit => {
                StoreError::OutcomeUnknown(Box::new(self))
            }
            _ => StoreError::Unavailable(Box::new(self)),
        }
    }
}

/// Whether the file is not what this program wrote.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..) => true,
        // The statements are fixed and tested: where one does not fit, a table or column is lost.
        rusqlite::Error::SqlInputError { error, .. } if error.code == ErrorCode::Unknown => true,
        rusqlite::Error::SqliteFailure(error, Some(text)) if error.code == ErrorCode::Unknown => {
            text.starts_with("no such ")
        }
        _ => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ),
    }
}

/// For reads, which cannot leave anything behind.
impl From<SqlError> for StoreError {
    fn from(error: SqlError) -> Self {
        error.at(Stage::Before)
    }
}
