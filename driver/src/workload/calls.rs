//! Calls that an application makes itself, one after the other, and reports in the body of a response: 24 bytes each.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::error::PlanError;
use super::plan::{self, Method, Plan};
use super::step::Step;

/// Bytes of a call.
pub const CALL_BYTES: usize = 24;

/// Most names of outcomes in a session.
pub const MAX_OUTCOMES: usize = 32;

/// How the calls are named that the response to a step reports.
#[derive(Debug)]
pub struct Calls {
    /// For each outcome but 0, the place of its name among those of the session.
    outcomes: Vec<usize>,
    /// The name under which the ids of calls are reported.
    identify: Option<String>,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When it began, since the loop that makes the calls did.
    pub begun: Duration,
    /// How long it took.
    pub took: Duration,
    /// 0 when it was answered.
    pub outcome: u8,
    /// The id of what it stored, as its answer said it; 0 where there is none.
    pub id: u64,
}

/// A call that cannot have been made after the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongCall {
    number: u64,
    begun_ns: u64,
    took_ns: u64,
    /// When the one before it had ended.
    before_ns: u64,
}

/// Reads calls, however their bytes are cut into pieces.
#[derive(Clone, Debug, Default)]
pub struct CallReader {
    /// The first bytes of a call of which the others have not come.
    part: [u8; CALL_BYTES],
    filled: usize,
    /// When the last call had ended.
    ended_ns: u64,
    /// How many there were.
    count: u64,
    wrong: Option<WrongCall>,
}

impl Calls {
    /// Checks what a step says about calls, and adds the names of their outcomes to those of the session.
    ///
    /// # Errors
    /// The key, and what is wrong.
    pub fn new(
        step: &plan::Step,
        calls: &plan::Calls,
        names: &mut Vec<String>,
    ) -> Result<Self, (&'static str, String)> {
        check_step(step)?;
        let mut outcomes = Vec::new();
        for name in &calls.outcomes {
            let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            if !name.starts_with(|first: char| first.is_ascii_lowercase()) || !name.bytes().all(is_name) {
                let problem = format!("`{name}` is not a name of small letters, digits and `_`");
                return Err(("calls.outcomes", problem));
            }
            let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            if outcomes.contains(&place) {
                return Err(("calls.outcomes", format!("holds `{name}` twice; remove one")));
            }
            outcomes.push(place);
        }
        if names.len() > MAX_OUTCOMES {
            let problem = format!("all steps name {} outcomes; use at most {MAX_OUTCOMES}", names.len());
            return Err(("calls.outcomes", problem));
        }
        Ok(Self { outcomes, identify: calls.identify.clone() })
    }

    /// The place of an outcome's name among those of the session; nothing when it has none.
    #[must_use]
    pub fn name(&self, outcome: u8) -> Option<usize> {
        self.outcomes.get(usize::from(outcome).checked_sub(1)?).copied()
    }

    /// The name under which the ids of calls are reported; nothing when they are not.
    #[must_use]
    pub fn identify(&self) -> Option<&str> {
        self.identify.as_deref()
    }
}

/// A body of calls holds nothing else, and a call has no values of its own.
fn check_step(step: &plan::Step) -> Result<(), (&'static str, String)> {
    let problems = [
        (step.method != Method::Get, "method", "only the response to a GET reports calls"),
        (step.expect.marker.is_some(), "expect.marker", "the body holds calls and no text; remove it"),
        (
            step.expect.length.is_some(),
            "expect.length",
            "there are as many calls as the application makes; remove it",
        ),
        (
            step.capture.iter().flatten().any(plan::Capture::looks_at_body),
            "capture",
            "the body holds calls and no text; capture headers and cookies only",
        ),
        (
            step.identify.iter().flatten().next().is_some(),
            "identify",
            "a step has one value for all the calls that its response reports; use `calls.identify`",
        ),
    ];
    let found = problems.into_iter().find(|(wrong, ..)| *wrong);
    found.map_or(Ok(()), |(_, key, problem)| Err((key, problem.into())))
}

/// Refuses keys of a plan that would say something about the time or the responses of a call.
///
/// # Errors
/// The key, and a step that reports calls.
pub fn refuse_beside(plan: &Plan, steps: &[Step]) -> Result<(), PlanError> {
    let Some(step) = steps.iter().find(|step| step.calls.is_some()) else { return Ok(()) };
    let keys = [
        (plan.receive_stamps, "receive_stamps"),
        (plan.split_times, "split_times"),
        (plan.sub_resources.is_some(), "sub_resources"),
    ];
    let Some((_, key)) = keys.into_iter().find(|(wanted, _)| *wanted) else { return Ok(()) };
    let id = &step.id;
    Err(PlanError::at(
        key,
        format!("step `{id}` reports calls, whose times hold no such part; remove one of them"),
    ))
}

impl CallReader {
    /// Reads the next bytes of a body and hands out the calls that are whole.
    ///
    /// # Errors
    /// The first call that cannot be; nothing is read any more then.
    pub fn read(&mut self, mut piece: &[u8], mut take: impl FnMut(Call)) -> Result<(), WrongCall> {
        if self.filled > 0 {
            let (more, rest) = piece.split_at(piece.len().min(CALL_BYTES - self.filled));
            self.part[self.filled..][..more.len()].copy_from_slice(more);
            self.filled += more.len();
            if self.filled < CALL_BYTES {
                return Ok(());
            }
            self.filled = 0;
            take(self.call(self.part)?);
            piece = rest;
        }
        let mut calls = piece.chunks_exact(CALL_BYTES);
        for call in &mut calls {
            // As long as a call, as it was cut.
            take(self.call(call.try_into().unwrap_or_default())?);
        }
        let rest = calls.remainder();
        self.part[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        Ok(())
    }

    /// What is wrong with the body, if it ends here.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let part =
            format!("whole calls of {CALL_BYTES} bytes, not {} bytes behind {}", self.filled, self.count);
        self.wrong.map(|wrong| wrong.to_string()).or((self.filled > 0).then_some(part))
    }

    fn call(&mut self, bytes: [u8; CALL_BYTES]) -> Result<Call, WrongCall> {
        let [begun, took_and_outcome, id] = [0, 8, 16].map(|from| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[from..from + 8]);
            u64::from_be_bytes(number)
        });
        let (took, [.., outcome]) = (took_and_outcome >> 8, took_and_outcome.to_be_bytes());
        match begun.checked_add(took) {
            Some(ended) if begun >= self.ended_ns => {
                self.ended_ns = ended;
                self.count += 1;
                Ok(Call { begun: Duration::from_nanos(begun), took: Duration::from_nanos(took), outcome, id })
            }
            _ => {
                let (number, before_ns) = (self.count + 1, self.ended_ns);
                let wrong = WrongCall { number, begun_ns: begun, took_ns: took, before_ns };
                self.wrong = Some(wrong);
                Err(wrong)
            }
        }
    }
}

impl Display for WrongCall {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { number, begun_ns, took_ns, before_ns } = self;
        write!(
            out,
            "calls one after the other: number {number} began at {begun_ns} ns and took {took_ns} ns, the one before \
             it ended at {before_ns} ns"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two bytes are alike, and the highest bit is set.
    const ID: u64 = 0xfedc_ba98_7654_3210;

    fn bytes(begun: u64, took: u64, outcome: u8) -> [u8; CALL_BYTES] {
        let mut bytes = [0; CALL_BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip([begun, took << 8 | u64::from(outcome), ID]) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    fn call(begun: u64, took: u64, outcome: u8) -> Call {
        Call { begun: Duration::from_nanos(begun), took: Duration::from_nanos(took), outcome, id: ID }
    }

    #[test]
    fn calls_are_the_same_wherever_their_bytes_are_cut() {
        let longest = (1 << 56) - 1;
        let body =
            [bytes(0, 5, 0), bytes(5, 0, 255), bytes(5, longest, 0), bytes(longest + 5, 300, 2)].concat();
        let calls = [call(0, 5, 0), call(5, 0, 255), call(5, longest, 0), call(longest + 5, 300, 2)];
        for first in 0..=body.len() {
            for second in first..=body.len() {
                let (mut reader, mut found) = (CallReader::default(), Vec::new());
                for piece in [&body[..first], &body[first..second], &body[second..]] {
                    reader.read(piece, |call| found.push(call)).expect("calls");
                }
                assert_eq!((found.as_slice(), reader.problem()), (calls.as_slice(), None));
            }
        }
    }

    #[test]
    fn a_body_that_ends_inside_a_call_says_so() {
        let mut reader = CallReader::default();
        reader.read(&[bytes(1, 2, 0), bytes(3, 4, 0)].concat()[..29], |_| ()).expect("calls");
        assert_eq!(reader.problem().as_deref(), Some("whole calls of 24 bytes, not 5 bytes behind 1"));
    }

    #[test]
    fn a_call_begins_when_the_one_before_it_has_ended_and_ends_within_584_years() {
        for second in [bytes(14, 1, 0), bytes(0, 20, 0), bytes(u64::MAX - 1, 2, 0)] {
            let (mut reader, mut found) = (CallReader::default(), Vec::new());
            let read = reader.read(&[bytes(10, 5, 1), second].concat(), |call| found.push(call));
            let problem = read.expect_err("it overlaps or has no end").to_string();
            assert!(problem.contains("number 2 began at"), "{problem}");
            assert_eq!((found, reader.problem()), (vec![call(10, 5, 1)], Some(problem)));
        }
    }
}
