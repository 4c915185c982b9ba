//! Named points of a command where a test build stops, panics or is killed. Without the feature
//! `fault-points`, [`point`] is nothing.

/// The transaction of a command of any kind is open, nothing is read yet.
pub const REFUND_BEGUN: &str = "refund.begun";
/// The outcome is decided, nothing is written yet.
pub const REFUND_DECIDED: &str = "refund.decided";
/// Everything is written, nothing is committed yet.
pub const REFUND_SAVED: &str = "refund.saved";
/// The outcome of a return is decided, nothing is written yet.
pub const RETURN_DECIDED: &str = "return.decided";
/// Everything of a return is written, nothing is committed yet.
pub const RETURN_SAVED: &str = "return.saved";
/// The outcome of a turn is decided, nothing is written yet.
pub const TURN_DECIDED: &str = "turn.decided";
/// Everything of a turn is written, nothing is committed yet.
pub const TURN_SAVED: &str = "turn.saved";
/// A message is claimed for delivery, nothing is committed yet.
pub const MESSAGE_CLAIMED: &str = "message.claimed";
/// What became of a delivery is written, nothing is committed yet.
pub const MESSAGE_NOTED: &str = "message.noted";
/// The whole batch is written, the commit is next.
pub const BATCH_BEFORE_COMMIT: &str = "batch.before_commit";
/// The batch is durable, nobody knows yet.
pub const BATCH_AFTER_COMMIT: &str = "batch.after_commit";
/// The answer of one command of any kind is next.
pub const REFUND_BEFORE_ANSWER: &str = "refund.before_answer";

/// Those that a refund passes, in this order.
pub const ALL: [&str; 6] = [
    REFUND_BEGUN,
    REFUND_DECIDED,
    REFUND_SAVED,
    BATCH_BEFORE_COMMIT,
    BATCH_AFTER_COMMIT,
    REFUND_BEFORE_ANSWER,
];

/// Those that a return passes, in this order.
pub const OF_RETURN: [&str; 6] = [
    REFUND_BEGUN,
    RETURN_DECIDED,
    RETURN_SAVED,
    BATCH_BEFORE_COMMIT,
    BATCH_AFTER_COMMIT,
    REFUND_BEFORE_ANSWER,
];

/// Those that a turn passes, in this order.
pub const OF_TURN: [&str; 6] = [
    REFUND_BEGUN,
    TURN_DECIDED,
    TURN_SAVED,
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
