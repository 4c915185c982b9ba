//! What the cases start from: customers, and refunds that somebody asks for.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use refund_domain::ports::{CustomerReader, RefundReader, RefundWriter};
use refund_domain::{
    AdjustBalance, AdjustmentAmount, Caller, Currency, Customer, CustomerId, CustomerStatus,
    EmailAddress, IdempotencyKey, IssueRefund, Money, Outcome, PersonName, Principal, Reason,
    Refund, RefundAmount, RefundId, RefundRequest, Refusal, Role, Timestamp,
};

/// What a clock may say: what it should, an hour less, ten years more, and what only a broken one
/// says, up to the edges of what can be written and beyond them.
#[must_use]
pub fn clocks() -> [Timestamp; 8] {
    let parsed = |text| Timestamp::parse(text).unwrap();
    [
        parsed("2026-08-11T03:04:05.678Z"),
        parsed("2026-08-11T02:04:05.678Z"),
        parsed("2026-08-11T02:04:05.678Z"),
        parsed("2036-08-11T03:04:05.678Z"),
        parsed("1970-01-01T00:00:00Z"),
        parsed("1969-12-31T23:59:59.999Z"),
        Timestamp::from_clock(DateTime::<Utc>::MIN_UTC),
        Timestamp::from_clock(DateTime::<Utc>::MAX_UTC),
    ]
}

/// An active customer with a balance in minor units.
#[must_use]
pub fn customer(number: u32, minor: i64, currency: &str) -> Customer {
    Customer {
        id: id(number),
        name: PersonName::new("Alice Johnson").unwrap(),
        email: EmailAddress::new(&format!("Customer.{number}@Example.com")).unwrap(),
        status: CustomerStatus::Active,
        refundable_balance: Money::from_minor(minor, Currency::new(currency).unwrap()).unwrap(),
        created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
        external_id: None,
        phone_number: None,
        company: None,
        language: None,
    }
}

/// The same, suspended.
#[must_use]
pub fn suspended(number: u32, minor: i64, currency: &str) -> Customer {
    Customer {
        status: CustomerStatus::Suspended,
        ..customer(number, minor, currency)
    }
}

/// The id with this number.
#[must_use]
pub fn id(number: u32) -> CustomerId {
    CustomerId::new(&format!("CUST-{number:05}")).unwrap()
}

/// A principal.
#[must_use]
pub fn principal(name: &str) -> Principal {
    Principal::new(name).unwrap()
}

/// A key.
#[must_use]
pub fn key(text: &str) -> IdempotencyKey {
    IdempotencyKey::new(text).unwrap()
}

/// A refund that somebody asks for.
#[derive(Debug, Clone)]
pub struct Ask {
    request: RefundRequest,
    principal: Principal,
    at: Timestamp,
}

impl Ask {
    /// By principal `local`, without a key.
    #[must_use]
    pub fn new(customer: u32, amount: &str) -> Self {
        Self {
            request: RefundRequest {
                customer_id: id(customer),
                amount: RefundAmount::new(amount.parse().unwrap()).unwrap(),
                reason: Reason::new("the item arrived damaged").unwrap(),
                idempotency_key: None,
            },
            principal: principal("local"),
            at: Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap(),
        }
    }

    /// With a key.
    #[must_use]
    pub fn key(mut self, text: &str) -> Self {
        self.request.idempotency_key = Some(key(text));
        self
    }

    /// For a reason.
    #[must_use]
    pub fn reason(mut self, text: &str) -> Self {
        self.request.reason = Reason::new(text).unwrap();
        self
    }

    /// By a principal.
    #[must_use]
    pub fn by(mut self, name: &str) -> Self {
        self.principal = principal(name);
        self
    }

    /// So many days later.
    #[must_use]
    pub fn days_later(mut self, days: i64) -> Self {
        let millis = self.at.unix_millis() + days * 24 * 60 * 60 * 1000;
        self.at = Timestamp::from_unix_millis(millis).unwrap();
        self
    }

    /// The request alone.
    #[must_use]
    pub fn request(&self) -> &RefundRequest {
        &self.request
    }

    /// The command, with a refund id that no other command of this process has.
    #[must_use]
    pub fn command(&self) -> IssueRefund {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let uuid = uuid::Builder::from_random_bytes(number.to_be_bytes()).into_uuid();
        IssueRefund {
            request: self.request.clone(),
            caller: Caller::new(self.principal.clone(), Role::Agent),
            refund_id: RefundId::from_uuid(uuid),
            at: self.at,
        }
    }

    /// Asks the store.
    pub async fn of(&self, store: &impl RefundWriter) -> Outcome {
        store.issue_refund(self.command()).await.unwrap().outcome
    }
}

/// A correction of a customer's balance, by principal `local`.
#[must_use]
pub fn adjust(customer: u32, by: &str) -> AdjustBalance {
    AdjustBalance {
        customer_id: id(customer),
        by: AdjustmentAmount::parse(by).unwrap(),
        reason: Reason::new("corrected by hand").unwrap(),
        idempotency_key: None,
        caller: Caller::new(principal("local"), Role::Agent),
        at: Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap(),
    }
}

/// The new refund of an outcome.
#[must_use]
pub fn processed(outcome: Outcome) -> Refund {
    match outcome {
        Outcome::Processed(refund) => refund,
        other => panic!("a new refund was expected, not {other:?}"),
    }
}

/// The earlier refund of an outcome.
#[must_use]
pub fn replayed(outcome: Outcome) -> Refund {
    match outcome {
        Outcome::Replayed(refund) => refund,
        other => panic!("an earlier refund was expected, not {other:?}"),
    }
}

/// The refusal of an outcome.
#[must_use]
pub fn refused(outcome: Outcome) -> Refusal {
    match outcome {
        Outcome::Refused(refusal) => refusal,
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

/// A customer's balance in minor units.
pub async fn balance(store: &impl CustomerReader, number: u32) -> i64 {
    let customer = store.customer(id(number)).await.unwrap().unwrap();
    customer.refundable_balance.minor()
}

/// All refunds of a customer, newest first.
pub async fn refunds(store: &impl RefundReader, number: u32) -> Vec<Refund> {
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let page = store.refunds_of(id(number), 100, before).await;
        let page = page.unwrap().unwrap();
        all.extend(page.refunds);
        before = page.next;
        if before.is_none() {
            assert_eq!(
                page.total,
                all.len() as u64,
                "the total is the number of rows"
            );
            return all;
        }
    }
}
