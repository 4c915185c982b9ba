//! Progress for a person who waits at a terminal, on standard error. Nothing where that is none.

use std::fs::File;
use std::io::{Read, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Draws a second, so that drawing costs nothing beside the work.
const RATE: u8 = 5;

/// A bar, or nothing.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of files that are read; each adds its length to the bar.
    pub(super) fn reading() -> Self {
        Self::styled(Some(0), "{bar:30} {bytes} of {total_bytes}, {eta} left")
    }

    /// Of a file that is written, whose length nobody knows.
    pub(super) fn writing() -> Self {
        Self::styled(None, "{spinner} {bytes} written, {bytes_per_sec}")
    }

    fn styled(length: Option<u64>, template: &str) -> Self {
        // A target that is not a terminal hides the bar by itself.
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(RATE));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    /// A file whose reading moves the bar.
    pub(super) fn watch_file(&mut self, file: File, length: u64) -> Box<dyn Read> {
        self.bar.inc_length(length);
        Box::new(self.bar.wrap_read(file))
    }

    /// An output whose writing moves the bar.
    pub(super) fn watch_output<'a>(&self, out: impl Write + 'a) -> impl Write + 'a {
        self.bar.wrap_write(out)
    }

    /// Takes the bar away.
    pub(super) fn end(self) {
        self.bar.finish_and_clear();
    }
}
