//! The audit trail: a row for every outcome, without personal data, and nothing can be edited.

use refund_domain::IdempotencyKey;
use refund_domain::ports::CustomerWriter;
use refund_store::SqliteStore;
use refund_store::contract::given::{Ask, adjust, customer, suspended};
use rusqlite::Connection;

use crate::support::{Place, assert_sound, import, tamper};

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
    let ask = Ask::new(1, "25.50").key("K-1").reason("Alice's parcel 🎉");
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
    let keyed = r#"{"customer_id":"CUST-00001","amount":25.5,"reason_characters":16,"idempotency_key":"K-1"}"#;
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

// People use as a key what they have at hand.
#[tokio::test]
async fn a_key_that_could_name_a_person_is_masked() {
    let (place, store) = Place::filled();
    let keys = [
        "alice@example.com",
        "+15550100",
        "090-1234-5678",
        "15550100",
    ];
    for key in keys {
        let _paid = Ask::new(1, "1").key(key).of(&store).await;
    }
    let mut correction = adjust(1, "0.01");
    correction.idempotency_key = Some(IdempotencyKey::new(keys[0]).unwrap());
    let adjusted = store.adjust_balance(correction).await.unwrap();
    assert!(adjusted.outcome.is_err(), "the key is the refund's");
    let mut correction = adjust(1, "0.01");
    correction.idempotency_key = Some(IdempotencyKey::new("bob@example.com").unwrap());
    let adjusted = store.adjust_balance(correction).await.unwrap();
    assert!(adjusted.outcome.is_ok());

    let rows = rows(&place.raw());
    assert_eq!(rows.len(), 6);
    for [_, arguments, ..] in rows {
        assert!(
            arguments.contains(r#""idempotency_key":{"characters":"#),
            "{arguments}"
        );
    }
    assert_sound(&store);
    // Rows of before have the key as it is.
    tamper(
        &place.raw(),
        "UPDATE audit SET arguments = json_set(arguments, '$.idempotency_key', 'alice@example.com')
             WHERE seq = 1;
         UPDATE audit SET arguments = json_set(arguments, '$.idempotency_key', 'bob@example.com')
             WHERE seq = 6",
    );
    assert_sound(&store);
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
