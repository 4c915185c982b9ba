//! What cargo says about the crates of this workspace.

use std::path::PathBuf;

use serde_json::Value;

use crate::sh::{Failure, Run, root};

/// A crate of this workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its manifest, relative to the workspace root, with forward slashes.
    pub(crate) manifest: String,
    /// It has no program, so its public items are for others to use.
    pub(crate) is_library: bool,
    /// Direct dependencies of the product: normal and build ones, not those of tests.
    pub(crate) dependencies: Vec<String>,
}

/// The crates of this workspace, sorted by name, and where cargo puts what it builds.
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    pub(crate) target: PathBuf,
}

/// Asks cargo. Needs neither the network nor a lock file: it reads the manifests only.
pub(crate) fn workspace() -> Result<Workspace, Failure> {
    let text = Run::cargo("metadata --format-version 1 --no-deps --offline").stdout()?;
    parse(&text).ok_or_else(|| Failure::new("cargo metadata answered in a form not known here"))
}

fn parse(text: &str) -> Option<Workspace> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut packages = value["packages"]
        .as_array()?
        .iter()
        .map(package)
        .collect::<Option<Vec<_>>>()?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Some(Workspace {
        packages,
        target: PathBuf::from(value["target_directory"].as_str()?),
    })
}

fn package(value: &Value) -> Option<Package> {
    let manifest = value["manifest_path"].as_str()?;
    let relative = PathBuf::from(manifest)
        .strip_prefix(root())
        .map_or_else(|_| manifest.to_owned(), |path| path.display().to_string())
        .replace('\\', "/");
    let mut dependencies = value["dependencies"]
        .as_array()?
        .iter()
        .filter(|dependency| dependency["kind"] != "dev")
        .map(|dependency| dependency["name"].as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>()?;
    dependencies.sort();
    dependencies.dedup();
    Some(Package {
        name: value["name"].as_str()?.to_owned(),
        manifest: relative,
        is_library: value["targets"].as_array()?.iter().all(|target| {
            target["kind"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().all(|kind| kind != "bin"))
        }),
        dependencies,
    })
}
