//! The MCP server and its command line. The only crate that knows rmcp, clap and lettre.
//!
//! In reading order: [`cli`] (what a person typed), [`config`] (what is in force), [`catalogue`] and
//! [`tools`] (the tools as data), [`messages`] (what they say, in every language), [`prompts`],
//! [`server`] (rmcp's handler), [`outcome`] (what a call came to, and how that goes over the wire),
//! [`envelope`] (the reader of JSON-RPC messages), [`stdio`] (the
//! transport), [`stdout`] (its one owner), [`mail`] (to customers), [`logging`], [`panics`], [`shutdown`], [`exit`].

mod catalogue;
mod cli;
mod config;
mod envelope;
mod exit;
mod instructions;
mod logging;
mod mail;
mod messages;
mod outcome;
mod panics;
mod prompts;
mod server;
mod shutdown;
mod stdio;
mod stdout;
mod tools;

pub use cli::run;
pub use exit::Exit;
