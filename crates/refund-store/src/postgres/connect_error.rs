//! Why a database cannot be used, and what to do about it.

use refund_domain::StoreError;
use refund_domain::ports::Cause;

/// Why a PostgreSQL database cannot be used. Each text says what to do; none shows a password.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL cannot be read.
    #[error(
        "the database URL {what}; write it like postgres://user@host:5432/database?sslmode=verify-full"
    )]
    Url {
        /// What is wrong with it.
        what: String,
    },
    /// Nobody answers, or whoever does lets nobody in.
    #[error("the database {shown} cannot be reached; the cause below says why")]
    Unreachable {
        /// The URL without its password.
        shown: String,
        /// What happened.
        #[source]
        source: Cause,
    },
    /// There are no tables of ours.
    #[error(
        "the database {shown} is not prepared; run refund-mcp migrate --database with its URL once, or start the server with --migrate"
    )]
    NotMigrated {
        /// The URL without its password.
        shown: String,
    },
    /// Its tables are those of an older version.
    #[error(
        "the database {shown} has schema version {found} and this program needs {known}; run refund-mcp migrate --database with its URL, or start the server with --migrate"
    )]
    Older {
        /// The URL without its password.
        shown: String,
        /// Its schema version.
        found: u32,
        /// The one that this program needs.
        known: u32,
    },
    /// A newer version of this program made the tables.
    #[error(
        "the database {shown} has schema version {found} and this program knows versions up to {known}; use a newer version of this program"
    )]
    Newer {
        /// The URL without its password.
        shown: String,
        /// Its schema version.
        found: u32,
        /// The newest that this program knows.
        known: u32,
    },
    /// Somebody else's tables are there.
    #[error(
        "the database {shown} has tables of another program; give this one a database of its own"
    )]
    NotOurs {
        /// The URL without its password.
        shown: String,
    },
    /// The server is not one that this program can use.
    #[error("the database {shown} {what}")]
    Unsuitable {
        /// The URL without its password.
        shown: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The history of its tables is lost or cannot be true.
    #[error("the database {shown} is damaged; restore a backup")]
    Damaged {
        /// The URL without its password.
        shown: String,
        /// What was found.
        #[source]
        source: Cause,
    },
    /// Bringing the database to the newest schema failed; nothing was changed.
    #[error(
        "the database {shown} could not be brought to the newest schema, and was not changed; the cause below says why"
    )]
    Migration {
        /// The URL without its password.
        shown: String,
        /// What happened.
        #[source]
        source: Cause,
    },
}

impl ConnectError {
    /// Whether it may be gone by itself in a while, so that a server need not give up.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

/// For a store that connects when it is used.
impl From<ConnectError> for StoreError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Damaged { .. } => Self::Damaged(Box::new(error)),
            _ => Self::Unavailable(Box::new(error)),
        }
    }
}
