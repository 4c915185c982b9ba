//! The MCP server and its command line. The only crate that knows rmcp, clap and lettre.
//!
//! In reading order: [`cli`] (what a person typed), [`config`] (what is in force), [`catalogue`] and
//! [`tools`] (the tools as data), [`messages`] (what they say, in every language), [`prompts`],
//! [`identity`] (who calls), [`store`] (which kinds of store there are), [`server`] (rmcp's handler), [`servers`] (one for each caller), [`outcome`] (what a call came to, and how that goes over the wire),
//! [`envelope`] (the reader of JSON-RPC messages), [`stdio`] (the
//! transport), [`stdout`] (its one owner), [`http`] (the other transport), [`metrics`], [`junk`] (what is turned away), [`mail`] (to customers), [`logging`], [`panics`], [`shutdown`], [`exit`].

mod catalogue;
mod cli;
mod config;
mod envelope;
mod exit;
mod http;
mod identity;
mod instructions;
mod junk;
mod logging;
mod mail;
mod messages;
mod metrics;
mod outcome;
mod panics;
mod prompts;
mod server;
mod servers;
mod shutdown;
mod stdio;
mod stdout;
mod store;
mod tools;

pub use cli::run;
pub use exit::Exit;
