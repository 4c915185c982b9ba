//! Bringing a database to the newest schema, once, however many processes try at the same time.

use tokio_postgres::Client;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::SqlState;

use super::connect_error::ConnectError;
use super::error::SqlError;
use super::session;
use super::url::Url;
use crate::sqlite::Migrated;

/// The number of the lock under which one process migrates; "RFND" in ASCII.
const LOCK: i64 = 1_380_339_268;
/// The name of the first migration, by which a history is known to be ours.
const FIRST: &str = "refunds";

mod embedded {
    #![allow(missing_docs, unreachable_pub, reason = "the macro writes this module")]
    refinery::embed_migrations!("migrations/postgres");
}

/// The newest schema version.
pub(crate) fn known() -> u32 {
    embedded::migrations::runner()
        .get_migrations()
        .iter()
        .filter_map(|migration| u32::try_from(migration.version()).ok())
        .max()
        .unwrap_or(0)
}

/// Gives an error unless the database has exactly the newest schema.
pub(crate) async fn require_current(client: &Client, shown: &str) -> Result<(), SqlError> {
    let shown = || shown.to_owned();
    let known = known();
    let error = match version(client, &shown()).await? {
        Some(found) if found == known => return Ok(()),
        Some(found) if found > known => ConnectError::Newer {
            shown: shown(),
            found,
            known,
        },
        Some(found) => ConnectError::Older {
            shown: shown(),
            found,
            known,
        },
        None => ConnectError::NotMigrated { shown: shown() },
    };
    Err(error.into())
}

/// The newest migration in the history; `None` where there is no history.
async fn version(client: &Client, shown: &str) -> Result<Option<u32>, SqlError> {
    let sql = "SELECT version, name FROM refinery_schema_history ORDER BY version";
    let rows = match client.query(sql, &[]).await {
        Ok(rows) => rows,
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    if first.try_get::<_, &str>(1)? != FIRST {
        let shown = shown.to_owned();
        return Err(ConnectError::NotOurs { shown }.into());
    }
    let newest: i32 = match rows.last() {
        Some(last) => last.try_get(0)?,
        None => 0,
    };
    Ok(u32::try_from(newest).ok())
}

/// Applies the migrations that are missing.
pub(crate) async fn migrate(url: &Url) -> Result<Migrated, ConnectError> {
    let mut client = session::alone(url, TargetSessionAttrs::ReadWrite).await?;
    match locked(&mut client, url).await {
        Ok(migrated) => Ok(migrated),
        Err(SqlError::Connect(error)) => Err(error),
        Err(error) => Err(ConnectError::Migration {
            shown: url.shown.clone(),
            source: match error {
                SqlError::Driver(error) => session::cause_of(error),
                other => Box::new(other),
            },
        }),
    }
}

async fn locked(client: &mut Client, url: &Url) -> Result<Migrated, SqlError> {
    session::is_suitable(client, &url.shown).await?;
    // Let go when the connection ends.
    client
        .execute("SELECT pg_advisory_lock($1)", &[&LOCK])
        .await?;
    let from = version(client, &url.shown).await?;
    let known = known();
    match from {
        Some(found) if found > known => {
            let shown = url.shown.clone();
            return Err(ConnectError::Newer {
                shown,
                found,
                known,
            }
            .into());
        }
        Some(found) if found == known => return Ok(Migrated { from, to: from }),
        None => refuse_strangers(client, url).await?,
        Some(_) => {}
    }
    let runner = embedded::migrations::runner().set_grouped(true);
    runner
        .run_async(client)
        .await
        .map_err(|error| from_refinery(url, error))?;
    let to = version(client, &url.shown).await?;
    Ok(Migrated { from, to })
}

/// Refuses a schema with tables that this program did not make, before anything in it is changed.
async fn refuse_strangers(client: &Client, url: &Url) -> Result<(), SqlError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_tables
         WHERE schemaname = current_schema() AND tablename <> 'refinery_schema_history')";
    let strange: bool = client.query_one(sql, &[]).await?.try_get(0)?;
    match strange {
        true => Err(ConnectError::NotOurs {
            shown: url.shown.clone(),
        }
        .into()),
        false => Ok(()),
    }
}

/// A statement that fails is shown by what the server said: refinery's text shows the whole migration.
fn from_refinery(url: &Url, error: refinery::Error) -> SqlError {
    use refinery::error::Kind;
    let source = match error.kind() {
        Kind::Connection(_, cause) => match cause.downcast_ref::<tokio_postgres::Error>() {
            Some(cause) => match cause.as_db_error() {
                Some(said) => said.message().to_owned().into(),
                None => cause.to_string().into(),
            },
            None => cause.to_string().into(),
        },
        _ => error.to_string().into(),
    };
    ConnectError::Migration {
        shown: url.shown.clone(),
        source,
    }
    .into()
}
