//! `refund-mcp call`: one tool, as a person would use it.

use std::io::Read as _;

use super::{CliError, open, print, runtime, serve};
use crate::catalogue::ALL;
use crate::config::{Config, unknown};
use crate::exit::Exit;
use crate::outcome::{ArgumentErrors, Failure, Speech, to_wire};
use crate::server::Asked;
use crate::stdio::MOST_BYTES;

pub(super) fn run(config: &Config, tool: &str, arguments: &str) -> Result<Exit, CliError> {
    let arguments = read(arguments)?;
    let server = serve::server(config, open(config)?)?;
    let Some(spec) = server.find(tool) else {
        let hint = if ALL.iter().any(|spec| spec.name == tool) {
            format!("the tool {tool} is not offered with this role, toolset or read-only setting")
        } else {
            unknown("tool", tool, ALL.map(|spec| spec.name))
        };
        return Err(CliError::Usage(hint));
    };
    let asked = Asked {
        arguments: Some(&arguments),
        ..Asked::default()
    };
    let outcome = runtime()?.block_on(server.run(spec, asked));
    let exit = match &outcome {
        Ok(_) => Exit::Ok,
        Err(Failure::InvalidArguments(_)) => Exit::InvalidArguments,
        Err(Failure::Refused(_) | Failure::ReturnRefused(_) | Failure::WarrantyRefused(_)) => {
            Exit::Refused
        }
        Err(Failure::Store(_) | Failure::Deadline) => Exit::Store,
        Err(Failure::Unwritable(_) | Failure::Panicked | Failure::Misconfigured(_)) => Exit::Fault,
    };
    // What the model would read, refusals too; bad arguments as text, since a person reads them here.
    let speech = Speech {
        argument_errors: Some(ArgumentErrors::Tool),
        language: config.locale.value,
        zone: config.timezone.value,
    };
    match to_wire(spec, outcome, speech) {
        Ok(result) => {
            for block in &result.content {
                if let Some(text) = block.as_text() {
                    print(&text.text)?;
                }
            }
        }
        Err(error) => print(&error.message)?,
    }
    Ok(exit)
}

fn read(arguments: &str) -> Result<String, CliError> {
    if arguments != "-" {
        return Ok(arguments.to_owned());
    }
    let mut text = String::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    std::io::stdin()
        .take(most)
        .read_to_string(&mut text)
        .map_err(|source| CliError::Read {
            what: "the arguments from standard input".to_owned(),
            source,
        })?;
    Ok(text)
}
