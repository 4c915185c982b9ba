//! Named points of a refund where a test build stops, panics or is killed. Without the feature
//! `fault-points`, [`point`] is nothing.

/// The transaction is open, nothing is read yet.
pub const REFUND_BEGUN: &str = "refund.begun";
/// The outcome is decided, nothing is written yet.
pub const REFUND_DECIDED: &str = "refund.decided";
/// Everything is written, nothing is committed yet.
pub const REFUND_SAVED: &str = "refund.saved";
/// The whole batch is written, the commit is next.
pub const BATCH_BEFORE_COMMIT: &str = "batch.before_commit";
/// The batch is durable, nobody knows yet.
pub const BATCH_AFTER_COMMIT: &str = "batch.after_commit";
/// The answer of one refund is next.
pub const REFUND_BEFORE_ANSWER: &str = "refund.before_answer";

/// All of them, in the order a refund passes them.
pub const ALL: [&str; 6] = [
    REFUND_BEGUN,
    REFUND_DECIDED,
    REFUND_SAVED,
    BATCH_BEFORE_COMMIT,
    BATCH_AFTER_COMMIT,
    REFUND_BEFORE_ANSWER,
];

#[cfg(feature = "fault-points")]
static HOOK: std::sync::OnceLock<fn(&str)> = std::sync::OnceLock::new();

/// Sets what happens at every point, once for the process. Later calls change nothing.
#[cfg(feature = "fault-points")]
pub fn set_hook(hook: fn(&str)) {
    let _first_one_stays = HOOK.set(hook);
}

/// Passes a point.
#[inline]
pub fn point(name: &'static str) {
    #[cfg(feature = "fault-points")]
    if let Some(hook) = HOOK.get() {
        hook(name);
    }
    #[cfg(not(feature = "fault-points"))]
    let _ = name;
}
