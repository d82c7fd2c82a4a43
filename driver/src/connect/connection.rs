//! One connection: a raw socket whose bytes go through a buffer that all connections of an event loop share.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use tokio::io::ReadBuf;

use super::answer::{AnswerError, AnswerReader, Progress, Receiver};
use super::stream::Stream;
use crate::pace::{Clock, Moment};

/// Size of the shared buffer: a page and its pictures in one system call.
const INBOX_BYTES: usize = 64 * 1_024;

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
pub struct Connection(Stream);

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

/// Where the bytes of an answer go.
#[derive(Debug)]
pub struct Intake<'a, R> {
    /// The buffer they are read into.
    pub inbox: &'a Inbox,
    /// Who reads the answer in them; restarted for each answer.
    pub answer: &'a mut AnswerReader,
    /// Who looks at the answer.
    pub receiver: &'a mut R,
    /// How many came.
    pub bytes: &'a mut u64,
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
    /// A connection over a socket that has just been connected.
    #[must_use]
    pub fn new(stream: Stream) -> Self {
        Self(stream)
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

    /// Waits for the first piece of an answer. Nothing when more must follow.
    ///
    /// # Errors
    /// When the connection ended or the piece is not the beginning of an answer.
    pub async fn first_piece(
        &mut self,
        intake: &mut Intake<'_, impl Receiver>,
    ) -> Result<Option<Received>, ReceiveError> {
        poll_fn(|context| self.poll_piece(context, intake)).await
    }

    /// Receives an answer, or what is still to come of it, to its last byte.
    ///
    /// # Errors
    /// When no complete answer came.
    pub async fn receive(
        &mut self,
        intake: &mut Intake<'_, impl Receiver>,
    ) -> Result<Received, ReceiveError> {
        poll_fn(|context| {
            loop {
                if let Some(received) = ready!(self.poll_piece(context, intake))? {
                    return Poll::Ready(Ok(received));
                }
            }
        })
        .await
    }

    fn poll_piece(
        &mut self,
        context: &mut Context<'_>,
        intake: &mut Intake<'_, impl Receiver>,
    ) -> Poll<Result<Option<Received>, ReceiveError>> {
        let mut shared = intake.inbox.buffer.borrow_mut();
        let mut buffer = ReadBuf::new(&mut shared);
        let read = ready!(self.0.poll_read(context, &mut buffer));
        let at = intake.inbox.clock.now();
        let piece = buffer.filled();
        *intake.bytes += piece.len() as u64;
        let answer = &mut *intake.answer;
        let progress = match read {
            Ok(()) if piece.is_empty() && answer.ends_here() => Progress::Complete,
            Ok(()) if !piece.is_empty() => {
                answer.read(piece, intake.receiver).map_err(ReceiveError::Answer)?
            }
            Ok(()) | Err(_) => return Poll::Ready(Err(ReceiveError::Closed)),
        };
        let excess = progress == Progress::Excess;
        let received = Received { at, keeps_alive: answer.keeps_alive(), excess };
        Poll::Ready(Ok((progress != Progress::More).then_some(received)))
    }
}
