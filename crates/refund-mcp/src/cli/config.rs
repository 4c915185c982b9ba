//! `refund-mcp config`.

use super::{CliError, print};
use crate::config::{Config, show};
use crate::exit::Exit;
use crate::stdout;

pub(super) fn run(config: &Config, json: bool) -> Result<Exit, CliError> {
    print(&show(config, json || !stdout::is_terminal())?)?;
    Ok(Exit::Ok)
}
