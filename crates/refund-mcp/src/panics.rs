//! What a panic does: inside a tool it is an internal error of that call, anywhere else the process
//! stops in good order with exit code 1. Both are logged with their backtrace.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::shutdown::Shutdown;

thread_local! {
    static CAUGHT_HERE: Cell<bool> = const { Cell::new(false) };
}

/// The future of a tool call panicked.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs a future; a panic in it ends it with [`Panicked`] instead of taking the task along.
pub(crate) struct CatchPanic<F>(Pin<Box<F>>);

impl<F: Future> CatchPanic<F> {
    pub(crate) fn new(future: F) -> Self {
        Self(Box::pin(future))
    }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outer = CAUGHT_HERE.replace(true);
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)));
        CAUGHT_HERE.set(outer);
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}

/// Logs every panic as one JSON line, and stops the server for those that nothing catches.
pub(crate) fn install(shutdown: Shutdown) {
    std::panic::set_hook(Box::new(move |info| {
        let caught = CAUGHT_HERE.get();
        let place = info.location().map(ToString::to_string);
        tracing::error!(
            panic = text(info.payload()),
            place,
            in_tool = caught,
            backtrace = %Backtrace::force_capture(),
            "panicked"
        );
        if !caught {
            shutdown.fatal();
        }
    }));
}

fn text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no text)")
}
