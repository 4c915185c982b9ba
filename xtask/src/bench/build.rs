//! What is measured, built as a release builds it, all of it under `target/bench`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::node;
use crate::sh::{Failure, Run, context, root};

/// Builds one program in release mode, and tells where it is.
fn release(target: &Path, words: &str, name: &str) -> Result<PathBuf, Failure> {
    let run = Run::cargo(&format!("build --release {words}"))
        .arg("--message-format")
        .arg("json-render-diagnostics")
        .arg("--target-dir")
        .arg(target.display().to_string());
    let messages = run.stdout()?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| Failure::new(format!("`{run}` named no executable")))
}

/// This tool: a client compiled for debugging would measure itself.
pub(super) fn myself(target: &Path) -> Result<PathBuf, Failure> {
    release(target, "--package xtask --bin xtask", "xtask")
}

/// The server.
pub(super) fn server(target: &Path) -> Result<PathBuf, Failure> {
    release(
        target,
        "--package refund-mcp --bin refund-mcp",
        "refund-mcp",
    )
}

/// The program that measures the store without a server.
pub(super) fn embedded(target: &Path) -> Result<PathBuf, Failure> {
    release(target, "--package refund-store --bench refunds", "refunds")
}

/// The least that an HTTP server can do.
pub(super) fn echo(target: &Path) -> Result<PathBuf, Failure> {
    release(target, "--package refund-mcp --bench echo", "echo")
}

/// The program that measures the PostgreSQL store without a server.
pub(super) fn postgres(target: &Path) -> Result<PathBuf, Failure> {
    release(
        target,
        "--package refund-store --features postgres --bench postgres",
        "postgres",
    )
}

/// The program that measures and judges the warranty desk without a server.
pub(super) fn warranty(target: &Path) -> Result<PathBuf, Failure> {
    release(
        target,
        "--package refund-store --bench warranty",
        "warranty",
    )
}

/// The peer's script, beside its installed packages.
pub(super) fn peer(target: &Path) -> Result<PathBuf, Failure> {
    let directory = target.join("peer");
    let sources = root().join("xtask/bench/peer");
    let node = node::find()
        .filter(|node| node.version() >= Some((20, 0)))
        .ok_or_else(|| {
            Failure::new("the peer needs Node.js 20 or newer with npm, which its installer brings")
        })?;
    node::install(&node, &sources, &directory)?;
    let script = directory.join("server.mjs");
    std::fs::copy(sources.join("server.mjs"), &script).map_err(context("write", &script))?;
    Ok(script)
}
