//! Exit codes. `docs/cli.md` lists them.

use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; for a server also: the client went away, or SIGINT or SIGTERM asked it to stop.
    Ok,
    /// An internal fault; the log says more.
    Fault,
    /// The command line, the environment or the configuration file is wrong.
    Usage,
    /// `call`: the rules refused. The text says why; nothing moved.
    Refused,
    /// `call`: the arguments are invalid. Nothing was executed.
    InvalidArguments,
    /// The database cannot be used, or did not answer.
    Store,
    /// `check`: the database breaks an invariant.
    CheckFailed,
    /// `import`: the file was turned down. Nothing was imported.
    ImportRejected,
    /// A second signal came before the first had been obeyed.
    Interrupted,
}

impl Exit {
    /// The number the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Fault => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::InvalidArguments => 4,
            Self::Store => 5,
            Self::CheckFailed => 6,
            Self::ImportRejected => 7,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
