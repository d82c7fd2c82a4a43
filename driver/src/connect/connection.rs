//! One connection: a raw socket whose bytes go through a buffer that all connections of an event loop share.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Once;
use std::task::{Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

use super::answer::{AnswerError, AnswerReader, Progress, Receiver};
use super::target::Target;
use crate::pace::{Clock, Moment};

/// Size of the shared buffer: a page and its pictures in one system call.
const INBOX_BYTES: usize = 64 * 1_024;

static NO_PORT: Once = Once::new();

/// The read buffer of an event loop. A connection that waits needs none of its own.
#[derive(Debug)]
pub struct Inbox {
    buffer: RefCell<Box<[u8]>>,
    clock: Clock,
}

impl Inbox {
    /// An empty buffer; reads are stamped by `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { buffer: RefCell::new(vec![0; INBOX_BYTES].into_boxed_slice()), clock }
    }
}

/// An open connection.
#[derive(Debug)]
pub struct Connection(TcpStream);

/// A connection between two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// It can be used.
    Usable,
    /// The server has closed it.
    Closed,
    /// The server has sent something that nobody asked for.
    Unasked,
}

/// A complete answer.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// When its last byte was there.
    pub at: Moment,
    /// Whether the connection may be used again.
    pub keeps_alive: bool,
    /// Whether bytes came behind it that nobody asked for.
    pub excess: bool,
}

/// Why an answer is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveError {
    /// The connection ended.
    Closed,
    /// The answer is not one.
    Answer(AnswerError),
}

impl Connection {
    /// Connects to the first address of `target` that accepts.
    ///
    /// # Errors
    /// What the last address said.
    pub async fn open(target: &Target) -> io::Result<Self> {
        let mut last = io::ErrorKind::NotFound.into();
        for (index, address) in target.addresses() {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    target.prefer(index);
                    stream.set_nodelay(true)?;
                    return Ok(Self(stream));
                }
                Err(error) => last = error,
            }
        }
        if last.kind() == io::ErrorKind::AddrNotAvailable {
            // The driver's own limit, which nobody must take for the server's.
            NO_PORT.call_once(|| {
                eprintln!(
                    "no local port is free for another connection to {}; widen net.ipv4.ip_local_port_range, set \
                     net.ipv4.tcp_tw_reuse to 1, or name more targets",
                    target.authority
                );
            });
        }
        Err(last)
    }

    /// What happened on the connection since the last answer. Costs no system call when nothing did.
    #[must_use]
    pub fn idle(&self) -> Idle {
        match self.0.try_read(&mut [0; 1]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Idle::Usable,
            Ok(1..) => Idle::Unasked,
            Ok(0) | Err(_) => Idle::Closed,
        }
    }

    /// Sends the whole request; `sent` counts the bytes the kernel took.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn send(&mut self, request: &RefCell<Vec<u8>>, sent: &mut u64) -> io::Result<()> {
        let mut rest = {
            let request = request.borrow();
            let taken = match self.0.try_write(&request) {
                Ok(taken) => taken,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(error),
            };
            *sent += taken as u64;
            if taken == request.len() {
                return Ok(());
            }
            // Allocates: the kernel's buffer is full, and the shared one is needed by others meanwhile.
            request[taken..].to_vec()
        };
        while !rest.is_empty() {
            self.0.writable().await?;
            match self.0.try_write(&rest) {
                Ok(taken) => {
                    *sent += taken as u64;
                    rest.drain(..taken);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives an answer to its last byte; `bytes` counts what came.
    ///
    /// # Errors
    /// When no complete answer came.
    pub async fn receive(
        &mut self,
        inbox: &Inbox,
        answer: &mut AnswerReader,
        receiver: &mut impl Receiver,
        bytes: &mut u64,
    ) -> Result<Received, ReceiveError> {
        answer.restart();
        poll_fn(|context| {
            loop {
                let mut shared = inbox.buffer.borrow_mut();
                let mut buffer = ReadBuf::new(&mut shared);
                let read = ready!(Pin::new(&mut self.0).poll_read(context, &mut buffer));
                let at = inbox.clock.now();
                let piece = buffer.filled();
                *bytes += piece.len() as u64;
                let progress = match read {
                    Ok(()) if piece.is_empty() && answer.ends_here() => Progress::Complete,
                    Ok(()) if piece.is_empty() => return Poll::Ready(Err(ReceiveError::Closed)),
                    Ok(()) => answer.read(piece, receiver).map_err(ReceiveError::Answer)?,
                    Err(_) => return Poll::Ready(Err(ReceiveError::Closed)),
                };
                if progress != Progress::More {
                    let excess = progress == Progress::Excess;
                    return Poll::Ready(Ok(Received { at, keeps_alive: answer.keeps_alive(), excess }));
                }
            }
        })
        .await
    }
}
