//! A PostgreSQL database that a test makes and drops; tests of other crates include this file.
#![allow(dead_code, reason = "not every crate's tests use all of it")]

use refund_domain::IdSource as _;
use refund_store::postgres::Url;
use refund_store::system::RandomIds;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// The server that tests may make databases on, as a URL without a database.
pub(crate) fn server() -> String {
    std::env::var("REFUND_TEST_DATABASE")
        .unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432".to_owned())
}

/// A database that goes when the test ends.
#[derive(Debug)]
pub(crate) struct Database {
    server: String,
    name: String,
}

impl Database {
    /// With this isolation by default.
    pub(crate) fn new(isolation: &str) -> Self {
        Self::on(server(), isolation)
    }

    /// On this server.
    pub(crate) fn on(server: String, isolation: &str) -> Self {
        let made = Self::made(server, "");
        let Self { server, name } = &made;
        let set =
            format!("ALTER DATABASE {name} SET default_transaction_isolation = '{isolation}'");
        let _none = ask(server, "postgres", &[&set]);
        made
    }

    /// With a collation that is not the order of bytes.
    pub(crate) fn sorted_as_people_do() -> Self {
        let with = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'";
        Self::made(server(), with)
    }

    fn made(server: String, with: &str) -> Self {
        let id = RandomIds.refund_id().to_string().replace('-', "");
        let name = format!("refund_test_{id}");
        let _none = ask(
            &server,
            "postgres",
            &[&format!("CREATE DATABASE {name} {with}")],
        );
        Self { server, name }
    }

    /// Its URL, as text.
    pub(crate) fn text(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    /// Its URL.
    pub(crate) fn url(&self) -> Url {
        self.text().parse().unwrap()
    }

    /// What a query gives, as text.
    pub(crate) fn query(&self, sql: &str) -> Vec<Vec<String>> {
        ask(&self.server, &self.name, &[sql])
    }

    /// Runs statements past the store, without its triggers and foreign keys.
    pub(crate) fn tamper(&self, sql: &str) {
        let free = "SET session_replication_role = replica";
        let _none = ask(&self.server, &self.name, &[free, sql]);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let dropped = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // A server of its own may be gone; the test is over.
        if !std::thread::panicking() {
            let _none = ask(&self.server, "postgres", &[&dropped]);
        }
    }
}

/// Runs statements in one of a server's databases, each in a transaction of its own, and gives the rows.
fn ask(server: &str, database: &str, statements: &[&str]) -> Vec<Vec<String>> {
    let url = format!("{server}/{database}");
    let statements: Vec<String> = statements.iter().map(|&text| text.to_owned()).collect();
    let work = async move {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap_or_else(|error| {
            panic!("{error}: these tests need PostgreSQL 15 or newer; REFUND_TEST_DATABASE names another server than {url}")
        });
        let connection = tokio::spawn(connection);
        let mut rows = Vec::new();
        for statement in statements {
            let messages = client.simple_query(&statement).await.unwrap();
            rows.extend(messages.iter().filter_map(row));
        }
        drop(client);
        connection.await.unwrap().unwrap();
        rows
    };
    let run = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(work)
    };
    // On a thread of its own: tests and their ends run on a runtime, which must not be blocked on.
    std::thread::spawn(run).join().unwrap()
}

fn row(message: &SimpleQueryMessage) -> Option<Vec<String>> {
    let SimpleQueryMessage::Row(row) = message else {
        return None;
    };
    let texts = (0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned());
    Some(texts.collect())
}
