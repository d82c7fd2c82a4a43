//! One connection: a raw socket whose bytes go through a buffer that all connections of an event loop share.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::ReadBuf;

use super::response::{Progress, Receiver, ResponseError, ResponseReader};
use super::sending::Sending;
use super::stream::{StampBuffer, Stream};
use super::tls::{Agreement, StreamState, TlsSession};
use crate::pace::{LoopClock, Moment, WallClock};

/// Size of the shared buffer: a page and its pictures in one system call.
const INBOX_BYTES: usize = 64 * 1_024;

/// The read buffer of an event loop. A connection that waits needs none of its own.
#[derive(Debug)]
pub struct Inbox {
    buffer: RefCell<Box<[u8]>>,
    clock: Rc<LoopClock>,
    stamps: Option<Stamps>,
}

/// What reading the kernel's stamps needs.
#[derive(Debug)]
struct Stamps {
    wall_clock: WallClock,
    buffer: RefCell<StampBuffer>,
}

impl Inbox {
    /// An empty buffer; reads are stamped by `clock`, and by the kernel too if its `wall_clock` is known.
    #[must_use]
    pub fn new(clock: Rc<LoopClock>, wall_clock: Option<WallClock>) -> Self {
        Self {
            buffer: RefCell::new(vec![0; INBOX_BYTES].into_boxed_slice()),
            clock,
            stamps: wall_clock.map(|wall_clock| Stamps { wall_clock, buffer: RefCell::default() }),
        }
    }

    /// Whether the kernel is to stamp what comes in.
    #[must_use]
    pub fn wants_stamps(&self) -> bool {
        self.stamps.is_some()
    }
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    tls: Option<Box<TlsSession>>,
}

/// A connection between two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// It can be used.
    Usable,
    /// The server has closed it, or has sent something that belongs to no request: nobody knows then what comes next.
    Closed,
}

/// How to find out what happened on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// By what the event loop has heard from the kernel, which may be a moment old. No system call when that is nothing.
    AsHeard,
    /// By asking the kernel now.
    AskKernel,
}

/// How much of a response is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Its first byte.
    Begun,
    /// All of it.
    Complete,
}

/// A complete response.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// When its first byte was read.
    pub begun: Moment,
    /// When its last byte was read.
    pub at: Moment,
    /// How long that byte had lain in the kernel; nothing when the kernel did not tell.
    pub lag: Option<Duration>,
    /// Whether the connection may be used again.
    pub keeps_alive: bool,
    /// Whether bytes came behind it that nobody asked for.
    pub excess: bool,
}

/// Where the bytes of a response go.
#[derive(Debug)]
pub struct Intake<'a, R> {
    /// The buffer they are read into.
    pub inbox: &'a Inbox,
    /// Who reads the response in them; restarted for each response.
    pub response: &'a mut ResponseReader,
    /// Who looks at the response.
    pub receiver: &'a mut R,
    /// What came.
    pub arrival: &'a Arrival,
    /// When the first of them was read.
    pub begun: Option<Moment>,
}

/// What came over the wire, to be looked at while more is waited for.
#[derive(Debug, Default)]
pub struct Arrival {
    /// How many bytes.
    pub bytes: Cell<u64>,
    /// When the last of them were read.
    pub last: Cell<Moment>,
}

/// Why a response is not complete.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceiveError {
    /// The connection ended.
    Closed,
    /// What came is not TLS, or TLS that is not trusted.
    Tls(rustls::Error),
    /// The response is not one.
    Response(ResponseError),
}

/// What one read brought.
struct Read {
    /// Bytes over the wire.
    bytes: usize,
    at: Moment,
    lag: Option<Duration>,
    state: StreamState,
}

impl Connection {
    /// A connection over a socket that has just been connected.
    #[must_use]
    pub fn new(stream: Stream) -> Self {
        Self { stream, tls: None }
    }

    /// A connection over such a socket, encrypted as soon as both sides agree on how.
    ///
    /// # Errors
    /// When they do not, or the connection ends.
    pub async fn secure(stream: Stream, session: TlsSession, inbox: &Inbox) -> Result<Self, ReceiveError> {
        let mut connection = Self { stream, tls: Some(Box::new(session)) };
        let mut state = connection.greet()?;
        while state == StreamState::Handshake {
            // The client's last message is sent with the first request.
            let outgoing = connection.tls.as_mut().map_or_else(Vec::new, |tls| tls.take_outgoing());
            let mut sending = Sending::unsent(outgoing, None);
            let read = poll_fn(|context| {
                // The messages are sealed already.
                sending.poll(context, &mut connection.stream, None, &mut 0);
                connection.poll_read(context, inbox, |_| {})
            })
            .await?;
            state = read.state;
        }
        if state == StreamState::Ended { Err(ReceiveError::Closed) } else { Ok(connection) }
    }

    /// What TLS was agreed on, if any.
    #[must_use]
    pub fn agreement(&self) -> Option<Agreement> {
        self.tls.as_ref()?.agreement()
    }

    fn greet(&mut self) -> Result<StreamState, ReceiveError> {
        let first = self.tls.as_mut().map_or(Ok(StreamState::Open), |tls| tls.read(&mut [], |_| {}));
        first.map_err(ReceiveError::Tls)
    }

    /// What happened on the connection since the last response.
    #[must_use]
    pub fn idle(&mut self, inbox: &Inbox, look: Look) -> Idle {
        let stream = &self.stream;
        let read = |buffer: &mut [u8]| match look {
            Look::AsHeard => stream.try_read(buffer),
            Look::AskKernel => stream.read_now(buffer),
        };
        let Some(tls) = &mut self.tls else {
            return match read(&mut [0; 1]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Idle::Usable,
                Ok(_) | Err(_) => Idle::Closed,
            };
        };
        loop {
            let mut shared = inbox.buffer.borrow_mut();
            let kept = tls.restore(&mut shared);
            let bytes = match read(&mut shared[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Idle::Usable,
                Ok(0) | Err(_) => return Idle::Closed,
                Ok(bytes) => bytes,
            };
            // Tickets and new keys may come at any time; the session ends when they do not.
            let mut unasked = false;
            match tls.read(&mut shared[..kept + bytes], |_| unasked = true) {
                Ok(StreamState::Open) if !unasked => {}
                Ok(_) | Err(_) => return Idle::Closed,
            }
        }
    }

    /// Begins to send a request, of which the first bytes may be `sent` already, and behind it a body; `sent` counts the
    /// bytes the kernel took. Mostly it takes all of it at once; what is left is sent while the response is received.
    ///
    /// # Errors
    /// When the connection has ended.
    pub fn send(
        &mut self,
        request: &RefCell<Vec<u8>>,
        body: Option<Arc<[u8]>>,
        sent: &mut u64,
    ) -> io::Result<Sending> {
        let mut request = request.borrow_mut();
        if let Some(tls) = &mut self.tls {
            tls.seal(&mut request)?;
        }
        if *sent == 0 {
            *sent = match self.stream.try_write(&request) {
                Ok(taken) => taken as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(error),
            };
        }
        let taken = usize::try_from(*sent).unwrap_or(usize::MAX).min(request.len());
        if taken == request.len() && body.is_none() {
            return Ok(Sending::Done);
        }
        // What is small, and follows something small, would wait until the server has confirmed that.
        self.stream.send_without_delay()?;
        // Allocates: the kernel's buffer is full, or a body follows; others need the shared buffer meanwhile.
        Ok(Sending::unsent(request[taken..].to_vec(), body))
    }

    /// Receives a response, or what is still to come of it, and sends what is left of its request meanwhile: a server
    /// may answer before it has read all (RFC 9112, 9.5), or write so much that it reads no further until somebody
    /// takes it. Nothing when it was to wait until the response has begun, and more must follow.
    ///
    /// # Errors
    /// When no complete response came.
    pub async fn receive(
        &mut self,
        sending: &mut Sending,
        intake: &mut Intake<'_, impl Receiver>,
        until: Until,
        sent: &mut u64,
    ) -> Result<Option<Received>, ReceiveError> {
        poll_fn(|context| {
            loop {
                sending.poll(context, &mut self.stream, self.tls.as_deref_mut(), sent);
                let received = ready!(self.poll_piece(context, intake))?;
                if let Some(received) = received {
                    // What the server did not want to read is not sent, and nothing else can be sent then.
                    let keeps_alive = received.keeps_alive && matches!(sending, Sending::Done);
                    return Poll::Ready(Ok(Some(Received { keeps_alive, ..received })));
                }
                // What came may have been about TLS only.
                if until == Until::Begun && intake.response.has_begun() {
                    return Poll::Ready(Ok(None));
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
        let Intake { inbox, response, receiver, arrival, begun } = intake;
        let mut progress = Ok(Progress::More);
        let read = ready!(self.poll_read(context, inbox, |piece| {
            if progress.is_ok() {
                progress = response.read(piece, *receiver);
            }
        }))?;
        arrival.bytes.set(arrival.bytes.get() + read.bytes as u64);
        arrival.last.set(read.at);
        let mut progress = progress.map_err(ReceiveError::Response)?;
        if response.has_begun() {
            begun.get_or_insert(read.at);
        }
        if progress == Progress::More && read.state == StreamState::Ended {
            if !response.ends_here() {
                return Poll::Ready(Err(ReceiveError::Closed));
            }
            progress = Progress::Complete;
        }
        let excess = progress == Progress::Excess;
        let received = Received {
            begun: begun.unwrap_or(read.at),
            at: read.at,
            lag: read.lag,
            keeps_alive: response.keeps_alive(),
            excess,
        };
        Poll::Ready(Ok((progress != Progress::More).then_some(received)))
    }

    /// Reads what is there and hands it, decrypted, to `plain`.
    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        inbox: &Inbox,
        mut plain: impl FnMut(&[u8]),
    ) -> Poll<Result<Read, ReceiveError>> {
        let mut shared = inbox.buffer.borrow_mut();
        let kept = self.tls.as_ref().map_or(0, |tls| tls.restore(&mut shared));
        let mut buffer = ReadBuf::new(&mut shared[kept..]);
        let read = match &inbox.stamps {
            None => ready!(self.stream.poll_read(context, &mut buffer)).map(|()| None),
            Some(stamps) => {
                let mut control = stamps.buffer.borrow_mut();
                let read = ready!(self.stream.poll_read_stamped(context, &mut buffer, &mut control));
                read.map(|stamp| stamp.map(|stamp| stamps.wall_clock.moment(stamp)))
            }
        };
        let at = inbox.clock.now();
        let bytes = buffer.filled().len();
        let lag = read.map_err(|_| ReceiveError::Closed)?.map(|stamp| at - stamp);
        let state = match &mut self.tls {
            _ if bytes == 0 => StreamState::Ended,
            None => {
                plain(&shared[..bytes]);
                StreamState::Open
            }
            Some(tls) => tls.read(&mut shared[..kept + bytes], plain).map_err(ReceiveError::Tls)?,
        };
        Poll::Ready(Ok(Read { bytes, at, lag, state }))
    }
}
