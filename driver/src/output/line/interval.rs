//! Counts of an interval, or of the whole window of a level.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::LineBody;
use crate::measure::counts::{Counts, SubResourceCounts, TransactionCounts};
use crate::measure::handshakes::{PerSuite, Suite};
use crate::measure::histogram::{Count, Encoded, Encoder, Times};
use crate::output::by_name::ByName;
use crate::pace::Phase;

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
    /// Failed iterations: ended by an error.
    pub failed: u64,
    /// Abandoned iterations: the user gave up. Only when the plan lets users do so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<u64>,
    /// Connections opened.
    pub connections: u64,
    /// Kept connections that the server had closed, so that they were made anew.
    #[serde(default)]
    pub reconnected: u64,
    /// Responses that were not quite HTTP and were read as browsers do; nothing without any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub odd_responses: u64,
    /// Handshakes of TLS by what was agreed on; nothing without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tls: Vec<HandshakesLine<'a>>,
    /// Requests of which at least one byte was sent.
    #[serde(default)]
    pub requests: u64,
    /// Bytes of requests.
    pub bytes_sent: u64,
    /// Bytes of responses.
    pub bytes_received: u64,
    /// Complete responses.
    #[serde(default)]
    pub responses: u64,
    /// Bytes of their bodies, as they came over the wire.
    #[serde(default)]
    pub body_bytes: u64,
    /// Open model only.
    #[serde(flatten)]
    pub arrivals: Option<ArrivalsLine>,
    /// With sub-resources only.
    #[serde(flatten)]
    pub sub_resources: Option<SubResourcesLine>,
    /// By name.
    pub transactions: ByName<'a, TransactionLine>,
}

impl LineBody for IntervalLine<'_> {
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

/// What became of the sub-resources of pages in one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct SubResourcesLine {
    /// Requested and answered as they should be.
    pub sub_resources: u64,
    /// Those of them that the server said had not changed.
    pub sub_resources_validated: u64,
    /// Taken from the browser's cache without a request.
    pub sub_resources_cached: u64,
}

impl SubResourcesLine {
    /// The line of these counts.
    #[must_use]
    pub fn new(counts: SubResourceCounts) -> Self {
        Self {
            sub_resources: counts.fetched,
            sub_resources_validated: counts.validated,
            sub_resources_cached: counts.cached,
        }
    }
}

/// Counts of one transaction in one interval.
#[derive(Debug, Deserialize, Serialize)]
pub struct TransactionLine {
    /// Valid ones.
    pub count: u64,
    /// Failures by kind.
    pub errors: ByName<'static, u64>,
    /// Response times of the valid ones.
    pub histogram: Encoded,
    /// Open model: the same from their true begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Encoded>,
    /// Times to the first byte, when the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte: Option<Encoded>,
    /// With sub-resources: the times of the pages alone, when the plan asks for them.
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
    /// Times of the pages without their sub-resources.
    pub page: bool,
}

impl TransactionLine {
    /// The line of these counts, with these times; `outcomes` are those of the calls of the session.
    #[must_use]
    pub fn new<C: Count>(
        counts: &TransactionCounts<C>,
        outcomes: &[String],
        more: MoreTimes,
        encoder: &mut Encoder,
    ) -> Self {
        let none = Times::new();
        let mut encode =
            |wanted: bool, times: Option<&Times<C>>| wanted.then(|| encoder.encode(times.unwrap_or(&none)));
        let service = encode(more.service, counts.service.as_ref());
        let parts = counts.parts.as_deref();
        let first_byte = encode(more.first_byte, parts.map(|parts| &parts.first_byte));
        let page = encode(more.page, parts.map(|parts| &parts.page));
        Self {
            first_byte,
            page,
            count: counts.times.count(),
            errors: counts.errors.counts(outcomes).collect(),
            histogram: encoder.encode(&counts.times),
            service,
        }
    }
}

/// Counts of the whole measured window of a level, and how late the driver was in it.
#[derive(Debug, Deserialize, Serialize)]
pub struct WindowLine<'a> {
    /// Counts, as those of an interval.
    #[serde(flatten)]
    pub counts: IntervalLine<'a>,
    /// CPU time in the program.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// How late the driver was.
    #[serde(flatten)]
    pub lateness: LatenessLine,
}

impl LineBody for WindowLine<'_> {
    const TYPE: &'static str = "window";
}

/// How late the driver was.
#[derive(Debug, Deserialize, Serialize)]
pub struct LatenessLine {
    /// How late think times and starts fired.
    pub lateness: Encoded,
    /// How late the tick of the event loops fired.
    pub lag: Encoded,
    /// How long responses lay in the kernel, when it is to stamp them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_lag: Option<Encoded>,
    /// Complete responses that the kernel has not stamped, when it is to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstamped: Option<u64>,
}

impl LatenessLine {
    /// The line of these counts; with what the kernel stamped when it is to.
    #[must_use]
    pub fn new<C: Count>(counts: &Counts<C>, stamped: bool, encoder: &mut Encoder) -> Self {
        let none = Times::new();
        let receive_lag = counts.receive_lag.as_ref().unwrap_or(&none);
        Self {
            lateness: encoder.encode(&counts.lateness),
            lag: encoder.encode(&counts.lag),
            receive_lag: stamped.then(|| encoder.encode(receive_lag)),
            unstamped: stamped.then_some(counts.unstamped),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
