//! The `returns` toolset: its bad arguments, and its answers field by field.

use refund_domain::returns::eligibility;
use refund_domain::settled::Answer;
use refund_domain::{
    AcceptedReturn, BillingStatus, CivilDate, CountedTurn, Currency, Customer, CustomerId,
    CustomerOrders, CustomerStatus, EmailAddress, IdempotencyKey, Money, Notification,
    NotificationWords, Order, OrderId, OrderLine, OrderPrice, OrderReturn, PersonName, Product,
    ProductName, Quantity, ReturnId, ReturnReason, SessionId, Sku, Timestamp, TurnCount,
    UserMessage,
};
use refund_schema::{
    CheckReturnEligibilityInput, CheckReturnEligibilityOutput, EscalateToHumanInput,
    EscalateToHumanOutput, GetBillingStatusOutput, LookupOrderInput, LookupOrderOutput,
    ProcessReturnInput, ProcessReturnOutput, decode,
};

use crate::codes;
use crate::outputs::written;

fn line(id: &str, unit: i64, code: &str, quantity: u32, status: BillingStatus) -> OrderLine {
    let unit = Money::from_minor(unit, Currency::new(code).unwrap()).unwrap();
    let sku = Sku::new("TEA-24").unwrap();
    OrderLine {
        order: Order {
            id: OrderId::new(id).unwrap(),
            customer_id: CustomerId::new("CUST-00004").unwrap(),
            sku: sku.clone(),
            price: OrderPrice::new(unit, Quantity::new(quantity).unwrap()).unwrap(),
            order_date: CivilDate::parse("2026-08-01").unwrap(),
            billing_status: status,
            returned: false,
        },
        product: Product {
            sku,
            name: ProductName::new("お茶 350ml 24本").unwrap(),
        },
    }
}

fn orders() -> CustomerOrders {
    CustomerOrders {
        customer: Customer {
            id: CustomerId::new("CUST-00004").unwrap(),
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
        total: 2,
        unpaid: 1,
        orders: vec![
            line("ORD-1", 2400, "JPY", 2, BillingStatus::Unpaid),
            line("ORD-2", 1999, "USD", 3, BillingStatus::Paid),
        ],
    }
}

const USER: &str = r#""user":{"user_id":"Ami.Murasaki@example.com","name":"Ami Murasaki","customer_id":"CUST-00004"}"#;

#[test]
fn a_customers_orders() {
    assert_eq!(
        written(&LookupOrderOutput::from(&orders())),
        format!(
            r#"{{{USER},"order_count":2,"orders":[{{"order_id":"ORD-1","product_name":"お茶 350ml 24本","quantity":2,"unit_price_jpy":2400,"unit_price":2400,"currency":"JPY","order_date":"2026-08-01","billing_status":"unpaid","returned":false}},{{"order_id":"ORD-2","product_name":"お茶 350ml 24本","quantity":3,"unit_price":19.99,"currency":"USD","order_date":"2026-08-01","billing_status":"paid","returned":false}}]}}"#
        )
    );
}

#[test]
fn a_customers_bills() {
    assert_eq!(
        written(&GetBillingStatusOutput::new(&orders(), "To account 1")),
        format!(
            r#"{{{USER},"unpaid_count":1,"billing":[{{"order_id":"ORD-1","product_name":"お茶 350ml 24本","order_date":"2026-08-01","amount_jpy":4800,"amount":4800,"currency":"JPY","billing_status":"unpaid","returned":false,"payment_instructions":"To account 1"}},{{"order_id":"ORD-2","product_name":"お茶 350ml 24本","order_date":"2026-08-01","amount":59.97,"currency":"USD","billing_status":"paid","returned":false}}]}}"#
        )
    );
}

#[test]
fn an_eligibility() {
    let order = line("ORD-1", 2400, "JPY", 1, BillingStatus::Paid).order;
    let of = |today: &str| {
        let judged = eligibility(&order, CivilDate::parse(today).unwrap());
        written(&CheckReturnEligibilityOutput::new(
            &order.id,
            &judged,
            "so it is".to_owned(),
        ))
    };
    assert_eq!(
        of("2026-08-11"),
        r#"{"order_id":"ORD-1","order_date":"2026-08-01","deadline_date":"2026-09-01","days_elapsed":10,"already_returned":false,"eligible":true,"reason":"OK","message":"so it is"}"#
    );
    assert!(of("2026-09-02").contains(r#""eligible":false,"reason":"EXPIRED""#));
}

#[test]
fn a_return_and_its_replay() {
    let at = Timestamp::parse("2026-08-11T00:00:00Z").unwrap();
    let words = NotificationWords {
        subject: "Your return".to_owned(),
        body: "It was recorded.".to_owned(),
    };
    let to = EmailAddress::new("Ami.Murasaki@example.com").unwrap();
    let answer = |replayed| {
        ProcessReturnOutput::from(&Answer {
            value: AcceptedReturn {
                order_return: OrderReturn {
                    id: ReturnId::new("3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f").unwrap(),
                    order_id: OrderId::new("ORD-1").unwrap(),
                    reason: ReturnReason::new(" broken ").unwrap(),
                    processed_at: at,
                },
                notification: Notification::new(to.clone(), words.clone(), at),
            },
            replayed,
        })
    };
    let first = r#"{"return_id":"3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f","order_id":"ORD-1","reason":"broken","processed_at":"2026-08-11T00:00:00.000Z","notification":{"to":"Ami.Murasaki@example.com","subject":"Your return","body":"It was recorded.","sent_at":"2026-08-11T00:00:00.000Z"}}"#;
    assert_eq!(written(&answer(false)), first);
    assert_eq!(
        written(&answer(true)),
        first.replace("Z\"}}", "Z\"},\"replayed\":true}")
    );
    let shown = format!(
        "{:?} {:?}",
        answer(false),
        LookupOrderOutput::from(&orders())
    );
    for secret in ["Ami", "broken", "Your return"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_turn() {
    let message = UserMessage::new(" hello \n").unwrap();
    let answer = Answer {
        value: CountedTurn {
            session_id: SessionId::new("s 1").unwrap(),
            turn_count: TurnCount::new(5).unwrap(),
            message: message.digest(),
        },
        replayed: true,
    };
    assert_eq!(
        written(&EscalateToHumanOutput::new(
            &answer,
            "ask".to_owned(),
            &message
        )),
        r#"{"session_id":"s 1","turn_count":5,"status":"confirm_close","guidance":"ask","received_message":" hello \n","replayed":true}"#
    );
}

#[test]
fn bad_arguments_are_named() {
    assert_eq!(codes::<LookupOrderInput>("{}"), ["user_id:required"]);
    for (value, code) in [
        ("\"\"", "too_short"),
        ("\"  \\u3000\"", "pattern"),
        ("7", "invalid_type"),
        ("null", "invalid_type"),
        (&format!("\"{}\"", "x".repeat(321)), "too_long"),
    ] {
        assert_eq!(
            codes::<CheckReturnEligibilityInput>(&format!(r#"{{"order_id":{value}}}"#)),
            [format!("order_id:{code}")],
            "{value}"
        );
    }
    assert_eq!(
        codes::<ProcessReturnInput>(r#"{"order_id":"x","reason":"  ","idempotency_key":"a b"}"#),
        ["reason:too_short", "idempotency_key:pattern"]
    );
    assert_eq!(
        codes::<ProcessReturnInput>(&format!(
            r#"{{"order_id":"x","reason":"{}","quantity":2}}"#,
            "x".repeat(501)
        )),
        ["reason:too_long", "quantity:unknown_key"]
    );
    assert_eq!(
        codes::<EscalateToHumanInput>(r#"{"session_id":" ","user_message":""}"#),
        ["session_id:pattern", "user_message:too_short"]
    );
    assert!(codes::<EscalateToHumanInput>(r#"{"session_id":"s","user_message":" "}"#).is_empty());
}

// Cases R-044, R-047: a key beside the arguments is the same key, or the call is refused.
#[test]
fn a_key_comes_from_one_place() {
    let key = |text: &str| Some(IdempotencyKey::new(text).unwrap());
    let input = || {
        let arguments = r#"{"session_id":"s","user_message":"x","idempotency_key":"k"}"#;
        decode::<EscalateToHumanInput>(Some(arguments)).unwrap()
    };
    assert_eq!(
        input().into_request(key("k")).unwrap().idempotency_key,
        key("k")
    );
    assert!(input().into_request(key("other")).is_err());
    let bare = decode::<ProcessReturnInput>(Some(r#"{"order_id":"o","reason":"r"}"#)).unwrap();
    assert_eq!(
        bare.into_request(key("m")).unwrap().idempotency_key,
        key("m")
    );
}
