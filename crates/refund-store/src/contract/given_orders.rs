//! What the cases about orders start from: orders, returns that somebody asks for, and turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use refund_domain::ports::{EscalationWriter, ReturnWriter};
use refund_domain::settled::Outcome;
use refund_domain::{
    AcceptedReturn, BillingStatus, Caller, CivilDate, CountTurn, CountedTurn, Currency, Money,
    NotificationWords, NotificationWriter, Order, OrderId, OrderLine, OrderPrice, ProcessReturn,
    Product, ProductName, Quantity, ReturnId, ReturnNews, ReturnReason, ReturnRequest,
    ReturnsRefusal, Role, SessionId, Sku, Timestamp, TurnRequest, UserMessage,
};

use super::given;

/// The day on which returns are asked for.
pub const TODAY: &str = "2026-08-11";
/// A day whose orders can be returned.
pub const OPEN: &str = "2026-08-01";
/// A day whose orders cannot be returned any more.
pub const EXPIRED: &str = "2026-07-01";

/// A paid order of two boxes at 1,800 JPY.
#[must_use]
pub fn order(order_id: &str, customer: u32, date: &str) -> OrderLine {
    let sku = Sku::new("COLA-500-12").unwrap();
    let unit = Money::from_minor(1_800, Currency::new("JPY").unwrap()).unwrap();
    OrderLine {
        order: Order {
            id: id(order_id),
            customer_id: given::id(customer),
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(2).unwrap()).unwrap(),
            order_date: CivilDate::parse(date).unwrap(),
            billing_status: BillingStatus::Paid,
            returned: false,
        },
        product: Product {
            sku,
            name: ProductName::new("コーラ (500ml) 12本入り").unwrap(),
        },
    }
}

/// The same, unpaid.
#[must_use]
pub fn unpaid(order_id: &str, customer: u32, date: &str) -> OrderLine {
    let mut line = order(order_id, customer, date);
    line.order.billing_status = BillingStatus::Unpaid;
    line
}

/// An order's id.
#[must_use]
pub fn id(text: &str) -> OrderId {
    OrderId::new(text).unwrap()
}

/// Writes what it is told, and the order's id.
#[derive(Debug)]
struct Writer(&'static str);

impl NotificationWriter for Writer {
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords {
        NotificationWords {
            subject: format!("{}: {}", self.0, news.details.product.name),
            body: format!(
                "{}, order {}, {}",
                news.customer().name.as_str(),
                news.details.order.id,
                news.today
            ),
        }
    }
}

/// A return that somebody asks for.
#[derive(Debug, Clone)]
pub struct AskReturn {
    request: ReturnRequest,
    principal: &'static str,
    today: CivilDate,
    at: Timestamp,
    language: &'static str,
}

impl AskReturn {
    /// By principal `local`, without a key, on the day [`TODAY`].
    #[must_use]
    pub fn new(order_id: &str) -> Self {
        Self {
            request: ReturnRequest {
                order_id: id(order_id),
                reason: ReturnReason::new("it leaks").unwrap(),
                idempotency_key: None,
            },
            principal: "local",
            today: CivilDate::parse(TODAY).unwrap(),
            at: Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap(),
            language: "en",
        }
    }

    /// With a key.
    #[must_use]
    pub fn key(mut self, text: &str) -> Self {
        self.request.idempotency_key = Some(given::key(text));
        self
    }

    /// For a reason.
    #[must_use]
    pub fn reason(mut self, text: &str) -> Self {
        self.request.reason = ReturnReason::new(text).unwrap();
        self
    }

    /// By a principal.
    #[must_use]
    pub fn by(mut self, name: &'static str) -> Self {
        self.principal = name;
        self
    }

    /// On a day, with a clock that says the same day.
    #[must_use]
    pub fn on(mut self, date: &str) -> Self {
        self.today = CivilDate::parse(date).unwrap();
        self.at = Timestamp::parse(&format!("{date}T03:04:05.678Z")).unwrap();
        self
    }

    /// With a message in another language.
    #[must_use]
    pub fn language(mut self, language: &'static str) -> Self {
        self.language = language;
        self
    }

    /// The command, with a return id that no other command of this process has.
    #[must_use]
    pub fn command(&self) -> ProcessReturn {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let uuid = uuid::Builder::from_random_bytes(number.to_be_bytes()).into_uuid();
        ProcessReturn {
            request: self.request.clone(),
            caller: caller(self.principal),
            return_id: ReturnId::from_uuid(uuid),
            at: self.at,
            today: self.today,
            writer: Arc::new(Writer(self.language)),
        }
    }

    /// Asks the store.
    pub async fn of(&self, store: &impl ReturnWriter) -> Outcome<AcceptedReturn> {
        let settled = store.process_return(self.command()).await;
        settled.unwrap().outcome
    }
}

/// A turn that somebody asks for.
#[derive(Debug, Clone)]
pub struct AskTurn {
    request: TurnRequest,
    principal: &'static str,
}

impl AskTurn {
    /// By principal `local`, without a key.
    #[must_use]
    pub fn new(session: &str) -> Self {
        Self {
            request: TurnRequest {
                session_id: SessionId::new(session).unwrap(),
                user_message: UserMessage::new("May I speak to a person?").unwrap(),
                idempotency_key: None,
            },
            principal: "local",
        }
    }

    /// With a key.
    #[must_use]
    pub fn key(mut self, text: &str) -> Self {
        self.request.idempotency_key = Some(given::key(text));
        self
    }

    /// With another message.
    #[must_use]
    pub fn message(mut self, text: &str) -> Self {
        self.request.user_message = UserMessage::new(text).unwrap();
        self
    }

    /// By a principal.
    #[must_use]
    pub fn by(mut self, name: &'static str) -> Self {
        self.principal = name;
        self
    }

    /// The command.
    #[must_use]
    pub fn command(&self) -> CountTurn {
        CountTurn {
            request: self.request.clone(),
            caller: caller(self.principal),
            at: Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap(),
        }
    }

    /// Asks the store.
    pub async fn of(&self, store: &impl EscalationWriter) -> Outcome<CountedTurn> {
        store.count_turn(self.command()).await.unwrap().outcome
    }
}

fn caller(principal: &str) -> Caller {
    Caller::new(given::principal(principal), Role::Agent)
}

/// What is new in an outcome.
#[must_use]
pub fn processed<T: std::fmt::Debug>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Processed(value) => value,
        other => panic!("something new was expected, not {other:?}"),
    }
}

/// What an outcome repeats.
#[must_use]
pub fn replayed<T: std::fmt::Debug>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Replayed(value) => value,
        other => panic!("something earlier was expected, not {other:?}"),
    }
}

/// The refusal of an outcome.
#[must_use]
pub fn refused<T: std::fmt::Debug>(outcome: Outcome<T>) -> ReturnsRefusal {
    match outcome {
        Outcome::Refused(refusal) => refusal,
        other => panic!("a refusal was expected, not {other:?}"),
    }
}
