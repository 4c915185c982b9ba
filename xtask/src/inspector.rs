//! `cargo xtask inspector`: the MCP Inspector against the real server, started from the configuration
//! that `refund-mcp client-config` prints. Its command-line mode makes the checks, `--open` starts its
//! page for a person.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::metadata::workspace;
use crate::scratch::Scratch;
use crate::sh::{Failure, Run, build_server, context, root};
use crate::{node, say};

/// The oldest Node.js that the Inspector runs on.
const NODE: (u32, u32) = (22, 19);

/// The server's name in the configuration that `client-config` prints.
const SERVER: &str = "refunds";

/// The Inspector's two ways of talking: with the handshake, and the stateless revision.
const ERAS: [&str; 2] = ["legacy", "modern"];

/// One check.
struct Check {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The Inspector's exit code: 0 fine, 1 an error, 5 a result with `isError`.
    code: i32,
    /// What must stand where, in its answer.
    expected: &'static [(&'static str, &'static str)],
}

const CALL: [&str; 2] = ["--method", "tools/call"];

/// The customers are those of the demo data `customers`: the third one is suspended.
const CHECKS: [Check; 6] = [
    Check {
        name: "the tools are listed, and their schemas are portable",
        arguments: &["--method", "tools/list", "--strict"],
        code: 0,
        // Which tools, `judge` asks the server itself.
        expected: &[],
    },
    Check {
        name: "a customer's record",
        arguments: &[
            CALL[0],
            CALL[1],
            "--tool-name",
            "get_customer_record",
            "--tool-args-json",
            r#"{"customer_id":"CUST-00001"}"#,
        ],
        code: 0,
        expected: &[("/result/structuredContent/status", "active")],
    },
    Check {
        name: "an id that is none",
        arguments: &[
            CALL[0],
            CALL[1],
            "--tool-name",
            "get_customer_record",
            "--tool-args-json",
            r#"{"customer_id":"12345"}"#,
        ],
        code: 1,
        expected: &[(
            "/error/message",
            "Invalid arguments for tool get_customer_record",
        )],
    },
    Check {
        name: "an amount below zero",
        arguments: &[
            CALL[0],
            CALL[1],
            "--tool-name",
            "trigger_refund",
            "--tool-args-json",
            r#"{"customer_id":"CUST-00001","amount":-10,"reason":"Item arrived damaged"}"#,
        ],
        code: 1,
        expected: &[(
            "/error/message",
            "Invalid arguments for tool trigger_refund",
        )],
    },
    Check {
        name: "a reason that is too short",
        arguments: &[
            CALL[0],
            CALL[1],
            "--tool-name",
            "trigger_refund",
            "--tool-args-json",
            r#"{"customer_id":"CUST-00001","amount":10,"reason":"no"}"#,
        ],
        code: 1,
        expected: &[(
            "/error/message",
            "Invalid arguments for tool trigger_refund",
        )],
    },
    Check {
        name: "a suspended customer",
        arguments: &[
            CALL[0],
            CALL[1],
            "--tool-name",
            "trigger_refund",
            "--tool-args-json",
            r#"{"customer_id":"CUST-00003","amount":10,"reason":"Item arrived damaged"}"#,
        ],
        code: 5,
        expected: &[(
            "/result/content/0/text",
            "Customer CUST-00003 is suspended. Refunds are only issued to active customers.",
        )],
    },
];

/// `cargo xtask inspector [--open]`.
pub(crate) fn command(arguments: &[String]) -> Result<(), Failure> {
    let open = match arguments {
        [] => false,
        [flag] if flag == "--open" => true,
        _ => return Err(Failure::usage("usage: cargo xtask inspector [--open]")),
    };
    let binary = build_server()?.display().to_string();
    let directory = workspace()?.target.join("inspector");
    let inspector = install(&directory.join("node"))?;
    let scratch = Scratch::new(&directory, "scratch")?;
    let configuration = scratch.path().join("mcp.json");
    let printed = Run::new(
        &binary,
        [
            "client-config",
            "cursor",
            "--demo",
            "customers",
            "--log-level",
            "warn",
        ],
    )
    // What it says about the file is for people.
    .probe()
    .ok_or_else(|| Failure::new(format!("`{binary} client-config` failed")))?;
    std::fs::write(&configuration, printed).map_err(context("write", &configuration))?;
    // The Inspector keeps files in the home directory otherwise.
    let storage = scratch.path().display().to_string();
    let inspector = inspector.env("MCP_STORAGE_DIR", &storage);
    if open {
        self::open(inspector, &configuration)
    } else {
        check_all(&inspector, &configuration, &tools(&binary)?)
    }
}

fn open(inspector: Run, configuration: &Path) -> Result<(), Failure> {
    say::line("The page's address, with its token, is printed below. Ctrl-C ends it.");
    inspector
        .arg("--web")
        .arg("--config")
        .arg(configuration.display().to_string())
        .env("MCP_AUTO_OPEN_ENABLED", "false")
        .check()
}

/// The names of the tools, as the server says on the command line.
fn tools(binary: &str) -> Result<Vec<String>, Failure> {
    let listed = Run::new(binary, ["tools", "--json"]).stdout()?;
    let listed: Value = serde_json::from_str(&listed).map_err(context("read", "its tools"))?;
    Ok(names(&listed["tools"]))
}

fn names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().into_iter().flatten();
    tools
        .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
        .collect()
}

fn check_all(inspector: &Run, configuration: &Path, tools: &[String]) -> Result<(), Failure> {
    let (mut passed, mut failed) = (0_u32, 0_u32);
    for era in ERAS {
        for check in &CHECKS {
            let mut run = inspector.clone().arg("--cli");
            for argument in ["--config", &configuration.display().to_string()] {
                run = run.arg(argument);
            }
            let words = [
                "--server",
                SERVER,
                "--protocol-era",
                era,
                "--quiet",
                "--format",
                "json",
            ];
            for argument in words.iter().chain(check.arguments) {
                run = run.arg(*argument);
            }
            match judge(check, &run, tools) {
                Ok(()) => {
                    passed = passed.saturating_add(1);
                    say::line(format!("ok   {era}: {}", check.name));
                }
                Err(failure) => {
                    failed = failed.saturating_add(1);
                    say::line(format!("FAIL {era}: {}: {failure}", check.name));
                }
            }
        }
    }
    say::line(format!("inspector: {passed} passed, {failed} failed"));
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure::new("the Inspector did not get what was expected"))
    }
}

fn judge(check: &Check, run: &Run, tools: &[String]) -> Result<(), Failure> {
    let output = run
        .command()
        .output()
        .map_err(|error| Failure::new(format!("failed to start `{run}`: {error}")))?;
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let told = |what: String| {
        let (out, err) = (start(&out), start(&err));
        Failure::new(format!("{what}\nstdout: {out}\nstderr: {err}\n`{run}`"))
    };
    if output.status.code() != Some(check.code) {
        return Err(told(format!(
            "{} instead of exit code {}",
            output.status, check.code
        )));
    }
    // Results come on stdout, errors on stderr.
    let answers: Vec<Value> = out
        .lines()
        .chain(err.lines())
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let listed = answers
        .iter()
        .find_map(|answer| answer.pointer("/result/tools"));
    if let Some(listed) = listed.map(names)
        && listed != tools
    {
        return Err(told(format!("{listed:?} are listed instead of {tools:?}")));
    }
    if check.expected.is_empty() && listed.is_none() {
        return Err(told("nothing is listed".to_owned()));
    }
    for (pointer, wanted) in check.expected {
        let mut found = answers.iter().filter_map(|answer| answer.pointer(pointer));
        if !found.any(|found| found == wanted) {
            return Err(told(format!("nothing has {wanted:?} at {pointer}")));
        }
    }
    Ok(())
}

/// As much of an answer as somebody reads.
fn start(text: &str) -> String {
    text.chars().take(600).collect()
}

/// Installs the Inspector, and gives the command that starts it.
fn install(directory: &Path) -> Result<Run, Failure> {
    let node = node::find().ok_or_else(|| {
        Failure::new("the Inspector needs Node.js with npm, which its installer brings")
    })?;
    node::install(&node, &root().join("xtask/inspector"), directory)?;
    let inspector = directory
        .join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let program = if node.version() >= Some(NODE) {
        PathBuf::from("node")
    } else {
        own_node(directory).ok_or_else(|| {
            Failure::new(format!(
                "the Inspector needs Node.js {}.{} or newer",
                NODE.0, NODE.1
            ))
        })?
    };
    Ok(Run::new(
        program.display().to_string(),
        [inspector.display().to_string()],
    ))
}

/// The Node.js that was installed beside a package that needs it, where there is one for this system.
pub(crate) fn own_node(directory: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(directory.join("node_modules")).ok()?;
    packages
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("node-"))
        .map(|entry| {
            let program = format!("bin/node{}", std::env::consts::EXE_SUFFIX);
            entry.path().join(program)
        })
        .find(|program| program.is_file())
}
