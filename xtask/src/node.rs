//! The TypeScript clients of the conformance run: their packages are installed into a copy under
//! the target directory, so that the sources stay as they are committed.

use std::path::{Path, PathBuf};

use crate::conformance::{Outcome, Setting, installed, is_installed, script};
use crate::sh::{Failure, Run, context, read, root};

/// What the packages are installed from.
const MANIFESTS: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// The scripts; they must lie beside their packages, or node does not find those.
const SCRIPTS: [&str; 3] = ["checks.mjs", "client_v1.mjs", "client_v2.mjs"];

/// The client of the 1.x packages, which most hosts have today.
pub(crate) fn v1(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    client(setting, "client_v1.mjs")
}

/// The client of the 2.x packages, which knows the stateless revision.
pub(crate) fn v2(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    client(setting, "client_v2.mjs")
}

fn client(setting: &Setting<'_>, name: &str) -> Result<Outcome, Failure> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let version = Run::new("node", ["--version"]).probe();
    let major = version.as_deref().and_then(major);
    let npm_version = Run::new(npm, ["--version"]).probe();
    let (Some(version), Some(20..), Some(_)) = (version, major, npm_version) else {
        return Ok(Outcome::Missing(
            "the TypeScript clients: they need Node.js 20 or newer with npm, which its installer brings"
                .to_owned(),
        ));
    };
    let sources = root().join("xtask/conformance/node");
    let directory = setting.installed.join("node");
    install(npm, &version, &sources, &directory)?;
    for file in SCRIPTS {
        copy(&sources.join(file), &directory.join(file))?;
    }
    let arguments: [PathBuf; 3] = [
        directory.join(name),
        setting.binary.to_owned(),
        setting.scratch.to_owned(),
    ];
    let run = Run::new("node", arguments.map(|path| path.display().to_string()));
    script(&run).map(Outcome::Ran)
}

fn install(npm: &str, version: &str, sources: &Path, directory: &Path) -> Result<(), Failure> {
    let mut wanted = format!("{version}\n");
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
    Run::new(npm, words.split(' '))
        .directory(directory)
        .check()?;
    installed(directory, &wanted)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(context("copy", from))
}

/// The first number of `v20.19.0`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("v20.19.0"), Some(20));
        assert_eq!(major("v8.1.0"), Some(8));
        assert_eq!(major("20"), None);
    }
}
