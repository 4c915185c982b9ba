//! What a driver's error means: the server is away, two transactions collided, or a row cannot be true.

use std::error::Error;
use std::fmt::Display;
use std::sync::Arc;

use refund_domain::StoreError;
use tokio_postgres::error::{DbError, SqlState};

use super::connect_error::ConnectError;

/// Why a piece of SQL gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    /// The driver failed.
    #[error(transparent)]
    Driver(#[from] tokio_postgres::Error),
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A row that nothing here can have left behind.
    #[error(transparent)]
    Untrue(#[from] Untrue),
    /// The server did not answer in time.
    #[error("the database did not answer in time")]
    Late,
}

/// A row that nothing here can have left behind. Several commands may have met it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("row {row} of table {table} cannot be true")]
pub(crate) struct Untrue {
    table: &'static str,
    row: Arc<str>,
    #[source]
    cause: Arc<dyn Error + Send + Sync>,
}

impl Untrue {
    pub(crate) fn new(
        table: &'static str,
        row: impl Display,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            table,
            row: row.to_string().into(),
            cause: cause.into().into(),
        }
    }
}

/// A row of `table` that cannot be true.
pub(crate) fn untrue(
    table: &'static str,
    row: impl Display,
    cause: impl Into<Box<dyn Error + Send + Sync>>,
) -> SqlError {
    Untrue::new(table, row, cause).into()
}

/// What to do about a failure that came before a commit was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// The same transaction again: another one was in its way.
    Again,
    /// Another connection.
    Reconnect,
    /// Nothing helps.
    None,
}

impl SqlError {
    /// What to do about it.
    pub(crate) fn remedy(&self) -> Remedy {
        let error = match self {
            Self::Driver(error) => error,
            Self::Late => return Remedy::Reconnect,
            Self::Connect(_) | Self::Untrue(_) => return Remedy::None,
        };
        let Some(state) = error.code() else {
            return if is_from_row(error) {
                Remedy::None
            } else {
                Remedy::Reconnect
            };
        };
        if *state == SqlState::T_R_SERIALIZATION_FAILURE
            || *state == SqlState::T_R_DEADLOCK_DETECTED
            // Two processes used one key, or began one conversation. The second look sees it.
            || *state == SqlState::UNIQUE_VIOLATION
        {
            Remedy::Again
        } else if is_away(state) {
            Remedy::Reconnect
        } else {
            Remedy::None
        }
    }

    /// Whether a row collides with another one.
    pub(crate) fn is_taken(&self) -> bool {
        matches!(self, Self::Driver(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION))
    }
}

/// The server goes away, or it only reads (R-166: a connection to a server that was demoted).
fn is_away(state: &SqlState) -> bool {
    let code = state.code();
    code.starts_with("08")
        || code.starts_with("57P")
        || *state == SqlState::READ_ONLY_SQL_TRANSACTION
        || *state == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
}

/// A value that does not fit its column's type here: the server did nothing wrong.
fn is_from_row(error: &tokio_postgres::Error) -> bool {
    use std::io;
    !error.is_closed()
        && error
            .source()
            .is_some_and(|source| !source.is::<io::Error>() && !source.is::<DbError>())
}

/// For failures after which nothing was changed.
impl From<SqlError> for StoreError {
    fn from(error: SqlError) -> Self {
        let state = match &error {
            SqlError::Untrue(_) => return Self::Damaged(Box::new(error)),
            SqlError::Connect(ConnectError::Damaged { .. }) => {
                return Self::Damaged(Box::new(error));
            }
            SqlError::Connect(_) | SqlError::Late => return Self::Unavailable(Box::new(error)),
            SqlError::Driver(error) if is_from_row(error) => None,
            SqlError::Driver(driver) => match driver.code() {
                Some(state) => Some(state.code().to_owned()),
                None => return Self::Unavailable(Box::new(error)),
            },
        };
        match state.as_deref() {
            None => Self::Damaged(Box::new(error)),
            // The disk is full.
            Some("53100") => Self::Full(Box::new(error)),
            // The rules allowed what the constraints forbid, so one of the rows they read is wrong; a
            // page is damaged; or a table or column is lost.
            Some(code)
                if code.starts_with("23")
                    || code.starts_with("XX")
                    || code.starts_with("58")
                    || ["42P01", "42703"].contains(&code) =>
            {
                Self::Damaged(Box::new(error))
            }
            Some(_) => Self::Unavailable(Box::new(error)),
        }
    }
}
