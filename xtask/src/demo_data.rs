//! `cargo xtask demo-data`: writes the demo data whose rows follow from a few tables; `demo-data
//! --check` only compares.

mod returns;
mod warranty;

use std::path::PathBuf;

use serde_json::Value;

use crate::say;
use crate::sh::{Failure, context, read, root};

/// Makes what is in a file.
type Content = fn() -> Value;

/// The files, in the import format.
const FILES: [(&str, Content); 2] = [
    ("crates/refund-store/demo/returns.json", returns::file),
    ("crates/refund-store/demo/warranty.json", warranty::file),
];

/// `cargo xtask demo-data [--check]`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err(Failure::usage("demo-data takes --check or nothing")),
    };
    for (file, content) in FILES {
        let path: PathBuf = root().join(file);
        let text = text(&content())?;
        if !check {
            std::fs::write(&path, text).map_err(context("write", &path))?;
            say::line(format!("demo-data: wrote {file}"));
        } else if read(&path)? == text {
            say::line(format!("demo-data: {file} is up to date"));
        } else {
            return Err(Failure::new(format!(
                "{file} is not what its tables say; run cargo xtask demo-data"
            )));
        }
    }
    Ok(())
}

fn text(content: &Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(content)
        .map_err(|error| Failure::new(format!("failed to write the demo data: {error}")))?;
    Ok(text + "\n")
}
