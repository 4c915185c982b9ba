//! Encrypted connections to a server with certificates of its own: who is believed, and what is said
//! where nobody is.

use std::path::Path;
use std::process::Command;

use refund_store::PostgresStore;
use refund_store::postgres::{ConnectError, Url};
use tempfile::TempDir;

use crate::cluster::Cluster as Server;
use crate::database::Database;

const PASSWORD: &str = "s3cret";
/// The name in the server's certificate.
const NAME: &str = "db.example.com";

/// Runs openssl in a directory.
fn openssl(directory: &Path, words: &str) {
    let output = Command::new("openssl")
        .args(words.split(' '))
        .current_dir(directory)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {words}: {said}");
}

/// Makes an authority, and a certificate of it for [`NAME`], with these extensions.
fn certificates(directory: &Path, extensions: &str) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
        directory,
        &format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"),
    );
    openssl(
        directory,
        &format!("req {key} -keyout server.key -out server.csr -subj /CN={NAME}"),
    );
    std::fs::write(directory.join("extensions"), extensions).unwrap();
    openssl(
        directory,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile extensions -days 2 -out server.pem",
    );
}

/// Writes a file into the server's directory, as the server does.
fn place(database: &Database, name: &str, text: &str) {
    let _none = database.query(&format!(
        "COPY (SELECT unnest(string_to_array('{}', E'\\n')))
         TO PROGRAM 'umask 077; cat > {name}'",
        text.trim_end()
    ));
}

/// What becomes of a connection, with all causes.
fn tried(url: &str) -> Result<PostgresStore, String> {
    let chain = |error: ConnectError| {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    };
    let url: Url = url.parse().map_err(chain)?;
    let store = PostgresStore::new(&url).map_err(chain)?;
    store.try_now().map_err(chain)?;
    Ok(store)
}

/// A server with a database, and a user who is only let in encrypted.
struct Place {
    // Dropped first, while its server is there.
    database: Database,
    server: Server,
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let server = Server::start().unwrap();
        let database = Database::on(server.url(), "read committed");
        let _none = database.query(&format!("CREATE ROLE shop LOGIN PASSWORD '{PASSWORD}'"));
        let _none = database.query("GRANT CREATE ON SCHEMA public TO shop");
        Self {
            database,
            server,
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn url(&self, host: &str, rest: &str) -> String {
        let place = self.port_and_name();
        format!("postgres://shop:{PASSWORD}@{host}:{place}?hostaddr=127.0.0.1{rest}")
    }

    fn port_and_name(&self) -> String {
        let text = self.database.text();
        text.rsplit_once(':').unwrap().1.to_owned()
    }

    fn root(&self) -> String {
        let path = self.directory.path().join("ca.pem");
        format!("&sslrootcert={}", path.display())
    }

    /// Gives the server its certificate.
    fn encrypt(&self, extensions: &str) {
        certificates(self.directory.path(), extensions);
        for name in ["server.pem", "server.key"] {
            let text = std::fs::read_to_string(self.directory.path().join(name)).unwrap();
            place(&self.database, name, &text);
        }
        let who = "host all postgres 127.0.0.1/32 trust
hostssl all shop 127.0.0.1/32 scram-sha-256";
        place(&self.database, "pg_hba.conf", who);
        for (setting, value) in [
            ("ssl_cert_file", "server.pem"),
            ("ssl_key_file", "server.key"),
            ("ssl", "on"),
        ] {
            let set = format!("ALTER SYSTEM SET {setting} = '{value}'");
            let _none = self.database.query(&set);
        }
        self.server.stop("fast").unwrap();
        self.server.begin().unwrap();
    }

    /// Why there is no connection.
    fn refused(&self, host: &str, rest: &str) -> String {
        let text = tried(&self.url(host, rest)).unwrap_err();
        assert!(!text.contains(PASSWORD), "{text}");
        text
    }
}

/// Whether there is an openssl to make certificates with. CI has one.
fn can_be_made() -> bool {
    let there = Command::new("openssl").arg("version").output().is_ok();
    let needed = std::env::var("CI").is_ok_and(|ci| !["", "0", "false"].contains(&&*ci));
    assert!(there || !needed, "openssl is not on this machine");
    there
}

mod cluster {
    use super::*;

    #[test]
    fn a_socket_needs_no_certificate() {
        let place = Place::new();
        let directory = place.database.query("SHOW unix_socket_directories");
        let directory = directory.concat().concat().replace('/', "%2F");
        let url = format!("postgres://postgres@{directory}:{}?", place.port_and_name());
        let _migrated = PostgresStore::migrate(&url.parse().unwrap()).unwrap();
        for mode in ["", "sslmode=prefer", "sslmode=disable"] {
            let _store = tried(&format!("{url}{mode}")).unwrap();
        }
        let text = tried(&format!("{url}sslmode=require")).unwrap_err();
        assert!(text.ends_with("server does not support TLS"), "{text}");
    }

    #[test]
    fn a_server_is_believed_by_its_certificate() {
        if !can_be_made() {
            eprintln!("left out: encrypted connections; openssl is not on this machine");
            return;
        }
        let place = Place::new();
        // Whoever wants encryption does without the server rather than without encryption.
        for mode in ["", "&sslmode=require", "&sslmode=verify-full"] {
            let text = place.refused(NAME, mode);
            assert!(text.ends_with("server does not support TLS"), "{text}");
        }
        let alternative = format!("subjectAltName=DNS:{NAME}");
        place.encrypt(&alternative);
        let root = place.root();
        let encrypted = [
            "",
            "&sslmode=prefer",
            "&sslmode=require",
            "&sslmode=verify-ca",
            "&sslmode=verify-full",
        ];
        let url = place.url(NAME, &root).parse().unwrap();
        let _migrated = PostgresStore::migrate(&url).unwrap();
        for mode in encrypted {
            let store = tried(&place.url(NAME, &format!("{mode}{root}"))).unwrap();
            let sql = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                 WHERE usename = 'shop'";
            assert_eq!(place.database.query(sql), [["t"]], "{mode}");
            drop(store);
            // No mode believes another name, or an authority that nobody named.
            let text = place.refused("other.example.com", &format!("{mode}{root}"));
            let why = r#"certificate not valid for name "other.example.com""#;
            assert!(text.contains(why), "{mode}: {text}");
            let text = place.refused(NAME, mode);
            assert!(text.contains("sslrootcert=FILE"), "{mode}: {text}");
        }
        let text = place.refused(NAME, "&sslmode=disable");
        assert!(text.ends_with("no encryption"), "{text}");
        for (rest, why) in [
            ("&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem: "),
            ("&sslcert=client.pem", "unknown option `sslcert`"),
        ] {
            let text = place.refused(NAME, rest);
            assert!(text.contains(why), "{text}");
        }
        // An authority of the same name, with another key.
        certificates(place.directory.path(), &alternative);
        let text = place.refused(NAME, &root);
        assert!(text.contains("invalid peer certificate"), "{text}");
        // The name as the common one alone.
        place.encrypt("basicConstraints=CA:FALSE");
        let text = place.refused(NAME, &root);
        assert!(text.contains("certificate not valid for name"), "{text}");
    }
}
