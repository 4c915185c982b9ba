//! The server over HTTP, through the real binary on a port of its own.

mod attacks;
mod envelope;
mod life;
mod limits;
mod protocol;
mod server;
mod tokens;

pub(crate) use server::{
    HttpServer, Post, TOKEN, connect_to, listen, listen_with_token, receive_if_any,
};
