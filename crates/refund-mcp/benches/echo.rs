//! As little as an axum server can do: it reads a POST and answers with as many bytes as it was told.
//! `cargo xtask bench` measures the real server beside it:
//!
//! ```text
//! echo BYTES      prints the port that it listens on
//! ```
//!
//! Without such words it does nothing, because test runners start every program they find.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that fails stops, and stdout is for the reader"
)]

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use tokio::net::TcpListener;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [bytes] = words.as_slice() else { return };
    let Ok(bytes) = bytes.parse() else { return };
    let answer = Bytes::from(vec![b' '; bytes]);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        println!("{}", listener.local_addr().unwrap().port());
        let echo = post(|_whole: Bytes| async move {
            ([(CONTENT_TYPE, "application/json")], answer.clone())
        });
        axum::serve(listener, Router::new().route("/mcp", echo))
            .await
            .unwrap();
    });
}
