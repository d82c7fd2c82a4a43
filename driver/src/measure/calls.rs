//! Counts the calls that applications report, each as a transaction.

use super::counts::Took;
use super::failure::{Failure, RequestOutcome};
use super::note::{self, Author};
use super::recorder::{CompleteResponse, Recorder};
use crate::pace::Moment;
use crate::workload::calls::Call;
use crate::workload::{Session, Step};

/// Counts the calls of one user.
#[derive(Clone, Copy, Debug)]
pub struct CallCounter {
    author: Author,
    /// Index of the step in the session.
    step: usize,
    /// When the step began. The loop that makes the calls began a little later; nobody knows when.
    begun: Moment,
    is_open: bool,
    takes_notes: bool,
    reports_ids: bool,
}

impl CallCounter {
    /// A counter for `session`.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self {
            author: Author::default(),
            step: 0,
            begun: Moment::default(),
            is_open: session.is_open(),
            takes_notes: session.takes_notes(),
            reports_ids: session.report_responses,
        }
    }

    /// A step of this index begins, in the name of `author`.
    pub fn begin(&mut self, author: Author, step: usize, begun: Moment) {
        *self = Self { author, step, begun, ..*self };
    }

    /// Counts a call that the response to `step` has reported at this moment.
    pub fn count(&mut self, recorder: &mut Recorder, at: Moment, step: &Step, call: Call) {
        let took = Took { response: call.took, service: self.is_open.then_some(call.took) };
        let name = step.calls.as_ref().and_then(|calls| calls.name(call.outcome));
        let outcome = match (call.outcome, name) {
            (0, _) => {
                recorder.valid(at, step.transaction, took);
                note::outcome(None)
            }
            (_, Some(name)) => {
                recorder.at(at).transactions[step.transaction].ended(name);
                note::of_call(name)
            }
            (_, None) => {
                let failure = Failure::UnknownOutcome;
                recorder.failed(at, step.transaction, failure, RequestOutcome::Complete);
                note::outcome(Some(failure))
            }
        };
        if self.reports_ids
            && call.id > 0
            && step.calls.as_ref().is_some_and(|calls| calls.identify().is_some())
        {
            recorder.response(CompleteResponse {
                moment: at,
                user: self.author.user,
                iteration: self.author.iteration,
                step: self.step,
                valid: call.outcome == 0,
                // Allocates for each id, only where the plan reports responses.
                variables: vec![call.id.to_string()],
            });
        }
        if self.takes_notes {
            let start = self.begun + call.begun;
            recorder.note(at, self.author.note(start, took, step.transaction, outcome));
        }
    }
}
