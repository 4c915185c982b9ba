//! Connections: how many there may be, how long a client may take, and how they end.

use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

use crate::metrics;
use crate::shutdown::{AFTER_SIGNAL, Shutdown};

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// The most bytes of a request's first line and headers. hyper's own limit is one of its buffer, which
/// may hold more by the time that it is looked at.
pub(super) const MOST_HEAD: usize = 32 * 1024;

/// Serves connections until an end is asked for; then takes no more, and waits until what is in flight
/// has been answered, but not for ever.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    most: u32,
    patience: Duration,
    shutdown: &Shutdown,
) {
    let slots = Arc::new(Semaphore::new(most as usize));
    while let Some((stream, slot)) = next(&listener, &slots, shutdown).await {
        let connection = connection(stream, router.clone(), patience, shutdown.clone());
        tokio::spawn(hold(slot, connection));
    }
    drop(listener);
    // The semaphore is never closed.
    let idle = slots.acquire_many(most);
    if tokio::time::timeout(AFTER_SIGNAL, idle).await.is_err() {
        tracing::warn!("stopped with calls unanswered; their keys tell the outcome");
    }
}

/// The next connection, once there is room for it: more of them wait in the system's queue. `None` at
/// the end.
async fn next(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    shutdown: &Shutdown,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let accepted = async {
        let slot = Arc::clone(slots).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return Some((stream, slot)),
                // The client went away before it was its turn.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Such as too many open files: it passes when connections end.
                    tracing::error!(%error, "no connection can be taken");
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        }
    };
    tokio::select! {
        accepted = accepted => accepted,
        () = shutdown.asked() => None,
    }
}

async fn hold(slot: OwnedSemaphorePermit, connection: impl Future<Output = ()>) {
    let counted = metrics::Connection::open();
    connection.await;
    drop(counted);
    drop(slot);
}

async fn connection(stream: TcpStream, router: Router, patience: Duration, shutdown: Shutdown) {
    // An answer is one small write; the system need not wait for more.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    // For a client that does not read; one that does not write is hyper's business.
    stream.set_write_timeout(Some(patience));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Also how long a connection may be idle.
        .header_read_timeout(patience)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD)
        .serve_connection(
            TokioIo::new(Box::pin(stream)),
            TowerToHyperService::new(router),
        );
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.asked() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Clients that go away, are too slow, or speak no HTTP.
        tracing::debug!(%error, "a connection ended");
    }
}
