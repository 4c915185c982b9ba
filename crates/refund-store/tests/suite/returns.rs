//! Returns, messages and turns in the file: what is audited, what cannot be edited, what `check`
//! finds, and what two handles and dying processes leave.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use refund_domain::StoreError;
use refund_domain::ports::{EscalationWriter, OrderReader, Outbox, ReturnWriter};
use refund_domain::{OrderLine, Timestamp};
use refund_store::contract::given_orders::{AskReturn, AskTurn, EXPIRED, OPEN, id, order};
use refund_store::{SqliteStore, fault};
use rusqlite::Connection;

use crate::support::{Place, assert_sound, tamper};

fn lines() -> Vec<OrderLine> {
    vec![
        order("A-1", 1, OPEN),
        order("A-2", 1, EXPIRED),
        order("A-3", 1, OPEN),
    ]
}

/// With CUST-00001, orders A-1 and A-3, which can be returned, and A-2, which cannot.
fn filled() -> (Place, SqliteStore) {
    let (place, store) = Place::filled();
    store.import_orders(&lines()).unwrap();
    (place, store)
}

/// Asks for a return of A-1 and a turn, with keys; gives the outcomes' words.
async fn ask(store: &SqliteStore) -> Result<[&'static str; 2], StoreError> {
    let returned = AskReturn::new("A-1").key("R").command();
    let returned = store.process_return(returned).await?.outcome.as_str();
    let counted = AskTurn::new("S").key("T").command();
    let counted = store.count_turn(counted).await?.outcome.as_str();
    Ok([returned, counted])
}

fn rows(raw: &Connection, sql: &str) -> Vec<String> {
    let mut statement = raw.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn count(raw: &Connection, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    raw.query_row(&sql, [], |row| row.get(0)).unwrap()
}

// Case R-173: ids and lengths, no text that a person wrote.
#[tokio::test]
async fn every_outcome_has_its_row() {
    let (place, store) = filled();
    for ask in [
        AskReturn::new("A-1").key("K").reason("Alice's parcel 🎉"),
        AskReturn::new("A-1").key("K").reason("Alice's parcel 🎉"),
        AskReturn::new("A-1"),
        AskReturn::new("A-2"),
        AskReturn::new("alice.johnson@example.com"),
    ] {
        let _outcome = ask.of(&store).await;
    }
    for session in ["chat/2026-08", "Alice's chat"] {
        let _outcome = AskTurn::new(session).message("I am Alice").of(&store).await;
    }
    let rows = rows(
        &place.raw(),
        "SELECT concat_ws(' ', tool, outcome, iif(return_id IS NULL, '-', 'return'), trace, arguments)
         FROM audit ORDER BY seq",
    );
    let open = r#"["order.not_returned","window.open"]"#;
    let keyed = r#"{"order_id":"A-1","reason_characters":16,"idempotency_key":"K"}"#;
    assert_eq!(
        rows,
        [
            format!("process_return processed return {open} {keyed}"),
            format!(r#"process_return replayed return ["key.replay"] {keyed}"#),
            r#"process_return RETURN_NOT_ELIGIBLE - ["order.returned"] {"order_id":"A-1","reason_characters":8}"#.to_owned(),
            r#"process_return RETURN_NOT_ELIGIBLE - ["order.not_returned","window.expired"] {"order_id":"A-2","reason_characters":8}"#.to_owned(),
            r#"process_return ORDER_NOT_FOUND - ["order.unknown"] {"order_id":{"characters":25},"reason_characters":8}"#.to_owned(),
            r#"escalate_to_human processed - ["session.open"] {"session_id":"chat/2026-08","message_characters":10}"#.to_owned(),
            r#"escalate_to_human processed - ["session.open"] {"session_id":{"characters":12},"message_characters":10}"#.to_owned(),
        ]
    );
    assert_sound(&store);
}

// Whatever is refused leaves nothing but its audit row.
#[tokio::test]
async fn a_message_is_saved_with_its_return_or_not_at_all() {
    let (place, store) = filled();
    let raw = place.raw();
    for order_id in ["A-2", "unknown"] {
        let _refused = AskReturn::new(order_id).key("K").of(&store).await;
    }
    for table in ["returns", "outbox", "idempotency_keys"] {
        assert_eq!(count(&raw, table), 0, "{table}");
    }
    let _simulated = AskReturn::new("A-1").of(&store).await;
    let sending = store.clone().sending_mail();
    let _waiting = AskReturn::new("A-3").of(&sending).await;
    let states = rows(&raw, "SELECT status FROM outbox ORDER BY seq");
    assert_eq!(states, ["simulated", "waiting"]);
    assert_eq!(count(&raw, "returns"), 2);
}

#[tokio::test]
async fn what_was_done_cannot_be_edited() {
    let (place, store) = filled();
    let _words = ask(&store.clone().sending_mail()).await.unwrap();
    let raw = place.raw();
    for sql in [
        "UPDATE returns SET reason = 'another'",
        "UPDATE returns SET rowid = 9",
        "DELETE FROM returns",
        "INSERT OR REPLACE INTO returns SELECT * FROM returns",
        "INSERT OR REPLACE INTO returns SELECT 9, 'x' || substr(return_id, 2), order_id, reason,
             processed_at_ms, principal, NULL, NULL FROM returns",
        "UPDATE orders SET returned = 0 WHERE order_id = 'A-1'",
        "UPDATE orders SET order_date = '2026-8-1'",
        "UPDATE orders SET quantity = 1000000, unit_price_minor = 999999999999999",
        "DELETE FROM orders",
        "DELETE FROM products",
        "DELETE FROM customers",
        "UPDATE outbox SET recipient = 'somebody@else'",
        "UPDATE outbox SET subject = ''",
        "UPDATE outbox SET body = ''",
        "UPDATE outbox SET attempts = -1",
        "UPDATE outbox SET status = 'simulated', next_attempt_at_ms = NULL",
        "UPDATE outbox SET status = 'delivered', next_attempt_at_ms = NULL",
        "DELETE FROM outbox",
        "INSERT OR REPLACE INTO outbox SELECT * FROM outbox",
        "UPDATE escalation_sessions SET turn_count = 0",
        "UPDATE escalation_sessions SET turn_count = 11",
        "UPDATE escalation_sessions SET session_id = 'other'",
        "DELETE FROM escalation_sessions",
        "UPDATE escalation_turns SET turn_count = 2",
        "DELETE FROM escalation_turns",
        "UPDATE audit SET return_id = NULL",
    ] {
        let error = raw.execute_batch(&format!("PRAGMA foreign_keys = ON; {sql}"));
        let code = error.unwrap_err().sqlite_error_code();
        assert_eq!(
            code,
            Some(rusqlite::ErrorCode::ConstraintViolation),
            "{sql}"
        );
    }
    // A delivered message is done with.
    let now = Timestamp::parse("2026-08-12T00:00:00Z").unwrap();
    let claimed = store.claim_message(now).await.unwrap().unwrap();
    store.message_delivered(claimed, now).await.unwrap();
    let again =
        "UPDATE outbox SET status = 'waiting', next_attempt_at_ms = 0, delivered_at_ms = NULL";
    assert!(raw.execute_batch(again).is_err());
    assert_sound(&store);
}

#[tokio::test]
async fn every_kind_of_tampering_is_found() {
    for (sql, finding) in [
        (
            "UPDATE orders SET customer_id = 'CUST-77777' WHERE order_id = 'A-2'",
            "order A-2: there is no customer CUST-77777",
        ),
        (
            "DELETE FROM products",
            "order A-1: there is no product COLA-500-12",
        ),
        (
            "DELETE FROM orders WHERE order_id = 'A-1'",
            "there is no order A-1",
        ),
        (
            "UPDATE orders SET returned = 0",
            "order A-1 does not say that it was returned",
        ),
        ("DELETE FROM outbox", "there is no message about it"),
        ("DELETE FROM returns", "message 1: there is no return"),
        (
            "DELETE FROM returns",
            "there is nothing that process_return did with it",
        ),
        (
            "DELETE FROM idempotency_keys WHERE key = 'R'",
            "its idempotency key R of principal local is not recorded for it",
        ),
        (
            "UPDATE idempotency_keys SET tool = 'trigger_refund' WHERE key = 'R'",
            "its idempotency key R of principal local is not recorded for it",
        ),
        (
            "DELETE FROM idempotency_keys WHERE key = 'T'",
            "a turn of conversation S: its idempotency key T of principal local is not recorded",
        ),
        (
            "DELETE FROM escalation_turns",
            "idempotency key T of principal local: there is nothing that escalate_to_human did",
        ),
        (
            "DELETE FROM escalation_sessions",
            "conversation S of principal local: turn 1 was counted, but it has had 0",
        ),
        (
            "UPDATE escalation_turns SET turn_count = 7",
            "turn 7 was counted, but it has had 1",
        ),
        (
            "DELETE FROM audit",
            "0 audit rows say that it was processed",
        ),
        (
            "UPDATE returns SET import_seq = 1",
            "audit row 1 is not that of an import",
        ),
        (
            "UPDATE returns SET import_seq = 1",
            "it was imported, but audit row 1 says that it was processed here",
        ),
        (
            "UPDATE returns SET principal = NULL, idempotency_key = NULL",
            "the file is damaged: CHECK constraint failed",
        ),
        (
            "UPDATE orders SET quantity = 0",
            "the file is damaged: CHECK constraint failed",
        ),
        (
            "UPDATE orders SET order_date = '2025-00-10'",
            "of table orders cannot be true",
        ),
        (
            "UPDATE orders SET currency = 'XXQ'",
            "of table orders cannot be true",
        ),
        (
            "UPDATE products SET name = 'Cola' || char(27) || '[2J'",
            "of table products cannot be true",
        ),
        (
            "UPDATE outbox SET recipient = 'nobody at all'",
            "row 1 of table outbox cannot be true",
        ),
        (
            "UPDATE outbox SET handed_over_at_ms = 1000000000000000",
            "row 1 of table outbox cannot be true",
        ),
        (
            "UPDATE returns SET processed_at_ms = 1000000000000000",
            "row 1 of table returns cannot be true",
        ),
        (
            "UPDATE returns SET processed_at_ms = processed_at_ms + 1",
            "audit row 1 tells of another time",
        ),
        (
            "UPDATE audit SET arguments = json_set(arguments, '$.order_id', 'A-9') WHERE seq = 1",
            "audit row 1 tells of another order",
        ),
        (
            "UPDATE audit SET principal = 'mallory' WHERE seq = 1",
            "audit row 1 tells of another principal",
        ),
        (
            "UPDATE escalation_turns SET counted_at_ms = 1000000000000000",
            "of table escalation_turns cannot be true",
        ),
        (
            "UPDATE escalation_sessions SET principal = 'two words'",
            "of table escalation_sessions cannot be true",
        ),
    ] {
        let (place, store) = filled();
        assert_eq!(ask(&store).await.unwrap(), ["processed", "processed"]);
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

#[tokio::test]
async fn a_lost_key_does_not_count_or_return_twice() {
    let (place, store) = filled();
    let _words = ask(&store).await.unwrap();
    let raw = place.raw();
    raw.execute_batch("DELETE FROM idempotency_keys").unwrap();
    let again = AskReturn::new("A-3").key("R").command();
    let again = store.process_return(again).await;
    assert!(matches!(again, Err(StoreError::Damaged(_))), "{again:?}");
    let again = AskTurn::new("S").key("T").command();
    let again = store.count_turn(again).await;
    assert!(matches!(again, Err(StoreError::Damaged(_))), "{again:?}");
    assert_eq!(count(&raw, "returns"), 1);
    let turns = rows(
        &raw,
        "SELECT CAST(turn_count AS TEXT) FROM escalation_sessions",
    );
    assert_eq!(turns, ["1"]);
}

// Two stores in one file, as two processes have them: case R-182, and one return an order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_stores_on_one_file_count_exactly() {
    let (place, one) = Place::filled();
    let orders: Vec<_> = (0..50)
        .map(|number| order(&format!("A-{number}"), 1, OPEN))
        .collect();
    one.import_orders(&orders).unwrap();
    let two = SqliteStore::open(&place.path).unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..100 {
        let store = [&one, &two][number % 2].clone();
        calls.spawn(async move {
            let returned = AskReturn::new(&format!("A-{}", number / 2))
                .of(&store)
                .await;
            let counted = AskTurn::new(&format!("S-{}", number / 20)).of(&store).await;
            [returned.as_str(), counted.as_str()]
        });
    }
    let mut words: Vec<&str> = calls.join_all().await.into_iter().flatten().collect();
    words.sort_unstable();
    let expected = [
        vec!["RETURN_NOT_ELIGIBLE"; 50],
        vec!["SESSION_CLOSED"; 50],
        vec!["processed"; 100],
    ];
    assert_eq!(words, expected.concat());
    for store in [&one, &two] {
        assert_sound(store);
        assert_eq!(store.check().unwrap().returns, 50);
    }
}

const DATABASE: &str = "REFUND_STORE_TEST_RETURNS";
const POINT: &str = "REFUND_STORE_TEST_POINT";

#[tokio::test]
async fn as_one_that_dies() {
    let Some(path) = env::var_os(DATABASE).map(PathBuf::from) else {
        return;
    };
    let store = SqliteStore::open(&path).unwrap();
    fault::set_hook(|passed| {
        if env::var(POINT).is_ok_and(|point| point == passed) {
            // No destructor runs and nothing is flushed, as with a kill.
            std::process::abort();
        }
    });
    let _never = ask(&store).await;
}

// The commit is the border: before it there is nothing, after it everything.
#[tokio::test]
async fn a_process_that_dies_at_any_point_leaves_all_or_nothing() {
    let turns = [fault::TURN_DECIDED, fault::TURN_SAVED];
    for point in fault::OF_RETURN.into_iter().chain(turns) {
        let (place, store) = filled();
        drop(store);
        let status = Command::new(env::current_exe().unwrap())
            .args(["--exact", "returns::as_one_that_dies", "--nocapture"])
            .env(DATABASE, &place.path)
            .env(POINT, point)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(!status.success(), "{point}");
        let store = SqliteStore::open(&place.path).unwrap();
        assert_sound(&store);
        let after = [fault::BATCH_AFTER_COMMIT, fault::REFUND_BEFORE_ANSWER];
        let durable = after.contains(&point) || turns.contains(&point);
        let details = store.order(&id("A-1")).await.unwrap().unwrap();
        assert_eq!(details.order.returned, durable, "{point}");
        let words = ask(&store).await.unwrap();
        let expected = ["processed", "replayed"][usize::from(durable)];
        assert_eq!(words, [expected, "processed"], "{point}");
        assert_sound(&store);
    }
}
