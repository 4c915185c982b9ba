//! `cargo xtask json-suite`: the inputs of JSONTestSuite, for the tests that send them to the server.
//! They are installed under the target directory, where the tests look for them.

use crate::conformance::in_ci;
use crate::sh::{Failure, root};
use crate::{node, say};

const NEEDED: &str = "JSONTestSuite: it needs Node.js with npm, which its installer brings";

/// `cargo xtask json-suite`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    for sentence in install()? {
        say::line(format!("left out: {sentence}"));
    }
    Ok(())
}

/// Installs the suite, and tells if that had to be left out. In CI nothing is.
pub(crate) fn install() -> Result<Vec<String>, Failure> {
    let directory = root().join("target/json-suite");
    match node::find() {
        Some(node) => {
            node::install(&node, &root().join("xtask/json-suite"), &directory)?;
            Ok(Vec::new())
        }
        None if in_ci() => Err(Failure::new(NEEDED)),
        None => Ok(vec![NEEDED.to_owned()]),
    }
}
