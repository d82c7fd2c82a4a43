//! The plan file, as `docs/reference/driver.md` describes it.

use std::net::IpAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::error::PlanError;
use super::page_objects::PageObjects;
use super::part::{Part, Script};
use super::quantity::{Milliseconds, Probability};
use super::transport::{Connections, HttpVersion, Tls};
use crate::pace::WakeUps;

/// A plan, read but not yet checked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the format; checked before everything else is read.
    #[serde(rename = "v")]
    pub version: u64,
    /// Name of the session.
    pub name: String,
    /// Text that makes `unique` feeds differ between runs.
    pub run: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Base addresses.
    pub targets: Vec<String>,
    /// How many users there are and what makes their steps begin.
    pub load: Load,
    /// How exactly the event loops wake; `None`: as the load model needs.
    pub wake: Option<WakeUps>,
    /// Default think time.
    pub think: Think,
    /// Lengths of the phases.
    pub phases: Phases,
    /// Levels of load, one after the other, in place of all phases but the drain.
    pub levels: Option<Vec<Level>>,
    /// How long a connection is used.
    pub connections: Connections,
    /// The version of HTTP.
    #[serde(default)]
    pub http: HttpVersion,
    /// Whether answers may come in gzip.
    #[serde(default)]
    pub gzip: bool,
    /// Local addresses.
    #[serde(default)]
    pub sources: Vec<IpAddr>,
    /// How connections to `https` targets are encrypted.
    #[serde(default)]
    pub tls: Tls,
    /// Whether an iteration begins without cookies.
    pub cookies: PerIteration,
    /// Whether and how the objects of a page are fetched with it.
    pub page_objects: Option<PageObjects>,
    /// How steps prove who sends them, unless they say otherwise.
    pub authentication: Option<Authentication>,
    /// Number of event loops.
    pub threads: NonZeroUsize,
    /// Limits on waiting.
    pub timeouts_ms: Timeouts,
    /// Limits on answers.
    pub limits: Limits,
    /// Whether every answer to a step that identifies somebody is told.
    #[serde(default)]
    pub tell_answers: bool,
    /// File for a record of each transaction.
    pub records: Option<PathBuf>,
    /// Whether the counts and times of each user are told.
    #[serde(default)]
    pub per_client: bool,
    /// Where values come from.
    #[serde(default)]
    pub feeds: Vec<Feed>,
    /// What a user does; or the mix.
    pub steps: Option<Vec<Part>>,
    /// Sessions of which each iteration plays one, drawn by their weights.
    pub mix: Option<Vec<Script>>,
    /// How long after its last one a user begins an iteration.
    pub pacing: Option<Think>,
}

/// The load, not yet checked: which keys are needed depends on the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The model; checked before everything else is read.
    pub model: Model,
    /// Number of users; in the open model the most sessions at the same time. Not in the closed model with levels.
    pub users: Option<u64>,
    /// Closed: time over which their starts are spread evenly.
    pub spread_ms: Option<Milliseconds>,
    /// Open: how the arrivals lie on the timetable.
    pub arrivals: Option<Spacing>,
    /// Open: what an arrival is.
    pub unit: Option<Unit>,
    /// Open: arrivals per second. Not with levels.
    pub rate: Option<f64>,
}

/// A load model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Each user waits for its answer, then thinks.
    Closed,
    /// Steps begin by a timetable.
    Open,
}

/// How arrivals lie on the timetable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Equally far apart.
    Constant,
    /// As independent visitors come.
    Poisson,
}

/// What an arrival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// An iteration.
    Sessions,
    /// A step.
    Requests,
}

/// A think time.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Think {
    /// Always the same.
    #[serde(rename = "constant_ms")]
    Constant(Milliseconds),
    /// Evenly between two bounds.
    #[serde(rename = "uniform_ms")]
    Uniform(Milliseconds, Milliseconds),
    /// Exponential with this mean.
    #[serde(rename = "exponential_ms")]
    Exponential(Milliseconds),
}

/// One level of load.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Closed: users.
    pub users: Option<u64>,
    /// Open: arrivals per second.
    pub rate: Option<f64>,
    /// Time to reach it from the level before.
    pub ramp_ms: Milliseconds,
    /// The system settles.
    pub settle_ms: Milliseconds,
    /// The measured window.
    pub measure_ms: Milliseconds,
}

/// Lengths of the phases; with levels only of the drain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Users start.
    pub ramp_ms: Option<Milliseconds>,
    /// The system settles.
    pub settle_ms: Option<Milliseconds>,
    /// The measured window.
    pub measure_ms: Option<Milliseconds>,
    /// The longest time for started steps to finish.
    pub drain_ms: Milliseconds,
}

/// What happens to something at every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PerIteration {
    /// A new one.
    New,
    /// The old one.
    Keep,
}

/// Limits on waiting.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Milliseconds,
    /// From the first byte sent to the first byte received, for each request.
    pub first_byte: Option<Milliseconds>,
    /// From the first byte sent to the last byte received, for each request.
    pub answer: Milliseconds,
}

/// Limits on answers.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Longest header.
    pub header_bytes: usize,
    /// Longest body.
    pub body_bytes: usize,
}

/// A feed; exactly one of `range`, `pick` and `unique` is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// Its name in templates.
    pub name: String,
    /// How long a value stays.
    pub per: Per,
    /// A whole number in a text.
    pub range: Option<Range>,
    /// Several draws of a range.
    pub pick: Option<Pick>,
    /// A text that is never the same twice.
    pub unique: Option<String>,
}

/// How long a value stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// For one playing of a step.
    Step,
    /// For the whole iteration.
    Iteration,
}

/// A whole number, `from` ≤ n < `to`, put into the `{}` of a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The smallest.
    pub from: i64,
    /// One more than the largest.
    pub to: i64,
    /// The text.
    #[serde(default = "just_the_number")]
    pub format: String,
    /// Whether no two users ever have the same number.
    #[serde(default)]
    pub own: bool,
}

/// Several draws of a range, joined.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Name of the range.
    pub from: String,
    /// How many.
    pub count: usize,
    /// Whether all must differ.
    #[serde(default)]
    pub distinct: bool,
    /// What stands between them.
    #[serde(default = "comma")]
    pub join: String,
}

/// A step of the session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its unique name.
    pub id: String,
    /// The name it is counted under.
    pub transaction: String,
    /// The method.
    pub method: Method,
    /// Template of path and query.
    pub path: String,
    /// Names and templates of a form.
    pub form: Option<Vec<(String, String)>>,
    /// Template of the body.
    pub body: Option<String>,
    /// Names and templates of header lines.
    #[serde(default)]
    pub headers: Option<Vec<(String, String)>>,
    /// How it proves who sends it.
    pub authentication: Option<Authentication>,
    /// What the last answer must be.
    pub expect: Expect,
    /// What to take from the last answer.
    #[serde(default)]
    pub capture: Option<Vec<Capture>>,
    /// Think time after the step.
    pub think: Option<Think>,
    /// How likely the step is played.
    #[serde(default)]
    pub probability: Probability,
    /// How often it is played.
    #[serde(default = "once")]
    pub repeat: NonZeroU32,
    /// How likely the user leaves after it.
    #[serde(default = "never")]
    pub abandon: Probability,
    /// Names whose values stand in `unanswered`.
    #[serde(default)]
    pub identify: Option<Vec<String>>,
}

/// How a step proves who sends it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authentication {
    /// Templates of user and password.
    Basic(String, String),
    /// Template of a token.
    Bearer(String),
}

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// GET.
    Get,
    /// HEAD.
    Head,
    /// POST.
    Post,
}

/// What the last answer must be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Template of a text that its body holds.
    pub marker: Option<String>,
    /// Template of the path at which the redirects ended.
    pub path: Option<String>,
}

/// Something to take from an answer; exactly one way to find it is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Its name in templates.
    pub name: String,
    /// First group of a regular expression in the body.
    pub regex: Option<String>,
    /// What stands between two texts in the body.
    pub between: Option<(String, String)>,
    /// JSON pointer into the body.
    pub json: Option<String>,
    /// Name of a header line.
    pub header: Option<String>,
}

impl Plan {
    /// Reads the text of a plan file.
    ///
    /// # Errors
    /// [`PlanError`] with the key, line and column.
    pub fn read(text: &[u8]) -> Result<Self, PlanError> {
        let value: Value =
            serde_json::from_slice(text).map_err(|error| PlanError::Format { path: "plan".into(), error })?;
        // Before the keys are checked, because another version or model has other keys.
        match value.get("v") {
            Some(version) if *version != 1 => return Err(PlanError::Version(version.clone())),
            _ => {}
        }
        match value.pointer("/load/model") {
            Some(model) if model != "closed" && model != "open" => {
                return Err(PlanError::Model(model.clone()));
            }
            _ => {}
        }
        let mut reader = serde_json::Deserializer::from_slice(text);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { "plan".into() } else { path };
            PlanError::Format { path, error: error.into_inner() }
        })
    }
}

fn just_the_number() -> String {
    "{}".into()
}

fn comma() -> String {
    ",".into()
}

fn never() -> Probability {
    Probability::NEVER
}

/// The default of `repeat`.
pub(super) fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}
