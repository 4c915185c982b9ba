//! Refunds as fast as a desk makes them; each program of measurements includes this file.

use std::time::{Duration, Instant};

use refund_domain::ports::{CustomerReader, RefundReader, RefundWriter};
use refund_domain::{
    Caller, CustomerId, IdSource as _, IdempotencyKey, Principal, Reason, RefundAmount, RefundDesk,
    RefundRequest, Role,
};
use refund_store::system::{RandomIds, SystemClock};
use serde_json::json;

/// A desk over a store.
pub(crate) type Desk<S> = RefundDesk<S, SystemClock, RandomIds>;

/// What every refund says.
pub(crate) const REASON: &str = "damaged in transit";

pub(crate) fn caller() -> Caller {
    Caller::new(Principal::new("local").unwrap(), Role::Agent)
}

pub(crate) fn request(customer_id: CustomerId) -> RefundRequest {
    RefundRequest {
        customer_id,
        amount: RefundAmount::new("0.01".parse().unwrap()).unwrap(),
        reason: Reason::new(REASON).unwrap(),
        idempotency_key: Some(IdempotencyKey::new(&RandomIds.refund_id().to_string()).unwrap()),
    }
}

pub(crate) fn customer_id(number: u64) -> CustomerId {
    CustomerId::new(&format!("CUST-{number:05}")).unwrap()
}

/// Whose turn it is: always the same customer's, or one of ten thousand at random.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick {
    spread: bool,
    state: u64,
}

impl Pick {
    pub(crate) fn new(spread: bool) -> Self {
        Self {
            spread,
            state: 88_172_645_463_325_252,
        }
    }

    /// Xorshift: the same sequence every time, and no work to speak of.
    pub(crate) fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    pub(crate) fn next(&mut self) -> CustomerId {
        let number = if self.spread {
            self.random() % 10_000
        } else {
            1
        };
        customer_id(number)
    }
}

/// Keeps `in_flight` refunds going until the time is over.
pub(crate) async fn many<S>(
    desk: &Desk<S>,
    in_flight: u64,
    pick: Pick,
    time: Duration,
) -> serde_json::Value
where
    S: CustomerReader + RefundReader + RefundWriter + Clone + Send + Sync + 'static,
{
    let began = Instant::now();
    let tasks: Vec<_> = (0..in_flight)
        .map(|task| {
            let desk = desk.clone();
            let mut pick = pick;
            pick.state ^= task << 32;
            tokio::spawn(async move {
                let mut made = 0_u64;
                while began.elapsed() < time {
                    let request = request(pick.next());
                    desk.trigger_refund(caller(), request).await.unwrap();
                    made += 1;
                }
                made
            })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += task.await.unwrap();
    }
    json!({ "refunds_per_second": made as f64 / began.elapsed().as_secs_f64() })
}
