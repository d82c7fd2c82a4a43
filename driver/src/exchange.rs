//! One request and its answer: connect if need be, send, receive.

use httparse::Header;

use crate::connect::answer::AnswerLimits;
use crate::connect::connection::{Idle, ReceiveError, Received};
use crate::connect::cookies::Place;
use crate::connect::{AnswerError, AnswerReader, Connection, CookieJar, Receiver, request};
use crate::event_loop::Stage;
use crate::measure::Failure;
use crate::pace::{Alarm, Moment, Wake};
use crate::workload::plan::Method;
use crate::workload::variables::Variables;
use crate::workload::{Examination, Step};

/// The connections of one user and what belongs to them.
#[derive(Debug)]
pub struct Browser {
    /// Open connections, by target.
    pub connections: Vec<Option<Connection>>,
    /// Cookies.
    pub cookies: CookieJar,
    connect_limit: Alarm,
    answer_limit: Alarm,
    answer: AnswerReader,
}

/// A request about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The step it belongs to.
    pub step: &'a Step,
    /// Index of the target.
    pub target: usize,
    /// The method; another than the step's after a redirect.
    pub method: Method,
    /// Path and query.
    pub path: &'a str,
}

/// What a user learns from an answer.
#[derive(Debug)]
pub struct Lesson<'a> {
    /// Values, to be captured.
    pub values: &'a mut Variables,
    /// Checks.
    pub examination: &'a mut Examination,
    /// Where a redirect leads.
    pub location: Option<Vec<u8>>,
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

impl Browser {
    /// A browser without connections and cookies.
    #[must_use]
    pub fn new(stage: &Stage) -> Self {
        let limits = stage.scene.session.limits;
        let limits = AnswerLimits { header_bytes: limits.header_bytes, body_bytes: limits.body_bytes };
        Self {
            connections: stage.scene.targets.iter().map(|_| None).collect(),
            cookies: CookieJar::default(),
            connect_limit: Alarm::new(&stage.alarms),
            answer_limit: Alarm::new(&stage.alarms),
            answer: AnswerReader::new(limits),
        }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.connections.fill_with(|| None);
    }

    /// Sends a request and receives its answer. A connection that cannot be used again is closed.
    pub async fn exchange(
        &mut self,
        stage: &Stage,
        request: Request<'_>,
        lesson: &mut Lesson<'_>,
    ) -> Exchange {
        let mut connection = match self.connection(stage, request.target).await {
            Ok(connection) => connection,
            Err(failure) => return Exchange::Failed { failure, sent: false },
        };
        self.write(stage, request, lesson.values);
        let (mut sent, mut received) = (0, 0);
        let deadline = stage.now() + stage.scene.session.answer_timeout;
        let mut reader = Reader { request, stage, cookies: &mut self.cookies, lesson };
        let work = async {
            connection.send(&stage.request, &mut sent).await.map_err(|_| ReceiveError::Closed)?;
            connection.receive(&stage.inbox, &mut self.answer, &mut reader, &mut received).await
        };
        let result = self.answer_limit.limit(deadline, work).await;
        {
            // With the stamp of the answer, not a later one: bytes and answer belong to the same interval.
            let at = result.as_ref().ok().and_then(|received| received.as_ref().ok()).map(|answer| answer.at);
            let mut recorder = stage.recorder.borrow_mut();
            let counts = recorder.at(at.unwrap_or_else(|| stage.now()));
            counts.bytes_sent += sent;
            counts.bytes_received += received;
        }
        match result {
            Ok(Ok(answer)) => {
                if answer.keeps_alive && !answer.excess {
                    self.connections[request.target] = Some(connection);
                }
                outcome(answer)
            }
            Ok(Err(error)) => Exchange::Failed { failure: failure_of(error), sent: sent > 0 },
            Err(Wake::Due) => Exchange::Failed { failure: Failure::AnswerTimeout, sent: sent > 0 },
            Err(Wake::Cut) => Exchange::Failed { failure: Failure::CutOff, sent: sent > 0 },
        }
    }

    /// Takes the open connection to a target, or makes one.
    async fn connection(&mut self, stage: &Stage, target: usize) -> Result<Connection, Failure> {
        if let Some(connection) = self.connections[target].take() {
            return match connection.idle() {
                Idle::Usable => Ok(connection),
                Idle::Closed => Err(Failure::Closed),
                Idle::Unasked => Err(Failure::Protocol),
            };
        }
        let deadline = stage.now() + stage.scene.session.connect_timeout;
        let opening = Connection::open(&stage.scene.targets[target]);
        match self.connect_limit.limit(deadline, opening).await {
            Ok(Ok(connection)) => {
                stage.recorder.borrow_mut().at(stage.now()).connections += 1;
                Ok(connection)
            }
            Ok(Err(_)) => Err(Failure::Connect),
            Err(Wake::Due) => Err(Failure::ConnectTimeout),
            Err(Wake::Cut) => Err(Failure::CutOff),
        }
    }

    /// Writes the request into the buffer that all users of the loop share.
    fn write(&self, stage: &Stage, Request { step, target, method, path }: Request<'_>, values: &Variables) {
        let mut out = stage.request.borrow_mut();
        out.clear();
        let (word, with_payload) = match method {
            Method::Get => ("GET", false),
            Method::Post => ("POST", true),
        };
        request::start(&mut out, word, path, &stage.scene.targets[target].authority);
        if !self.cookies.is_empty() {
            self.cookies.write(place(stage, target, path), &mut out);
        }
        step.write_headers(values, with_payload, &mut out);
        if with_payload {
            let mut payload = stage.payload.borrow_mut();
            payload.clear();
            step.write_payload(values, &mut payload);
            request::finish_with(&mut out, &payload);
        } else {
            request::finish(&mut out);
        }
    }
}

/// Takes from an answer what the user needs while it comes.
struct Reader<'a, 'b> {
    request: Request<'a>,
    stage: &'a Stage,
    cookies: &'a mut CookieJar,
    lesson: &'a mut Lesson<'b>,
}

impl Receiver for Reader<'_, '_> {
    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        let find = |name: &str| {
            let found = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| header.value)
        };
        for header in headers.iter().filter(|header| header.name.eq_ignore_ascii_case("set-cookie")) {
            let Request { target, path, .. } = self.request;
            self.cookies.set(header.value, place(self.stage, target, path));
        }
        // Allocates on redirects only.
        self.lesson.location =
            if (300..400).contains(&status) { find("location").map(<[u8]>::to_vec) } else { None };
        self.lesson.examination.head(status, self.request.step, self.lesson.values, find);
    }

    fn body(&mut self, piece: &[u8]) {
        self.lesson.examination.piece(self.request.step, piece);
    }
}

fn place<'a>(stage: &Stage, target: usize, path: &'a str) -> Place<'a> {
    let targets = &stage.scene.targets;
    let host = targets.iter().position(|other| other.host() == targets[target].host()).unwrap_or(target);
    let seconds = i64::try_from(stage.now().nanos() / 1_000_000_000).unwrap_or(0);
    Place { host, path, now: stage.scene.wall_clock + seconds }
}

fn outcome(answer: Received) -> Exchange {
    if answer.excess { Exchange::Excess } else { Exchange::Answered(answer.at) }
}

fn failure_of(error: ReceiveError) -> Failure {
    match error {
        ReceiveError::Closed => Failure::Closed,
        ReceiveError::Answer(AnswerError::Protocol) => Failure::Protocol,
        ReceiveError::Answer(AnswerError::TooLarge) => Failure::TooLarge,
    }
}
