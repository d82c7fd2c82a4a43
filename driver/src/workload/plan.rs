//! The plan file, as `docs/reference/driver.md` describes it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::error::PlanError;
use super::part::{Part, Script};
use super::quantity::Milliseconds;
use super::share::Share;
use super::sub_resources::SubResources;
use super::transport::{Connections, HttpVersion, Tls};
use crate::pace::WakeUps;

mod feed;
mod load;
mod step;

pub use feed::{Draw, Feed, List, Per, Pick, Range};
pub use load::{Level, Load, Model, Spacing, Unit};
pub(super) use step::once;
pub use step::{Authentication, Body, Calls, Capture, Expect, Length, Markers, Method, Step};

/// A plan, read but not yet checked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "keys of a file, each true or false there")]
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
    #[serde(default)]
    pub targets: Vec<String>,
    /// Base addresses of steps that name where they go, by that name.
    #[serde(default)]
    pub named_targets: BTreeMap<String, Vec<String>>,
    /// How many users there are and what makes their steps begin.
    pub load: Load,
    /// How exactly the event loops wake; `None`: as the load model needs.
    pub wake: Option<WakeUps>,
    /// Default think time.
    pub think: Think,
    /// Lengths of the phases.
    pub phases: Phases,
    /// Length of an interval; a second when absent.
    pub interval_ms: Option<Milliseconds>,
    /// Which part of the load this driver runs; all of it when absent.
    pub share: Option<Share>,
    /// When the first ramp begins, RFC 3339, UTC; at once when absent.
    pub start: Option<String>,
    /// How far this host's wall clock is ahead of the one that `start` is told by, negative: behind.
    pub clock_offset_ms: Option<f64>,
    /// Levels of load, one after the other, in place of all phases but the drain.
    pub levels: Option<Vec<Level>>,
    /// How long a connection is used.
    pub connections: Connections,
    /// The version of HTTP.
    #[serde(default)]
    pub http: HttpVersion,
    /// Whether responses may come in gzip.
    #[serde(default)]
    pub gzip: bool,
    /// Local addresses.
    #[serde(default)]
    pub sources: Vec<IpAddr>,
    /// How connections to `https` targets are encrypted.
    #[serde(default)]
    pub tls: Tls,
    /// Whether the kernel stamps what it receives.
    #[serde(default)]
    pub receive_stamps: bool,
    /// Whether an iteration begins without cookies.
    pub cookies: PerIteration,
    /// Whether and how the sub-resources of a page are fetched with it.
    pub sub_resources: Option<SubResources>,
    /// How steps prove who sends them, unless they say otherwise.
    pub authentication: Option<Authentication>,
    /// Number of event loops.
    pub threads: NonZeroUsize,
    /// Limits on waiting.
    pub timeouts_ms: Timeouts,
    /// Limits on responses.
    pub limits: Limits,
    /// Whether every response to a step that identifies somebody is reported.
    #[serde(default)]
    pub report_responses: bool,
    /// File for a record of each transaction.
    pub records: Option<PathBuf>,
    /// Whether the counts and times of each user are reported.
    #[serde(default)]
    pub per_client: bool,
    /// Whether times to the first byte, and of pages without their sub-resources, are reported.
    #[serde(default)]
    pub split_times: bool,
    /// Where values come from.
    #[serde(default)]
    pub feeds: Vec<Feed>,
    /// What a user does; or the mix.
    pub steps: Option<Vec<Part>>,
    /// Sessions of which each iteration runs one, drawn by their weights.
    pub mix: Option<Vec<Script>>,
    /// How long after its last one a user begins an iteration.
    pub pacing: Option<Think>,
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
    pub response: Milliseconds,
}

/// Limits on responses.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Longest header.
    pub header_bytes: usize,
    /// Longest body.
    pub body_bytes: usize,
}

impl Plan {
    /// How exactly the event loops wake.
    #[must_use]
    pub fn wake_ups(&self) -> WakeUps {
        self.wake.unwrap_or(match self.load.model {
            Model::Closed => WakeUps::Coalesced,
            Model::Open => WakeUps::Exact,
        })
    }

    /// All base addresses, those without a name first.
    pub fn addresses(&self) -> impl Iterator<Item = &String> {
        self.targets.iter().chain(self.named_targets.values().flatten())
    }

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
