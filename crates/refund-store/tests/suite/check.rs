//! `check` names what is wrong, whatever way it was brought about.

use refund_domain::ports::CustomerWriter;
use refund_store::contract::given::{Ask, adjust, customer};

use crate::support::{Place, assert_sound, import};

// Case R-002, and every other way to make the books wrong.
#[tokio::test]
async fn every_kind_of_tampering_is_found() {
    for (sql, finding) in [
        (
            "UPDATE customers SET balance_minor = balance_minor + 1 WHERE number = 1",
            "customer CUST-00001: the balance is 8501, but the opening balance 10000 less refunds of 1500 is 8500",
        ),
        (
            "UPDATE customers SET opening_minor = 9999 WHERE number = 1",
            "customer CUST-00001: the balance is 8500",
        ),
        (
            "UPDATE customers SET balance_minor = -5 WHERE number = 2",
            "customer CUST-00002: the balance -5 is below zero",
        ),
        (
            "UPDATE customers SET refund_count = 7 WHERE number = 1",
            "customer CUST-00001: the record says 7 refunds, but there are 2",
        ),
        (
            "UPDATE refunds SET amount_minor = 501 WHERE seq = 2",
            "less refunds of 1501",
        ),
        (
            "UPDATE refunds SET amount_minor = 0 WHERE seq = 2",
            "the amount 0 is not above zero",
        ),
        (
            "UPDATE refunds SET customer_id = 'CUST-77777' WHERE seq = 1",
            "there is no customer CUST-77777",
        ),
        (
            "UPDATE refunds SET currency = 'EUR' WHERE seq = 1",
            "it is in EUR, but customer CUST-00001 has USD",
        ),
        (
            "UPDATE customers SET currency = 'EUR' WHERE number = 1",
            "it is in USD, but customer CUST-00001 has EUR",
        ),
        ("DELETE FROM refunds WHERE seq = 2", "there is no refund"),
        (
            "DELETE FROM idempotency_keys",
            "its idempotency key K of principal local is not recorded for it",
        ),
        (
            "UPDATE idempotency_keys SET key = 'L'",
            "idempotency key L of principal local: it was not used by refund",
        ),
        (
            "UPDATE refunds SET idempotency_key = NULL WHERE seq = 1",
            "idempotency key K of principal local",
        ),
        (
            "INSERT INTO idempotency_keys VALUES ('local', 'X', 'trigger_refund', NULL, 0)",
            "idempotency key X of principal local: it was not used by refund (none)",
        ),
        (
            "DELETE FROM audit WHERE seq = 1",
            "0 audit rows say that it was processed",
        ),
        (
            "UPDATE audit SET refund_id = 'none' WHERE seq = 1",
            "audit row 1: there is no refund none",
        ),
        (
            "UPDATE refunds SET import_seq = 1 WHERE seq = 2",
            "audit row 1 is not that of an import",
        ),
        (
            "UPDATE refunds SET import_seq = (SELECT max(seq) FROM audit) WHERE seq = 2",
            "it was imported, but audit row 2 says that it was processed here",
        ),
        (
            "DELETE FROM adjustments",
            "audit row 3: the adjustment that it tells of is not there",
        ),
        (
            "UPDATE adjustments SET by_minor = 2",
            "but the opening balance 0 with adjustments of 2 less refunds of 0 is 2",
        ),
        (
            "UPDATE adjustments SET audit_seq = 1",
            "adjustment 1 of customer CUST-00002",
        ),
        (
            "UPDATE customers SET status = 'lost' WHERE number = 1",
            "the file is damaged: CHECK constraint failed",
        ),
    ] {
        let (place, store) = Place::filled();
        import(&store, vec![customer(2, 0, "USD")]);
        let _with_key = Ask::new(1, "10").key("K").of(&store).await;
        let _without = Ask::new(1, "5").of(&store).await;
        let adjusted = store.adjust_balance(adjust(2, "0.01")).await.unwrap();
        assert_eq!(adjusted.as_str(), "adjusted");
        assert_sound(&store);
        let raw = place.raw();
        raw.execute_batch(
            "PRAGMA foreign_keys = OFF;
             PRAGMA ignore_check_constraints = ON;
             DROP TRIGGER refunds_are_not_edited;
             DROP TRIGGER refunds_are_not_deleted;
             DROP TRIGGER adjustments_are_not_edited;
             DROP TRIGGER adjustments_are_not_deleted;
             DROP TRIGGER audit_is_not_edited;
             DROP TRIGGER audit_is_not_deleted;",
        )
        .unwrap();
        assert_sound(&store);
        raw.execute_batch(sql).unwrap();
        let findings = store.check().unwrap().findings;
        assert!(
            findings.iter().any(|line| line.contains(finding)),
            "{sql}: {findings:#?}"
        );
    }
}

// While another connection writes, a check sees one moment and not the half of a refund.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_beside_refunds_finds_nothing() {
    let (_place, store) = Place::filled();
    let busy = {
        let store = store.clone();
        tokio::spawn(async move {
            for _ in 0..300 {
                let _refund = Ask::new(1, "0.01").of(&store).await;
            }
        })
    };
    while !busy.is_finished() {
        assert_sound(&store);
    }
    busy.await.unwrap();
    assert_eq!(store.check().unwrap().refunds, 300);
}
