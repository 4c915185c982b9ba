//! Exit codes. `docs/cli.md` lists them, from the table here.

use std::process::ExitCode;

use clap::ValueEnum;

/// How the process ends. [`Exit::meaning`] says when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "the table below says what each means")]
pub enum Exit {
    Ok,
    Fault,
    Usage,
    Refused,
    InvalidArguments,
    Store,
    CheckFailed,
    ImportRejected,
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        self.row().0
    }

    /// When the process ends this way.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.row().1
    }

    /// All of them.
    #[must_use]
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The table.
    fn row(self) -> (u8, &'static str) {
        match self {
            Self::Ok => (
                0,
                "Done. For a server also: its client went away, or SIGINT or SIGTERM asked it to stop.",
            ),
            Self::Fault => (1, "An internal fault. Standard error says more."),
            Self::Usage => (
                2,
                "The command line, the environment or the configuration file is wrong, or a file that was named cannot be read or made. For `http` also: there is no token, or the address cannot be listened on.",
            ),
            Self::Refused => (
                3,
                "The rules refused, or there is no such customer or refund. The text says why, and nothing moved.",
            ),
            Self::InvalidArguments => (
                4,
                "`call`: the arguments are invalid. Nothing was executed.",
            ),
            Self::Store => (5, "The database cannot be used, or did not answer."),
            Self::CheckFailed => (6, "`check`: the database breaks an invariant."),
            Self::ImportRejected => (
                7,
                "`import`: the files were turned down, each problem with its line. Nothing was imported.",
            ),
            Self::Interrupted => (
                130,
                "A second signal came before the first had been obeyed.",
            ),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_means_one_thing() {
        let mut codes: Vec<_> = Exit::all().iter().map(|exit| exit.code()).collect();
        assert!(codes.is_sorted());
        codes.dedup();
        assert_eq!(codes.len(), Exit::all().len());
    }
}
