//! The last line.

use serde::{Deserialize, Serialize};

use super::LineBody;
use crate::output::by_name::ByName;

/// What ended a run.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndReason {
    /// The plan.
    Finished,
    /// SIGTERM or SIGINT.
    Signal,
    /// The end of the lease.
    Lease,
}

/// Last line of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct End {
    /// What ended the run.
    pub reason: EndReason,
    /// Valid transactions.
    pub transactions: u64,
    /// Failures by kind.
    pub errors: ByName<'static, u64>,
    /// Requests without a complete response.
    pub unanswered: u64,
    /// CPU time in the program.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// The largest resident memory.
    pub max_rss_bytes: u64,
    /// Whether the driver was the limit in the measured window; null when the run ended before it began.
    pub driver_limited: Option<bool>,
    /// Why; null when it was not.
    pub limited_by: Option<String>,
}

impl LineBody for End {
    const TYPE: &'static str = "end";
}
