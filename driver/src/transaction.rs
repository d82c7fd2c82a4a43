//! One run of a step: its request, the redirects that follow, and the checks of the last response.

use crate::browser::{Browser, Findings, Request};
use crate::connect::Target;
use crate::connect::location::{self, MAX_REDIRECTS};
use crate::context::LoopContext;
use crate::exchange::Exchange;
use crate::measure::calls::CallCounter;
use crate::measure::{Failure, RequestOutcome};
use crate::pace::Moment;
use crate::workload::plan::Method;
use crate::workload::validation::{Mismatch, WrongResponse};
use crate::workload::variables::Variables;
use crate::workload::{Step, Validation};

/// The moments of a step that became a valid transaction.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// When the first byte of its last response was read.
    pub begun: Moment,
    /// When the last byte of that was.
    pub page: Moment,
    /// When all of it was complete, with the sub-resources of the page.
    pub at: Moment,
}

/// A step that did not become a valid transaction.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Why.
    pub failure: Failure,
    /// What became of its requests.
    pub outcome: RequestOutcome,
    /// The check that failed, where it is one of the first of its kind.
    pub check: Option<Box<FailedCheck>>,
}

/// A check of a response that failed.
#[derive(Clone, Debug)]
pub struct FailedCheck {
    /// Method, path and query of the first request, and of the last where redirects led elsewhere.
    pub request: String,
    /// What came instead.
    pub response: WrongResponse,
}

/// The runner of the steps of one user.
#[derive(Debug)]
pub struct StepRunner {
    /// Values of feeds and captures.
    pub values: Variables,
    /// Connections and cookies.
    pub browser: Browser,
    /// What counts the calls that responses report; begun anew for each step.
    pub calls: CallCounter,
    validation: Validation,
}

impl StepRunner {
    /// The runner of user number `user`, with empty values and no connection.
    #[must_use]
    pub fn new(context: &LoopContext, user: u64) -> Self {
        Self {
            values: context.run.session.names.values(),
            browser: Browser::new(context, user),
            calls: CallCounter::new(&context.run.session),
            validation: Validation::new(context.buffers.bodies.clone(), context.buffers.beginnings.clone()),
        }
    }

    /// Runs a step against a target, after which [`StepRunner::release`] is due. Returns when its last response came.
    ///
    /// # Errors
    /// Why the transaction is not valid. That is a measurement like any other.
    pub async fn run(
        &mut self,
        context: &LoopContext,
        step: &Step,
        target: usize,
    ) -> Result<Completed, Failed> {
        self.validation.begin(step, &self.values);
        let base = &context.run.targets[target];
        let mut path = first_path(step, base, &self.values);
        let mut method = step.method;
        let mut first = None;
        for redirects in 0..=MAX_REDIRECTS {
            let request = Request { step, target, method, path: &path };
            let mut findings = Findings {
                values: &mut self.values,
                validation: &mut self.validation,
                calls: &mut self.calls,
                location: None,
            };
            let (begun, page) = match self.browser.exchange(context, &request, &mut findings).await {
                Exchange::Complete { begun, at } => (begun, at),
                Exchange::Failed { failure: Failure::Calls, .. } => {
                    let requests = (first.as_deref(), (method, path.as_str()));
                    let wrong = self.failed_check(context, Mismatch::Calls, step, requests);
                    return Err(Failed { outcome: RequestOutcome::Unanswered, ..wrong });
                }
                Exchange::Failed { failure, sent } => return Err(failed(failure, sent, redirects > 0)),
            };
            let location = findings.location.take();
            let status = self.validation.status();
            let Some(next_method) = method_after(status, method).filter(|_| status != step.expect.status)
            else {
                let within = path_within(&path, &base.prefix);
                if let Err(mismatch) = self.validation.verdict(step, within, &mut self.values) {
                    let requests = (first.as_deref(), (method, path.as_str()));
                    return Err(self.failed_check(context, mismatch, step, requests));
                }
                let last = self.browser.fetch_sub_resources(context, target, (step, &self.values)).await;
                let last = last.map_err(invalid)?;
                return Ok(Completed { begun, page, at: last.map_or(page, |last| last.max(page)) });
            };
            let next = location.and_then(|location| location::resolve(&location, &path, base));
            let next = next.ok_or(invalid(Failure::Redirect))?;
            let before = std::mem::replace(&mut path, next);
            first.get_or_insert(before);
            method = next_method;
        }
        Err(invalid(Failure::Redirect))
    }

    /// The failure of a check, with what is to be shown of it if it is one of the first.
    fn failed_check(
        &self,
        context: &LoopContext,
        mismatch: Mismatch,
        step: &Step,
        (first, last): (Option<&str>, (Method, &str)),
    ) -> Failed {
        let failure = of_mismatch(mismatch);
        let check = context.recorder.borrow_mut().shows_check(failure).then(|| {
            let line = |(method, path): (Method, &str)| format!("{} {path}", method.word());
            let redirected =
                first.map(|first| format!("{} → ", line((step.method, first)))).unwrap_or_default();
            let response = self.validation.wrong_response(mismatch, step, &self.values);
            Box::new(FailedCheck { request: redirected + &line(last), response })
        });
        Failed { check, ..invalid(failure) }
    }

    /// Gives back what was needed to look at the responses of the last step.
    pub fn release(&mut self) {
        self.validation.release();
    }
}

/// The method with which a redirect is followed; nothing when the status is not one.
fn method_after(status: u16, method: Method) -> Option<Method> {
    match status {
        301 | 302 if method == Method::Post => Some(Method::Get),
        303 if method != Method::Head => Some(Method::Get),
        301..=303 | 307 | 308 => Some(method),
        _ => None,
    }
}

fn first_path(step: &Step, base: &Target, values: &Variables) -> String {
    // Allocates once for each transaction: the path outlives the request, for cookies, redirects and the check.
    let mut path = Vec::with_capacity(128);
    path.extend_from_slice(base.prefix.as_bytes());
    step.write_path(values, &mut path);
    // Inserted values are percent-encoded and the text was checked: this is ASCII.
    String::from_utf8(path).unwrap_or_default()
}

/// The path without query and without the target's prefix.
fn path_within<'a>(path: &'a str, prefix: &str) -> &'a str {
    let path = path.split('?').next().unwrap_or_default();
    path.strip_prefix(prefix).unwrap_or(path)
}

fn of_mismatch(mismatch: Mismatch) -> Failure {
    match mismatch {
        Mismatch::Status => Failure::Status,
        Mismatch::Path => Failure::Path,
        Mismatch::Marker => Failure::Marker,
        Mismatch::Length => Failure::Length,
        Mismatch::Capture => Failure::Capture,
        Mismatch::TooLarge => Failure::TooLarge,
        Mismatch::Calls => Failure::Calls,
    }
}

/// A failure although every request was answered completely.
fn invalid(failure: Failure) -> Failed {
    Failed { failure, outcome: RequestOutcome::Complete, check: None }
}

fn failed(failure: Failure, sent: bool, redirected: bool) -> Failed {
    let outcome = match (sent, redirected) {
        (true, _) => RequestOutcome::Unanswered,
        // The request before the redirect was answered: what it did is done.
        (false, true) => RequestOutcome::Complete,
        (false, false) => RequestOutcome::NotSent,
    };
    Failed { failure, outcome, check: None }
}
