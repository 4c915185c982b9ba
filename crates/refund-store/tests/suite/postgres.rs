//! The contract suite on PostgreSQL, once as the server begins its transactions by default and once with
//! serializable ones. Each test has a database of its own.

use std::collections::HashSet;
use std::io::Cursor;

use refund_domain::ports::{CustomerReader as _, Outbox as _, RefundWriter as _};
use refund_domain::{Caller, ClaimedMessage, Customer, OrderLine, Role, Timestamp};
use refund_store::contract::given::{Ask, customer, id, principal};
use refund_store::contract::given_orders::{AskReturn, OPEN, order, processed};
use refund_store::contract::{ContractStore, WarrantyContractStore};
use refund_store::transfer::{Format, Input};
use refund_store::{PostgresReader, PostgresStore};
use tokio::task::JoinSet;

use crate::database::Database;

struct Postgres {
    store: PostgresStore,
    database: Database,
}

impl Postgres {
    fn new(isolation: &str) -> Self {
        let database = Database::new(isolation);
        PostgresStore::migrate(&database.url()).unwrap();
        let store = PostgresStore::new(&database.url()).unwrap();
        Self { store, database }
    }

    fn with(self, customers: Vec<Customer>, orders: &[OrderLine]) -> Self {
        let count = customers.len();
        assert_eq!(self.store.import_customers(customers).unwrap(), count);
        self.store.import_orders(orders).unwrap();
        self
    }

    fn import(&self, json: &str) {
        let input = Input::new("data.json", Format::Json, Cursor::new(json.to_owned()));
        let caller = Caller::new(principal("importer"), Role::Agent);
        let at = Timestamp::parse("2026-01-02T03:04:05Z").unwrap();
        self.store.import(vec![input], false, &caller, at).unwrap();
    }

    fn again(self) -> Self {
        let Self { store, database } = self;
        drop(store);
        let store = PostgresStore::new(&database.url()).unwrap();
        Self { store, database }
    }
}

macro_rules! isolation {
    ($module:ident, $isolation:literal) => {
        mod $module {
            use super::*;

            struct Store(Postgres);

            impl ContractStore for Store {
                type Store = PostgresStore;

                async fn with_orders(customers: Vec<Customer>, orders: Vec<OrderLine>) -> Self {
                    Self(Postgres::new($isolation).with(customers, &orders))
                }

                fn store(&self) -> PostgresStore {
                    self.0.store.clone()
                }

                fn sending_mail(&self) -> PostgresStore {
                    self.0.store.clone().sending_mail()
                }

                async fn reopen(self) -> Option<Self> {
                    Some(Self(self.0.again()))
                }
            }

            impl WarrantyContractStore for Store {
                type Reader = PostgresReader;

                async fn with_data(json: &str) -> Self {
                    let made = Postgres::new($isolation);
                    made.import(json);
                    Self(made)
                }

                fn reader(&self) -> PostgresReader {
                    self.0.store.reader()
                }
            }

            refund_store::contract_tests!(Store);
            refund_store::warranty_contract_tests!(Store);
        }
    };
}

isolation!(read_committed, "read committed");
isolation!(serializable, "serializable");

// The planner knows what was imported, without waiting for the server's own round.
#[tokio::test]
async fn an_import_is_analysed() {
    let lines = [order("A-1", 1, OPEN)];
    let given = Postgres::new("read committed").with(vec![customer(1, 10_000, "USD")], &lines);
    let database = &given.database;
    let analysed = || {
        let rows = database.query(
            "SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL ORDER BY 1",
        );
        rows.concat()
    };
    let all = "customer_keys customers orders product_keys product_texts products";
    assert_eq!(analysed(), all.split(' ').collect::<Vec<_>>());
    let known = "SELECT reltuples FROM pg_class WHERE relname = 'customers'";
    assert_eq!(database.query(known), [["1"]]);
    // In a database that holds something, what came.
    let more = (2..1_000).map(|number| customer(number, 1, "USD"));
    let _count = given.store.import_customers(more.collect()).unwrap();
    assert_eq!(database.query(known), [["999"]]);
}

// Each message goes to one courier of one server; what a server had claimed when it died goes to another
// one when the claim has run out.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_servers_hand_out_each_message_once() {
    const MESSAGES: usize = 40;
    let at = Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap();
    let later = at.later(ClaimedMessage::CLAIM);
    for isolation in ["read committed", "serializable"] {
        let lines: Vec<_> = (0..MESSAGES)
            .map(|number| order(&format!("A-{number}"), 1, OPEN))
            .collect();
        let given = Postgres::new(isolation).with(vec![customer(1, 0, "JPY")], &lines);
        let servers = [(); 2].map(|()| {
            let store = PostgresStore::new(&given.database.url()).unwrap();
            store.sending_mail()
        });
        for number in 0..MESSAGES {
            let ask = AskReturn::new(&format!("A-{number}"));
            let _return = processed(ask.of(&servers[number % 2]).await);
        }
        // Two couriers each, and every third message is never heard of again.
        let mut couriers = JoinSet::new();
        for store in servers.iter().chain(&servers) {
            let store = store.clone();
            couriers.spawn(async move {
                let mut claimed = Vec::new();
                while let Some(message) = store.claim_message(at).await.unwrap() {
                    claimed.push(message.return_id);
                    if claimed.len() % 3 != 0 {
                        store.message_delivered(message, at).await.unwrap();
                    }
                }
                claimed
            });
        }
        let (mut all, mut lost) = (HashSet::new(), HashSet::new());
        while let Some(claimed) = couriers.join_next().await {
            let claimed = claimed.unwrap();
            lost.extend(claimed.iter().skip(2).step_by(3).copied());
            for id in claimed {
                assert!(all.insert(id), "handed out twice");
            }
        }
        assert_eq!(all.len(), MESSAGES);
        let [dead, alive] = servers;
        drop(dead);
        assert_eq!(alive.claim_message(later.later(-1)).await.unwrap(), None);
        let mut again = HashSet::new();
        while let Some(message) = alive.claim_message(later).await.unwrap() {
            assert_eq!(message.attempt, 2);
            assert!(again.insert(message.return_id), "handed out twice");
            alive.message_delivered(message, later).await.unwrap();
        }
        assert_eq!(again, lost);
    }
}

// A standby does not take writes. Reading is done there or not, as the URL says.
#[tokio::test]
async fn a_standby_is_read_unless_the_url_wants_a_primary() {
    let given = Postgres::new("read committed").with(vec![customer(1, 10_000, "USD")], &[]);
    let database = &given.database;
    let read = async |rest: &str| {
        let url = format!("{}{rest}", database.text()).parse().unwrap();
        let store = PostgresStore::new(&url).unwrap();
        let customer = store.customer(id(1)).await.is_ok();
        let refund = store.issue_refund(Ask::new(1, "1").command()).await.is_ok();
        (customer, refund)
    };
    let wanted = "?target_session_attrs=read-write";
    assert_eq!(read("").await, (true, true));
    assert_eq!(read(wanted).await, (true, true));
    let name = database
        .query("SELECT current_database()")
        .concat()
        .concat();
    let _none = database.query(&format!(
        "ALTER DATABASE {name} SET default_transaction_read_only = on"
    ));
    assert_eq!(read("").await, (true, false));
    assert_eq!(read(wanted).await, (false, false));
}

// What is found in a copy is found here; what only this database can have wrong is found as well.
#[tokio::test]
async fn tampering_is_found() {
    let given = Postgres::new("read committed").with(vec![customer(1, 10_000, "USD")], &[]);
    let Postgres { store, database } = &given;
    for key in ["K", "L"] {
        let command = Ask::new(1, "1").key(key).command();
        assert_eq!(
            store.issue_refund(command).await.unwrap().outcome.as_str(),
            "processed"
        );
    }
    let findings = || store.check().unwrap().findings;
    assert_eq!(findings(), [""; 0]);
    let undo = |made: &str, undone: &str, finding: &str| {
        database.tamper(made);
        let found = findings();
        assert!(
            found.iter().any(|found| found.contains(finding)),
            "{made}: {found:#?}"
        );
        database.tamper(undone);
        assert_eq!(findings(), [""; 0], "{undone}");
    };
    undo(
        "UPDATE customers SET balance_minor = balance_minor + 1",
        "UPDATE customers SET balance_minor = balance_minor - 1",
        "customer CUST-00001: the balance is 9801, but the opening balance 10000 less refunds of 200 is 9800",
    );
    undo(
        "UPDATE refunds SET customer_id = 'CUST-00002' WHERE idempotency_key = 'K'",
        "UPDATE refunds SET customer_id = 'CUST-00001'",
        "there is no customer CUST-00002",
    );
    undo(
        "UPDATE audit SET arguments = replace(arguments, 'CUST-00001', 'CUST-00009')",
        "UPDATE audit SET arguments = replace(arguments, 'CUST-00009', 'CUST-00001')",
        "audit row",
    );
    undo(
        "ALTER SEQUENCE refunds_seq_seq RESTART WITH 2",
        "ALTER SEQUENCE refunds_seq_seq RESTART WITH 99",
        "table refunds: the next row would get number 2",
    );
    // Two servers numbered their rows at the same moment.
    database.tamper(
        "UPDATE audit SET seq = 1000
             WHERE seq = (SELECT min(seq) FROM audit WHERE refund_id IS NOT NULL);
         ALTER SEQUENCE audit_seq_seq RESTART WITH 1001",
    );
    assert_eq!(findings(), [""; 0]);
    // Rows that nothing could read.
    database.tamper("ALTER TABLE refunds DROP COLUMN reason CASCADE");
    assert!(!findings().is_empty());
}
