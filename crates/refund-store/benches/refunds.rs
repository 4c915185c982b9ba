//! Durable refunds, measured without a server. `cargo xtask bench` runs this program and reads the
//! one line of JSON that each run prints:
//!
//! ```text
//! refunds prepare FILE CUSTOMERS REFUNDS         make a database with a past
//! refunds desk FILE IN_FLIGHT hot|spread SECONDS the embedded desk
//! refunds raw FILE BATCH hot|spread SECONDS      the same statements in a loop over the driver,
//!                                                one commit for as many refunds
//! refunds growth FILE REFUNDS                    times of a refund and of a look-up
//! ```
//!
//! Without such words it does nothing, because test runners start every program they find.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement that fails stops, times are no money, and stdout is for the reader"
)]

mod load;

use std::path::Path;
use std::time::{Duration, Instant};

use load::{Desk, Pick, REASON, caller, customer_id, many, request};
use refund_domain::{
    Clock as _, Customer, CustomerId, CustomerStatus, EmailAddress, IdSource as _, IdempotencyKey,
    Money, PersonName, RefundDesk, Timestamp,
};
use refund_store::SqliteStore;
use refund_store::system::{RandomIds, SystemClock};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use serde_json::json;

/// Refunds of one run of `growth`.
const GROWTH_REFUNDS: u32 = 400;
/// Look-ups of one run of `growth`.
const GROWTH_LOOK_UPS: u32 = 5_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = match *words.as_slice() {
        ["prepare", file, customers, refunds] => {
            prepare(
                Path::new(file),
                customers.parse().unwrap(),
                refunds.parse().unwrap(),
            );
            return;
        }
        ["desk", file, in_flight, spread, seconds] => {
            let pick = Pick::new(spread == "spread");
            let desk = open(Path::new(file));
            runtime().block_on(many(
                &desk,
                in_flight.parse().unwrap(),
                pick,
                duration(seconds),
            ))
        }
        ["raw", file, batch, spread, seconds] => raw(
            Path::new(file),
            batch.parse().unwrap(),
            Pick::new(spread == "spread"),
            duration(seconds),
        ),
        ["growth", file, refunds] => {
            let desk = open(Path::new(file));
            runtime().block_on(growth(&desk, refunds.parse().unwrap()))
        }
        _ => return,
    };
    println!("{told}");
}

fn duration(seconds: &str) -> Duration {
    Duration::from_secs_f64(seconds.parse().unwrap())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

fn open(file: &Path) -> Desk<SqliteStore> {
    RefundDesk::new(SqliteStore::open(file).unwrap(), SystemClock, RandomIds)
}

/// The statements of `batch` refunds and a commit, again and again.
fn raw(file: &Path, batch: u64, mut pick: Pick, time: Duration) -> serde_json::Value {
    let mut conn = Connection::open(file).unwrap();
    conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
        .unwrap();
    conn.set_prepared_statement_cache_capacity(64);
    let began = Instant::now();
    let mut made = 0_u64;
    while began.elapsed() < time {
        let transaction = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .unwrap();
        for _ in 0..batch {
            raw_refund(&transaction, pick.next());
        }
        transaction.commit().unwrap();
        made += batch;
    }
    json!({ "refunds_per_second": made as f64 / began.elapsed().as_secs_f64() })
}

fn raw_refund(transaction: &Connection, customer: CustomerId) {
    let refund = RandomIds.refund_id().to_string();
    let key = RandomIds.refund_id().to_string();
    let at = SystemClock.now().unix_millis();
    let number = customer.number();
    let customer = customer.to_string();
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        let mut statement = transaction.prepare_cached(sql).unwrap();
        assert_eq!(statement.execute(values).unwrap(), 1, "{sql}");
    };
    let used: Option<String> = transaction
        .prepare_cached("SELECT refund_id FROM idempotency_keys WHERE principal = ?1 AND key = ?2")
        .unwrap()
        .query_row(params!["local", key], |row| row.get(0))
        .optional()
        .unwrap();
    assert!(used.is_none());
    let (balance, currency): (i64, String) = transaction
        .prepare_cached(
            "SELECT balance_minor, currency, customer_id, name, email, status, created_at_ms
             FROM customers WHERE number = ?1",
        )
        .unwrap()
        .query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    run(
        "UPDATE customers SET balance_minor = balance_minor - 1, refund_count = refund_count + 1
         WHERE number = ?1 AND balance_minor = ?2",
        params![number, balance],
    );
    run(
        "INSERT INTO refunds (refund_id, customer_id, amount_minor, currency, reason, status,
             processed_at_ms, remaining_minor, principal, idempotency_key)
         VALUES (?1, ?2, 1, ?3, ?4, 'processed', ?5, ?6, 'local', ?7)",
        params![refund, customer, currency, REASON, at, balance - 1, key],
    );
    run(
        "INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
         VALUES ('local', ?1, 'trigger_refund', ?2, ?3)",
        params![key, refund, at],
    );
    run(
        "INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id)
         VALUES (?1, 'local', 'agent', 'trigger_refund', ?2, 'processed', ?3, ?4)",
        params![
            at,
            format!(
                r#"{{"customer_id":"{customer}","amount":0.01,"reason_characters":18,"idempotency_key":"{key}"}}"#
            ),
            r#"["customer.active","currency.exact","balance.sufficient"]"#,
            refund
        ],
    );
}

/// Times of refunds of customers at random, and of look-ups by keys at random.
async fn growth(desk: &Desk<SqliteStore>, stored: u64) -> serde_json::Value {
    let mut pick = Pick::new(true);
    let mut refunds = Vec::new();
    for _ in 0..GROWTH_REFUNDS {
        let request = request(pick.next());
        let began = Instant::now();
        desk.trigger_refund(caller(), request).await.unwrap();
        refunds.push(began.elapsed());
    }
    let principal = caller().principal;
    let mut look_ups = Vec::new();
    for _ in 0..GROWTH_LOOK_UPS {
        let key = past(pick.random() % stored, stored);
        let key = IdempotencyKey::new(&key).unwrap();
        let began = Instant::now();
        desk.refund_by_key(&principal, &key).await.unwrap();
        look_ups.push(began.elapsed());
    }
    json!({
        "refund_p50_micros": median_micros(refunds),
        "look_up_p50_micros": median_micros(look_ups),
    })
}

fn median_micros(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// The id and key of a refund of the past: in order, so that a file of millions is made quickly, and
/// all over the range, so that new ones fall between them as they would in a file that grew.
fn past(number: u64, of: u64) -> String {
    let place = u128::from(number) * (u128::from(u32::MAX) + 1) / u128::from(of);
    format!("{place:08x}-0000-4000-8000-{number:012x}")
}

/// A database whose refunds are written by SQL, many in a transaction and none of them synced.
fn prepare(file: &Path, customers: u64, refunds: u64) {
    let store = SqliteStore::open(file).unwrap();
    let records = (0..customers).map(customer).collect();
    store.import_customers(records).unwrap();
    drop(store);
    if refunds == 0 {
        return;
    }

    let mut conn = Connection::open(file).unwrap();
    conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;")
        .unwrap();
    const TOGETHER: u64 = 200_000;
    for first in (0..refunds).step_by(usize::try_from(TOGETHER).unwrap()) {
        let transaction = conn.transaction().unwrap();
        for number in first..refunds.min(first + TOGETHER) {
            past_refund(&transaction, number, refunds, customers);
        }
        transaction.commit().unwrap();
    }
    conn.execute_batch(
        "UPDATE customers SET
             refund_count = (SELECT count(*) FROM refunds WHERE refunds.customer_id = customers.customer_id),
             balance_minor = opening_minor
                 - (SELECT count(*) FROM refunds WHERE refunds.customer_id = customers.customer_id);
         PRAGMA wal_checkpoint(TRUNCATE);",
    )
    .unwrap();
    // What is measured afterwards must not pay for writing this back.
    std::fs::File::open(file).unwrap().sync_all().unwrap();
}

fn past_refund(conn: &Connection, number: u64, of: u64, customers: u64) {
    let id = past(number, of);
    let customer = customer_id(number.wrapping_mul(7_919) % customers).to_string();
    let at = 1_767_225_600_000_i64 + i64::try_from(number).unwrap();
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        conn.prepare_cached(sql).unwrap().execute(values).unwrap();
    };
    run(
        "INSERT INTO refunds (refund_id, customer_id, amount_minor, currency, reason, status,
             processed_at_ms, remaining_minor, principal, idempotency_key)
         VALUES (?1, ?2, 1, 'USD', ?3, 'processed', ?4, 1000, 'local', ?1)",
        params![id, customer, REASON, at],
    );
    run(
        "INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
         VALUES ('local', ?1, 'trigger_refund', ?1, ?2)",
        params![id, at],
    );
    run(
        "INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id)
         VALUES (?1, 'local', 'agent', 'trigger_refund', ?2, 'processed', '[]', ?3)",
        params![
            at,
            format!(r#"{{"customer_id":"{customer}","amount":0.01}}"#),
            id
        ],
    );
}

fn customer(number: u64) -> Customer {
    Customer {
        id: customer_id(number),
        name: PersonName::new(&format!("Customer {number}")).unwrap(),
        email: EmailAddress::new(&format!("customer{number}@example.com")).unwrap(),
        status: CustomerStatus::Active,
        refundable_balance: Money::from_minor(900_000_000_000_000, "USD".parse().unwrap()).unwrap(),
        created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
        external_id: None,
        phone_number: None,
        company: None,
        language: None,
    }
}
