//! What a user reports to the recorder of the steps it has run.

use super::User;
use crate::measure::counts::Took;
use crate::measure::note::{self, Author};
use crate::measure::{CompleteResponse, Failure, RequestOutcome, Unanswered, WrongCheck};
use crate::pace::Moment;
use crate::transaction::{Failed, FailedCheck};
use crate::workload::Step;

impl User {
    /// The times of a transaction that began at `start` and ended at `end`.
    pub(super) fn took(&self, start: Moment, end: Moment) -> Took {
        if self.context.run.session.is_open() {
            // A coalesced deadline may fire early.
            Took { response: end - self.due.min(start), service: Some(end - start) }
        } else {
            Took { response: end - start, service: None }
        }
    }

    pub(super) fn record_failure(&self, now: Moment, index: usize, failed: Failed, took: Took) {
        let Failed { failure, outcome, check } = failed;
        // The end of the run is not the fault of a step that had sent nothing.
        if failure == Failure::CutOff && outcome == RequestOutcome::NotSent {
            return;
        }
        let step = &self.context.run.session.steps[index];
        self.note(now, step.transaction, took, Some(failure));
        let mut recorder = self.context.recorder.borrow_mut();
        recorder.failed(now, step.transaction, failure, outcome);
        recorder.at(now).failed += 1;
        if outcome == RequestOutcome::Unanswered {
            recorder.unanswered(Unanswered {
                moment: now,
                user: self.visit.user,
                iteration: self.visit.iteration,
                step: index,
                failure,
                variables: self.identified(step),
            });
        }
        if let Some(check) = check {
            let variables = self.identified(step);
            let FailedCheck { request, response } = *check;
            let (user, iteration) = (self.visit.user, self.visit.iteration);
            let seen = WrongCheck {
                moment: now,
                user,
                iteration,
                step: index,
                failure,
                request,
                response,
                variables,
            };
            recorder.wrong_check(seen);
        }
        drop(recorder);
        if outcome == RequestOutcome::Complete {
            self.report_response(now, index, false);
        }
    }

    /// Whose transactions these are.
    pub(super) fn author(&self) -> Author {
        Author { user: self.visit.user, iteration: self.visit.iteration, client: self.number }
    }

    /// Takes a note of a transaction that ended at `end`, when the plan asks for it.
    pub(super) fn note(&self, end: Moment, transaction: usize, took: Took, failure: Option<Failure>) {
        if !self.context.run.session.takes_notes() {
            return;
        }
        let outcome = note::outcome(failure);
        let note = self.author().note(end.before(took.response), took, transaction, outcome);
        self.context.recorder.borrow_mut().note(end, note);
    }

    /// Reports a complete response, when the plan asks for it and the step identifies somebody.
    pub(super) fn report_response(&self, moment: Moment, index: usize, valid: bool) {
        let session = &self.context.run.session;
        let step = &session.steps[index];
        if !session.report_responses || step.identify.is_empty() {
            return;
        }
        self.context.recorder.borrow_mut().response(CompleteResponse {
            moment,
            user: self.visit.user,
            iteration: self.visit.iteration,
            step: index,
            valid,
            variables: self.identified(step),
        });
    }

    fn identified(&self, step: &Step) -> Vec<String> {
        step.identify.iter().map(|&name| self.runner.values.get(name).to_owned()).collect()
    }
}
