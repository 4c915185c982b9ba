//! Cases of the return rules.

use chrono::{Datelike, NaiveDate};
use proptest::prelude::*;

use super::*;
use crate::{
    BillingStatus, Currency, Customer, CustomerId, CustomerStatus, EmailAddress, Money,
    NotificationWords, OrderPrice, PersonName, Principal, Product, ProductName, Quantity, Role,
    Sku, ToolName,
};

fn day(text: &str) -> CivilDate {
    CivilDate::parse(text).unwrap()
}

fn order(date: CivilDate, returned: bool) -> Order {
    let unit = Money::from_minor(1_800, Currency::new("JPY").unwrap()).unwrap();
    Order {
        id: OrderId::new("ORD-1").unwrap(),
        customer_id: CustomerId::new("CUST-00004").unwrap(),
        sku: Sku::new("COLA-12").unwrap(),
        price: OrderPrice::new(unit, Quantity::new(1).unwrap()).unwrap(),
        order_date: date,
        billing_status: BillingStatus::Paid,
        returned,
    }
}

fn judged(date: &str, today: &str) -> &'static str {
    eligibility(&order(day(date), false), day(today))
        .verdict
        .as_str()
}

// Cases.
#[test]
fn the_window_is_a_calendar_month_with_its_last_day() {
    for (date, last, first_after) in [
        ("2026-08-01", "2026-09-01", "2026-09-02"),
        ("2026-07-01", "2026-08-01", "2026-08-02"),
        ("2025-01-31", "2025-02-28", "2025-03-01"),
        ("2024-01-31", "2024-02-29", "2024-03-01"),
        ("2024-01-29", "2024-02-29", "2024-03-01"),
        ("2022-02-28", "2022-03-28", "2022-03-29"),
        ("2024-02-29", "2024-03-29", "2024-03-30"),
        ("2025-10-31", "2025-11-30", "2025-12-01"),
        ("2025-12-31", "2026-01-31", "2026-02-01"),
    ] {
        let found = eligibility(&order(day(date), false), day(last));
        assert_eq!(found.deadline_date, day(last), "{date}");
        assert_eq!(judged(date, date), "OK", "{date}");
        assert_eq!(judged(date, last), "OK", "{date}");
        assert_eq!(judged(date, first_after), "EXPIRED", "{date}");
    }
}

#[test]
fn returned_is_said_before_expired() {
    let returned = order(day("2026-06-01"), true);
    let found = eligibility(&returned, day("2026-08-11"));
    assert_eq!(found.verdict.as_str(), "ALREADY_RETURNED");
    assert!(found.already_returned);
    assert_eq!(found.days_elapsed, 71);
    assert_eq!(
        eligibility(&returned, day("2026-06-02")).verdict.as_str(),
        "ALREADY_RETURNED"
    );
}

#[test]
fn days_are_calendar_days() {
    for (date, today, days) in [
        ("2026-08-01", "2026-08-11", 10),
        ("2024-02-28", "2024-03-01", 2),
        ("2025-02-28", "2025-03-01", 1),
        ("2026-08-11", "2026-08-11", 0),
        // Of a later day: it can be returned.
        ("2026-08-12", "2026-08-11", 0),
    ] {
        let found = eligibility(&order(day(date), false), day(today));
        assert_eq!(found.days_elapsed, days, "{date} {today}");
        assert_eq!(found.verdict, Verdict::Ok, "{date} {today}");
    }
}

/// Days in a month, counted another way than chrono does it.
fn days_in(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// *Invariant:* the deadline of every day from 2000 to 2100 is the same day of the next month, or that
/// month's last day; it is later than the order, never earlier than the deadline of the day before, and
/// the order can be returned up to and on it and never after it.
#[test]
fn every_order_date_of_a_century() {
    let mut date = NaiveDate::from_ymd_opt(2000, 1, 1).unwrap();
    let mut before = None;
    while date.year() <= 2100 {
        let (year, month) = match date.month() {
            12 => (date.year() + 1, 1),
            month => (date.year(), month + 1),
        };
        let expected = (year, month, date.day().min(days_in(year, month)));
        let ordered = CivilDate::new(date).unwrap();
        let order = order(ordered, false);
        let found = eligibility(&order, ordered);
        let last = found.deadline_date;
        let naive = last.naive();
        assert_eq!(
            (naive.year(), naive.month(), naive.day()),
            expected,
            "{date}"
        );
        assert!(last > ordered && before <= Some(last), "{date}");
        let after = CivilDate::new(naive.succ_opt().unwrap()).unwrap();
        assert_eq!(eligibility(&order, last).verdict, Verdict::Ok, "{date}");
        assert_eq!(
            eligibility(&order, after).verdict,
            Verdict::Ineligible(Ineligible::Expired),
            "{date}"
        );
        before = Some(last);
        date = date.succ_opt().unwrap();
    }
}

#[derive(Debug)]
struct Plain;

impl NotificationWriter for Plain {
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords {
        NotificationWords {
            subject: format!("Return\nof {}", news.details.order.id),
            body: format!("{} on {}", news.details.product.name, news.today),
        }
    }
}

fn details(order: Order) -> OrderDetails {
    OrderDetails {
        product: Product {
            sku: order.sku.clone(),
            name: ProductName::new("Cola, 12 bottles").unwrap(),
        },
        customer: Customer {
            id: order.customer_id,
            name: PersonName::new("Ami Murasaki").unwrap(),
            email: EmailAddress::new("Ami.Murasaki@example.com").unwrap(),
            status: CustomerStatus::Active,
            refundable_balance: Money::zero(Currency::new("JPY").unwrap()),
            created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
            external_id: None,
            phone_number: None,
            company: None,
            language: None,
        },
        order,
    }
}

fn command(reason: &str, key: Option<&str>) -> ProcessReturn {
    ProcessReturn {
        request: ReturnRequest {
            order_id: OrderId::new("ORD-1").unwrap(),
            reason: ReturnReason::new(reason).unwrap(),
            idempotency_key: key.map(|key| IdempotencyKey::new(key).unwrap()),
        },
        caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
        return_id: ReturnId::new("3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f").unwrap(),
        at: Timestamp::parse("2026-08-11T01:02:03.004Z").unwrap(),
        today: day("2026-08-11"),
        writer: Arc::new(Plain),
    }
}

fn facts(date: &str, returned: bool) -> Facts {
    Facts {
        order: Some(details(order(day(date), returned))),
        key_use: None,
    }
}

fn accepted(settled: Settled<AcceptedReturn>) -> AcceptedReturn {
    match settled.outcome {
        Outcome::Processed(accepted) => accepted,
        other => panic!("a new return was expected, not {other:?}"),
    }
}

#[test]
fn the_orders_of_others_do_not_exist_for_a_caller_bound_to_one_customer() {
    let known = facts("2026-08-01", false);
    let owner = known.order.as_ref().unwrap().customer.id;
    let other = CustomerId::new("CUST-09999").unwrap();
    assert_ne!(owner, other);
    let done = accepted(command("changed my mind", Some("k")).settle(&known));
    let by = |only: CustomerId, reason: &str, facts: &Facts| {
        let mut command = command(reason, Some("k"));
        command.caller.customer = Some(only);
        command.settle(facts)
    };
    let used = |order: Option<OrderDetails>| Facts {
        order,
        key_use: Some(KeyUse::ThisTool(done.clone())),
    };
    let nothing = Facts {
        order: None,
        key_use: None,
    };
    assert_eq!(
        by(owner, "changed my mind", &known).outcome.as_str(),
        "processed"
    );
    let replay = by(owner, "changed my mind", &used(known.order.clone()));
    assert_eq!(replay.outcome.as_str(), "replayed");
    // What is forbidden comes to the same as what is unknown, whatever the key was used for.
    let unknown = by(owner, "changed my mind", &nothing).outcome;
    assert_eq!(unknown.as_str(), "ORDER_NOT_FOUND");
    for facts in [known.clone(), used(known.order.clone())] {
        let hidden = by(other, "changed my mind", &facts);
        assert_eq!(hidden.trace, ["order.hidden"]);
        assert_eq!(hidden.outcome, unknown);
    }
    for facts in [used(None), used(known.order.clone())] {
        assert_eq!(by(other, "another reason", &facts).outcome, unknown);
    }
    // Of the order that they ask for they learn what the key was used for, of another that it was used.
    let conflict = |facts: &Facts| match by(owner, "another reason", facts).outcome {
        Outcome::Refused(ReturnsRefusal::IdempotencyConflict { earlier, .. }) => earlier,
        other => panic!("a conflict was expected, not {other:?}"),
    };
    let mut facts = used(known.order.clone());
    assert!(matches!(conflict(&facts), EarlierCall::Return { .. }));
    let mut elsewhere = done.clone();
    elsewhere.order_return.order_id = OrderId::new("ORD-2").unwrap();
    facts.key_use = Some(KeyUse::ThisTool(elsewhere));
    assert_eq!(
        conflict(&facts),
        EarlierCall::OtherTool(ToolName::new(TOOL).unwrap())
    );
}

#[test]
fn decisions() {
    let of = |facts: &Facts| command("changed my mind", None).settle(facts);
    let settled = of(&facts("2026-08-01", false));
    assert_eq!(settled.trace, ["order.not_returned", "window.open"]);
    let done = accepted(settled);
    assert_eq!(done.order_return.order_id.as_str(), "ORD-1");
    assert_eq!(done.order_return.reason.as_str(), "changed my mind");
    assert_eq!(done.notification.to.as_str(), "Ami.Murasaki@example.com");
    assert_eq!(done.notification.subject, "Return of ORD-1");
    assert_eq!(done.notification.body, "Cola, 12 bottles on 2026-08-11");
    assert_eq!(done.notification.sent_at, done.order_return.processed_at);

    for (facts, rule, code) in [
        (facts("2026-07-01", false), "window.expired", "EXPIRED"),
        (
            facts("2026-07-01", true),
            "order.returned",
            "ALREADY_RETURNED",
        ),
        (
            facts("2026-08-01", true),
            "order.returned",
            "ALREADY_RETURNED",
        ),
    ] {
        let settled = of(&facts);
        assert_eq!(settled.trace.last(), Some(&rule));
        assert_eq!(settled.outcome.as_str(), "RETURN_NOT_ELIGIBLE");
        let Outcome::Refused(ReturnsRefusal::NotEligible { reason, .. }) = settled.outcome else {
            panic!("a refusal was expected");
        };
        assert_eq!(reason.as_str(), code);
    }
    let nothing = Facts {
        order: None,
        key_use: None,
    };
    assert_eq!(of(&nothing).outcome.as_str(), "ORDER_NOT_FOUND");
}

#[test]
fn a_key_gives_its_first_answer_or_a_conflict() {
    let first = accepted(command("broken", Some("K")).settle(&facts("2026-08-01", false)));
    let mut later = facts("2026-08-01", true);
    later.key_use = Some(KeyUse::ThisTool(first.clone()));

    let again = command(" broken ", Some("K")).settle(&later);
    assert_eq!(again.outcome, Outcome::Replayed(first));
    assert_eq!(again.trace, ["key.replay"]);
    let other = command("too many", Some("K")).settle(&later);
    assert_eq!(other.outcome.as_str(), "IDEMPOTENCY_CONFLICT");
    assert_eq!(
        command("broken", None).settle(&later).outcome.as_str(),
        "RETURN_NOT_ELIGIBLE"
    );

    let mut elsewhere = facts("2026-08-01", false);
    elsewhere.key_use = Some(KeyUse::OtherTool(ToolName::new("trigger_refund").unwrap()));
    let settled = command("broken", Some("K")).settle(&elsewhere);
    assert_eq!(settled.outcome.as_str(), "IDEMPOTENCY_CONFLICT");
}

#[test]
fn a_reason_counts_characters_after_trimming() {
    for text in [
        "x",
        " x ",
        &"🎉".repeat(500),
        &format!("  {}\u{3000}", "x".repeat(500)),
    ] {
        assert!(ReturnReason::new(text).is_ok());
    }
    for text in ["", "   ", "\u{3000}", &"x".repeat(501)] {
        assert!(ReturnReason::new(text).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    // Case R-062: what is answered is what is done.
    #[test]
    fn processing_agrees_with_judging(
        ordered in 0..36_525_i64,
        later in -40..80_i64,
        returned: bool,
    ) {
        let from = NaiveDate::from_ymd_opt(2000, 1, 1).unwrap();
        let ordered = from + chrono::Duration::days(ordered);
        let today = CivilDate::new(ordered + chrono::Duration::days(later)).unwrap();
        let order = order(CivilDate::new(ordered).unwrap(), returned);
        let judged = eligibility(&order, today);
        let facts = Facts { order: Some(details(order)), key_use: None };
        let settled = ProcessReturn { today, ..command("broken", None) }.settle(&facts);
        prop_assert_eq!(judged.verdict == Verdict::Ok, matches!(settled.outcome, Outcome::Processed(_)));
        prop_assert_eq!(judged.verdict == Verdict::Ok, !returned && today <= judged.deadline_date);
        prop_assert_eq!(judged.days_elapsed, later.max(0));
    }
}
