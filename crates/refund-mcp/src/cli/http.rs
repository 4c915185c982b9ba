//! `refund-mcp http`.

use tokio::net::TcpListener;

use super::serve::{courier, database, store};
use super::{CliError, runtime_for_many};
use crate::config::{Config, HttpConfig, HttpFlags};
use crate::exit::Exit;
use crate::http;
use crate::identity::{Guests, NoGuests};
use crate::servers::Servers;
use crate::shutdown::Shutdown;

impl From<NoGuests> for CliError {
    fn from(error: NoGuests) -> Self {
        match error {
            NoGuests::File(error) => Self::Tokens(error),
            other => Self::Usage(other.to_string()),
        }
    }
}

pub(super) fn run(config: &Config, flags: &HttpFlags) -> Result<Exit, CliError> {
    let http = HttpConfig::load(flags, config)?;
    // Before anything is opened: a server that lets nobody in makes no database.
    let token_file = http.token_file.value.clone();
    Guests::check(config, token_file.as_deref(), http.is_loopback())?;
    let store = store(config)?;
    let courier = courier(config, &store)?;
    let database = database(config, &store);
    let guests = Guests::new(Servers::new(config, store.clone()), token_file)?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), database, "started");
    if http.is_unreachable() {
        tracing::warn!(
            "every request under another name than localhost is turned away; name those that clients use with --allow-host"
        );
    }

    let runtime = runtime_for_many()?;
    let exit = runtime.block_on(async {
        let address = (http.host.value.trim_matches(['[', ']']), http.port.value);
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| CliError::Listen {
                address: format!("{}:{}", http.host.value, http.port.value),
                source,
            })?;
        let shutdown = Shutdown::new();
        let courier = courier.map(|courier| tokio::spawn(courier.run(shutdown.clone())));
        let served = http::serve(listener, http.terms(), guests, store, shutdown.clone()).await;
        shutdown.stop();
        if let Some(courier) = courier {
            // A panic of the task was logged when it happened.
            let _ended = courier.await;
        }
        served.map_err(CliError::Start)
    })?;
    runtime.shutdown_background();
    tracing::info!("stopped");
    Ok(exit)
}
