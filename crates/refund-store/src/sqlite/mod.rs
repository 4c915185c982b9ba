//! The SQLite store: one file, one thread that writes it, a pool of connections that read it.

mod addresses;
mod adjustments;
mod audit;
mod batch;
mod check;
mod check_audit;
mod check_returns;
mod check_rows;
mod check_schema;
mod check_warranties;
mod connection;
mod count_turn;
mod customer_keys;
mod customers;
mod devices;
mod error;
mod escalations;
mod export;
mod functions;
mod idempotency_keys;
mod import;
mod import_escalations;
mod import_links;
mod import_orders;
mod import_refunds;
mod import_warranties;
mod memory;
mod migrate;
mod open;
mod open_error;
mod open_returns;
mod orders;
mod outbox;
mod process_return;
mod product_keys;
mod products;
mod reader;
mod readers;
mod refunds;
mod returns;
mod settle;
mod warranties;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use refund_domain::ports::{
    CustomerDirectory, CustomerReader, CustomerWriter, RefundReader, RefundWriter,
};
use refund_domain::refund::{Facts, KeyUse};
use refund_domain::{
    AdjustBalance, AdjustmentSettled, Customer, CustomerId, EmailAddress, IdempotencyKey,
    IssueRefund, Principal, Refund, RefundId, RefundPage, RefundPosition, RefundRequest, Settled,
    StoreError,
};

pub use check::CheckReport;
#[cfg(feature = "postgres")]
pub(crate) use check_audit::Writers;
use connection::Durability;
use memory::PrivateDirectory;
pub use migrate::Migrated;
pub use open_error::OpenError;
pub use reader::SqliteReader;
use readers::Readers;
use writer::Writer;

/// How long [`SqliteStore::open`] waits for another process's lock.
const OPEN_WAIT: Duration = Duration::from_millis(300);
/// How long an operation of a deferred store waits while it opens the file.
const DEFERRED_WAIT: Duration = Duration::from_millis(10);

/// A store in one SQLite file. Clones are handles on the same store; the last one closes it.
///
/// Several processes may use one file at once.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
    mail: Mail,
}

/// What becomes of the messages to customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mail {
    /// They are kept and never sent.
    Simulated,
    /// They wait in the outbox for somebody who sends them.
    Sent,
}

// Dropped in this order: connections first, then the directory that they are in.
#[derive(Debug)]
struct Shared {
    live: OnceLock<Live>,
    opening: Mutex<()>,
    path: PathBuf,
    durability: Durability,
    _directory: Option<PrivateDirectory>,
}

// Dropped in this order: the writer's connection is the last, because only it can fold the
// write-ahead log into the file.
#[derive(Debug)]
struct Live {
    readers: Readers,
    writer: Writer,
}

impl SqliteStore {
    /// Opens the database at `path`, creating the file where there is none (its directory must
    /// exist), and brings it to the newest schema. Waits at most 300 ms for another process's lock,
    /// and at most 600 ms for another process that is bringing the same file to the newest schema.
    ///
    /// # Errors
    /// Each [`OpenError`] says what to do.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let path = absolute(path)?;
        let store = Self::closed(path, Durability::Full, None);
        store.live(OPEN_WAIT)?;
        Ok(store)
    }

    /// The same for a database that must be there: a mistyped path must not look like an empty one,
    /// and must not become one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], and [`OpenError::Missing`].
    pub fn open_existing(path: &Path) -> Result<Self, OpenError> {
        let path = absolute(path)?;
        open::require_there(&path)?;
        Self::open(&path)
    }

    /// Brings the database at `path` to the newest schema, as [`SqliteStore::open`] does, and says
    /// what that did.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn migrate(path: &Path) -> Result<Migrated, OpenError> {
        let path = absolute(path)?;
        let from = migrate::version_of(&path);
        let _open = Self::open(&path)?;
        let to = migrate::version_of(&path);
        Ok(Migrated { from, to })
    }

    /// A store that opens the database at `path` when it is first used, for a server that must start
    /// although the database is locked. Until opening succeeds, every operation tries it once, hardly
    /// waits, and gives [`StoreError::Unavailable`].
    #[must_use]
    pub fn deferred(path: &Path) -> Self {
        // A path that cannot be made absolute gives its error when it is opened.
        let path = absolute(path).unwrap_or_else(|_| path.to_owned());
        Self::closed(path, Durability::Full, None)
    }

    /// A store that is gone when its last handle is dropped.
    ///
    /// # Errors
    /// The temporary directory cannot be used.
    pub fn memory() -> Result<Self, OpenError> {
        let parent = std::env::temp_dir();
        let directory = PrivateDirectory::create_in(&parent)
            .map_err(|error| OpenError::from_io(&parent, error))?;
        let path = directory.database();
        let store = Self::closed(path, Durability::None, Some(directory));
        store.live(OPEN_WAIT)?;
        Ok(store)
    }

    fn closed(path: PathBuf, durability: Durability, directory: Option<PrivateDirectory>) -> Self {
        Self {
            shared: Arc::new(Shared {
                live: OnceLock::new(),
                opening: Mutex::new(()),
                path,
                durability,
                _directory: directory,
            }),
            mail: Mail::Simulated,
        }
    }

    /// A handle whose messages to customers wait to be sent. Those of other handles are kept and
    /// never sent, by whatever process.
    #[must_use]
    pub fn sending_mail(mut self) -> Self {
        self.mail = Mail::Sent;
        self
    }

    /// The open store; opens it if need be.
    fn live(&self, wait: Duration) -> Result<&Live, OpenError> {
        let shared = &*self.shared;
        if let Some(live) = shared.live.get() {
            return Ok(live);
        }
        // One opens, the others wait for it rather than fail beside it.
        let _turn = shared
            .opening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(live) = shared.live.get() {
            return Ok(live);
        }
        let (conn, patience) = open::open(&shared.path, shared.durability, wait)?;
        let writer = Writer::start(conn, &shared.path, shared.durability, patience)
            .map_err(|error| OpenError::other(&shared.path, error))?;
        let readers = Readers::new(shared.path.clone());
        Ok(shared.live.get_or_init(|| Live { readers, writer }))
    }

    fn ready(&self) -> Result<&Live, StoreError> {
        Ok(self.live(DEFERRED_WAIT)?)
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }
}

/// So that neither a later change of directory nor a name like `file:x` (a URI to SQLite) matters.
fn absolute(path: &Path) -> Result<PathBuf, OpenError> {
    std::path::absolute(path).map_err(|error| OpenError::other(path, error))
}

impl CustomerReader for SqliteStore {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| customers::by_id(conn, id))?)
    }
}

impl CustomerDirectory for SqliteStore {
    async fn customer_by_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<Customer>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| customers::by_email(conn, email))?)
    }

    async fn customers(
        &self,
        limit: u32,
        after: Option<CustomerId>,
    ) -> Result<Vec<Customer>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| customers::page(conn, limit, after))?)
    }
}

impl CustomerWriter for SqliteStore {
    async fn adjust_balance(
        &self,
        command: AdjustBalance,
    ) -> Result<AdjustmentSettled, StoreError> {
        self.ready()?.writer.submit(command).await
    }
}

impl RefundReader for SqliteStore {
    async fn refund(&self, id: RefundId) -> Result<Option<Refund>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| refunds::by_id(conn, id))?)
    }

    async fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> Result<Option<Refund>, StoreError> {
        let readers = &self.ready()?.readers;
        let key_use = readers.read(|conn| idempotency_keys::find(conn, principal, key))?;
        Ok(match key_use {
            Some(KeyUse::Refund(refund)) => Some(refund),
            Some(KeyUse::OtherTool(_)) | None => None,
        })
    }

    async fn refunds_of(
        &self,
        id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> Result<Option<RefundPage>, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| refunds::page(conn, id, limit, before))?)
    }

    async fn refund_facts(
        &self,
        principal: &Principal,
        request: &RefundRequest,
    ) -> Result<Facts, StoreError> {
        let readers = &self.ready()?.readers;
        Ok(readers.read(|conn| settle::facts(conn, principal, request))?)
    }
}

impl RefundWriter for SqliteStore {
    async fn issue_refund(&self, command: IssueRefund) -> Result<Settled, StoreError> {
        self.ready()?.writer.submit(command).await
    }
}
