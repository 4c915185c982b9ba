//! The PostgreSQL store: a database that several servers share.
//!
//! ```text
//! ports ─▶ engine (a thread) ─▶ batch: facts under locks │ decisions of the domain │ writes │ commit
//!                            └▶ reads, on connections that cannot write; those of the warranty desk on its own
//! ```

mod addresses;
mod adjustments;
mod audit;
mod batch;
mod check;
mod connect_error;
mod count_turn;
mod customer_keys;
mod customers;
#[cfg(test)]
#[path = "../../tests/support/database.rs"]
mod database;
mod devices;
mod engine;
mod error;
mod escalations;
mod facts;
mod flight;
mod idempotency_keys;
mod migrate;
mod open_returns;
mod orders;
mod outbox;
mod pauses;
mod process_return;
mod product_keys;
mod reader;
mod refunds;
mod returns;
mod scratch;
mod session;
mod settle;
mod tables;
mod text;
mod tls;
mod transfer;
mod url;
mod values;
mod warranties;
mod writes;

use std::sync::Arc;

use refund_domain::ports::{Cause, CustomerDirectory, CustomerReader, RefundReader, RefundWriter};
use refund_domain::refund::{Facts, KeyUse};
use refund_domain::{
    Customer, CustomerId, EmailAddress, IdempotencyKey, IssueRefund, Principal, Refund, RefundId,
    RefundPage, RefundPosition, RefundRequest, Settled, StoreError,
};

pub use connect_error::ConnectError;
use engine::Engine;
use error::SqlError;
use flight::at_once;
pub use reader::PostgresReader;
pub use session::Connections;
use session::Purpose;
pub use url::Url;

use crate::sqlite::Migrated;

/// What becomes of the messages to customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mail {
    /// They are kept and never sent.
    Simulated,
    /// They wait in the outbox for somebody who sends them.
    Sent,
}

/// A store in a PostgreSQL database, 15 or newer. Clones are handles on the same store; the last one
/// closes its connections.
///
/// Several servers may use one database at once.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    engine: Arc<Engine>,
    mail: Mail,
}

impl PostgresStore {
    /// A store that connects when it is first used. While the database is away every operation gives
    /// [`StoreError::Unavailable`], and works again when it is back.
    ///
    /// # Errors
    /// The certificates that the URL names cannot be read.
    pub fn new(url: &Url) -> Result<Self, ConnectError> {
        Ok(Self {
            engine: Arc::new(Engine::start(url)?),
            mail: Mail::Simulated,
        })
    }

    /// Brings the database to the newest schema, however many processes try at once, and says what that
    /// did. Blocks until it is done.
    ///
    /// # Errors
    /// Each [`ConnectError`] says what to do.
    pub fn migrate(url: &Url) -> Result<Migrated, ConnectError> {
        let url = url.clone();
        let shown = url.shown.clone();
        // On a thread of its own: whoever calls may be on a runtime, which must not be blocked on.
        let migrating = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|cause| ConnectError::Unsuitable {
                    shown: url.shown.clone(),
                    what: format!("cannot be used, because no runtime can be started: {cause}"),
                })?;
            runtime.block_on(migrate::migrate(&url))
        });
        migrating.join().unwrap_or_else(|_| {
            Err(ConnectError::Migration {
                shown,
                source: "it panicked".into(),
            })
        })
    }

    /// Whether the database can be used, for a command that a person waits for: a server starts without
    /// it. Blocks until it is known.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn try_now(&self) -> Result<(), ConnectError> {
        let sessions = self.engine.sessions();
        let tried = self.engine.block_on(async move {
            sessions.of(Purpose::Read).await?.keep();
            Ok::<_, SqlError>(())
        });
        let source: Cause = match tried {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(SqlError::Connect(error))) => return Err(error),
            Ok(Err(error)) => error.into(),
            Err(stopped) => stopped.into(),
        };
        Err(ConnectError::Unreachable {
            shown: self.shown(),
            source,
        })
    }

    /// A handle whose messages to customers wait to be sent. Those of other handles are kept and
    /// never sent, by whatever process.
    #[must_use]
    pub fn sending_mail(mut self) -> Self {
        self.mail = Mail::Sent;
        self
    }

    /// What its connections do at this moment.
    #[must_use]
    pub fn connections(&self) -> [Connections; 4] {
        self.engine.sessions().connections()
    }

    /// The database's URL without its password.
    #[must_use]
    pub fn shown(&self) -> String {
        self.engine.sessions().shown.clone()
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }
}

impl CustomerReader for PostgresStore {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        self.engine
            .read(move |session| Box::pin(async move { customers::by_id(session, id).await }))
            .await
    }
}

impl CustomerDirectory for PostgresStore {
    async fn customer_by_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<Customer>, StoreError> {
        let email = email.clone();
        self.engine
            .read(move |session| {
                let email = email.clone();
                Box::pin(async move { customers::by_email(session, &email).await })
            })
            .await
    }

    async fn customers(
        &self,
        limit: u32,
        after: Option<CustomerId>,
    ) -> Result<Vec<Customer>, StoreError> {
        self.engine
            .read(move |session| {
                Box::pin(async move { customers::page(session, limit, after).await })
            })
            .await
    }
}

impl RefundReader for PostgresStore {
    async fn refund(&self, id: RefundId) -> Result<Option<Refund>, StoreError> {
        self.engine
            .read(move |session| Box::pin(async move { refunds::by_id(session, id).await }))
            .await
    }

    async fn refund_by_key(
        &self,
        principal: &Principal,
        key: &IdempotencyKey,
    ) -> Result<Option<Refund>, StoreError> {
        let owner = (principal.clone(), key.clone());
        self.engine
            .read(move |session| {
                let owner = owner.clone();
                Box::pin(async move {
                    Ok(match key_use(session, &owner).await? {
                        Some(KeyUse::Refund(refund)) => Some(refund),
                        Some(KeyUse::OtherTool(_)) | None => None,
                    })
                })
            })
            .await
    }

    async fn refunds_of(
        &self,
        id: CustomerId,
        limit: u32,
        before: Option<RefundPosition>,
    ) -> Result<Option<RefundPage>, StoreError> {
        self.engine
            .read(move |session| {
                Box::pin(async move { refunds::page(session, id, limit, before).await })
            })
            .await
    }

    async fn refund_facts(
        &self,
        principal: &Principal,
        request: &RefundRequest,
    ) -> Result<Facts, StoreError> {
        let id = request.customer_id;
        let owner = request
            .idempotency_key
            .clone()
            .map(|key| (principal.clone(), key));
        self.engine
            .read(move |session| {
                let owner = owner.clone();
                Box::pin(async move { facts_of(session, id, owner.as_ref()).await })
            })
            .await
    }
}

impl RefundWriter for PostgresStore {
    async fn issue_refund(&self, command: IssueRefund) -> Result<Settled, StoreError> {
        self.engine.submit(command).await
    }
}

async fn key_use(
    client: &deadpool_postgres::ClientWrapper,
    owner: &facts::Owner,
) -> Result<Option<KeyUse>, SqlError> {
    let query = idempotency_keys::of_refunds(client, std::iter::once(owner)).await?;
    facts::refund_key_of(&query.rows(client).await?, owner)
}

async fn facts_of(
    client: &deadpool_postgres::ClientWrapper,
    id: CustomerId,
    owner: Option<&facts::Owner>,
) -> Result<Facts, SqlError> {
    let customer = customers::with_id(client, id).await?;
    let keys = idempotency_keys::of_refunds(client, owner.into_iter()).await?;
    let [customer, keys] = at_once(client, [customer, keys]).await?;
    Ok(Facts {
        customer: customers::one(customer)?,
        key_use: match owner {
            Some(owner) => facts::refund_key_of(&keys, owner)?,
            None => None,
        },
    })
}
