//! The PostgreSQL server that tests make their databases on, and `cargo xtask db`.

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::say;
use crate::sh::{Failure, Run};

/// Names another server than the one on this machine.
pub(crate) const VARIABLE: &str = "REFUND_TEST_DATABASE";
const PORT: u16 = 5432;
/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where Debian keeps the settings of its clusters, in a directory for each version.
const CLUSTERS: &str = "/etc/postgresql";

/// A server that tests can use.
pub(crate) enum Server {
    /// It runs already, or runs on.
    Found,
    /// It was started for this, and goes with it.
    Own(Cluster),
}

impl Server {
    /// Tells a program where it is.
    pub(crate) fn tell(&self, run: Run) -> Run {
        match self {
            Self::Found => run,
            Self::Own(cluster) => run.env(VARIABLE, &cluster.url()),
        }
    }
}

/// `cargo xtask db`: a throw-away server until the input ends or the command is interrupted.
pub(crate) fn command(words: &[String]) -> Result<(), Failure> {
    if let Some(word) = words.first() {
        return Err(Failure::usage(format!("`db` takes no `{word}`")));
    }
    let cluster = own()?;
    say::line(format!(
        "a server runs until you press Ctrl-D here; its data goes with it. For another shell:\n\n  export {VARIABLE}={}\n",
        cluster.url()
    ));
    let mut nothing = Vec::new();
    // What is typed before the end does not matter.
    let _ = std::io::stdin().read_to_end(&mut nothing);
    Ok(())
}

/// The server that `REFUND_TEST_DATABASE` names, or the one on this machine, which is started if it is a
/// stopped cluster of Debian's, or else a throw-away one. `Err` says what is missing.
pub(crate) fn find() -> Result<Server, String> {
    if std::env::var_os(VARIABLE).is_some() || listens() {
        return Ok(Server::Found);
    }
    start();
    let began = Instant::now();
    while Path::new(CLUSTERS).is_dir() && began.elapsed() < PATIENCE {
        if listens() {
            return Ok(Server::Found);
        }
        thread::sleep(Duration::from_millis(100));
    }
    own().map(Server::Own).map_err(|failure| {
        format!(
            "the PostgreSQL store: no server listens on 127.0.0.1:{PORT}, and none could be started ({failure}); install PostgreSQL 15 or later, or name a server in {VARIABLE}"
        )
    })
}

/// Whether what is missing must not be missing.
pub(crate) fn is_required() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

fn own() -> Result<Cluster, Failure> {
    Cluster::start().map_err(|error| Failure::new(format!("failed to start PostgreSQL: {error}")))
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
