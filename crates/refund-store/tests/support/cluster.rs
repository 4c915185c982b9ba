//! A throw-away PostgreSQL server, made from the programs that are on this machine. Tests that stop a
//! server need one of their own, and `cargo xtask` starts one where no server runs; both include this
//! file.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where Debian puts the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Who runs the server where root asks for it: PostgreSQL refuses root.
const USER: &str = "postgres";

/// A server on a port of its own, without a password. It goes, data and all, when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    programs: PathBuf,
    directory: PathBuf,
    port: u16,
}

impl Cluster {
    /// The directory of PostgreSQL's programs, the newest of those that are there.
    pub(crate) fn programs() -> Option<PathBuf> {
        let said = Command::new("pg_config").arg("--bindir").output().ok();
        let said = said.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let mut debian: Vec<_> = std::fs::read_dir(DEBIAN)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let version: u32 = entry.file_name().to_str()?.parse().ok()?;
                Some((version, entry.path().join("bin")))
            })
            .collect();
        debian.sort_unstable();
        said.map(PathBuf::from)
            .into_iter()
            .chain(debian.into_iter().rev().map(|(_, path)| path))
            .find(|path| {
                ["initdb", "pg_ctl", "postgres"]
                    .iter()
                    .all(|name| path.join(name).is_file())
            })
    }

    /// Makes a server and starts it.
    pub(crate) fn start() -> io::Result<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let programs = Self::programs().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                "PostgreSQL's programs (initdb, pg_ctl) are not on this machine",
            )
        })?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("refund-cluster-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory)?;
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = free.local_addr()?.port();
        drop(free);
        let cluster = Self {
            programs,
            directory,
            port,
        };
        if is_root() {
            succeeded(
                Command::new("chown")
                    .arg(USER)
                    .arg(&cluster.directory)
                    .output()?,
            )?;
        }
        let words = [
            "--no-sync",
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
        ];
        succeeded(
            cluster
                .program("initdb")
                .args(words)
                .arg("-D")
                .arg(cluster.data())
                .output()?,
        )?;
        cluster.begin()?;
        Ok(cluster)
    }

    /// Its URL without a database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// Starts it again after [`Cluster::stop`].
    pub(crate) fn begin(&self) -> io::Result<()> {
        let options = format!(
            "-c port={} -c listen_addresses={} -c unix_socket_directories={} -c max_connections=200",
            self.port,
            Ipv4Addr::LOCALHOST,
            self.directory.display()
        );
        self.control(
            &["start", "-o", &options, "-l"],
            &[&self.directory.join("log")],
        )
    }

    /// Stops it: `immediate` as a loss of power would, `fast` in good order.
    pub(crate) fn stop(&self, mode: &str) -> io::Result<()> {
        self.control(&["stop", "-m", mode], &[])
    }

    fn control(&self, words: &[&str], paths: &[&Path]) -> io::Result<()> {
        let mut command = self.program("pg_ctl");
        command
            .args(words)
            .args(paths)
            .arg("-w")
            .arg("-D")
            .arg(self.data());
        // The server would inherit pipes, and whoever reads them would wait for its end.
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if status.success() {
            return Ok(());
        }
        let log = std::fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        Err(io::Error::other(format!("pg_ctl {words:?} failed: {log}")))
    }

    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        let mut command = match is_root() {
            true => Command::new("setpriv"),
            false => Command::new(&path),
        };
        if is_root() {
            command
                .arg(format!("--reuid={USER}"))
                .arg(format!("--regid={USER}"))
                .arg("--init-groups")
                .arg(path);
        }
        command.current_dir(&self.directory);
        command
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It may have been stopped already.
        let _ = self.stop("immediate");
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

fn succeeded(output: Output) -> io::Result<()> {
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
