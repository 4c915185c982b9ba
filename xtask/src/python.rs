//! The Python client of the conformance run: an environment of its own, made when it is missing
//! or when the requirements changed.

use std::path::{Path, PathBuf};

use crate::conformance::{Outcome, Setting, installed, is_installed, script};
use crate::sh::{Failure, Run, context, read, root};

/// Tells whether this Python is new enough and can make environments.
const PROBE: &str =
    "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)";

pub(crate) fn run(setting: &Setting<'_>) -> Result<Outcome, Failure> {
    let found = ["python3", "python"].into_iter().find_map(|program| {
        let version = Run::new(program, ["-c", PROBE]).probe()?;
        Some((program, version))
    });
    let Some((program, version)) = found else {
        return Ok(Outcome::Missing(
            "the Python client: it needs Python 3.10 or newer with venv (on Debian: apt install python3-venv)"
                .to_owned(),
        ));
    };
    let sources = root().join("xtask/conformance/python");
    let directory = setting.installed.join("python");
    let python = interpreter(&directory);
    let requirements = sources.join("requirements.txt");
    let constraints = sources.join("constraints.txt");
    let wanted = format!("{version}\n{}{}", read(&requirements)?, read(&constraints)?);
    if !is_installed(&directory, &wanted) {
        if directory.exists() {
            std::fs::remove_dir_all(&directory).map_err(context("remove", &directory))?;
        }
        Run::new(program, ["-m", "venv"])
            .arg(directory.display().to_string())
            .check()?;
        Run::new(
            python.display().to_string(),
            ["-m", "pip", "install", "--quiet"],
        )
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .arg("--requirement")
        .arg(requirements.display().to_string())
        .arg("--constraint")
        .arg(constraints.display().to_string())
        .check()?;
        installed(&directory, &wanted)?;
    }
    let client = sources.join("client_test.py");
    let run = Run::new(
        python.display().to_string(),
        [
            client,
            setting.binary.to_owned(),
            setting.scratch.to_owned(),
        ]
        .map(|path| path.display().to_string()),
    )
    // Nothing is written beside the sources.
    .env("PYTHONDONTWRITEBYTECODE", "1");
    script(&run).map(Outcome::Ran)
}

fn interpreter(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    })
}
