//! What is asked in a history: mostly of things that are there, often again, and by a clock that jumps.

use chrono::{DateTime, Utc};
use refund_domain::{
    AdjustmentAmount, Customer, CustomerId, DeliveryFailure, IdempotencyKey, OrderId, OrderLine,
    Principal, Reason, RefundAmount, RefundId, RefundRequest, ReturnId, ReturnReason,
    ReturnRequest, SessionId, TimeZone, Timestamp, TurnRequest, UserId, UserMessage,
};
use refund_store::contract::given::{customer, id, key, principal, suspended};
use refund_store::contract::given_orders::{self, OPEN, order, unpaid};
use refund_store::contract::given_units::Generator;

/// Customers of each history.
const CUSTOMERS: u32 = 4;
/// Calls of a history at most, so that each has an id of its own.
const CALLS: u64 = 1_000;
/// The kinds of steps, the more frequent ones several times.
const KINDS: usize = 28;
/// Nobody's.
const UNKNOWN: u32 = 99_999;

/// What somebody asks for.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Refund(RefundRequest),
    Preview(RefundRequest),
    Customer(CustomerId),
    RefundById(RefundId),
    RefundByKey(IdempotencyKey),
    /// From the newest refund on, so many.
    List(CustomerId, u32),
    /// From where the last list ended.
    ListOn(u32),
    Adjust(Correction),
    ByEmail(String),
    Customers(u32, Option<CustomerId>),
    Orders(UserId),
    Billing(UserId),
    Eligibility(OrderId),
    Return(ReturnRequest),
    Turn(TurnRequest),
    IsDue,
    Claim,
    /// Of a message that was claimed before, counted from the last.
    Delivered(usize),
    Failed(usize, DeliveryFailure),
}

/// A balance corrected by hand.
#[derive(Debug, Clone)]
pub(super) struct Correction {
    pub(super) customer_id: CustomerId,
    pub(super) by: AdjustmentAmount,
    pub(super) reason: Reason,
    pub(super) idempotency_key: Option<IdempotencyKey>,
}

/// A step, with who asks and what surrounds it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) step: Step,
    pub(super) principal: Principal,
    /// The only customer that exists for the caller.
    pub(super) only: Option<CustomerId>,
    pub(super) at: Timestamp,
    pub(super) zone: TimeZone,
    /// From which ids are made.
    pub(super) number: u64,
    pub(super) sends_mail: bool,
}

/// The refund id that a call makes.
pub(super) fn refund_id(number: u64) -> RefundId {
    RefundId::from_uuid(uuid(number))
}

/// The return id that a call makes.
pub(super) fn return_id(number: u64) -> ReturnId {
    ReturnId::from_uuid(uuid(number))
}

fn uuid(number: u64) -> uuid::Uuid {
    uuid::Builder::from_random_bytes(u128::from(number).to_be_bytes()).into_uuid()
}

/// A history as it is made up, call after call.
pub(super) struct History<'g> {
    generator: &'g mut Generator,
    number: u32,
    calls: u64,
    now: Timestamp,
    /// What this history asks more often.
    theme: usize,
    asked: Vec<(Principal, Option<CustomerId>, Step)>,
    /// The numbers of the calls that asked for a refund.
    refunds: Vec<u64>,
}

impl<'g> History<'g> {
    /// The history with this number, below 20,000; its customers and orders are nobody else's.
    pub(super) fn new(generator: &'g mut Generator, number: u32) -> Self {
        let theme = generator.below(KINDS);
        Self {
            generator,
            number,
            theme,
            calls: 0,
            now: Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap(),
            asked: Vec::new(),
            refunds: Vec::new(),
        }
    }

    /// The customers of the history with this number.
    pub(super) fn customers(number: u32) -> [Customer; CUSTOMERS as usize] {
        let first = number * CUSTOMERS;
        [
            customer(first, 10_000, "USD"),
            customer(first + 1, 700, "JPY"),
            customer(first + 2, 12_345_678, "KWD"),
            suspended(first + 3, 5_000, "EUR"),
        ]
    }

    /// Its orders: in time, on the last day, expired, at the edges of the calendar, and under names that
    /// a collation or a program in C could take for others.
    pub(super) fn orders(number: u32) -> [OrderLine; 8] {
        let first = number * CUSTOMERS;
        [
            order(&format!("A-{number}"), first, OPEN),
            unpaid(&format!("a-{number}"), first, "2026-07-11"),
            order(&format!("A-{number} "), first, "2026-07-01"),
            unpaid(&format!("A-{number}\0"), first + 1, "2026-08-11"),
            order(&format!("注文-{number}"), first + 1, "2026-12-31"),
            order(&format!("z-{number}"), first + 3, "9999-12-20"),
            order(&format!("Z-{number}"), first + 3, "0001-01-01"),
            unpaid(&format!("É-{number}"), first + 3, "1970-01-01"),
        ]
    }

    /// What is asked next.
    pub(super) fn call(&mut self) -> Call {
        let (principal, only, step) = match (self.generator.below(4), self.asked.last()) {
            (0, Some(_)) => self.again(),
            (1 | 2, Some((_, _, Step::List(..)))) | (1, Some((_, _, Step::ListOn(_)))) => {
                (self.caller(), None, Step::ListOn(self.take()))
            }
            _ => (self.caller(), self.bound(), self.step()),
        };
        self.asked.push((principal.clone(), only, step.clone()));
        self.calls += 1;
        assert!(self.calls < CALLS, "a history is shorter");
        let number = u64::from(self.number) * CALLS + self.calls;
        if matches!(step, Step::Refund(_)) {
            self.refunds.push(number);
        }
        Call {
            step,
            principal,
            only,
            at: self.instant(),
            zone: TimeZone::new(self.one_of(&["UTC", "Asia/Tokyo"])).unwrap(),
            number,
            sends_mail: self.generator.below(2) == 0,
        }
    }

    /// A call that was made before: by the same caller, as a rule, or by another one.
    fn again(&mut self) -> (Principal, Option<CustomerId>, Step) {
        let (principal, only, step) = self.generator.one_of(&self.asked).clone();
        match (self.generator.below(8), step) {
            (0, step) => (self.caller(), only, step),
            (1, step) => (principal, self.bound(), step),
            (2 | 3, Step::Refund(request)) => (principal, only, Step::Preview(request)),
            (_, step) => (principal, only, step),
        }
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.generator.below(texts.len())]
    }

    fn caller(&mut self) -> Principal {
        let name = self.one_of(&["desk", "desk", "desk", "shop"]);
        principal(&format!("{name}-{}", self.number))
    }

    fn bound(&mut self) -> Option<CustomerId> {
        (self.generator.below(6) == 0).then(|| self.somebody())
    }

    fn somebody(&mut self) -> CustomerId {
        let first = self.number * CUSTOMERS;
        match self.generator.below(12) {
            0 => id(UNKNOWN),
            1 => id(first + 3),
            2..=7 => id(first),
            8 | 9 => id(first + 1),
            _ => id(first + 2),
        }
    }

    /// Mostly a little later; sometimes the same instant, an hour ago, ten years ahead, or what only a
    /// broken clock says.
    fn instant(&mut self) -> Timestamp {
        const HOUR: i64 = 3_600_000;
        let broken = |text: &str| Timestamp::parse(text).unwrap();
        match self.generator.below(24) {
            0 => self.now = self.now.later(-HOUR),
            1 => return self.now.later(10 * 365 * 24 * HOUR),
            2 => return broken("1970-01-01T00:00:00Z"),
            3 => return broken("1969-12-31T23:59:59.999Z"),
            4 => return Timestamp::from_clock(DateTime::<Utc>::MIN_UTC),
            5 => return Timestamp::from_clock(DateTime::<Utc>::MAX_UTC),
            6..=9 => {}
            10 => self.now = self.now.later(20 * 24 * HOUR),
            _ => {
                let seconds = i64::try_from(self.generator.below(90)).unwrap();
                self.now = self.now.later(seconds * 1_000);
            }
        }
        self.now
    }

    fn step(&mut self) -> Step {
        let kind = match self.generator.below(2) {
            0 => self.theme,
            _ => self.generator.below(KINDS),
        };
        match kind {
            0..=6 => Step::Refund(self.refund()),
            7 | 8 => Step::Preview(self.refund()),
            9 => Step::Customer(self.somebody()),
            10 => Step::RefundById(self.made_refund()),
            11 => Step::RefundByKey(self.some_key()),
            12 => Step::List(self.somebody(), self.take()),
            13 => Step::List(id(self.number * CUSTOMERS), 1),
            14 | 15 => Step::Adjust(self.correction()),
            16 => Step::ByEmail(self.address()),
            17 => {
                let after = (self.generator.below(3) > 0).then(|| self.somebody());
                Step::Customers(self.take(), after)
            }
            18 => Step::Orders(self.user()),
            19 => Step::Billing(self.user()),
            20 => Step::Eligibility(self.order()),
            21 | 22 => Step::Return(self.order_return()),
            23 | 24 => Step::Turn(self.turn()),
            _ => self.delivery(),
        }
    }

    fn take(&mut self) -> u32 {
        1 + u32::try_from(self.generator.below(3)).unwrap()
    }

    /// A key that other tools and callers use too, or none.
    fn key(&mut self) -> Option<IdempotencyKey> {
        (self.generator.below(3) > 0).then(|| self.some_key())
    }

    fn some_key(&mut self) -> IdempotencyKey {
        key(self.one_of(&["K", "k", "L", "M", "N"]))
    }

    fn reason(&mut self) -> Reason {
        let text = self.one_of(&[
            "the item arrived damaged",
            "the item never arrived",
            "届いた商品が破損していました",
            "it's \"broken\"; DROP TABLE refunds; --\\",
            "nothing \0 ends here",
        ]);
        Reason::new(text).unwrap()
    }

    fn refund(&mut self) -> RefundRequest {
        let amount = self.one_of(&[
            "1",
            "1.00",
            "2",
            "10",
            "50",
            "100",
            "700",
            "25.5",
            "100.01",
            "12345.678",
            "0.01",
            "0.001",
            "0.0001",
            "1000000",
        ]);
        RefundRequest {
            customer_id: self.somebody(),
            amount: RefundAmount::new(amount.parse().unwrap()).unwrap(),
            reason: self.reason(),
            idempotency_key: self.key(),
        }
    }

    /// Mostly one that a call of this history asked for.
    fn made_refund(&mut self) -> RefundId {
        match self.refunds.is_empty() {
            true => refund_id(0),
            false => refund_id(*self.generator.one_of(&self.refunds)),
        }
    }

    fn correction(&mut self) -> Correction {
        let by = self.one_of(&[
            "5",
            "-5",
            "+0.5",
            "-0.001",
            "-700",
            "-100.00",
            "0.0001",
            "999999999999999",
        ]);
        Correction {
            customer_id: self.somebody(),
            by: AdjustmentAmount::parse(by).unwrap(),
            reason: self.reason(),
            idempotency_key: self.key(),
        }
    }

    fn address(&mut self) -> String {
        let number = self.somebody().number();
        match self.generator.below(3) {
            0 => format!("CUSTOMER.{number}@example.com"),
            _ => format!("Customer.{number}@Example.com"),
        }
    }

    fn user(&mut self) -> UserId {
        let text = match self.generator.below(6) {
            0 => "no address".to_owned(),
            _ => self.address(),
        };
        UserId::new(&text).unwrap()
    }

    fn order(&mut self) -> OrderId {
        match self.generator.below(9) {
            0 => given_orders::id("A-"),
            _ => {
                let orders = Self::orders(self.number);
                self.generator.one_of(&orders).order.id.clone()
            }
        }
    }

    fn order_return(&mut self) -> ReturnRequest {
        let reason = self.one_of(&["it leaks", "漏れている", "a \0 in it"]);
        ReturnRequest {
            order_id: self.order(),
            reason: ReturnReason::new(reason).unwrap(),
            idempotency_key: self.key(),
        }
    }

    /// Mostly without a key, so that the conversation gets longer, and comes to its end.
    fn turn(&mut self) -> TurnRequest {
        let session = self.one_of(&["S", "S", "S", "S", "S\0", "s"]);
        let message = self.one_of(&["May I speak to a person?", "人と話したい", "No. \0"]);
        TurnRequest {
            session_id: SessionId::new(session).unwrap(),
            user_message: UserMessage::new(message).unwrap(),
            idempotency_key: self.key().filter(|_| self.generator.below(3) == 0),
        }
    }

    fn delivery(&mut self) -> Step {
        let claimed = self.generator.below(3);
        match self.generator.below(6) {
            0 => Step::IsDue,
            1 | 2 => Step::Claim,
            3 | 4 => Step::Delivered(claimed),
            _ => Step::Failed(
                claimed,
                DeliveryFailure {
                    is_refusal: self.generator.below(2) == 0,
                    what: "the server said no",
                    code: (self.generator.below(2) == 0).then_some(451),
                },
            ),
        }
    }
}
