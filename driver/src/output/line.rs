//! The lines as they are written and read, one type for each `type` of `docs/reference/driver.md`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::by_name::ByName;
use super::notebook::ClientsLine;
use super::self_audit_line::SelfAuditLine;
use crate::measure::Failure;
use crate::pace::{Moment, Phase};

mod audit;
mod end;
mod hello;
mod interval;

pub use audit::{Audit, ThreadAudit};
pub use end::{End, EndReason};
pub use hello::{Hello, MergedDriver};
pub use interval::{
    ArrivalsLine, HandshakesLine, IntervalLine, LatenessLine, MoreTimes, SubResourcesLine, TransactionLine,
    WindowLine,
};

/// What every line has, around its body.
#[derive(Serialize)]
pub struct Line<T> {
    v: u8,
    t_ns: u64,
    r#type: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: LineBody> Line<T> {
    /// A line that is true at `moment`.
    pub fn new(moment: Moment, body: T) -> Self {
        Self { v: 1, t_ns: moment.nanos(), r#type: T::TYPE, body }
    }
}

/// A line as it is read. What a newer driver may write beside it is left out.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnyLine {
    /// The first line.
    Hello(Hello<'static>),
    /// A phase starts.
    Phase(PhaseStart),
    /// Counts of one interval.
    Interval(IntervalLine<'static>),
    /// The driver's report on itself, for the interval of the line before.
    Audit(Audit),
    /// A request without a complete response.
    Unanswered(UnansweredLine<'static>),
    /// A response that failed a check.
    FailedCheck(FailedCheckLine<'static>),
    /// A complete response to a step that identifies somebody.
    Response(ResponseLine<'static>),
    /// Responses over the whole run.
    Confirmed(Confirmed<'static>),
    /// What each user saw.
    Clients(ClientsLine),
    /// Counts of the measured window of a level.
    Window(Box<WindowLine<'static>>),
    /// The driver's judgement of itself.
    SelfAudit(Box<SelfAuditLine>),
    /// The last line.
    End(End),
    /// Any other one: nobody in here reads them.
    #[serde(other)]
    Other,
}

/// A line with the moment at which it was true.
#[derive(Debug, Deserialize)]
pub struct StampedLine {
    /// The moment.
    pub t_ns: u64,
    /// The line.
    #[serde(flatten)]
    pub line: AnyLine,
}

/// What is in a line besides its version, moment and type.
pub trait LineBody: Serialize {
    /// The line's `type`.
    const TYPE: &'static str;
}

/// A phase starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PhaseStart {
    /// Which.
    pub phase: Phase,
    /// Its level, when there are levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
}

impl LineBody for PhaseStart {
    const TYPE: &'static str = "phase";
}

/// A slice is over: the users were let go, held, and nothing is in flight any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SliceLine {
    /// Its number, from 0.
    pub slice: u64,
    /// When steps might begin.
    pub go_ns: u64,
    /// When they might no longer.
    pub hold_ns: u64,
}

impl LineBody for SliceLine {
    const TYPE: &'static str = "slice";
}

/// A request without a complete response.
#[derive(Debug, Deserialize, Serialize)]
pub struct UnansweredLine<'a> {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Id of the step.
    pub step: Cow<'a, str>,
    /// The name it is counted under.
    pub transaction: Cow<'a, str>,
    /// Why there is no response.
    pub kind: Failure,
    /// Whether the response would have reported calls: others than those reported may have been made then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub calls: bool,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl LineBody for UnansweredLine<'_> {
    const TYPE: &'static str = "unanswered";
}

/// A response that failed a check: one of the first of its kind.
#[derive(Debug, Deserialize, Serialize)]
pub struct FailedCheckLine<'a> {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Id of the step.
    pub step: Cow<'a, str>,
    /// The name it is counted under.
    pub transaction: Cow<'a, str>,
    /// The kind of error.
    pub kind: Failure,
    /// Method, path and query.
    pub request: Cow<'a, str>,
    /// What the step expects.
    pub expected: Cow<'a, str>,
    /// Status of the response.
    pub status: u16,
    /// The beginning of its body.
    pub body: Cow<'a, str>,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl LineBody for FailedCheckLine<'_> {
    const TYPE: &'static str = "failed_check";
}

/// A complete response to a step that identifies somebody.
#[derive(Debug, Deserialize, Serialize)]
pub struct ResponseLine<'a> {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Id of the step.
    pub step: Cow<'a, str>,
    /// The name it is counted under.
    pub transaction: Cow<'a, str>,
    /// Whether it passed every check.
    pub valid: bool,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl LineBody for ResponseLine<'_> {
    const TYPE: &'static str = "response";
}

/// Responses over the whole run.
#[derive(Debug, Deserialize, Serialize)]
pub struct Confirmed<'a> {
    /// By name.
    pub transactions: ByName<'a, ResponseCounts>,
}

impl LineBody for Confirmed<'_> {
    const TYPE: &'static str = "confirmed";
}

/// Responses of one transaction.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct ResponseCounts {
    /// Answered and valid.
    pub valid: u64,
    /// Answered completely, but not valid.
    pub invalid: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(value: &bool) -> bool {
    !value
}
