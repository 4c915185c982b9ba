//! The contract suite on PostgreSQL, once as the server begins its transactions by default and once with
//! serializable ones. Each test has a database of its own.

use refund_domain::ports::RefundWriter as _;
use refund_domain::{Customer, OrderLine};
use refund_store::PostgresStore;
use refund_store::contract::ContractStore;
use refund_store::contract::given::{Ask, customer};

use crate::database::Database;

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

// What is found in a copy is found here; what only this database can have wrong is found as well.
#[tokio::test]
async fn tampering_is_found() {
    let given = Postgres::new("read committed", vec![customer(1, 10_000, "USD")], &[]);
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
    // Rows that nothing could read.
    database.tamper("ALTER TABLE refunds DROP COLUMN reason CASCADE");
    assert!(!findings().is_empty());
}
