//! One request and its response over one slot of a browser: connect if need be, send, receive.
//!
//! A server may close a kept connection at any moment (RFC 9112, 9.5). A browser hides that from its user, and so does a
//! slot: what has not been sent is sent over a new connection, and a GET or HEAD of which nothing came back is repeated.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use crate::connect::connection::{Arrival, Idle, Intake, Look, ReceiveError, Received, Until};
use crate::connect::dialer::OpenError;
use crate::connect::response::ResponseLimits;
use crate::connect::tls::Agreement;
use crate::connect::{Connection, Dialer, Receiver, ResponseError, ResponseReader};
use crate::context::LoopContext;
use crate::measure::Failure;
use crate::measure::handshakes::{Handshake, Suite};
use crate::pace::{Alarm, Moment, Wake};
use crate::workload::Session;
use crate::workload::transport::Connections;

/// One slot of a browser: at most one request at a time, over one connection to each target.
#[derive(Debug)]
pub struct ConnectionSlot {
    /// Open connections, by target.
    connections: Vec<Option<Connection>>,
    dialer: Rc<Dialer>,
    /// Of connecting, then of the whole response.
    limit: Alarm,
    first_byte_limit: Option<Alarm>,
    response: ResponseReader,
}

/// A request, and who reads its response.
pub trait Requester: Receiver {
    /// Writes the request into the buffer that all users of the loop share: right before it is sent, and again when it
    /// could not be sent at once or has to be sent again.
    fn write(&mut self, context: &LoopContext);
    /// Whether it may be sent again.
    fn repetition(&self) -> Repetition;
    /// What the limit on the time of its response holds for.
    fn limited(&self) -> Limited {
        Limited::Whole
    }
    /// What is sent behind it from where it lies, because it may be long.
    fn payload(&self) -> Option<Arc<[u8]>>;
}

/// Whether a request may be sent again when its kept connection ended and nothing of a response had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Nothing changes on the server however often it is sent (RFC 9110, 9.2.2).
    Harmless,
    /// Nobody knows what the server did with it.
    Unknown,
}

/// What the limit on the time of a response holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// All of it.
    Whole,
    /// Each of its pieces.
    Pieces,
}

/// What became of a request.
#[derive(Clone, Copy, Debug)]
pub enum Exchange {
    /// It was answered completely.
    Complete {
        /// When the first byte of the response was read.
        begun: Moment,
        /// When the last one was.
        at: Moment,
    },
    /// There is no complete response.
    Failed {
        /// Why.
        failure: Failure,
        /// Whether at least one byte was sent.
        sent: bool,
    },
}

/// What an open connection has been used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Nothing.
    New,
    /// An earlier request.
    Kept,
}

/// A request without a complete response.
#[derive(Clone, Copy, Debug)]
struct Broken {
    failure: Failure,
    sent: bool,
    /// Whether the connection ended before anything of the response came.
    lost: bool,
}

impl ConnectionSlot {
    /// A slot without connections, which `dialer` will open.
    #[must_use]
    pub fn new(context: &LoopContext, dialer: Rc<Dialer>) -> Self {
        let Session { limits, transport, .. } = &*context.run.session;
        let limits = ResponseLimits { header_bytes: limits.header_bytes, body_bytes: limits.body_bytes };
        let response = ResponseReader::new(limits);
        Self {
            connections: context.run.targets.iter().map(|_| None).collect(),
            dialer,
            limit: Alarm::new(&context.alarms),
            first_byte_limit: transport.first_byte_timeout.map(|_| Alarm::new(&context.alarms)),
            response: if transport.gzip { response.inflating() } else { response },
        }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.connections.fill_with(|| None);
    }

    /// Sends a request over the connection to `target`, which is made if there is none or the server has closed it, and
    /// receives its response. A connection that cannot be used again is closed.
    pub async fn exchange(
        &mut self,
        context: &LoopContext,
        target: usize,
        requester: &mut impl Requester,
    ) -> Exchange {
        let mut sent_before = false;
        // Ends: a second connection is a new one.
        loop {
            let (used, taken) = match self.connect(context, target, requester).await {
                Ok(ready) => ready,
                Err(failure) => return Exchange::Failed { failure, sent: sent_before },
            };
            match self.try_once(context, target, requester, taken).await {
                Ok(Received { begun, at, .. }) => return Exchange::Complete { begun, at },
                Err(Broken { sent, lost: true, .. })
                    if used == Use::Kept && (!sent || requester.repetition() == Repetition::Harmless) =>
                {
                    sent_before |= sent;
                    count_reconnected(context);
                }
                Err(Broken { failure, sent, .. }) => {
                    return Exchange::Failed { failure, sent: sent || sent_before };
                }
            }
        }
    }

    /// Sends what is left of the request that stands in the loop's buffer, of which so many bytes were `sent`, and receives
    /// its response.
    async fn try_once(
        &mut self,
        context: &LoopContext,
        target: usize,
        requester: &mut impl Requester,
        mut sent: u64,
    ) -> Result<Received, Broken> {
        // Not an argument: users would have room for it twice while they wait.
        let Some(mut connection) = self.connections[target].take() else {
            return Err(Broken { failure: Failure::Closed, sent: sent > 0, lost: false });
        };
        let transport = &context.run.session.transport;
        let start = context.lately();
        let arrival = Arrival { last: start.into(), ..Arrival::default() };
        let each_piece = requester.limited() == Limited::Pieces;
        let deadline = || if each_piece { arrival.last.get() } else { start } + transport.response_timeout;
        self.response.restart();
        let response = &mut self.response;
        let request = (&context.buffers.request, requester.payload());
        let mut intake = Intake {
            inbox: &context.buffers.inbox,
            response,
            receiver: requester,
            arrival: &arrival,
            begun: None,
        };
        let first_byte = self.first_byte_limit.as_ref().zip(transport.first_byte_timeout);
        let first_byte = first_byte.map(|(alarm, limit)| (alarm, start + limit));
        let work = send_and_receive(&mut connection, request, &mut intake, &mut sent, first_byte);
        let result = self.limit.limit_moving(deadline, pin!(work)).await;
        let result = result.unwrap_or_else(|wake| Err(failure_after(wake, Failure::ResponseTimeout)));
        let complete = result.as_ref().ok().map(|received| (received, &self.response));
        count(context, complete, sent, arrival.bytes.get());
        match result {
            Ok(response) => {
                let may_stay = transport.connections != Connections::PerRequest;
                if may_stay && response.keeps_alive && !response.excess {
                    self.connections[target] = Some(connection);
                }
                Ok(response)
            }
            Err(failure) => {
                let lost = failure == Failure::Closed && !self.response.has_begun();
                Err(Broken { failure, sent: sent > 0, lost })
            }
        }
    }

    /// Sees that there is an open connection to a target and the request in the loop's buffer; makes one where there is
    /// none, and anew where the server has closed it. Before a request that cannot be repeated the kernel is asked, because
    /// the loop may not have heard yet. Returns how many bytes of the request were sent with connecting.
    async fn connect(
        &mut self,
        context: &LoopContext,
        target: usize,
        requester: &mut impl Requester,
    ) -> Result<(Use, u64), Failure> {
        if let Some(connection) = &mut self.connections[target] {
            let look = match requester.repetition() {
                Repetition::Harmless => Look::AsHeard,
                Repetition::Unknown => Look::AskKernel,
            };
            match connection.idle(&context.buffers.inbox, look) {
                Idle::Usable => {
                    requester.write(context);
                    return Ok((Use::Kept, 0));
                }
                Idle::Closed => count_reconnected(context),
            }
            self.connections[target] = None;
        }
        let deadline = context.lately() + context.run.session.transport.connect_timeout;
        let buffers = &context.buffers;
        requester.write(context);
        // Boxed: users need not have room for connecting while they wait for responses.
        let opening = self.dialer.open(&context.run.targets[target], &buffers.inbox, &buffers.request);
        let opening = Box::pin(opening);
        match self.limit.limit(deadline, pin!(opening)).await {
            Ok(Ok((connection, sent))) => {
                if sent == 0 {
                    // It had to wait: others have used the buffer.
                    requester.write(context);
                }
                let made = if sent == 0 { context.now() } else { context.lately() };
                count_connection(context, made, &connection);
                self.connections[target] = Some(connection);
                Ok((Use::New, sent))
            }
            Ok(Err(OpenError::Connect)) => Err(Failure::Connect),
            Ok(Err(OpenError::LocalPorts)) => Err(Failure::LocalPorts),
            Ok(Err(OpenError::Tls)) => Err(Failure::Tls),
            Err(wake) => Err(failure_after(wake, Failure::ConnectTimeout)),
        }
    }
}

/// Sends a request with the body behind it and receives its response, whose first byte may have to come by a moment.
async fn send_and_receive(
    connection: &mut Connection,
    (request, body): (&RefCell<Vec<u8>>, Option<Arc<[u8]>>),
    intake: &mut Intake<'_, impl Receiver>,
    sent: &mut u64,
    first_byte: Option<(&Alarm, Moment)>,
) -> Result<Received, Failure> {
    let mut sending = connection.send(request, body, sent).map_err(|_| Failure::Closed)?;
    if let Some((alarm, deadline)) = first_byte {
        let piece = pin!(connection.receive(&mut sending, intake, Until::Begun, sent));
        let first = alarm.limit(deadline, piece).await;
        let first = first.map_err(|wake| failure_after(wake, Failure::FirstByteTimeout))?;
        if let Some(received) = first.map_err(|error| failure_of(&error))? {
            return Ok(received);
        }
    }
    let whole = connection.receive(&mut sending, intake, Until::Complete, sent).await;
    whole.map_err(|error| failure_of(&error))?.ok_or(Failure::Closed)
}

fn count_connection(context: &LoopContext, made: Moment, connection: &Connection) {
    let mut recorder = context.recorder.borrow_mut();
    let counts = recorder.at(made);
    counts.connections += 1;
    if let Some(Agreement { version, cipher, resumed }) = connection.agreement() {
        let handshake = if resumed { Handshake::Resumed } else { Handshake::Full };
        counts.handshakes.count(Suite { version, cipher }, handshake);
    }
}

fn count_reconnected(context: &LoopContext) {
    context.recorder.borrow_mut().at(context.lately()).reconnected += 1;
}

/// Counts the bytes of an exchange, and of the body of its response, with the stamp of the response, not a later one:
/// all belong to the same interval.
fn count(context: &LoopContext, response: Option<(&Received, &ResponseReader)>, sent: u64, came: u64) {
    let mut recorder = context.recorder.borrow_mut();
    let counts = recorder.at(response.map_or_else(|| context.now(), |(response, _)| response.at));
    counts.requests += u64::from(sent > 0);
    counts.bytes_sent += sent;
    counts.bytes_received += came;
    let Some((response, reader)) = response else { return };
    counts.responses += 1;
    counts.odd_responses += u64::from(response.excess || reader.is_odd());
    counts.body_bytes += reader.body_bytes() as u64;
    if context.run.session.transport.receive_stamps {
        match response.lag {
            Some(lag) => counts.receive_lag.get_or_insert_default().record(lag),
            None => counts.unstamped += 1,
        }
    }
}

fn failure_after(wake: Wake, due: Failure) -> Failure {
    if wake == Wake::Due { due } else { Failure::CutOff }
}

fn failure_of(error: &ReceiveError) -> Failure {
    match error {
        ReceiveError::Closed => Failure::Closed,
        ReceiveError::Tls(_) => Failure::Tls,
        ReceiveError::Response(ResponseError::Protocol) => Failure::Protocol,
        ReceiveError::Response(ResponseError::TooLarge) => Failure::TooLarge,
        // Only calls are looked at while they come.
        ReceiveError::Response(ResponseError::Refused) => Failure::Calls,
    }
}
