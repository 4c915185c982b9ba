//! A file to import: its name for errors, its format, and where its bytes come from.

use std::fmt;
use std::io::{self, Read, Seek as _};
use std::sync::Arc;

use super::Format;

/// A file to import.
pub struct Input {
    pub(crate) name: Arc<str>,
    pub(crate) format: Format,
    pub(crate) source: Box<dyn Read>,
}

impl Input {
    /// A file, under the name that errors shall give it. It is read while the import holds the
    /// store's write lock: for a source that may let its reader wait, see [`Input::spooled`].
    pub fn new(name: &str, format: Format, source: impl Read + 'static) -> Self {
        Self {
            name: name.into(),
            format,
            source: Box::new(source),
        }
    }

    /// A pipe or the like: read to its end into a temporary file now, so that nobody waits for its
    /// writer while the store is locked.
    ///
    /// # Errors
    /// The source cannot be read, or the temporary directory not written.
    pub fn spooled(name: &str, format: Format, mut source: impl Read) -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut source, &mut file)?;
        file.rewind()?;
        Ok(Self::new(name, format, file))
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}
