//! The driver's report on itself.

use serde::{Deserialize, Serialize};

use super::LineBody;
use super::interval::LatenessLine;
use crate::measure::processor::ThreadUsage;

/// The driver's report on itself.
#[derive(Debug, Deserialize, Serialize)]
pub struct Audit {
    /// CPU time in the program.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// Each event loop.
    pub threads: Vec<ThreadAudit>,
    /// Resident memory.
    pub rss_bytes: u64,
    /// How late the driver was.
    #[serde(flatten)]
    pub lateness: LatenessLine,
}

impl LineBody for Audit {
    const TYPE: &'static str = "audit";
}

/// One event loop.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ThreadAudit {
    /// Its CPU time.
    pub cpu_ns: u64,
    /// Its time in the run queue; null when the kernel does not tell.
    pub run_queue_ns: Option<u64>,
}

impl ThreadAudit {
    /// A thread that had this much of the CPUs.
    #[must_use]
    pub fn new(usage: &ThreadUsage) -> Self {
        Self { cpu_ns: usage.cpu_ns, run_queue_ns: usage.run_queue_ns }
    }
}
