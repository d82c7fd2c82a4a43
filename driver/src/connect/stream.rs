//! The socket below a connection: TCP or Unix.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A connected socket that never blocks.
#[derive(Debug)]
pub enum Stream {
    /// To a host and port.
    Tcp(TcpStream),
    /// To a path on this machine.
    Unix(UnixStream),
}

impl Stream {
    /// Reads what is there.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is; then, if the stream had been read empty before, this costs no system call.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_read(buffer),
            Self::Unix(stream) => stream.try_read(buffer),
        }
    }

    /// Writes as much as the kernel takes.
    ///
    /// # Errors
    /// `WouldBlock` when it takes nothing, others when the stream has ended.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_write(bytes),
            Self::Unix(stream) => stream.try_write(bytes),
        }
    }

    /// Waits until the kernel takes bytes again.
    ///
    /// # Errors
    /// When the event loop is gone.
    pub async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.writable().await,
            Self::Unix(stream) => stream.writable().await,
        }
    }

    /// Reads into `buffer`; nothing read is the end.
    ///
    /// # Errors
    /// When the stream was reset.
    pub fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}
