//! The server on standard input and output.

mod in_flight;
mod lines;
mod pipe;
mod transport;

use std::io;
use std::time::Duration;

use rmcp::ServiceExt as _;
use tokio::sync::mpsc;

use crate::exit::Exit;
use crate::panics;
use crate::server::Server;
use crate::shutdown::{AFTER_SIGNAL, Shutdown};
use lines::Lines;

/// The longest message, in bytes, without its line end.
pub(crate) const MOST_BYTES: usize = 1024 * 1024;

/// How long calls may still take after the end of input: longer than the deadline of a call.
const AFTER_END_OF_INPUT: Duration = Duration::from_secs(40);

/// Serves one client until it goes away or an end is asked for.
///
/// # Errors
/// Standard input or output cannot be used.
pub(crate) async fn serve(server: Server, shutdown: Shutdown) -> io::Result<Exit> {
    let lines = Lines::new(pipe::input()?, MOST_BYTES);
    let output = pipe::output()?;
    panics::install(shutdown.clone());
    shutdown.on_signals()?;

    let (answers, waiting) = mpsc::channel(64);
    let writer = tokio::spawn(transport::write_lines(output, waiting));
    let (stdio, reader) = transport::Stdio::new(lines, answers);
    let reader = tokio::spawn(reader.run(shutdown.clone(), AFTER_END_OF_INPUT));
    let session = tokio::spawn(async move {
        // The error is that of an input that ended before a session began, which is no fault.
        match server.serve(stdio).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::debug!(%error, "no session began"),
        }
    });

    let ended = async {
        // A task that panicked has been logged, and `shutdown` knows.
        let _ = reader.await;
        let _ = session.await;
        // All answers were written while the reader waited, unless the client does not read.
        let _ = tokio::time::timeout(Duration::from_secs(1), writer).await;
    };
    let too_late = async {
        shutdown.asked().await;
        tokio::time::sleep(AFTER_SIGNAL).await;
    };
    tokio::select! {
        () = ended => {}
        () = too_late => tracing::warn!("stopped with calls unanswered; their keys tell the outcome"),
    }
    Ok(shutdown.exit())
}
