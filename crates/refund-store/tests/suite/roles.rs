//! The roles of `docs/deployment.md`: its statements are run as they stand there, and then the owner, a
//! server and a reader do what they are for, and are refused the rest.

use refund_domain::outbox::LONGEST_PAUSE;
use refund_domain::ports::{CustomerWriter as _, Outbox as _};
use refund_domain::{DeliveryFailure, Timestamp};
use refund_store::PostgresStore;
use refund_store::contract::given::{self, Ask, adjust, customer};
use refund_store::contract::given_orders::{AskReturn, AskTurn, OPEN, order, processed};
use refund_store::transfer::{Entity, Format};
use tokio_postgres::NoTls;

use crate::cluster::Cluster as Server;

/// The statements of each block of SQL in the guide.
fn of_guide() -> Vec<Vec<String>> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deployment.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```sql\n").skip(1);
    blocks
        .map(|block| {
            let (statements, _) = block.split_once("\n```").unwrap();
            let statements = statements.split(';').map(str::trim);
            let statements = statements.filter(|statement| !statement.is_empty());
            statements.map(str::to_owned).collect()
        })
        .collect()
}

/// What the server says to a statement of a role, where it refuses it.
async fn run(url: &str, statement: &str) -> Result<(), String> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let done = client.batch_execute(statement).await;
    drop(client);
    connection.await.unwrap().unwrap();
    done.map_err(|error| error.as_db_error().unwrap().message().to_owned())
}

mod cluster {
    use super::*;

    #[tokio::test]
    async fn each_role_can_do_what_it_is_for_and_nothing_else() {
        let server = Server::start().unwrap();
        let url = |role: &str| server.url().replace("postgres@", &format!("{role}@"));
        let store = |role: &str| {
            let url = format!("{}/refunds", url(role));
            PostgresStore::new(&url.parse().unwrap()).unwrap()
        };
        let [made, granted] = of_guide().try_into().unwrap();
        for statement in made {
            run(&format!("{}/postgres", server.url()), &statement)
                .await
                .unwrap();
        }
        let [owner, serving, reading] = ["refund_owner", "refund_server", "refund_reader"]
            .map(|role| format!("{}/refunds", url(role)));
        let _migrated = PostgresStore::migrate(&owner.parse().unwrap()).unwrap();
        for statement in granted {
            run(&owner, &statement).await.unwrap();
        }
        let owners = store("refund_owner");
        owners
            .import_customers(vec![customer(1, 10_000, "JPY")])
            .unwrap();
        owners.import_orders(&[order("A-1", 1, OPEN)]).unwrap();

        let servers = store("refund_server").sending_mail();
        let ask = Ask::new(1, "1").key("K");
        let refund = given::processed(ask.of(&servers).await);
        assert_eq!(given::replayed(ask.of(&servers).await), refund);
        let corrected = servers.adjust_balance(adjust(1, "5")).await.unwrap();
        assert_eq!(corrected.as_str(), "adjusted");
        let _returned = processed(AskReturn::new("A-1").key("R").of(&servers).await);
        for number in 1..=2 {
            let turn = processed(
                AskTurn::new("S")
                    .key(&format!("{number}"))
                    .of(&servers)
                    .await,
            );
            assert_eq!(turn.turn_count.number(), number);
        }
        let at = Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap();
        let claimed = servers.claim_message(at).await.unwrap().unwrap();
        let failure = DeliveryFailure {
            is_refusal: false,
            what: "the server said no",
            code: None,
        };
        servers.message_failed(claimed, failure, at).await.unwrap();
        let later = at.later(LONGEST_PAUSE);
        let claimed = servers.claim_message(later).await.unwrap().unwrap();
        servers.message_delivered(claimed, later).await.unwrap();
        assert_eq!(servers.reader().tiers().unwrap(), []);

        let readers = store("refund_reader");
        assert_eq!(readers.check().unwrap().findings, [""; 0]);
        let written = readers.export(&Entity::ALL, Format::Json, std::io::sink());
        assert!(written.unwrap() > 0);

        for (role, statement, refusal) in [
            (
                &serving,
                "UPDATE customers SET name = 'x'",
                "permission denied",
            ),
            (
                &serving,
                "UPDATE refunds SET amount_minor = 1",
                "permission denied",
            ),
            (&serving, "UPDATE audit SET tool = 'x'", "permission denied"),
            (&serving, "DELETE FROM refunds", "permission denied"),
            (&serving, "TRUNCATE audit", "permission denied"),
            (
                &serving,
                "INSERT INTO customers SELECT * FROM customers",
                "permission denied",
            ),
            (
                &serving,
                "UPDATE products SET name = 'x'",
                "permission denied",
            ),
            (
                &serving,
                "SELECT setval('refunds_seq_seq', 1)",
                "permission denied",
            ),
            (
                &serving,
                "ALTER TABLE audit DISABLE TRIGGER ALL",
                "must be owner",
            ),
            (&serving, "CREATE TABLE more (x int)", "permission denied"),
            (
                &reading,
                "UPDATE customers SET balance_minor = 1",
                "permission denied",
            ),
            (
                &reading,
                "INSERT INTO audit SELECT * FROM audit",
                "permission denied",
            ),
            (
                &reading,
                "SELECT * FROM customers FOR UPDATE",
                "permission denied",
            ),
        ] {
            let said = run(role, statement).await.unwrap_err();
            assert!(said.starts_with(refusal), "{role}: {statement}: {said}");
        }
    }
}
