//! The clock and the id source of a running program: the one place of this crate that reads the time
//! or makes random ids.

use refund_domain::{Clock, IdSource, RefundId, ReturnId, Timestamp};

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the time comes from"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::from_clock(std::time::SystemTime::now().into())
    }
}

/// Random UUIDs, version 4.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn refund_id(&self) -> RefundId {
        RefundId::from_uuid(random())
    }

    fn return_id(&self) -> ReturnId {
        ReturnId::from_uuid(random())
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the ids come from")]
fn random() -> uuid::Uuid {
    uuid::Uuid::new_v4()
}
