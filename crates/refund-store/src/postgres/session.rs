//! Connections: how they are made, what each is set to before it is used, and the pools they wait in.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Client, Config};

use super::connect_error::ConnectError;
use super::error::SqlError;
use super::url::Url;
use super::{migrate, tls};

/// Connections that read.
const READERS: usize = 8;
/// Connections that read for the warranty desk, whose searches must not hold up refunds.
const DESK: usize = 4;
/// Connections that write beside the batches: deliveries, and imports.
const BESIDE: usize = 2;
/// How long an operation waits for a connection.
const WAIT: Duration = Duration::from_secs(5);
/// The oldest server that this program is tested with.
const LEAST_SERVER: i32 = 150_000;

/// What every connection is set to. A statement that waits longer than a client would is given up; one
/// that compiles its plan first takes longer for it than for its work.
const COMMON: &str = "SET statement_timeout = '10s';
    SET lock_timeout = '5s';
    SET idle_in_transaction_session_timeout = '30s';
    SET jit = off;
    SET client_min_messages = warning;";

/// For readers: faulty SQL cannot write, and each transaction is one snapshot.
const READ: &str = "SET default_transaction_read_only = on;
    SET default_transaction_isolation = 'repeatable read';";

/// For the warranty desk, which looks things up in indexes, one after the other, no further than a
/// limit: no plan that was made while the tables were empty, or that nobody has analysed yet, reads more.
const DESK_PLANS: &str = "SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;";

/// For writers: what is answered is on the disk, whatever the server's default; and a plan that was
/// made while the tables were empty does not stay with reading them from end to end.
const WRITE: &str = "SELECT set_config('synchronous_commit', 'on', false)
         WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SET enable_seqscan = off;";

/// What makes the server refuse whatever writes, from the first byte on: `RESET ALL` leaves it alone.
const READ_ONLY: &str = "-c default_transaction_read_only=on";

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading.
    Read,
    /// Reading for the warranty desk.
    Desk,
    /// Writing, beside the batches.
    Write,
}

/// A connection in use. It goes back to its pool only when [`Session::keep`] says that it is as it was:
/// one that failed, or that nobody waited for any more, is closed.
pub(crate) struct Session(Option<Object>);

impl Session {
    pub(crate) fn keep(mut self) {
        drop(self.0.take());
    }
}

impl std::ops::Deref for Session {
    type Target = Object;

    #[expect(
        clippy::panic,
        reason = "only `keep` and `drop` take it out, and both are the end"
    )]
    fn deref(&self) -> &Object {
        match &self.0 {
            Some(object) => object,
            None => panic!("a session is there until it is dropped"),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            let _closed = Object::take(object);
        }
    }
}

/// The connections of one kind, at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// What they are for: `readers`, `desk` (the warranty desk's), `beside` (what writes beside the
    /// batches) or `batches`.
    pub pool: &'static str,
    /// Those that somebody uses.
    pub in_use: usize,
    /// Those that are open and wait.
    pub idle: usize,
    /// Operations that wait for one.
    pub waiting: usize,
}

/// The connections of one store.
pub(crate) struct Sessions {
    readers: Pool,
    desk: Pool,
    beside: Pool,
    batches: Pool,
    /// The name under which the server lists the connection of the batches; nobody else has it.
    batch_name: String,
    pub(crate) shown: String,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions")
            .field("url", &self.shown)
            .finish_non_exhaustive()
    }
}

impl Sessions {
    pub(crate) fn new(url: &Url) -> Result<Self, ConnectError> {
        let connector = tls::connector(url)?;
        let pool = |config: Config, size: usize| {
            let recycling_method = RecyclingMethod::Fast;
            let manager = Manager::from_config(
                config,
                connector.clone(),
                ManagerConfig { recycling_method },
            );
            Pool::builder(manager)
                .max_size(size)
                .wait_timeout(Some(WAIT))
                .create_timeout(Some(WAIT))
                .recycle_timeout(Some(WAIT))
                .runtime(Runtime::Tokio1)
                .build()
                .map_err(|cause| ConnectError::Unsuitable {
                    shown: url.shown.clone(),
                    what: format!("cannot be used: {cause}"),
                })
        };
        let name: String = url
            .config
            .get_application_name()
            .unwrap_or("refund-mcp")
            .chars()
            .filter(char::is_ascii_graphic)
            .take(40)
            .collect();
        let mut writing = url.config.clone();
        writing.application_name(&name);
        let mut reading = writing.clone();
        // Whoever wants one that takes writes wants to read there as well. The driver knows it by asking
        // whether the connection could write, so that this one is only told afterwards that it must not.
        if reading.get_target_session_attrs() != TargetSessionAttrs::ReadWrite {
            reading.options(match url.config.get_options() {
                Some(theirs) => format!("{theirs} {READ_ONLY}"),
                None => READ_ONLY.to_owned(),
            });
        }
        // A server that was demoted is no place to write to.
        writing.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let batch_name = format!("{name}/{:016x}", RandomState::new().build_hasher().finish());
        let mut batches = writing.clone();
        batches.application_name(&batch_name);
        Ok(Self {
            readers: pool(reading.clone(), READERS)?,
            desk: pool(reading, DESK)?,
            beside: pool(writing, BESIDE)?,
            batches: pool(batches, 1)?,
            batch_name,
            shown: url.shown.clone(),
        })
    }

    pub(crate) fn connections(&self) -> [Connections; 4] {
        let of = |name, pool: &Pool| {
            let status = pool.status();
            Connections {
                pool: name,
                in_use: status.size.saturating_sub(status.available),
                idle: status.available,
                waiting: status.waiting,
            }
        };
        [
            of("readers", &self.readers),
            of("desk", &self.desk),
            of("beside", &self.beside),
            of("batches", &self.batches),
        ]
    }

    /// A connection; those that read cannot write.
    pub(crate) async fn of(&self, purpose: Purpose) -> Result<Session, SqlError> {
        let pool = match purpose {
            Purpose::Read => &self.readers,
            Purpose::Desk => &self.desk,
            Purpose::Write => &self.beside,
        };
        self.session(pool, purpose).await
    }

    /// The connection of the batches. One that was lost before it is ended first: whatever it had sent
    /// is decided when this returns.
    pub(crate) async fn batches(&self) -> Result<Session, SqlError> {
        let session = self.session(&self.batches, Purpose::Write).await?;
        loop {
            let rows = session
                .query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = $1 AND pid <> pg_backend_pid()",
                    &[&self.batch_name],
                )
                .await?;
            if rows.is_empty() {
                return Ok(session);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn session(&self, pool: &Pool, purpose: Purpose) -> Result<Session, SqlError> {
        let object = pool.get().await.map_err(|error| self.unreachable(error))?;
        let is_new = Object::metrics(&object).recycle_count == 0;
        let session = Session(Some(object));
        if is_new {
            prepare(&session, purpose, &self.shown).await?;
        }
        Ok(session)
    }

    fn unreachable(&self, error: PoolError) -> SqlError {
        let source: refund_domain::ports::Cause = match error {
            PoolError::Backend(error) => cause_of(error),
            PoolError::Timeout(TimeoutType::Wait) => "all connections are in use".into(),
            PoolError::Timeout(_) => "it did not answer in time".into(),
            other => other.into(),
        };
        let shown = self.shown.clone();
        ConnectError::Unreachable { shown, source }.into()
    }
}

/// What the server said, or what the driver met, without the driver's words around it.
pub(crate) fn cause_of(error: tokio_postgres::Error) -> refund_domain::ports::Cause {
    match error.as_db_error() {
        Some(said) => said.message().to_owned().into(),
        None if tls::is_unknown(&error) => {
            "nobody who is trusted here signed its certificate; sslrootcert=FILE in the URL names the certificate of who did".into()
        }
        None => Box::new(error),
    }
}

/// Sets a new connection up, and sees that it leads to a database that is ours and of our version.
async fn prepare(client: &Client, purpose: Purpose, shown: &str) -> Result<(), SqlError> {
    let settings = match purpose {
        Purpose::Read => format!("{COMMON}{READ}"),
        Purpose::Desk => format!("{COMMON}{READ}{DESK_PLANS}"),
        Purpose::Write => format!("{COMMON}{WRITE}"),
    };
    let (set, suitable, version) = tokio::join!(
        biased;
        client.batch_execute(&settings),
        is_suitable(client, shown),
        migrate::require_current(client, shown),
    );
    set?;
    suitable?;
    version
}

/// Whether the server and the database's encoding are ones that this program can use.
pub(crate) async fn is_suitable(client: &Client, shown: &str) -> Result<(), SqlError> {
    let rows = client
        .simple_query(
            "SELECT current_setting('server_version_num'), current_setting('server_encoding')",
        )
        .await?;
    let found = rows.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => {
            Some((row.get(0)?.to_owned(), row.get(1)?.to_owned()))
        }
        _ => None,
    });
    let (version, encoding) = found.unwrap_or_default();
    let what = if version
        .parse::<i32>()
        .is_ok_and(|version| version < LEAST_SERVER)
    {
        format!("runs on a server of version {version}; 15 or newer is needed")
    } else if encoding != "UTF8" {
        format!("is encoded in {encoding}; create it with ENCODING 'UTF8'")
    } else {
        return Ok(());
    };
    let shown = shown.to_owned();
    Err(ConnectError::Unsuitable { shown, what }.into())
}

/// A connection outside of the pools, without a time limit on its statements: for migrations.
/// `to` says whether a server that only reads will do.
pub(crate) async fn alone(url: &Url, to: TargetSessionAttrs) -> Result<Client, ConnectError> {
    let connector = tls::connector(url)?;
    let mut config = url.config.clone();
    config.target_session_attrs(to);
    let (client, connection) =
        config
            .connect(connector)
            .await
            .map_err(|error| ConnectError::Unreachable {
                shown: url.shown.clone(),
                source: cause_of(error),
            })?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the database ended");
        }
    });
    Ok(client)
}
