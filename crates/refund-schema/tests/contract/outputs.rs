//! Answers, field by field and number by number.

use refund_domain::refund::Verdict;
use refund_domain::{
    Currency, Customer, CustomerId, CustomerStatus, EmailAddress, IdempotencyKey, Money,
    PersonName, Preview, Principal, Reason, Receipt, Refund, RefundId, RefundPage, RefundPosition,
    RefundRequest, RefundStatus, Refusal, Timestamp,
};
use refund_schema::{
    GetCustomerRecordOutput, GetRefundOutput, ListRefundsOutput, PreviewRefundOutput,
    TriggerRefundInput, TriggerRefundOutput, decode, output_schema,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::refund_with;

fn money(minor: i64, code: &str) -> Money {
    Money::from_minor(minor, Currency::new(code).unwrap()).unwrap()
}

fn customer(balance: Money) -> Customer {
    Customer {
        id: CustomerId::new("CUST-00001").unwrap(),
        name: PersonName::new("Alice Johnson").unwrap(),
        email: EmailAddress::new("alice.johnson@example.com").unwrap(),
        status: CustomerStatus::Active,
        refundable_balance: balance,
        created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
        external_id: None,
        phone_number: None,
        company: None,
        language: None,
    }
}

fn refund() -> Refund {
    Refund {
        id: RefundId::new("3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f").unwrap(),
        customer_id: CustomerId::new("CUST-00001").unwrap(),
        amount: money(10, "USD"),
        reason: Reason::new("  Item arrived damaged ").unwrap(),
        status: RefundStatus::Processed,
        processed_at: Timestamp::parse("2026-03-01T12:00:00.5Z").unwrap(),
        remaining_refundable_balance: money(49_990, "USD"),
        principal: Principal::new("local").unwrap(),
        idempotency_key: Some(IdempotencyKey::new("k").unwrap()),
    }
}

fn request(amount: &str) -> RefundRequest {
    decode::<TriggerRefundInput>(Some(&refund_with("amount", amount)))
        .unwrap()
        .into()
}

/// The text of an answer, after the published schema was asked.
pub(crate) fn written<T: Serialize + JsonSchema>(output: &T) -> String {
    let value = serde_json::to_value(output).unwrap();
    let schema = Value::Object(output_schema::<T>());
    jsonschema::validate(&schema, &value).unwrap();
    let text = serde_json::to_string(output).unwrap();
    assert_eq!(text, value.to_string());
    text
}

#[test]
fn a_customer_record() {
    assert_eq!(
        written(&GetCustomerRecordOutput::from(&customer(money(
            50_000, "USD"
        )))),
        r#"{"customerId":"CUST-00001","name":"Alice Johnson","email":"alice.johnson@example.com","status":"active","currency":"USD","refundableBalance":500,"createdAt":"2024-01-15T09:30:00.000Z"}"#
    );
    let yen = written(&GetCustomerRecordOutput::from(&customer(money(500, "JPY"))));
    assert!(
        yen.contains(r#""currency":"JPY","refundableBalance":500,"#),
        "{yen}"
    );
}

const RECEIPT: &str = r#"{"refundId":"3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f","customerId":"CUST-00001","amount":0.1,"currency":"USD","reason":"Item arrived damaged","status":"processed","processedAt":"2026-03-01T12:00:00.500Z","remainingRefundableBalance":499.9}"#;

#[test]
fn a_receipt_and_its_replay() {
    let receipt = |replayed| Receipt {
        refund: refund(),
        replayed,
    };
    assert_eq!(
        written(&TriggerRefundOutput::from(&receipt(false))),
        RECEIPT
    );
    assert_eq!(
        written(&TriggerRefundOutput::from(&receipt(true))),
        RECEIPT.replace("499.9}", r#"499.9,"replayed":true}"#)
    );
    assert_eq!(written(&GetRefundOutput::from(&refund())), RECEIPT);
    assert_eq!(
        output_schema::<GetRefundOutput>(),
        output_schema::<TriggerRefundOutput>()
    );
}

#[test]
fn a_page_of_refunds() {
    let page = |next| RefundPage {
        total: 3,
        refunds: vec![refund()],
        next,
    };
    let id = CustomerId::new("CUST-00001").unwrap();
    let row = r#"{"refundId":"3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f","amount":0.1,"currency":"USD","reason":"Item arrived damaged","status":"processed","processedAt":"2026-03-01T12:00:00.500Z"}"#;
    let last = format!(r#"{{"customerId":"CUST-00001","total":3,"refunds":[{row}]}}"#);
    assert_eq!(written(&ListRefundsOutput::new(id, &page(None))), last);
    let next = RefundPosition::from_number(31);
    assert_eq!(
        written(&ListRefundsOutput::new(id, &page(next))),
        last.replace("}]}", r#"}],"nextCursor":"r1f"}"#)
    );
}

#[test]
fn previews() {
    let preview = |verdict| Preview {
        customer: customer(money(50_000, "USD")),
        verdict,
    };
    let grant = Verdict::Grant {
        amount: money(50, "USD"),
        remaining: money(49_950, "USD"),
    };
    assert_eq!(
        written(&PreviewRefundOutput::new(&request("0.50"), &preview(grant))),
        r#"{"customerId":"CUST-00001","amount":0.5,"currency":"USD","wouldSucceed":true,"remainingRefundableBalance":499.5,"needsApproval":false}"#
    );
    let replay = Verdict::Replay(refund());
    assert_eq!(
        written(&PreviewRefundOutput::new(&request("0.1"), &preview(replay))),
        r#"{"customerId":"CUST-00001","amount":0.1,"currency":"USD","wouldSucceed":true,"remainingRefundableBalance":500,"needsApproval":false}"#
    );
    let refuse = Verdict::Refuse(Refusal::ExceedsBalance {
        amount: money(60_000, "USD"),
        balance: money(50_000, "USD"),
        customer_id: CustomerId::new("CUST-00001").unwrap(),
    });
    assert_eq!(
        written(&PreviewRefundOutput::new(&request("600"), &preview(refuse))),
        r#"{"customerId":"CUST-00001","amount":600,"currency":"USD","wouldSucceed":false,"refusal":{"code":"EXCEEDS_BALANCE","message":"Refund of 600.00 USD exceeds the refundable balance of 500.00 USD for customer CUST-00001."},"remainingRefundableBalance":500,"needsApproval":false}"#
    );
}

#[test]
fn answers_hide_personal_data_in_debug() {
    let shown = format!(
        "{:?} {:?}",
        GetCustomerRecordOutput::from(&customer(money(1, "USD"))),
        GetRefundOutput::from(&refund())
    );
    for secret in ["Alice", "alice", "damaged"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
