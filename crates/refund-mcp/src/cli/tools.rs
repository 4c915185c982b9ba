//! `refund-mcp tools`.

use super::{CliError, print};
use crate::config::Config;
use crate::exit::Exit;

pub(super) fn run(config: &Config, json: bool) -> Result<Exit, CliError> {
    let catalogue = config.catalogue()?;
    let tools = catalogue.published();
    if json {
        // As the result of `tools/list`.
        let listed = serde_json::json!({ "tools": tools });
        let text =
            serde_json::to_string_pretty(&listed).map_err(|error| CliError::Write(error.into()))?;
        print(&text)?;
    } else {
        let width = tools
            .iter()
            .map(|tool| tool.name.len())
            .max()
            .unwrap_or_default();
        for tool in tools {
            let read = tool
                .annotations
                .as_ref()
                .and_then(|hints| hints.read_only_hint);
            let access = if read == Some(true) {
                "reads"
            } else {
                "WRITES"
            };
            let title = tool.title.as_deref().unwrap_or_default();
            print(&format!("{:width$}  {access:6}  {title}", tool.name))?;
        }
    }
    Ok(Exit::Ok)
}
