//! A server with nothing between it and the test: bare pipes, the log in a file. For tests that close
//! a pipe, or never read from one.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::lab::{HANDSHAKE, discreet};
use crate::client::{PATIENCE, Start, checked};

/// What ends at once ends within this, on a busy machine too.
pub(super) const SOON: Duration = Duration::from_secs(5);

pub(super) struct Pipes {
    pub(super) child: Child,
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<BufReader<ChildStdout>>,
    log: PathBuf,
    _directory: TempDir,
}

impl Pipes {
    pub(super) fn spawn(start: &Start) -> Self {
        Self::with_input(start, Stdio::piped())
    }

    pub(super) fn with_input(start: &Start, input: Stdio) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let log = directory.path().join("log");
        let mut child = start
            .command()
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a log"))
            .spawn()
            .expect("the binary starts");
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(BufReader::new),
            child,
            log,
            _directory: directory,
        }
    }

    pub(super) fn connect(start: &Start) -> Self {
        let mut pipes = Self::spawn(start);
        pipes.send(HANDSHAKE);
        assert_eq!(pipes.receive().expect("an answer")["id"], "handshake");
        pipes
    }

    pub(super) fn send(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(text.as_bytes()).expect("the server reads");
    }

    /// The next message, or `None` at the end of output.
    pub(super) fn receive(&mut self) -> Option<Value> {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        let mut line = Vec::new();
        let count = stdout.read_until(b'\n', &mut line).expect("stdout");
        (count > 0).then(|| checked(&line))
    }

    /// What was logged until now.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log is UTF-8")
    }

    /// Waits until the log has this.
    pub(super) fn wait_for_log(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.log().contains(text) {
            assert!(Instant::now() < deadline, "no {text} in {}", self.log());
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the process to end by itself, and gives its exit code and log.
    pub(super) fn end(&mut self, within: Duration) -> (Option<i32>, String) {
        let deadline = Instant::now() + within;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("wait") {
                break status;
            }
            assert!(
                Instant::now() < deadline,
                "still there after {within:?}: {}",
                self.log()
            );
            thread::sleep(Duration::from_millis(1));
        };
        let log = self.log();
        discreet(&log);
        assert!(!log.contains("panicked"), "{log}");
        (status.code(), log)
    }

    /// The processor time it has used.
    #[cfg(target_os = "linux")]
    pub(super) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.expect("stat");
        // The fields after the name, which stands in parentheses; a tick is 10 ms.
        let fields = stat.rsplit_once(')').expect("a name").1;
        let fields = fields.split_whitespace().skip(11).take(2);
        let ticks = fields.map(|ticks| ticks.parse::<u64>().expect("ticks"));
        Duration::from_millis(10 * ticks.sum::<u64>())
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal.
pub(super) fn signal(process: u32, signal: Signal) {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process"), signal).expect("the process is there");
}

/// The program's own memory stays below 16 MiB, at its peak too. With its pages, of which 12 MiB are used
/// of a release, that is less than 30 MB.
pub(super) fn memory_is_flat(process: u32) {
    #[cfg(target_os = "linux")]
    {
        let peak = crate::client::peak_of_its_own(process).expect("a process that runs");
        eprintln!("memory of its own at its peak: {peak} KiB");
        assert!(peak < 16 * 1024, "memory of its own was {peak} KiB");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}
