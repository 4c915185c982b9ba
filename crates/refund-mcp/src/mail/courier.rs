//! The background task that delivers what waits in the outbox.
//!
//! *Invariant:* every message that waits is delivered at least once. It is marked after the server has
//! taken it, so that a crash between the two repeats it, with the same Message-ID. Several processes
//! may deliver from one outbox: a message is claimed before it is sent.

use std::time::Duration;

use refund_domain::ports::Outbox;
use refund_domain::{Clock, StoreError};

use super::Smtp;
use super::smtp::{NotDelivered, Trouble};
use crate::shutdown::Shutdown;

/// The pause between two looks into the outbox.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause while the server or the store is down.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The pause after a server said for good that it does not serve us.
const UNWELCOME_PAUSE: Duration = Duration::from_secs(15 * 60);
/// How long a message that is being sent holds up an orderly end.
const GRACE: Duration = Duration::from_secs(3);

/// Delivers messages.
#[derive(Debug)]
pub(crate) struct Courier<S, C> {
    store: S,
    clock: C,
    smtp: Smtp,
    grace: Duration,
}

/// What a round came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) delivered: u32,
    pub(super) failed: u32,
    /// Why it ended early, if the server takes nothing at all.
    pub(super) trouble: Option<Trouble>,
}

impl Round {
    /// How long to wait after it; `before` is the pause before it.
    pub(super) fn pause(&self, before: Duration) -> Duration {
        match self.trouble {
            None => PAUSE,
            Some(Trouble::Down) => longer(before),
            Some(Trouble::Unwelcome) => UNWELCOME_PAUSE,
        }
    }
}

impl<S: Outbox, C: Clock> Courier<S, C> {
    pub(crate) fn new(store: S, clock: C, smtp: Smtp) -> Self {
        Self {
            store,
            clock,
            smtp,
            grace: GRACE,
        }
    }

    #[cfg(test)]
    pub(super) fn hasty(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Delivers until an end is asked for. What is being sent then has [`GRACE`] left; what is cut off
    /// is sent again when its claim has run out.
    pub(crate) async fn run(self, shutdown: Shutdown) {
        let mut pause = PAUSE;
        loop {
            tokio::select! {
                () = shutdown.asked() => return,
                () = tokio::time::sleep(pause) => {}
            }
            let end = async {
                shutdown.asked().await;
                tokio::time::sleep(self.grace).await;
            };
            let round = tokio::select! {
                () = end => return,
                round = self.round(&shutdown) => round,
            };
            pause = match round {
                Ok(round) => round.pause(pause),
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the outbox cannot be read"
                    );
                    longer(pause)
                }
            };
        }
    }

    /// Delivers everything that is due, one message after the other.
    pub(super) async fn round(&self, shutdown: &Shutdown) -> Result<Round, StoreError> {
        let mut round = Round {
            delivered: 0,
            failed: 0,
            trouble: None,
        };
        while !shutdown.is_asked()
            && round.trouble.is_none()
            && self.store.message_is_due(self.clock.now()).await?
        {
            let Some(claimed) = self.store.claim_message(self.clock.now()).await? else {
                // Somebody else was quicker.
                continue;
            };
            let (return_id, attempt) = (claimed.return_id, claimed.attempt);
            let sent = self.smtp.send(&claimed).await;
            let at = self.clock.now();
            match sent {
                Ok(()) => {
                    self.store.message_delivered(claimed, at).await?;
                    round.delivered += 1;
                    tracing::info!(%return_id, attempt, "a message was delivered");
                }
                Err(NotDelivered { failure, trouble }) => {
                    tracing::warn!(
                        %return_id,
                        attempt,
                        code = failure.code,
                        again_at = %claimed.next_attempt(&failure, at),
                        "a message was not delivered: {}",
                        failure.what
                    );
                    self.store.message_failed(claimed, failure, at).await?;
                    round.failed += 1;
                    round.trouble = trouble;
                    if trouble == Some(Trouble::Unwelcome) {
                        tracing::error!(
                            minutes = UNWELCOME_PAUSE.as_secs() / 60,
                            "no mail is sent: the mail server does not serve us; correct smtp_url, which is tried again after these minutes and at the next start"
                        );
                    }
                }
            }
        }
        Ok(round)
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}
