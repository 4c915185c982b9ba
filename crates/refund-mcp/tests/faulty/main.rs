//! The tests' own build of the server: it prints, panics or dies at named points.
//!
//! `REFUND_FAULT=ACTION@POINT` says what happens where: `kill`, `panic`, `print` (with `println!` and
//! with C's `printf`), `pause` (says so on stderr, and goes on when the file in `REFUND_FAULT_RESUME` exists).
//! With `REFUND_FAULT_PASS=N` it happens at the N-th pass of the point alone, otherwise at every one.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    unsafe_code,
    reason = "doing what the product must not do is what this build is for"
)]

use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

static FAULT: OnceLock<(String, String)> = OnceLock::new();

fn main() -> ExitCode {
    if let Ok(fault) = std::env::var("REFUND_FAULT") {
        let (action, point) = fault.split_once('@').unwrap_or((&fault, ""));
        let _ = FAULT.set((action.to_owned(), point.to_owned()));
        refund_store::fault::set_hook(act);
    }
    refund_mcp::run().into()
}

fn act(point: &str) {
    let Some((action, _)) = FAULT.get().filter(|(_, chosen)| chosen == point) else {
        return;
    };
    static PASSES: AtomicU64 = AtomicU64::new(0);
    let pass = PASSES.fetch_add(1, Ordering::Relaxed) + 1;
    let only = std::env::var("REFUND_FAULT_PASS");
    if only.is_ok_and(|only| only != pass.to_string()) {
        return;
    }
    match action.as_str() {
        "kill" => {
            // Whatever was said too early gets out, so that it can be held against us.
            std::thread::sleep(Duration::from_millis(30));
            // SAFETY: raises a signal in this process; nothing is shared.
            unsafe { libc::raise(libc::SIGKILL) };
        }
        "panic" => panic!("a fault was asked for at {point}"),
        "print" => {
            println!("printed by Rust at {point}");
            eprintln!("printed to stderr at {point}");
            // SAFETY: the strings end with a zero byte, and the format takes none of its arguments.
            unsafe {
                libc::printf(c"printed by C\n".as_ptr());
                libc::fflush(std::ptr::null_mut());
            }
        }
        "pause" => {
            eprintln!("paused at {point}");
            let resume = std::env::var_os("REFUND_FAULT_RESUME");
            while !resume
                .as_ref()
                .is_some_and(|file| std::path::Path::new(file).exists())
            {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        other => panic!("unknown fault {other}"),
    }
}
