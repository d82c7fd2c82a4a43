//! The load and its levels, as the plan file names them.

use serde::Deserialize;

use crate::workload::quantity::Milliseconds;

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
    /// Each user waits for its response, then thinks.
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
