//! The contract suite on PostgreSQL, once as the server begins its transactions by default and once with
//! serializable ones. Each test has a database of its own.

use refund_domain::{Customer, IdSource as _, OrderLine};
use refund_store::PostgresStore;
use refund_store::contract::ContractStore;
use refund_store::system::RandomIds;
use tokio_postgres::NoTls;

/// The server that tests may make databases on, as a URL without a database.
fn server() -> String {
    std::env::var("REFUND_TEST_DATABASE")
        .unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432".to_owned())
}

/// Runs statements on the server, each in a transaction of its own.
fn administer(statements: Vec<String>) {
    // On a thread of its own: tests and their ends run on a runtime, which must not be blocked on.
    let work = async move {
        let url = format!("{}/postgres", server());
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap_or_else(|error| {
            panic!("{error}: these tests need PostgreSQL 15 or newer; REFUND_TEST_DATABASE names another server than postgres://postgres@127.0.0.1:5432")
        });
        let connection = tokio::spawn(connection);
        for statement in statements {
            client.batch_execute(&statement).await.unwrap();
        }
        drop(client);
        connection.await.unwrap().unwrap();
    };
    let run = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(work);
    };
    std::thread::spawn(run).join().unwrap();
}

/// A database that goes when the test ends.
struct Database(String);

impl Database {
    fn new(isolation: &str) -> Self {
        let id = RandomIds.refund_id().to_string().replace('-', "");
        let name = format!("refund_test_{id}");
        administer(vec![
            format!("CREATE DATABASE {name}"),
            format!("ALTER DATABASE {name} SET default_transaction_isolation = '{isolation}'"),
        ]);
        Self(name)
    }

    fn url(&self) -> String {
        format!("{}/{}", server(), self.0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        administer(vec![format!("DROP DATABASE {} WITH (FORCE)", self.0)]);
    }
}

struct Postgres {
    store: PostgresStore,
    database: Database,
}

impl Postgres {
    fn new(isolation: &str, customers: Vec<Customer>, orders: &[OrderLine]) -> Self {
        let database = Database::new(isolation);
        PostgresStore::migrate(&database.url()).unwrap();
        let store = PostgresStore::new(&database.url()).unwrap();
        let count = customers.len();
        assert_eq!(store.import_customers(customers).unwrap(), count);
        store.import_orders(orders).unwrap();
        Self { store, database }
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
                    Self(Postgres::new($isolation, customers, &orders))
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

            refund_store::contract_tests!(Store);
        }
    };
}

isolation!(read_committed, "read committed");
isolation!(serializable, "serializable");
