//! A directory of our own under the target directory, gone when it is dropped.

use std::path::{Path, PathBuf};

use crate::sh::{Failure, context};

/// An empty directory for one run.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes `target/<name>-<process id>`, empty.
    pub(crate) fn new(target: &Path, name: &str) -> Result<Self, Failure> {
        let path = target.join(format!("{name}-{}", std::process::id()));
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(context("clear", &path))?;
        }
        std::fs::create_dir_all(&path).map_err(context("create", &path))?;
        Ok(Self { path })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
