//! The machine: what it is, how busy it is, and on which of its cores we run.

use std::fmt;

use crate::sh::{Failure, Run};

/// On which cores a measurement and the server it starts run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// Client and server share one core: steadier, and nothing but work is measured.
    Pinned,
    /// Wherever the system puts them, as in real use.
    Free,
}

impl Placement {
    pub(super) const ALL: [Self; 2] = [Self::Pinned, Self::Free];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "one core",
            Self::Free => "all cores",
        }
    }
}

/// The cores that this process may run on.
pub(super) struct Cores {
    all: String,
    one: String,
}

impl Cores {
    pub(super) fn find() -> Result<Self, Failure> {
        let all = status_line("Cpus_allowed_list")
            .ok_or_else(|| Failure::new("/proc/self/status does not tell the allowed cores"))?;
        // The last one: interrupts tend to come to the first.
        let one = all.rsplit([',', '-']).next().unwrap_or_default().to_owned();
        Ok(Self { all, one })
    }

    /// Moves this thread, and whatever it starts from now on.
    pub(super) fn place(&self, placement: Placement) -> Result<(), Failure> {
        let cores = match placement {
            Placement::Pinned => &self.one,
            Placement::Free => &self.all,
        };
        let process = std::process::id().to_string();
        let run = Run::new("taskset", ["-cp", cores, &process]);
        run.probe()
            .map(|_| ())
            .ok_or_else(|| Failure::new(format!("`{run}` failed; it is part of util-linux")))
    }
}

fn status_line(name: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches(':').trim().to_owned())
}

/// What a reader needs to know to compare numbers.
pub(super) struct Machine {
    cores: usize,
    processor: String,
    memory_gib: u64,
    system: String,
    versions: Vec<String>,
    load_before: String,
    load_after: String,
}

impl Machine {
    pub(super) fn look() -> Self {
        let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let cpu = file("/proc/cpuinfo");
        let processor = cpu
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or("unknown processor", |(_, name)| name);
        let memory = file("/proc/meminfo");
        let kib = memory
            .lines()
            .find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next())
            .and_then(|kib| kib.parse::<u64>().ok())
            .unwrap_or_default();
        let version = |program: &str| {
            let output = Run::new(program, ["--version"]).probe();
            output.map_or_else(
                || format!("no {program}"),
                |text| {
                    if text.contains(program) {
                        text
                    } else {
                        format!("{program} {text}")
                    }
                },
            )
        };
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor: processor.to_owned(),
            memory_gib: kib.div_ceil(1024 * 1024),
            system: Run::new("uname", ["-srm"]).probe().unwrap_or_default(),
            versions: vec![version("rustc"), version("node"), version("psql")],
            load_before: load(),
            load_after: String::new(),
        }
    }

    /// How busy it is after the run.
    pub(super) fn look_again(&mut self) {
        self.load_after = load();
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cores,
            processor,
            memory_gib,
            system,
            versions,
            load_before,
            load_after,
        } = self;
        write!(
            f,
            "{processor}, {cores} cores, {memory_gib} GiB; {system}; {}. Load {load_before} before and {load_after} after the run",
            versions.join("; "),
        )
    }
}

/// The load averages of one, five and fifteen minutes.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let numbers: Vec<&str> = text.split_whitespace().take(3).collect();
    numbers.join(" ")
}

/// A line of another process's status in MiB, such as `VmRSS`.
pub(super) fn memory_of(process: u32, line: &str) -> Result<f64, Failure> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).map_err(crate::sh::context("read", &path))?;
    status
        .lines()
        .find_map(|text| text.strip_prefix(line)?.strip_prefix(':'))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok())
        .map(|kib| kib / 1024.0)
        .ok_or_else(|| Failure::new(format!("{path} has no line {line}")))
}
