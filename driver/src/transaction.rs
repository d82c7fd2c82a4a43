//! One playing of a step: its request, the redirects that follow, and the checks of the last answer.

use crate::browser::{Browser, Lesson, Request};
use crate::connect::{Target, location};
use crate::event_loop::Stage;
use crate::exchange::Exchange;
use crate::measure::{Failure, Fate};
use crate::pace::Moment;
use crate::workload::plan::Method;
use crate::workload::variables::Variables;
use crate::workload::{Examination, Step};

/// Most redirects that are followed.
pub(crate) const MOST_REDIRECTS: usize = 5;

/// A step that did not become a valid transaction.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    /// Why.
    pub failure: Failure,
    /// What became of its requests.
    pub fate: Fate,
}

/// The player of the steps of one user.
#[derive(Debug)]
pub struct Player {
    /// Values of feeds and captures.
    pub values: Variables,
    /// Connections and cookies.
    pub browser: Browser,
    examination: Examination,
}

impl Player {
    /// The player of user number `user`, with empty values and no connection.
    #[must_use]
    pub fn new(stage: &Stage, user: u64) -> Self {
        Self {
            values: stage.scene.session.names.values(),
            browser: Browser::new(stage, user),
            examination: Examination::new(stage.bodies.clone()),
        }
    }

    /// Plays a step against a target, after which [`Player::release`] is due. Returns the moment at which its last
    /// answer was complete.
    ///
    /// # Errors
    /// Why the transaction is not valid. That is a measurement like any other.
    pub async fn play(&mut self, stage: &Stage, step: &Step, target: usize) -> Result<Moment, Failed> {
        self.examination.begin(step, &self.values);
        let base = &stage.scene.targets[target];
        let mut path = first_path(step, base, &self.values);
        let mut method = step.method;
        let mut redirects = 0;
        while redirects <= MOST_REDIRECTS {
            let request = Request { step, target, method, path: &path };
            let mut lesson =
                Lesson { values: &mut self.values, examination: &mut self.examination, location: None };
            let at = match self.browser.exchange(stage, &request, &mut lesson).await {
                Exchange::Answered(at) => at,
                Exchange::Excess => return Err(answered(Failure::Protocol)),
                Exchange::Failed { failure, sent } => return Err(failed(failure, sent, redirects > 0)),
            };
            let location = lesson.location.take();
            let status = self.examination.status();
            let Some(next_method) = method_after(status, method).filter(|_| status != step.expect.status)
            else {
                let path = path_within(&path, &base.prefix);
                self.examination.verdict(step, path, &mut self.values).map_err(answered)?;
                let objects = self.browser.fetch_objects(stage, target, (step, &self.values)).await;
                return objects.map(|last| last.map_or(at, |last| last.max(at))).map_err(answered);
            };
            let next = location.and_then(|location| location::resolve(&location, &path, base));
            path = next.ok_or(answered(Failure::Redirect))?;
            method = next_method;
            redirects += 1;
        }
        Err(answered(Failure::Redirect))
    }

    /// Gives back what was needed to look at the answers of the last step.
    pub fn release(&mut self) {
        self.examination.release();
    }
}

/// The method with which a redirect is followed; nothing when the status is not one.
fn method_after(status: u16, method: Method) -> Option<Method> {
    match status {
        301..=303 if method == Method::Post => Some(Method::Get),
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

fn answered(failure: Failure) -> Failed {
    Failed { failure, fate: Fate::Answered }
}

fn failed(failure: Failure, sent: bool, redirected: bool) -> Failed {
    let fate = match (sent, redirected) {
        (true, _) => Fate::Unanswered,
        // The request before the redirect was answered: what it did is done.
        (false, true) => Fate::Answered,
        (false, false) => Fate::NotSent,
    };
    Failed { failure, fate }
}
