//! Input, line by line, in bounded memory.

use std::io;

use tokio::io::AsyncReadExt as _;

use super::pipe::Input;
use crate::envelope::ID_PREFIX;

/// One line of input, without its end.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// The whole line.
    Whole(&'a [u8]),
    /// The start of a line that is longer than the limit.
    TooLong(&'a [u8]),
}

/// Reads lines. Dropping a call of [`Lines::next`] loses nothing.
pub(super) struct Lines {
    input: Input,
    limit: usize,
    chunk: Box<[u8]>,
    /// What of `chunk` has been read and not used.
    unread: std::ops::Range<usize>,
    line: Vec<u8>,
    too_long: bool,
    /// The last call of `next` returned what is in `line`.
    returned: bool,
}

impl Lines {
    pub(super) fn new(input: Input, limit: usize) -> Self {
        Self {
            input,
            limit,
            chunk: vec![0; 64 * 1024].into_boxed_slice(),
            unread: 0..0,
            line: Vec::new(),
            too_long: false,
            returned: false,
        }
    }

    /// The next line, the last one too if it has no end; `None` at the end of input.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if std::mem::take(&mut self.returned) {
            self.line.clear();
            // A long line must not keep its room for ever.
            self.line.shrink_to(self.chunk.len());
            self.too_long = false;
        }
        loop {
            if self.unread.is_empty() {
                let count = self.input.read(&mut self.chunk).await?;
                self.unread = 0..count;
                if count == 0 {
                    let rest = !self.line.is_empty();
                    self.returned = true;
                    return Ok(rest.then(|| self.current()));
                }
            }
            if self.take_until_newline() {
                self.returned = true;
                return Ok(Some(self.current()));
            }
        }
    }

    /// Moves bytes from the chunk to the line; whether the line is complete.
    fn take_until_newline(&mut self) -> bool {
        let unread = self.chunk.get(self.unread.clone()).unwrap_or_default();
        let end = unread.iter().position(|byte| *byte == b'\n');
        let part = unread
            .get(..end.unwrap_or(unread.len()))
            .unwrap_or_default();
        if !self.too_long {
            let room = self.limit.saturating_sub(self.line.len());
            self.line
                .extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
            if part.len() > room {
                self.too_long = true;
                self.line.truncate(ID_PREFIX);
            }
        }
        self.unread.start += part.len() + usize::from(end.is_some());
        end.is_some()
    }

    fn current(&self) -> Line<'_> {
        if self.too_long {
            Line::TooLong(&self.line)
        } else {
            Line::Whole(&self.line)
        }
    }
}
