//! Packages of Node.js, installed into copies under the target directory, so that the sources stay as
//! they are committed; and the TypeScript clients of the conformance run.

use std::path::{Path, PathBuf};

use crate::conformance::{Outcome, Setting, installed, is_installed, script};
use crate::sh::{Failure, Run, context, read, root};

/// What the packages are installed from.
const MANIFESTS: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// The scripts; they must lie beside their packages, or node does not find those.
const SCRIPTS: [&str; 7] = [
    "balancer.mjs",
    "checks.mjs",
    "client_v1.mjs",
    "client_v2.mjs",
    "fleet.mjs",
    "returns.mjs",
    "warranty.mjs",
];

/// What scripts run on.
pub(crate) const NEEDED: &str = "Node.js 20 or newer with npm, which its installer brings";

/// The client of the 1.x packages, which most hosts have today.
pub(crate) fn v1(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    client(setting, "client_v1.mjs")
}

/// The client of the 2.x packages, which knows the stateless revision.
pub(crate) fn v2(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    client(setting, "client_v2.mjs")
}

fn client(setting: &Setting<'_>, name: &str) -> Result<Outcome, Failure> {
    match command(setting, name)? {
        Some(run) => script(&run).map(Outcome::Ran),
        None => Ok(Outcome::Missing(format!(
            "the TypeScript clients: they need {NEEDED}"
        ))),
    }
}

/// How to run a script, once its packages are installed; nothing if there is no Node.js for it.
pub(crate) fn command(setting: &Setting<'_>, name: &str) -> Result<Option<Run>, Failure> {
    let Some(node) = find().filter(|node| node.version() >= Some((20, 0))) else {
        return Ok(None);
    };
    let sources = root().join("xtask/conformance/node");
    let directory = setting.installed.join("node");
    install(&node, &sources, &directory)?;
    for file in SCRIPTS {
        copy(&sources.join(file), &directory.join(file))?;
    }
    let arguments: [PathBuf; 3] = [
        directory.join(name),
        setting.binary.to_owned(),
        setting.scratch.to_owned(),
    ];
    let words = arguments.map(|path| path.display().to_string());
    Ok(Some(Run::new("node", words)))
}

/// The Node.js of this machine.
pub(crate) struct Node {
    npm: &'static str,
    version: String,
}

impl Node {
    /// The first two numbers of its version.
    pub(crate) fn version(&self) -> Option<(u32, u32)> {
        numbers(&self.version)
    }
}

/// Node.js, if it is there with its npm.
pub(crate) fn find() -> Option<Node> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let version = Run::new("node", ["--version"]).probe()?;
    Run::new(npm, ["--version"]).probe()?;
    Some(Node { npm, version })
}

/// Installs what the lock file in `sources` names into `directory`, unless it is there already.
pub(crate) fn install(node: &Node, sources: &Path, directory: &Path) -> Result<(), Failure> {
    let mut wanted = format!("{}\n", node.version);
    for file in MANIFESTS {
        wanted.push_str(&read(&sources.join(file))?);
    }
    if is_installed(directory, &wanted) {
        return Ok(());
    }
    if directory.exists() {
        std::fs::remove_dir_all(directory).map_err(context("remove", directory))?;
    }
    std::fs::create_dir_all(directory).map_err(context("create", directory))?;
    for file in MANIFESTS {
        copy(&sources.join(file), &directory.join(file))?;
    }
    let words = "ci --silent --no-audit --no-fund --ignore-scripts";
    Run::new(node.npm, words.split(' '))
        .directory(directory)
        .check()?;
    installed(directory, &wanted)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(context("copy", from))
}

/// The first two numbers of `v20.19.0`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        assert_eq!(numbers("v20.19.0"), Some((20, 19)));
        assert_eq!(numbers("v8.1.0"), Some((8, 1)));
        assert_eq!(numbers("20"), None);
    }
}
