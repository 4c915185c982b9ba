//! The PostgreSQL server that tests make their databases on.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::sh::{Failure, Run};

/// Names another server than the one on this machine.
const VARIABLE: &str = "REFUND_TEST_DATABASE";
const PORT: u16 = 5432;
/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where Debian keeps the settings of its clusters, in a directory for each version.
const CLUSTERS: &str = "/etc/postgresql";

/// Sees to it that tests find a server: the one that `REFUND_TEST_DATABASE` names, or the one on this
/// machine, which is started if it is a stopped cluster of Debian's. Tells what is left out without one;
/// in CI that is a failure.
pub(crate) fn ensure() -> Result<Vec<String>, Failure> {
    if std::env::var_os(VARIABLE).is_some() || listens() {
        return Ok(Vec::new());
    }
    start();
    let began = Instant::now();
    while Path::new(CLUSTERS).is_dir() && began.elapsed() < PATIENCE {
        if listens() {
            return Ok(Vec::new());
        }
        thread::sleep(Duration::from_millis(100));
    }
    let missing = format!(
        "the PostgreSQL store: no server listens on 127.0.0.1:{PORT}; start one that lets user postgres in, or name another in {VARIABLE}"
    );
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        return Err(Failure::new(missing));
    }
    Ok(vec![missing])
}

fn listens() -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}

/// Starts the main cluster of each version that Debian has installed.
fn start() {
    for version in std::fs::read_dir(CLUSTERS).into_iter().flatten().flatten() {
        let run = Run::new("pg_ctlcluster", ["--skip-systemctl-redirect"])
            .arg(version.file_name().to_string_lossy())
            .arg("main")
            .arg("start");
        // What counts is whether a server listens afterwards.
        let _started = run.probe();
    }
}
