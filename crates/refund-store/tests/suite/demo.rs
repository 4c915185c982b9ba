//! The demo data is what the documents promise, and it can be refunded from.

use std::sync::Arc;

use refund_domain::ports::{CustomerDirectory, CustomerReader, OrderReader, RefundWriter};
use refund_domain::returns::eligibility;
use refund_domain::warranty::{
    AddressReader, Identifier, ProblemText, ReportedFacts, WarrantyDesk, WarrantyPolicy,
};
use refund_domain::{
    BillingStatus, Caller, CivilDate, Customer, CustomerId, EmailAddress, IdSource, IssueRefund,
    Order, OrderChoice, Outcome, Principal, Reason, RefundAmount, RefundRequest, Role, Timestamp,
};
use refund_store::system::RandomIds;
use refund_store::{DemoData, SqliteStore};

fn loaded(data: DemoData) -> SqliteStore {
    let store = SqliteStore::memory().unwrap();
    data.import_into(&store).unwrap();
    store
}

async fn customers(data: DemoData) -> Vec<Customer> {
    loaded(data).customers(100, None).await.unwrap()
}

async fn rows(data: DemoData) -> Vec<String> {
    let customers = customers(data).await;
    let shown = customers.iter().map(|customer| {
        format!(
            "{} {} {}",
            customer.id, customer.status, customer.refundable_balance
        )
    });
    shown.collect()
}

#[tokio::test]
async fn the_sets_of_refunds_are_as_documented() {
    assert_eq!(
        rows(DemoData::Refunds).await,
        [
            "CUST-00001 active 500.00 USD",
            "CUST-00002 suspended 200.00 USD",
            "CUST-00003 active 0.00 USD"
        ]
    );
    assert_eq!(
        rows(DemoData::Customers).await,
        [
            "CUST-00001 active 500.00 USD",
            "CUST-00002 active 125.50 USD",
            "CUST-00003 suspended 80.00 USD"
        ]
    );
    let alice = customers(DemoData::Refunds).await.remove(0);
    assert_eq!(alice.name.as_str(), "Alice Johnson");
    assert_eq!(alice.email.as_str(), "alice.johnson@example.com");
    assert_eq!(alice.created_at.to_string(), "2024-01-15T09:30:00.000Z");
    for data in DemoData::ALL {
        assert_eq!(DemoData::from_word(data.as_str()), Some(data));
    }
    assert_eq!(DemoData::from_word("all"), None);
}

/// Each with what the customer paid.
#[tokio::test]
async fn the_set_of_returns_is_as_documented() {
    let store = loaded(DemoData::Returns);
    let customers = customers(DemoData::Returns).await;
    let mut orders = Vec::new();
    for customer in &customers {
        let found = store
            .orders_of(&customer.email, OrderChoice::Newest, 100)
            .await;
        orders.extend(found.unwrap().unwrap().orders);
    }
    let names: Vec<_> = customers
        .iter()
        .map(|customer| (customer.email.as_str(), customer.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("Ami.Murasaki@example.com", "Ami Murasaki"),
            ("goshi.tanabe@example.com", "Goshi Tanabe"),
            ("takeharu.mokuda@example.com", "Takeharu Mokuda"),
            ("amigo.murasaka@example.com", "Amigo Murasaka"),
            ("takehiro.mokuga@example.com", "Mokuga Takehiro"),
        ]
    );
    let august = CivilDate::parse("2026-08-11").unwrap();
    let mut unpaid_and_open = 0;
    for (number, customer) in (4..).zip(&customers) {
        assert_eq!(customer.id.number(), number);
        let theirs: Vec<_> = orders
            .iter()
            .map(|line| &line.order)
            .filter(|order| order.customer_id == customer.id)
            .collect();
        let dates: Vec<_> = theirs
            .iter()
            .map(|order| order.order_date.to_string())
            .collect();
        assert_eq!(dates, ["2026-08-01", "2026-07-01", "2026-06-01"]);
        let verdicts: Vec<_> = theirs
            .iter()
            .map(|order| eligibility(order, august).verdict.as_str())
            .collect();
        assert_eq!(verdicts, ["OK", "EXPIRED", "EXPIRED"]);
        let paid = |order: &&&Order| order.billing_status == BillingStatus::Paid;
        assert!((1..3).contains(&theirs.iter().filter(paid).count()));
        unpaid_and_open += usize::from(!paid(&&theirs[0]));
        let total: i64 = theirs
            .iter()
            .filter(paid)
            .map(|order| order.price.total().minor())
            .sum();
        assert_eq!(customer.refundable_balance.minor(), total);
    }
    assert!((1..5).contains(&unpaid_and_open));
    let mut prices: Vec<_> = orders
        .iter()
        .map(|line| (line.order.price.unit().minor(), line.product.name.as_str()))
        .collect();
    prices.sort_unstable();
    prices.dedup();
    assert_eq!(
        prices,
        [
            (1_800, "コーラ(500ml) 12本入りパック"),
            (2_400, "ブレンド茶(350ml) 24本入りパック"),
            (5_400, "冷凍牛丼お得パック 18個入り"),
        ]
    );
}

/// Each customer with the addresses, and each unit with the outcome of its day.
#[tokio::test]
async fn the_set_of_warranties_is_as_documented() {
    let reader = loaded(DemoData::Warranty).reader();
    let mut countries = Vec::new();
    for (number, customer) in (9..).zip(customers(DemoData::Warranty).await) {
        assert_eq!(customer.id.number(), number);
        let external_id = customer.external_id.unwrap();
        assert_eq!(external_id.as_str(), format!("EXT-{}", 9_992 + number));
        assert!(customer.email.as_str().ends_with("@example.com"));
        assert!(customer.phone_number.is_some());
        let addresses = reader.addresses_of(customer.id).await.unwrap().unwrap();
        assert!((1..=2).contains(&addresses.len()), "{number}");
        let defaults = addresses.iter().filter(|address| address.is_default);
        assert_eq!(defaults.count(), 1, "{number}");
        countries.push(addresses[0].country_code.to_string());
    }
    assert_eq!(countries, ["US", "GB", "JP", "ES", "IN", "AU", "CN", "AE"]);

    let desk = WarrantyDesk::new(reader, Arc::new(WarrantyPolicy::default()));
    let today = CivilDate::parse("2026-03-01").unwrap();
    let dead = ReportedFacts {
        problem: Some(ProblemText::new("dead on arrival").unwrap()),
        ..ReportedFacts::default()
    };
    let eligible = "Eligible/InWarrantyConfirmedDefect";
    let paid = "EligibleForPaidRepair/OutOfWarranty";
    let unknown = "NotEligible/DeviceNotFound";
    for (asked, expected) in [
        ("AX2-0001-0001", eligible),
        ("a4:c1:f2:e3:00:01", eligible),
        ("356938035643809", eligible),
        ("AX2-0001-0002", "RequiresHumanReview/DuplicateOpenRequest"),
        ("AX2-0001-0003", eligible),
        ("AX2-0001-0004", eligible),
        ("AX2-0001-0005", paid),
        ("AX4-0002-0001", eligible),
        ("AX4-0002-0002", eligible),
        ("AX4-0002-0003", eligible),
        ("BX1-0003-0001", "NotEligible/OutsideReturnWindow"),
        ("BX1-0003-0002", paid),
        ("CR1-0004-0001", eligible),
        ("CR1-0004-0002", eligible),
        ("CBL-0005-0001", eligible),
        ("CBL-0005-0002", paid),
        ("NO-SUCH-SERIAL-0000", unknown),
        ("AX2-0001-0006", unknown),
    ] {
        let identifier = Identifier::new(asked).unwrap();
        let answer = desk
            .check_coverage(&identifier, today, &dead)
            .await
            .unwrap();
        let evaluation = answer.evaluation;
        let found = format!(
            "{}/{}",
            evaluation.outcome.as_str(),
            evaluation.reason.as_str()
        );
        assert_eq!(found, expected, "{asked}");
    }
    let unit = Identifier::new("AX2-0001-0005").unwrap();
    let quote = desk.fee_quote(&unit, today).await.unwrap().quote.unwrap();
    assert_eq!(quote.fee.fee.to_string(), "69.00 USD");
}

#[tokio::test]
async fn the_world_fits_into_one_store() {
    let store = SqliteStore::memory().unwrap();
    for data in DemoData::WORLD {
        data.import_into(&store).unwrap();
    }
    let email = EmailAddress::new("AMI.murasaki@example.com").unwrap();
    let found = store.orders_of(&email, OrderChoice::Newest, 100).await;
    assert_eq!(found.unwrap().unwrap().total, 3);
    let report = store.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.customers, 16);
    assert!(DemoData::Returns.import_into(&store).is_err());
    for data in DemoData::ALL {
        data.import_into(&SqliteStore::memory().unwrap()).unwrap();
    }
}

#[tokio::test]
async fn a_refund_from_the_demo_data() {
    let store = loaded(DemoData::Refunds);
    let id = CustomerId::new("CUST-00001").unwrap();
    let settled = store
        .issue_refund(IssueRefund {
            request: RefundRequest {
                customer_id: id,
                amount: RefundAmount::new("499.99".parse().unwrap()).unwrap(),
                reason: Reason::new("damaged item").unwrap(),
                idempotency_key: None,
            },
            caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
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
