//! Running other programs, and the one error type of this tool.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Why a command of this tool did not succeed, as a text for the person who ran it.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    code: u8,
}

impl Failure {
    /// Something was wrong: exit code 1.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: 1,
        }
    }

    /// The command line itself was wrong: exit code 2.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: 2,
        }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Turns an I/O error into a failure that names what was tried on which path.
pub(crate) fn context<E: fmt::Display>(
    verb: &'static str,
    path: impl AsRef<Path>,
) -> impl FnOnce(E) -> Failure {
    let path = path.as_ref().display().to_string();
    move |error| Failure::new(format!("failed to {verb} {path}: {error}"))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(context("read", path))
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// A program with its arguments, to be run in the workspace root.
#[derive(Clone)]
pub(crate) struct Run {
    program: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
    directory: PathBuf,
}

impl Run {
    pub(crate) fn new<A: AsRef<str>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned())
                .collect(),
            environment: Vec::new(),
            directory: root().to_owned(),
        }
    }

    /// `cargo` with these words.
    pub(crate) fn cargo(words: &str) -> Self {
        Self::new("cargo", words.split_whitespace())
    }

    pub(crate) fn env(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    pub(crate) fn directory(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.directory);
        self
    }

    pub(crate) fn arg(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The command to start, its working directory and environment set.
    pub(crate) fn command(&self) -> Command {
        // The cargo that runs us is the one to go on with; a shell finds it as plain `cargo`.
        let program = if self.program == "cargo" {
            std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
        } else {
            self.program.clone()
        };
        let mut command = Command::new(program);
        command
            .args(&self.arguments)
            .envs(
                self.environment
                    .iter()
                    .map(|(name, value)| (OsStr::new(name), value)),
            )
            .current_dir(&self.directory)
            .stdin(Stdio::null());
        command
    }

    /// Runs it with our stdout and stderr.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let status = self.command().status().map_err(self.not_started())?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::new(format!("`{self}` failed: {status}")))
        }
    }

    /// Runs it and gives its stdout; its stderr is ours.
    pub(crate) fn stdout(&self) -> Result<String, Failure> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .map_err(self.not_started())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(Failure::new(format!("`{self}` failed: {}", output.status)))
        }
    }

    /// What it prints if it is there and succeeds, else nothing.
    pub(crate) fn probe(&self) -> Option<String> {
        let output = self.command().output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn not_started(&self) -> impl FnOnce(std::io::Error) -> Failure {
        let program = self.program.clone();
        move |error| Failure::new(format!("failed to start `{program}`: {error}"))
    }
}

/// As a person would type it in the workspace root.
impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(formatter, "{name}={} ", quoted(value))?;
        }
        formatter.write_str(&quoted(&self.program))?;
        for argument in &self.arguments {
            write!(formatter, " {}", quoted(argument))?;
        }
        Ok(())
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '"', '$', '\\']) {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}

/// Builds the server as a release would have it, without the tests' fault points, and tells where
/// it is.
pub(crate) fn build_server() -> Result<PathBuf, Failure> {
    let run = Run::cargo(
        "build --quiet --package refund-mcp --bin refund-mcp --message-format json-render-diagnostics",
    );
    let messages = run.stdout()?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "refund-mcp")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| Failure::new(format!("`{run}` named no executable")))
}
