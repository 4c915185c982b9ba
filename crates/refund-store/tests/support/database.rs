//! A PostgreSQL database that a test makes and drops; tests of other crates include this file.

use refund_domain::IdSource as _;
use refund_store::postgres::Url;
use refund_store::system::RandomIds;
use tokio_postgres::NoTls;

/// The server that tests may make databases on, as a URL without a database.
fn server() -> String {
    std::env::var("REFUND_TEST_DATABASE")
        .unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432".to_owned())
}

/// Runs statements in one of the server's databases, each in a transaction of its own.
fn run(database: &str, statements: Vec<String>) {
    // On a thread of its own: tests and their ends run on a runtime, which must not be blocked on.
    let url = format!("{}/{database}", server());
    let work = async move {
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
pub(crate) struct Database(String);

impl Database {
    /// With this isolation by default.
    pub(crate) fn new(isolation: &str) -> Self {
        let made = Self::made("");
        run(
            "postgres",
            vec![format!(
                "ALTER DATABASE {} SET default_transaction_isolation = '{isolation}'",
                made.0
            )],
        );
        made
    }

    /// With a collation that is not the order of bytes.
    pub(crate) fn sorted_as_people_do() -> Self {
        Self::made("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'")
    }

    fn made(with: &str) -> Self {
        let id = RandomIds.refund_id().to_string().replace('-', "");
        let name = format!("refund_test_{id}");
        run("postgres", vec![format!("CREATE DATABASE {name} {with}")]);
        Self(name)
    }

    /// Its URL, as text.
    pub(crate) fn text(&self) -> String {
        format!("{}/{}", server(), self.0)
    }

    /// Its URL.
    pub(crate) fn url(&self) -> Url {
        self.text().parse().unwrap()
    }

    /// Runs statements past the store, without its triggers and foreign keys.
    pub(crate) fn tamper(&self, sql: &str) {
        let free = "SET session_replication_role = replica".to_owned();
        run(&self.0, vec![free, sql.to_owned()]);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        run(
            "postgres",
            vec![format!("DROP DATABASE {} WITH (FORCE)", self.0)],
        );
    }
}
