//! One request and its answer over one lane of a browser: connect if need be, send, receive.

use std::pin::pin;
use std::rc::Rc;

use crate::connect::answer::AnswerLimits;
use crate::connect::connection::{Idle, Intake, ReceiveError, Received};
use crate::connect::dialer::OpenError;
use crate::connect::{AnswerError, AnswerReader, Connection, Dialer, Receiver};
use crate::event_loop::Stage;
use crate::measure::Failure;
use crate::pace::{Alarm, Moment, Wake};
use crate::workload::Session;
use crate::workload::transport::Connections;

/// One lane of a browser: at most one request at a time, over one connection to each target.
#[derive(Debug)]
pub struct Lane {
    /// Open connections, by target.
    connections: Vec<Option<Connection>>,
    dialer: Rc<Dialer>,
    /// Of connecting, then of the whole answer.
    limit: Alarm,
    first_byte_limit: Option<Alarm>,
    answer: AnswerReader,
}

/// What became of a request.
#[derive(Clone, Copy, Debug)]
pub enum Exchange {
    /// It was answered completely at this moment.
    Answered(Moment),
    /// It was answered completely, but bytes came behind the answer.
    Excess,
    /// There is no complete answer.
    Failed {
        /// Why.
        failure: Failure,
        /// Whether at least one byte was sent.
        sent: bool,
    },
}

impl Lane {
    /// A lane without connections, which `dialer` will open.
    #[must_use]
    pub fn new(stage: &Stage, dialer: Rc<Dialer>) -> Self {
        let Session { limits, transport, .. } = &*stage.scene.session;
        let limits = AnswerLimits { header_bytes: limits.header_bytes, body_bytes: limits.body_bytes };
        let answer = AnswerReader::new(limits);
        Self {
            connections: stage.scene.targets.iter().map(|_| None).collect(),
            dialer,
            limit: Alarm::new(&stage.alarms),
            first_byte_limit: transport.first_byte_timeout.map(|_| Alarm::new(&stage.alarms)),
            answer: if transport.gzip { answer.inflating() } else { answer },
        }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.connections.fill_with(|| None);
    }

    /// Closes the connection to a target if the server has ended it or said something that nobody asked for.
    pub fn drop_ended(&mut self, stage: &Stage, target: usize) {
        self.connections[target].take_if(|connection| connection.idle(&stage.inbox) != Idle::Usable);
    }

    /// Sends the request that stands in the loop's buffer over the connection to `target`, which [`Lane::connect`] has
    /// made sure of, and receives its answer. A connection that cannot be used again is closed.
    pub async fn exchange(&mut self, stage: &Stage, target: usize, receiver: &mut impl Receiver) -> Exchange {
        // Not an argument: users would have room for it twice while they wait.
        let Some(mut connection) = self.connections[target].take() else {
            return Exchange::Failed { failure: Failure::Closed, sent: false };
        };
        let (mut sent, mut came) = (0, 0);
        let transport = &stage.scene.session.transport;
        let start = stage.now();
        let deadline = start + transport.answer_timeout;
        self.answer.restart();
        let answer = &mut self.answer;
        let mut intake = Intake { inbox: &stage.inbox, answer, receiver, bytes: &mut came };
        let work = async {
            connection.send(&stage.request, &mut sent).await.map_err(|_| Failure::Closed)?;
            if let Some((alarm, limit)) = self.first_byte_limit.as_ref().zip(transport.first_byte_timeout) {
                let piece = pin!(connection.first_piece(&mut intake));
                let first = alarm.limit(start + limit, piece).await;
                let first = first.map_err(|wake| failure_after(wake, Failure::FirstByteTimeout))?;
                if let Some(received) = first.map_err(|error| failure_of(&error))? {
                    return Ok(received);
                }
            }
            connection.receive(&mut intake).await.map_err(|error| failure_of(&error))
        };
        let result = self.limit.limit(deadline, pin!(work)).await;
        let answer = result.as_ref().ok().and_then(|received| received.as_ref().ok());
        count(stage, answer, sent, came);
        match result {
            Ok(Ok(answer)) => {
                let may_stay = transport.connections != Connections::PerRequest;
                if may_stay && answer.keeps_alive && !answer.excess {
                    self.connections[target] = Some(connection);
                }
                outcome(answer)
            }
            Ok(Err(failure)) => Exchange::Failed { failure, sent: sent > 0 },
            Err(wake) => {
                Exchange::Failed { failure: failure_after(wake, Failure::AnswerTimeout), sent: sent > 0 }
            }
        }
    }

    /// Sees that there is an open connection to a target, and makes one if need be.
    ///
    /// # Errors
    /// Why there is none; a connection that the server has closed in between is not made anew.
    pub async fn connect(&mut self, stage: &Stage, target: usize) -> Result<(), Failure> {
        if let Some(connection) = &mut self.connections[target] {
            let ended = match connection.idle(&stage.inbox) {
                Idle::Usable => return Ok(()),
                Idle::Closed => Failure::Closed,
                Idle::Unasked => Failure::Protocol,
            };
            self.connections[target] = None;
            return Err(ended);
        }
        let deadline = stage.now() + stage.scene.session.transport.connect_timeout;
        // Boxed: users need not have room for connecting while they wait for answers.
        let opening = Box::pin(self.dialer.open(&stage.scene.targets[target], &stage.inbox));
        match self.limit.limit(deadline, pin!(opening)).await {
            Ok(Ok(connection)) => {
                stage.recorder.borrow_mut().at(stage.now()).connections += 1;
                self.connections[target] = Some(connection);
                Ok(())
            }
            Ok(Err(OpenError::Connect)) => Err(Failure::Connect),
            Ok(Err(OpenError::Tls)) => Err(Failure::Tls),
            Err(wake) => Err(failure_after(wake, Failure::ConnectTimeout)),
        }
    }
}

/// Counts the bytes of an exchange with the stamp of its answer, not a later one: both belong to the same interval.
fn count(stage: &Stage, answer: Option<&Received>, sent: u64, came: u64) {
    let mut recorder = stage.recorder.borrow_mut();
    let counts = recorder.at(answer.map_or_else(|| stage.now(), |answer| answer.at));
    counts.bytes_sent += sent;
    counts.bytes_received += came;
    if let Some(answer) = answer.filter(|_| stage.scene.session.transport.receive_stamps) {
        match answer.lag {
            Some(lag) => counts.receive_lag.get_or_insert_default().record(lag),
            None => counts.unstamped += 1,
        }
    }
}

fn outcome(answer: Received) -> Exchange {
    if answer.excess { Exchange::Excess } else { Exchange::Answered(answer.at) }
}

fn failure_after(wake: Wake, due: Failure) -> Failure {
    if wake == Wake::Due { due } else { Failure::CutOff }
}

fn failure_of(error: &ReceiveError) -> Failure {
    match error {
        ReceiveError::Closed => Failure::Closed,
        ReceiveError::Tls(_) => Failure::Tls,
        ReceiveError::Answer(AnswerError::Protocol) => Failure::Protocol,
        ReceiveError::Answer(AnswerError::TooLarge) => Failure::TooLarge,
    }
}
