//! `check` names what is wrong, whatever way it was brought about.

use refund_domain::IdempotencyKey;
use refund_domain::ports::CustomerWriter;
use refund_store::contract::given::{Ask, adjust, customer};

use crate::support::{Place, assert_sound, import, tamper};

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
            "DELETE FROM idempotency_keys WHERE key = 'J'",
            "adjustment 1: its idempotency key J of principal local is not recorded for it",
        ),
        (
            "UPDATE adjustments SET idempotency_key = NULL",
            "idempotency key J of principal local: there is no adjustment that was made with it",
        ),
        (
            "UPDATE adjustments SET idempotency_key = 'I';
             UPDATE idempotency_keys SET key = 'I' WHERE key = 'J'",
            "adjustment 1 of customer CUST-00002",
        ),
        (
            "DELETE FROM idempotency_keys",
            "its idempotency key K of principal local is not recorded for it",
        ),
        (
            "UPDATE idempotency_keys SET key = 'L' WHERE key = 'K'",
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
        // What SQLite takes for a value like any other.
        (
            "UPDATE customers SET created_at_ms = 1000000000000000 WHERE number = 2",
            "row CUST-00002 of table customers cannot be true: the instant is outside the years",
        ),
        (
            "UPDATE customers SET currency = 'XXQ' WHERE number = 2",
            "row CUST-00002 of table customers cannot be true",
        ),
        (
            "UPDATE customers SET name = 'a' || char(10) || 'b' WHERE number = 2",
            "row CUST-00002 of table customers cannot be true",
        ),
        (
            "UPDATE customers SET email_key = 'somebody@else' WHERE number = 2",
            "its address is indexed as another one",
        ),
        (
            "UPDATE refunds SET processed_at_ms = 1000000000000000 WHERE seq = 2",
            "row 2 of table refunds cannot be true",
        ),
        (
            "UPDATE refunds SET reason = '          too short inside          ', principal = 'a b'",
            "row 1 of table refunds cannot be true",
        ),
        (
            "UPDATE adjustments SET at_ms = 1000000000000000",
            "row 1 of table adjustments cannot be true",
        ),
        (
            "UPDATE idempotency_keys SET created_at_ms = 1000000000000000",
            "row K of table idempotency_keys cannot be true",
        ),
        (
            "UPDATE audit SET role = 'owner' WHERE seq = 1",
            "row 1 of table audit cannot be true: its role is not one",
        ),
        (
            "UPDATE audit SET arguments = '{}x' WHERE seq = 1",
            "row 1 of table audit cannot be true: its arguments are no JSON",
        ),
        // The two columns of one row agree with each other, and not with the audit trail.
        (
            "UPDATE refunds SET amount_minor = 501 WHERE seq = 2;
             UPDATE customers SET balance_minor = balance_minor - 1 WHERE number = 1",
            "audit row 2 tells of another amount",
        ),
        (
            "UPDATE refunds SET principal = 'mallory' WHERE seq = 2",
            "audit row 2 tells of another principal",
        ),
        (
            "UPDATE refunds SET reason = 'another reason altogether' WHERE seq = 2",
            "audit row 2 tells of another reason",
        ),
        (
            "UPDATE audit SET arguments = json_set(arguments, '$.customer_id', 'CUST-00002') WHERE seq = 2",
            "audit row 2 tells of another customer",
        ),
        (
            "UPDATE refunds SET idempotency_key = 'L' WHERE seq = 1;
             UPDATE idempotency_keys SET key = 'L' WHERE key = 'K'",
            "audit row 1 tells of another key",
        ),
        (
            "UPDATE audit SET tool = 'import' WHERE seq = 1",
            "audit row 1 tells of another tool",
        ),
        (
            "INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id)
             SELECT at_ms, principal, role, tool, arguments, outcome, trace, refund_id
             FROM audit WHERE seq = 1",
            "audit row 4 says again that it was processed",
        ),
        (
            "DELETE FROM audit WHERE seq = 2",
            "0 audit rows say that it was processed",
        ),
        (
            "UPDATE refunds SET remaining_minor = 8999 WHERE seq = 1",
            "it left 8500, but the refund before it left 8999 and it is of 500",
        ),
        (
            "UPDATE refunds SET remaining_minor = 8501 WHERE seq = 2",
            "it left 8501, but the refund before it left 9000 and it is of 500",
        ),
        // The two columns of the customer agree with each other, and not with the last receipt.
        (
            "UPDATE customers SET balance_minor = 9500, opening_minor = 11000 WHERE number = 1",
            "it left 8500, but no refund came after it and the balance is 9500",
        ),
        (
            "UPDATE adjustments SET reason = reason || '!'",
            "adjustment 1 of customer CUST-00002",
        ),
        (
            "UPDATE audit SET principal = 'mallory' WHERE seq = 3",
            "adjustment 1 of customer CUST-00002",
        ),
    ] {
        let (place, store) = Place::filled();
        import(&store, vec![customer(2, 0, "USD")]);
        let _with_key = Ask::new(1, "10").key("K").of(&store).await;
        let _without = Ask::new(1, "5").of(&store).await;
        let mut correction = adjust(2, "0.01");
        correction.idempotency_key = Some(IdempotencyKey::new("J").unwrap());
        let adjusted = store.adjust_balance(correction).await.unwrap();
        assert_eq!(adjusted.as_str(), "adjusted");
        assert_sound(&store);
        tamper(&place.raw(), "");
        assert_sound(&store);
        tamper(&place.raw(), sql);
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

#[test]
fn the_schema_must_be_this_programs() {
    for (sql, finding) in [
        (
            "DROP TRIGGER refunds_are_not_edited",
            "the trigger refunds_are_not_edited is missing",
        ),
        (
            "DROP INDEX refunds_by_key",
            "the index refunds_by_key is missing",
        ),
        (
            "DROP INDEX refunds_by_key;
             CREATE INDEX refunds_by_key ON refunds (principal)",
            "the index refunds_by_key is not as this program makes it",
        ),
        (
            "CREATE TRIGGER helpful AFTER INSERT ON refunds BEGIN SELECT 1; END",
            "the trigger helpful is none of this program's",
        ),
    ] {
        let (place, store) = Place::filled();
        // Of an operator, and harmless.
        place
            .raw()
            .execute_batch("CREATE INDEX mine ON refunds (processed_at_ms); ANALYZE;")
            .unwrap();
        assert_sound(&store);
        place.raw().execute_batch(sql).unwrap();
        assert_eq!(store.check().unwrap().findings, [finding]);
    }
}

// Many findings of one kind are cut off, and nothing is kept of the rest.
#[tokio::test]
async fn a_kind_of_finding_is_listed_a_hundred_times() {
    let (place, store) = Place::filled();
    for _ in 0..120 {
        let _refund = Ask::new(1, "0.01").of(&store).await;
    }
    tamper(&place.raw(), "UPDATE refunds SET principal = 'a b'");
    let findings = store.check().unwrap().findings;
    let rows = |line: &&String| line.contains("of table refunds cannot be true");
    assert_eq!(findings.iter().filter(rows).count(), 100);
    let more = findings
        .iter()
        .filter(|line| *line == "and more of this kind");
    assert_eq!(more.count(), 2, "rows, and audit rows of another principal");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_may_only_be_read_is_checked_all_the_same() {
    use std::fs::{Permissions, metadata, read_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use refund_store::{OpenError, SqliteStore};

    let (place, store) = Place::filled();
    let _refund = Ask::new(1, "1").of(&store).await;
    let directory = place.path.parent().unwrap();
    let with_log = SqliteStore::check_read_only(&place.path).unwrap();
    assert!(with_log.is_sound() && with_log.read_only, "{with_log:?}");
    assert_eq!((with_log.customers, with_log.refunds), (1, 1));
    drop(store);
    let usual = metadata(directory).unwrap().permissions();
    for (file, of_directory) in [(0o444, 0o755), (0o444, 0o555), (0o644, 0o555)] {
        set_permissions(&place.path, Permissions::from_mode(file)).unwrap();
        set_permissions(directory, Permissions::from_mode(of_directory)).unwrap();
        let opened = SqliteStore::open(&place.path);
        assert!(matches!(opened, Err(OpenError::ReadOnly { .. })));
        let report = SqliteStore::check_read_only(&place.path).unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.customers, report.refunds), (1, 1));
        set_permissions(directory, usual.clone()).unwrap();
        assert_eq!(read_dir(directory).unwrap().count(), 1, "nothing beside it");
    }
    set_permissions(&place.path, Permissions::from_mode(0o644)).unwrap();
    tamper(
        &place.raw(),
        "UPDATE customers SET status = 'lost', created_at_ms = 1000000000000000",
    );
    let report = SqliteStore::check_read_only(&place.path).unwrap();
    assert!(
        report.findings[0].contains("row CUST-00001 of table customers cannot be true"),
        "{report:?}"
    );
    let raw = place.raw();
    raw.execute_batch("DELETE FROM refinery_schema_history WHERE version > 1")
        .unwrap();
    drop(raw);
    let old = SqliteStore::check_read_only(&place.path).unwrap_err();
    assert!(matches!(old, OpenError::Other { .. }), "{old:?}");
    assert!(
        std::error::Error::source(&old)
            .unwrap()
            .to_string()
            .contains("refund-mcp migrate")
    );
}
