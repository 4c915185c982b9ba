//! The connections of the reader: what they refuse, how they come back, and what is read on them.

use std::io::Cursor;
use std::sync::Mutex;

use futures::future::join_all;
use refund_domain::{Caller, Role, Timestamp};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::error::SqlState;

use super::super::database::Database;
use super::super::error::SqlError;
use super::super::flight::{Flight, at_once};
use super::*;
use crate::contract::given::{customer, id, principal};
use crate::contract::given_units::World;
use crate::transfer::{Entity, Format, Input};

/// With CUST-00001, who has a unit.
fn given() -> (Database, PostgresStore) {
    let database = Database::new("read committed");
    PostgresStore::migrate(&database.url()).unwrap();
    let store = PostgresStore::new(&database.url()).unwrap();
    let mut world = World::of_serials(&["AX2-0001-0001"]);
    world.customers = vec![customer(1, 10_000, "USD")];
    world.units[0].device.customer_id = Some(id(1));
    let input = Input::new("data", Format::Json, Cursor::new(world.json()));
    let caller = Caller::new(principal("importer"), Role::Agent);
    let at = Timestamp::parse("2026-01-02T03:04:05Z").unwrap();
    let imported = store.import(vec![input], false, &caller, at).unwrap();
    assert_eq!(imported.of(Entity::Devices).added, 1);
    (database, store)
}

/// What the server says to a statement, where it refuses it.
async fn answer(
    reader: &PostgresReader,
    run: impl for<'c> Fn(&'c Object) -> Work<'c, ()> + Send + Sync + 'static,
) -> Option<SqlState> {
    let said = Arc::new(Mutex::new(None));
    let heard = Arc::clone(&said);
    let done = reader.ask((), move |session, ()| {
        let (work, heard) = (run(session), Arc::clone(&heard));
        Box::pin(async move {
            let result = work.await;
            if let Err(SqlError::Driver(error)) = &result {
                *heard.lock().unwrap() = error.code().cloned();
            }
            result
        })
    });
    assert!(done.await.is_err());
    said.lock().unwrap().clone()
}

// Promise 1 of the toolset: even a faulty query cannot write.
#[tokio::test]
async fn the_database_itself_refuses_to_write() {
    const UPDATE: &str = "UPDATE customers SET balance_minor = balance_minor + 1";
    const STATEMENTS: [&str; 8] = [
        UPDATE,
        "INSERT INTO customer_keys VALUES ('x', 'CUST-00001')",
        "DELETE FROM customer_keys",
        "TRUNCATE devices CASCADE",
        "CREATE TABLE more (x int)",
        "SELECT nextval('refunds_seq_seq')",
        "SELECT * FROM customers FOR UPDATE",
        "SET default_transaction_read_only = off; UPDATE customers SET name = 'x'",
    ];
    let (database, store) = given();
    let reader = store.reader();
    // Whatever has become of the connection's settings.
    for before in [
        "",
        "RESET ALL",
        "DISCARD ALL",
        "RESET default_transaction_read_only",
    ] {
        for sql in STATEMENTS {
            let said = answer(&reader, move |session| {
                Box::pin(async move {
                    session.batch_execute(before).await?;
                    Ok(session.batch_execute(sql).await?)
                })
            });
            let refused = Some(SqlState::READ_ONLY_SQL_TRANSACTION);
            assert_eq!(said.await, refused, "{before}; {sql}");
        }
    }
    // On a server that takes writes, because the URL wants one.
    let url = format!("{}?target_session_attrs=read-write", database.text());
    let elsewhere = PostgresStore::new(&url.parse().unwrap()).unwrap();
    let elsewhere = elsewhere.reader();
    assert!(elsewhere.customer(id(1)).await.unwrap().is_some());
    for sql in STATEMENTS {
        let said = answer(&elsewhere, move |session| {
            Box::pin(async move { Ok(session.batch_execute(sql).await?) })
        });
        assert_eq!(
            said.await,
            Some(SqlState::READ_ONLY_SQL_TRANSACTION),
            "{sql}"
        );
    }
    // Nor does a question write on a connection that could.
    let said = answer(&reader, |session| {
        Box::pin(async move {
            session
                .batch_execute("SET default_transaction_read_only = off")
                .await?;
            let [_] = at_once(session, [Flight::new(session, UPDATE, Vec::new()).await?]).await?;
            Ok(())
        })
    });
    assert_eq!(said.await, Some(SqlState::READ_ONLY_SQL_TRANSACTION));
    assert_eq!(store.check().unwrap().findings, [""; 0]);
}
#[tokio::test]
async fn connections_that_the_server_ends_are_made_again() {
    let (database, store) = given();
    let reader = store.reader();
    // More at once than there are connections.
    let found = || join_all((0..32).map(|_| reader.customer(id(1))));
    for _ in 0..3 {
        for customer in found().await {
            assert_eq!(customer.unwrap().unwrap().id, id(1));
        }
        database.tamper(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
    }
}

/// Every question once.
async fn ask_everything(reader: &PostgresReader) {
    let form = NormalForm::of("AX2-0001-0001").unwrap();
    let text = TextProbe::of("handheld terminal").unwrap();
    let phone = PhoneProbe::of("+1-202-555-0101").unwrap();
    let email = EmailAddress::new("nobody@example.com").unwrap();
    let serial = SerialNumber::new("X").unwrap();
    let skus = [Sku::new("AX-200-HS").unwrap()];
    let external = ExternalId::new("X").unwrap();
    reader.unit(&serial).await.unwrap();
    reader.units_identified(&form, 9).await.unwrap();
    reader.units_near(&form, 9).await.unwrap();
    reader
        .products_like(ProductField::Name, &text, 9)
        .await
        .unwrap();
    for owner in [None, Some(id(1))] {
        reader.units_of(&skus, owner, 9).await.unwrap();
    }
    reader.customers_named(&text, 9).await.unwrap();
    reader.customers_with_phone(&phone, 9).await.unwrap();
    reader.customer_with_email(&email).await.unwrap();
    reader.customer_with_external_id(&external).await.unwrap();
    reader.addresses_of(id(1)).await.unwrap();
    reader.address_counts(&[id(1)]).await.unwrap();
}

/// The plans of all statements that a connection keeps, whatever their parameters are.
async fn plans(session: &Object) -> Result<Vec<String>, SqlError> {
    session
        .batch_execute("SET plan_cache_mode = force_generic_plan")
        .await?;
    let statements = "SELECT 'EXPLAIN EXECUTE ' || quote_ident(name) || '('
             || array_to_string(array_fill('NULL'::text, ARRAY[cardinality(parameter_types)]), ', ')
             || ')'
         FROM pg_prepared_statements WHERE NOT from_sql";
    let mut plans = Vec::new();
    for explain in first_columns(&session.simple_query(statements).await?) {
        plans.push(first_columns(&session.simple_query(&explain).await?).join("\n"));
    }
    Ok(plans)
}

fn first_columns(answer: &[SimpleQueryMessage]) -> Vec<String> {
    let rows = answer.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    rows.collect()
}

// In tables that nobody has analysed, as after a first import.
#[tokio::test]
async fn every_question_is_answered_from_indexes() {
    let (_database, store) = given();
    let reader = store.reader();
    ask_everything(&reader).await;
    let plans = reader.ask((), |session, ()| Box::pin(plans(session)));
    let plans = plans.await.unwrap();
    assert_eq!(plans.len(), 21);
    for plan in &plans {
        for unbounded in ["Seq Scan", "Bitmap"] {
            assert!(!plan.contains(unbounded), "{plan}");
        }
    }
    for looked_up in ["(form = $1)", "(form = v.form)", "(look_alike_key = $2)"] {
        let condition = format!("Index Cond: {looked_up}");
        assert!(
            plans.iter().any(|plan| plan.contains(&condition)),
            "{plans:#?}"
        );
    }
}
