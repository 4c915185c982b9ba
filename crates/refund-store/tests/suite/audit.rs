//! The audit trail: a row for every outcome, without personal data, and nothing can be edited.

use refund_store::SqliteStore;
use refund_store::contract::given::{Ask, customer, suspended};
use rusqlite::Connection;

use crate::support::{Place, import};

fn rows(raw: &Connection) -> Vec<[String; 4]> {
    raw.prepare("SELECT outcome, arguments, trace, refund_id FROM audit ORDER BY seq")
        .unwrap()
        .query_map([], |row| {
            let refund: Option<String> = row.get(3)?;
            let refund = refund.map_or("-", |_| "refund").to_owned();
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, refund])
        })
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

// Case R-173: the reason only as its length.
#[tokio::test]
async fn every_outcome_has_its_row() {
    let place = Place::new();
    let store = SqliteStore::open(&place.path).unwrap();
    import(
        &store,
        vec![customer(1, 10_000, "USD"), suspended(2, 1, "USD")],
    );
    let ask = Ask::new(1, "25.50")
        .key("\"K\"")
        .reason("Alice's parcel 🎉");
    for ask in [
        ask.clone(),
        ask,
        Ask::new(1, "75"),
        Ask::new(2, "1"),
        Ask::new(3, "1"),
    ] {
        let _outcome = ask.of(&store).await;
    }
    let arguments = |customer: u32, amount: &str| {
        format!(
            r#"{{"customer_id":"CUST-0000{customer}","amount":{amount},"reason_characters":24}}"#
        )
    };
    let keyed = r#"{"customer_id":"CUST-00001","amount":25.5,"reason_characters":16,"idempotency_key":"\"K\""}"#;
    let granted = r#"["customer.active","currency.exact","balance.sufficient"]"#;
    let exceeded = r#"["customer.active","currency.exact","balance.exceeded"]"#;
    let rows = rows(&place.raw());
    let expected: [[&str; 4]; 5] = [
        ["processed", keyed, granted, "refund"],
        ["replayed", keyed, r#"["key.replay"]"#, "refund"],
        ["EXCEEDS_BALANCE", &arguments(1, "75"), exceeded, "-"],
        [
            "CUSTOMER_SUSPENDED",
            &arguments(2, "1"),
            r#"["customer.suspended"]"#,
            "-",
        ],
        [
            "CUSTOMER_NOT_FOUND",
            &arguments(3, "1"),
            r#"["customer.unknown"]"#,
            "-",
        ],
    ];
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn neither_refunds_nor_audit_rows_can_be_edited() {
    let (place, store) = Place::filled();
    for amount in ["1", "2"] {
        let _refund = Ask::new(1, amount).key(amount).of(&store).await;
    }
    let raw = place.raw();
    for sql in [
        "UPDATE audit SET outcome = 'processed'",
        "UPDATE audit SET seq = 9 WHERE seq = 1",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 1",
        "UPDATE refunds SET amount_minor = 1",
        "UPDATE refunds SET rowid = 9 WHERE seq = 1",
        "UPDATE refunds SET reason = 'some other reason'",
        "UPDATE refunds SET status = 'lost'",
        "DELETE FROM refunds",
        "INSERT OR REPLACE INTO refunds SELECT * FROM refunds WHERE seq = 1",
        "UPDATE customers SET balance_minor = -1",
        "DELETE FROM customers",
        "INSERT INTO idempotency_keys SELECT * FROM idempotency_keys",
    ] {
        let error = raw.execute_batch(&format!("PRAGMA foreign_keys = ON; {sql}"));
        let code = error.unwrap_err().sqlite_error_code();
        assert_eq!(
            code,
            Some(rusqlite::ErrorCode::ConstraintViolation),
            "{sql}"
        );
    }
    assert!(store.check().unwrap().is_sound());
}
