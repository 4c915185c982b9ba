//! `refund-mcp completions`: what a shell needs to complete this command line.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{CliError, CommandLine, print};
use crate::exit::Exit;

pub(super) fn run(shell: Shell) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut CommandLine::command(),
        "refund-mcp",
        &mut script,
    );
    print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Ok)
}
