//! Standard input and the client's end of standard output, as async byte streams.
//!
//! Pipes and sockets (how Node-based clients start servers) are waited for with the runtime's poller,
//! so that no thread stands between a message and its handler. Files and terminals cannot be polled
//! and are read on a blocking thread.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Where messages come from.
pub(super) type Input = Box<dyn AsyncRead + Send + Sync + Unpin>;

/// Where messages go.
pub(super) type Output = Box<dyn AsyncWrite + Send + Sync + Unpin>;

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream as StdStream;

    use rustix::fs::FileType;
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{Input, Output, io};

    /// Standard input. Must be called within a runtime.
    ///
    /// # Errors
    /// The descriptor cannot be used.
    pub(crate) fn input() -> io::Result<Input> {
        let fd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        Ok(match kind(&fd)? {
            FileType::Fifo => Box::new(pipe::Receiver::from_owned_fd(fd)?),
            FileType::Socket => Box::new(socket(fd)?),
            _ => Box::new(tokio::fs::File::from_std(File::from(fd))),
        })
    }

    /// The client's end of standard output; nothing else reaches it from now on. Must be called within
    /// a runtime.
    ///
    /// # Errors
    /// The descriptor cannot be used.
    pub(crate) fn output() -> io::Result<Output> {
        let fd = crate::stdout::take_for_protocol()?;
        Ok(match kind(&fd)? {
            FileType::Fifo => Box::new(pipe::Sender::from_owned_fd(fd)?),
            FileType::Socket => Box::new(socket(fd)?),
            _ => Box::new(tokio::fs::File::from_std(File::from(fd))),
        })
    }

    fn kind(fd: &OwnedFd) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
    }

    fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
        let stream = StdStream::from(fd);
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    }
}

#[cfg(unix)]
pub(super) use unix::{input, output};

/// Standard input.
#[cfg(not(unix))]
pub(super) fn input() -> io::Result<Input> {
    Ok(Box::new(tokio::io::stdin()))
}

/// Standard output.
#[cfg(not(unix))]
pub(super) fn output() -> io::Result<Output> {
    Ok(Box::new(tokio::io::stdout()))
}
