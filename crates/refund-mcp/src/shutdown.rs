//! When to stop: signals, a fault, or a client that went away.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::exit::Exit;

/// How long calls in flight may still take after a signal. Clients and supervisors give about ten
/// seconds before they kill.
pub(crate) const AFTER_SIGNAL: Duration = Duration::from_secs(8);

/// A handle to ask the server to stop, and to wait for that. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Shutdown(Arc<watch::Sender<Stage>>);

/// How far the end has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Running,
    /// Read no more; answer what is in flight.
    Stopping,
    /// As [`Stage::Stopping`], and the exit code says that something broke.
    Fatal,
}

impl Shutdown {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Stage::Running)))
    }

    /// Asks for an orderly end.
    pub(crate) fn stop(&self) {
        self.advance(Stage::Stopping);
    }

    /// Something broke that must not be survived.
    pub(crate) fn fatal(&self) {
        self.advance(Stage::Fatal);
    }

    /// Waits until an end is asked for.
    pub(crate) async fn asked(&self) {
        let mut stage = self.0.subscribe();
        // The sender lives in `self`, so that waiting cannot fail.
        let _ = stage.wait_for(|stage| *stage > Stage::Running).await;
    }

    /// Whether an end has been asked for.
    pub(crate) fn is_asked(&self) -> bool {
        *self.0.borrow() > Stage::Running
    }

    /// The exit code of an end for this reason.
    pub(crate) fn exit(&self) -> Exit {
        if *self.0.borrow() == Stage::Fatal {
            Exit::Fault
        } else {
            Exit::Ok
        }
    }

    fn advance(&self, to: Stage) {
        self.0.send_if_modified(|stage| {
            let forward = to > *stage;
            if forward {
                *stage = to;
            }
            forward
        });
    }

    /// Turns SIGINT and SIGTERM into an orderly end, and a second one into an end at once. Must be
    /// called within a runtime.
    ///
    /// # Errors
    /// The handlers cannot be installed.
    #[cfg(unix)]
    pub(crate) fn on_signals(&self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let shutdown = self.clone();
        tokio::spawn(async move {
            for first in [true, false] {
                let name = tokio::select! {
                    _ = interrupt.recv() => "SIGINT",
                    _ = terminate.recv() => "SIGTERM",
                };
                tracing::info!(signal = name, "asked to stop");
                if first {
                    shutdown.stop();
                } else {
                    std::process::exit(Exit::Interrupted.code().into());
                }
            }
        });
        Ok(())
    }

    /// Turns Ctrl-C into an orderly end.
    ///
    /// # Errors
    /// None on this system; the signature is that of the Unix version.
    #[cfg(not(unix))]
    pub(crate) fn on_signals(&self) -> std::io::Result<()> {
        let shutdown = self.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                shutdown.stop();
            }
        });
        Ok(())
    }
}
