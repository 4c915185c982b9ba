//! The demo data is what the documents promise, and it can be refunded from.

use refund_domain::ports::{CustomerReader, RefundWriter};
use refund_domain::{
    Caller, CustomerId, IdSource, IssueRefund, Outcome, Principal, Reason, RefundAmount,
    RefundRequest, Role, Timestamp,
};
use refund_store::system::RandomIds;
use refund_store::{DemoData, SqliteStore};

fn rows(data: DemoData) -> Vec<String> {
    data.load()
        .unwrap()
        .into_iter()
        .map(|record| {
            let customer = record.customer;
            format!(
                "{} {} {}",
                customer.id, customer.status, customer.refundable_balance
            )
        })
        .collect()
}

#[test]
fn both_sets_are_as_documented() {
    assert_eq!(
        rows(DemoData::Refunds),
        [
            "CUST-00001 active 500.00 USD",
            "CUST-00002 suspended 200.00 USD",
            "CUST-00003 active 0.00 USD"
        ]
    );
    assert_eq!(
        rows(DemoData::Customers),
        [
            "CUST-00001 active 500.00 USD",
            "CUST-00002 active 125.50 USD",
            "CUST-00003 suspended 80.00 USD"
        ]
    );
    let alice = DemoData::Refunds.load().unwrap().remove(0).customer;
    assert_eq!(alice.name.as_str(), "Alice Johnson");
    assert_eq!(alice.email.as_str(), "alice.johnson@example.com");
    assert_eq!(alice.created_at.to_string(), "2024-01-15T09:30:00.000Z");
    for data in DemoData::ALL {
        assert_eq!(DemoData::from_word(data.as_str()), Some(data));
    }
    assert_eq!(DemoData::from_word("all"), None);
}

#[tokio::test]
async fn a_refund_from_the_demo_data() {
    let store = SqliteStore::memory().unwrap();
    let imported = store.import_customers(DemoData::Refunds.load().unwrap());
    assert_eq!(imported.unwrap(), 3);
    let id = CustomerId::new("CUST-00001").unwrap();
    let settled = store
        .issue_refund(IssueRefund {
            request: RefundRequest {
                customer_id: id,
                amount: RefundAmount::new("499.99".parse().unwrap()).unwrap(),
                reason: Reason::new("damaged item").unwrap(),
                idempotency_key: None,
            },
            caller: Caller {
                principal: Principal::new("local").unwrap(),
                role: Role::Agent,
            },
            refund_id: RandomIds.refund_id(),
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        })
        .await
        .unwrap();
    assert!(matches!(settled.outcome, Outcome::Processed(_)));
    let customer = store.customer(id).await.unwrap().unwrap();
    assert_eq!(customer.refundable_balance.minor(), 1);
    let report = store.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.customers, report.refunds), (3, 1));
}
