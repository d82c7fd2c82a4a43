//! The lines as they are written and read, one type for each `type` of `docs/reference/driver.md`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::by_name::ByName;
use crate::measure::counts::{ObjectCounts, TransactionCounts};
use crate::measure::handshakes::{PerSuite, Suite};
use crate::measure::histogram::{Encoded, Encoder, Times};
use crate::measure::processor::ThreadUsage;
use crate::measure::{Failure, PerFailure};
use crate::pace::{Moment, Phase};

/// What every line has, around what it says.
#[derive(Serialize)]
pub struct Line<T> {
    v: u8,
    t_ns: u64,
    r#type: &'static str,
    #[serde(flatten)]
    says: T,
}

impl<T: Says> Line<T> {
    /// A line that is true at `moment`.
    pub fn new(moment: Moment, says: T) -> Self {
        Self { v: 1, t_ns: moment.nanos(), r#type: T::TYPE, says }
    }
}

/// A line as it is read. What a newer driver may write beside it is left out.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnyLine {
    /// The first line.
    Hello(Hello<'static>),
    /// Counts of one interval.
    Interval(IntervalLine<'static>),
    /// The driver's report on itself, for the interval of the line before.
    Audit(Audit),
    /// The last line.
    End(End),
    /// Any other one: nobody in here reads them.
    #[serde(other)]
    Other,
}

/// Something a line can say.
pub trait Says: Serialize {
    /// The line's `type`.
    const TYPE: &'static str;
}

/// First line of a run.
#[derive(Debug, Deserialize, Serialize)]
pub struct Hello<'a> {
    /// Version of the driver.
    pub driver: Cow<'a, str>,
    /// Wall clock, RFC 3339, UTC.
    pub wall_clock: String,
    /// The same moment on `CLOCK_MONOTONIC`: the origin of `t_ns`.
    pub monotonic_ns: u64,
    /// The plan's seed.
    pub seed: u64,
    /// SHA-256 of the plan file.
    pub plan_sha256: Cow<'a, str>,
    /// Name of the session.
    pub name: Cow<'a, str>,
    /// The plan's run.
    pub run: Cow<'a, str>,
    /// Number of users.
    pub users: u64,
    /// Number of event loops.
    pub threads: usize,
    /// Process id.
    pub pid: u32,
}

impl Says for Hello<'_> {
    const TYPE: &'static str = "hello";
}

/// A phase starts.
#[derive(Serialize)]
pub struct PhaseStart {
    /// Which.
    pub phase: Phase,
    /// Its level, when there are levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
}

impl Says for PhaseStart {
    const TYPE: &'static str = "phase";
}

/// Counts of one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct IntervalLine<'a> {
    /// The phase it belongs to.
    pub phase: Phase,
    /// Its level, when there are levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// First moment.
    pub start_ns: u64,
    /// First moment that no longer belongs to it.
    pub end_ns: u64,
    /// Users at its end.
    pub users: u64,
    /// Iterations completed.
    pub iterations: u64,
    /// Iterations ended by an error.
    pub abandoned: u64,
    /// Iterations that the user left in the middle, when the plan lets users leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Connections opened.
    pub connections: u64,
    /// Kept connections that the server had closed, so that they were made anew.
    #[serde(default)]
    pub reconnected: u64,
    /// Handshakes of TLS by what was agreed on; nothing without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tls: Vec<HandshakesLine<'a>>,
    /// Requests of which at least one byte was sent.
    #[serde(default)]
    pub requests: u64,
    /// Bytes of requests.
    pub bytes_sent: u64,
    /// Bytes of answers.
    pub bytes_received: u64,
    /// Complete answers.
    #[serde(default)]
    pub responses: u64,
    /// Bytes of their bodies, as they came over the wire.
    #[serde(default)]
    pub body_bytes: u64,
    /// Open model only.
    #[serde(flatten)]
    pub arrivals: Option<ArrivalsLine>,
    /// With page objects only.
    #[serde(flatten)]
    pub objects: Option<ObjectsLine>,
    /// By name.
    pub transactions: ByName<'a, TransactionLine>,
}

impl Says for IntervalLine<'_> {
    const TYPE: &'static str = "interval";
}

/// Handshakes of TLS that agreed on the same.
#[derive(Debug, Deserialize, Serialize)]
pub struct HandshakesLine<'a> {
    /// Version of TLS.
    pub version: Cow<'a, str>,
    /// Name of the cipher suite.
    pub cipher: Cow<'a, str>,
    /// Full ones.
    pub full: u64,
    /// Those that went on with an earlier session.
    pub resumed: u64,
}

impl HandshakesLine<'_> {
    /// The line of these counts.
    #[must_use]
    pub fn new(counts: &PerSuite) -> Self {
        let Suite { version, cipher } = counts.suite;
        Self { version: version.into(), cipher: cipher.into(), full: counts.full, resumed: counts.resumed }
    }
}

/// What became of the arrivals of one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct ArrivalsLine {
    /// Begun, but had found no free user.
    pub waited: u64,
    /// Due and never begun.
    pub missed: u64,
}

/// What became of the objects of pages in one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct ObjectsLine {
    /// Requested and answered as they should be.
    pub objects: u64,
    /// Those of them that the server said had not changed.
    pub objects_validated: u64,
    /// Taken from the browser's cache without a request.
    pub objects_cached: u64,
}

impl ObjectsLine {
    /// The line of these counts.
    #[must_use]
    pub fn new(counts: ObjectCounts) -> Self {
        Self { objects: counts.fetched, objects_validated: counts.validated, objects_cached: counts.cached }
    }
}

/// Counts of one transaction in one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct TransactionLine {
    /// Valid ones.
    pub count: u64,
    /// Failures by kind.
    pub errors: PerFailure,
    /// Response times of the valid ones.
    pub histogram: Encoded,
    /// Open model: the same from their true begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Encoded>,
    /// Times to the first byte, when the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte: Option<Encoded>,
    /// With page objects: the times of the pages alone, when the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Encoded>,
}

/// Which times beside the response time the lines hold.
#[derive(Clone, Copy, Debug)]
pub struct MoreTimes {
    /// Service times: of the open model.
    pub service: bool,
    /// Times to the first byte.
    pub first_byte: bool,
    /// Times of the pages without their objects.
    pub page: bool,
}

impl TransactionLine {
    /// The line of these counts, with these times.
    #[must_use]
    pub fn new(counts: &TransactionCounts, more: MoreTimes, encoder: &mut Encoder) -> Self {
        let none = Times::new();
        let mut encode =
            |wanted: bool, times: Option<&Times>| wanted.then(|| encoder.encode(times.unwrap_or(&none)));
        let service = encode(more.service, counts.service.as_ref());
        let parts = counts.parts.as_deref();
        let first_byte = encode(more.first_byte, parts.map(|parts| &parts.first_byte));
        let page = encode(more.page, parts.map(|parts| &parts.page));
        Self {
            first_byte,
            page,
            count: counts.times.count(),
            errors: counts.errors,
            histogram: encoder.encode(&counts.times),
            service,
        }
    }
}

/// The driver's report on itself.
#[derive(Debug, Deserialize, Serialize)]
pub struct Audit {
    /// CPU time in the program.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// Each event loop.
    pub threads: Vec<ThreadAudit>,
    /// Resident memory.
    pub rss_bytes: u64,
    /// How late think times and starts fired.
    pub lateness: Encoded,
    /// How late the tick of the event loops fired.
    pub lag: Encoded,
    /// How long answers lay in the kernel, when it is to stamp them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_lag: Option<Encoded>,
    /// Complete answers that the kernel has not stamped, when it is to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstamped: Option<u64>,
}

impl Says for Audit {
    const TYPE: &'static str = "audit";
}

/// One event loop.
#[derive(Debug, Deserialize, Serialize)]
pub struct ThreadAudit {
    /// Its CPU time.
    cpu_ns: u64,
    /// Its time in the run queue; null when the kernel does not tell.
    run_queue_ns: Option<u64>,
}

impl ThreadAudit {
    /// A thread that had this much of the CPUs.
    #[must_use]
    pub fn new(usage: &ThreadUsage) -> Self {
        Self { cpu_ns: usage.cpu_ns, run_queue_ns: usage.run_queue_ns }
    }
}

/// A request without a complete answer.
#[derive(Serialize)]
pub struct UnansweredLine<'a> {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Id of the step.
    pub step: &'a str,
    /// The name it is counted under.
    pub transaction: &'a str,
    /// Why there is no answer.
    pub kind: Failure,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl Says for UnansweredLine<'_> {
    const TYPE: &'static str = "unanswered";
}

/// A complete answer to a step that identifies somebody.
#[derive(Serialize)]
pub struct AnsweredLine<'a> {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Id of the step.
    pub step: &'a str,
    /// The name it is counted under.
    pub transaction: &'a str,
    /// Whether it passed every check.
    pub valid: bool,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl Says for AnsweredLine<'_> {
    const TYPE: &'static str = "answered";
}

/// Answers over the whole run.
#[derive(Serialize)]
pub struct Confirmed<'a> {
    /// By name.
    pub transactions: ByName<'a, Answers>,
}

impl Says for Confirmed<'_> {
    const TYPE: &'static str = "confirmed";
}

/// Answers of one transaction.
#[derive(Serialize)]
pub struct Answers {
    /// Answered and valid.
    pub valid: u64,
    /// Answered completely, but not valid.
    pub invalid: u64,
}

/// What ended a run.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndReason {
    /// The plan.
    Finished,
    /// SIGTERM or SIGINT.
    Signal,
    /// The end of the lease.
    Lease,
}

/// Last line of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct End {
    /// What ended the run.
    pub reason: EndReason,
    /// Valid transactions.
    pub transactions: u64,
    /// Failures by kind.
    pub errors: PerFailure,
    /// Requests without a complete answer.
    pub unanswered: u64,
    /// CPU time in the program.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// The largest resident memory.
    pub max_rss_bytes: u64,
    /// Whether the driver was the limit in the measured window; null when the run ended before it began.
    pub driver_limited: Option<bool>,
    /// Why; null when it was not.
    pub limited_by: Option<String>,
}

impl Says for End {
    const TYPE: &'static str = "end";
}
