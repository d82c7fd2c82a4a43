//! The socket below a connection: TCP or Unix.

use std::io::{self, IoSliceMut, Write};
use std::net;
use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nix::cmsg_space;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, TimestampingFlag, Timestamps, recv, recvmsg, setsockopt, sockopt,
};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A connected socket that never blocks.
#[derive(Debug)]
pub enum Stream {
    /// To a host and port, still unknown to the event loop: a request can be sent before anybody has to wait. Empty only
    /// when the event loop has refused it.
    Fresh(Option<net::TcpStream>),
    /// To a host and port.
    Tcp(TcpStream),
    /// To a path on this machine.
    Unix(UnixStream),
}

impl Stream {
    /// Waits until a connection that has begun is made.
    ///
    /// # Errors
    /// When nobody accepts.
    pub async fn established(mut self) -> io::Result<Self> {
        self.register()?;
        if let Self::Tcp(stream) = &self {
            stream.writable().await?;
            if let Some(error) = stream.take_error()? {
                return Err(error);
            }
        }
        Ok(self)
    }

    /// Tells the event loop of a fresh stream; from now on it can be waited for.
    fn register(&mut self) -> io::Result<()> {
        if let Self::Fresh(fresh) = self {
            let stream = fresh.take().ok_or(io::ErrorKind::NotConnected)?;
            *self = Self::Tcp(TcpStream::from_std(stream)?);
        }
        Ok(())
    }

    /// Sends small pieces at once from now on, also when earlier ones are not confirmed (Nagle's algorithm, RFC 9293,
    /// 3.7.4). A request that is sent as one piece, after the response to the one before, has nothing to wait for.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn send_without_delay(&self) -> io::Result<()> {
        match self {
            Self::Fresh(stream) => stream.as_ref().map_or(Ok(()), |stream| stream.set_nodelay(true)),
            Self::Tcp(stream) => stream.set_nodelay(true),
            Self::Unix(_) => Ok(()),
        }
    }

    /// Reads what is there.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is; then, if the stream had been read empty before, this costs no system call.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Fresh(_) => self.read_now(buffer),
            Self::Tcp(stream) => stream.try_read(buffer),
            Self::Unix(stream) => stream.try_read(buffer),
        }
    }

    /// Reads what the kernel has, whether or not the event loop has heard of it.
    ///
    /// # Errors
    /// `WouldBlock` when there is nothing, others when the stream was reset.
    pub fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let socket = match self {
            Self::Fresh(stream) => stream.as_ref().ok_or(io::ErrorKind::NotConnected)?.as_raw_fd(),
            Self::Tcp(stream) => stream.as_raw_fd(),
            Self::Unix(stream) => stream.as_raw_fd(),
        };
        Ok(recv(socket, buffer, MsgFlags::MSG_DONTWAIT)?)
    }

    /// Writes as much as the kernel takes.
    ///
    /// # Errors
    /// `WouldBlock` when it takes nothing, others when the stream has ended.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Fresh(stream) => stream.as_ref().ok_or(io::ErrorKind::NotConnected)?.write(bytes),
            Self::Tcp(stream) => stream.try_write(bytes),
            Self::Unix(stream) => stream.try_write(bytes),
        }
    }

    /// Writes as much as the kernel takes; the task is woken when it takes more.
    ///
    /// # Errors
    /// When the stream has ended.
    pub fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.register()?;
        match self {
            Self::Fresh(_) => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    /// Reads into `buffer`; nothing read is the end.
    ///
    /// # Errors
    /// When the stream was reset.
    pub fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.register()?;
        match self {
            Self::Fresh(_) => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }

    /// Asks the kernel to stamp what it receives.
    ///
    /// # Errors
    /// When it does not, as for Unix sockets.
    pub fn want_stamps(&self) -> io::Result<()> {
        let flags =
            TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE;
        match self {
            Self::Fresh(stream) => Ok(setsockopt(
                stream.as_ref().ok_or(io::ErrorKind::NotConnected)?,
                sockopt::Timestamping,
                &flags,
            )?),
            Self::Tcp(stream) => Ok(setsockopt(stream, sockopt::Timestamping, &flags)?),
            Self::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Reads like [`Self::poll_read`] and tells the kernel's stamp of the last byte read, in time since 1970; nothing
    /// when there is none. It is put down in `stamp`, which is kept from read to read.
    ///
    /// # Errors
    /// When the stream was reset.
    pub fn poll_read_stamped(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        stamp: &mut StampBuffer,
    ) -> Poll<io::Result<Option<Duration>>> {
        self.register()?;
        let Self::Tcp(stream) = self else { return self.poll_read(context, buffer).map_ok(|()| None) };
        loop {
            ready!(stream.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            let length = room.len();
            let mut read = None;
            let result = stream.try_io(Interest::READABLE, || {
                let (bytes, at) = stamp.receive(stream.as_raw_fd(), room)?;
                read = Some((bytes, at));
                // The socket has been read empty: said like this, nobody asks the kernel again before more has come.
                if (1..length).contains(&bytes) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
            });
            match (read, result) {
                (Some((bytes, at)), _) => {
                    buffer.advance(bytes);
                    return Poll::Ready(Ok(at));
                }
                (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Poll::Ready(Err(error));
                }
                (None, _) => {}
            }
        }
    }
}

/// Room for what the kernel says beside the bytes it hands over.
#[derive(Debug)]
pub struct StampBuffer(Vec<u8>);

impl Default for StampBuffer {
    fn default() -> Self {
        Self(cmsg_space!(Timestamps))
    }
}

impl StampBuffer {
    /// Reads from a socket that never blocks: how many bytes, and when the last one had come.
    fn receive(&mut self, socket: RawFd, room: &mut [u8]) -> io::Result<(usize, Option<Duration>)> {
        let mut rooms = [IoSliceMut::new(room)];
        let message = recvmsg::<()>(socket, &mut rooms, Some(&mut self.0), MsgFlags::empty())?;
        let stamp = message.cmsgs()?.find_map(|control| match control {
            ControlMessageOwned::ScmTimestampsns(stamps) => Some(Duration::from(stamps.system)),
            _ => None,
        });
        Ok((message.bytes, stamp.filter(|stamp| !stamp.is_zero())))
    }
}
