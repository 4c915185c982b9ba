//! `refund-mcp stdio`.

use std::io::{IsTerminal as _, Write as _};

use refund_store::SqliteStore;
use refund_store::system::SystemClock;

use super::{CliError, TIER_HINT, memory, no_demo, postgres, runtime};
use crate::catalogue::Toolset;
use crate::config::{Config, Database};
use crate::exit::Exit;
use crate::mail::{Courier, Smtp};
use crate::server::Server;
use crate::servers::Servers;
use crate::shutdown::Shutdown;
use crate::store::Store;
use crate::{identity, stdio};

pub(super) fn run(config: &Config) -> Result<Exit, CliError> {
    let store = store(config)?;
    let courier = courier(config, &store)?;
    let database = database(config, &store);
    let server = server(config, store)?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        principal = config.principal.value.as_str(),
        role = config.role.value.as_str(),
        database,
        "started"
    );
    greet_a_person();

    let runtime = runtime()?;
    let exit = runtime
        .block_on(async {
            let shutdown = Shutdown::new();
            let courier = courier.map(|courier| tokio::spawn(courier.run(shutdown.clone())));
            let exit = stdio::serve(server, shutdown.clone()).await;
            shutdown.stop();
            if let Some(courier) = courier {
                // A panic of the task was logged when it happened.
                let _ended = courier.await;
            }
            exit
        })
        .map_err(CliError::Start)?;
    // A read from a terminal cannot be called off; it must not hold the process.
    runtime.shutdown_background();
    tracing::info!("stopped");
    Ok(exit)
}

/// Which database is served, for the log.
pub(super) fn database(config: &Config, store: &Store) -> String {
    match &config.database.value {
        Database::Memory => "memory:".to_owned(),
        Database::Sqlite(_) | Database::Postgres(_) => store.place(),
    }
}

/// The server of a configuration over an open store, for whoever started the process.
pub(super) fn server(config: &Config, store: Store) -> Result<Server, CliError> {
    // A person hears at once that no tool is left.
    config.catalogue()?;
    Ok(Servers::new(config, store).of(identity::local(config)))
}

/// Says at the start if a warranty names a tier that the policy does not have, for its unit's questions
/// will be answered as faults. On a thread of its own, because it reads every warranty; nobody waits
/// for it, and a store that cannot be asked says so itself when it is used.
fn look_at_tiers(config: &Config, store: &Store) {
    let policy = config.warranty.value.policy.clone();
    let reader = store.reader();
    std::thread::spawn(move || {
        if let Ok(tiers) = reader.tiers()
            && let Err(error) = policy.knows(&tiers)
        {
            tracing::error!(%error, "{TIER_HINT}");
        }
    });
}

/// What sends mail to customers, if mail is sent.
pub(super) fn courier(
    config: &Config,
    store: &Store,
) -> Result<Option<Courier<Store, SystemClock>>, CliError> {
    let Some(url) = &config.smtp_url.value else {
        return Ok(None);
    };
    let smtp = Smtp::new(url, &config.mail_from.value)
        .map_err(|error| CliError::Start(std::io::Error::other(error)))?;
    tracing::info!(server = %url, "mail to customers is sent");
    Ok(Some(Courier::new(store.clone(), SystemClock, smtp)))
}

/// A database that is busy does not hold up the start: tools say that the store is unavailable until
/// it is free. Anything else that is wrong with it is said at once.
pub(super) fn store(config: &Config) -> Result<Store, CliError> {
    match &config.database.value {
        Database::Memory => {
            tracing::warn!(
                "memory: keeps nothing; give --database sqlite:PATH for a real database"
            );
            memory(config)
        }
        Database::Sqlite(path) => {
            no_demo(config)?;
            match SqliteStore::open(path) {
                Ok(store) => ready(config, Store::Sqlite(store)),
                Err(error) if error.is_temporary() => {
                    not_yet(&error);
                    Ok(Store::Sqlite(SqliteStore::deferred(path)))
                }
                Err(error) => Err(error.into()),
            }
        }
        Database::Postgres(url) => {
            no_demo(config)?;
            let store = postgres(config, url)?;
            match store.try_now() {
                Ok(()) => ready(config, Store::Postgres(store)),
                Err(error) if error.is_temporary() => {
                    not_yet(&error);
                    Ok(Store::Postgres(store))
                }
                Err(error) => Err(error.into()),
            }
        }
    }
}

fn ready(config: &Config, store: Store) -> Result<Store, CliError> {
    if config.catalogue()?.has(Toolset::Warranty) {
        look_at_tiers(config, &store);
    }
    Ok(store)
}

fn not_yet(error: &dyn std::error::Error) {
    let cause = error.source().map(ToString::to_string);
    tracing::warn!(
        %error,
        cause,
        "the database is not available yet; started all the same"
    );
}

/// Somebody who starts the server by hand would otherwise see nothing at all.
fn greet_a_person() {
    if std::io::stdin().is_terminal() {
        let _ = writeln!(
            std::io::stderr(),
            "refund-mcp waits for an MCP client on standard input. Press Ctrl-D or Ctrl-C to leave; see refund-mcp --help for commands."
        );
    }
}
