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
    ArrivalsLine, HandshakesLine, IntervalLine, LatenessLine, MoreTimes, ObjectsLine, TransactionLine,
    WindowLine,
};

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
    /// A phase starts.
    Phase(PhaseStart),
    /// Counts of one interval.
    Interval(IntervalLine<'static>),
    /// The driver's report on itself, for the interval of the line before.
    Audit(Audit),
    /// A request without a complete answer.
    Unanswered(UnansweredLine<'static>),
    /// A complete answer to a step that identifies somebody.
    Answered(AnsweredLine<'static>),
    /// Answers over the whole run.
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

/// Something a line can say.
pub trait Says: Serialize {
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

impl Says for PhaseStart {
    const TYPE: &'static str = "phase";
}

/// A request without a complete answer.
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
    /// Why there is no answer.
    pub kind: Failure,
    /// Values of the step's `identify`.
    pub variables: ByName<'a, String>,
}

impl Says for UnansweredLine<'_> {
    const TYPE: &'static str = "unanswered";
}

/// A complete answer to a step that identifies somebody.
#[derive(Debug, Deserialize, Serialize)]
pub struct AnsweredLine<'a> {
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

impl Says for AnsweredLine<'_> {
    const TYPE: &'static str = "answered";
}

/// Answers over the whole run.
#[derive(Debug, Deserialize, Serialize)]
pub struct Confirmed<'a> {
    /// By name.
    pub transactions: ByName<'a, Answers>,
}

impl Says for Confirmed<'_> {
    const TYPE: &'static str = "confirmed";
}

/// Answers of one transaction.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Answers {
    /// Answered and valid.
    pub valid: u64,
    /// Answered completely, but not valid.
    pub invalid: u64,
}
