//! The first line.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::LineBody;
use crate::workload::Share;

/// First line of a run.
#[derive(Debug, Deserialize, Serialize)]
pub struct Hello<'a> {
    /// Version of the driver.
    pub driver: Cow<'a, str>,
    /// Wall clock, RFC 3339, UTC.
    pub wall_clock: String,
    /// The same moment on `CLOCK_MONOTONIC`: the origin of `t_ns`.
    pub monotonic_ns: u64,
    /// The plan's seed.
    pub seed: u64,
    /// SHA-256 of the plan file.
    pub plan_sha256: Cow<'a, str>,
    /// Name of the session.
    pub name: Cow<'a, str>,
    /// SHA-256 of the plan without what may differ between drivers that share its load.
    #[serde(default)]
    pub load_sha256: Cow<'a, str>,
    /// The plan's run.
    pub run: Cow<'a, str>,
    /// Number of users of this driver.
    pub users: u64,
    /// Number of event loops.
    pub threads: usize,
    /// Process id; 0 where lines of several drivers were merged.
    pub pid: u32,
    /// Name of the host.
    #[serde(default)]
    pub host: Cow<'a, str>,
    /// When the first ramp begins.
    #[serde(default)]
    pub start_ns: u64,
    /// Length of an interval.
    #[serde(default = "a_second")]
    pub interval_ms: f64,
    /// Which part of a load this driver runs, when it runs a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// How far the host's wall clock is ahead, as the plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<f64>,
    /// Where lines of several drivers were merged: the drivers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedDriver>,
}

/// One of the drivers whose lines were merged.
#[derive(Debug, Deserialize, Serialize)]
pub struct MergedDriver {
    /// Its share.
    pub share: Share,
    /// Its host.
    pub host: String,
    /// Its process id.
    pub pid: u32,
    /// Its wall clock at its `hello`.
    pub wall_clock: String,
    /// How far its wall clock was ahead, as its plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<f64>,
    /// How much later its first ramp began than that of share 0, by the wall clocks less their offsets. With a given start
    /// each begins by its own clock, so that this shows nothing of how far apart the clocks are.
    pub behind_ms: f64,
}

/// Older drivers count each second.
fn a_second() -> f64 {
    1_000.0
}

impl LineBody for Hello<'_> {
    const TYPE: &'static str = "hello";
}
