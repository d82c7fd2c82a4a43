//! What the driver itself uses: CPU time and memory.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

/// CPU time and memory of the whole process since its start. Zeros when the kernel does not tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// CPU time in the program, nanoseconds.
    pub user_ns: u64,
    /// CPU time in the kernel on its behalf, nanoseconds.
    pub system_ns: u64,
    /// The largest resident memory so far, bytes.
    pub max_rss_bytes: u64,
}

impl Usage {
    /// The usage up to now.
    #[must_use]
    pub fn of_process() -> Self {
        getrusage(UsageWho::RUSAGE_SELF).map_or_else(
            |_| Self::default(),
            |usage| Self {
                user_ns: nanoseconds(usage.user_time()),
                system_ns: nanoseconds(usage.system_time()),
                max_rss_bytes: u64::try_from(usage.max_rss()).unwrap_or(0) * 1_024,
            },
        )
    }
}

/// CPU time of the calling thread in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map_or(0, |time| u64::try_from(Duration::from(time).as_nanos()).unwrap_or(0))
}

/// Resident memory of the process in bytes.
#[must_use]
pub fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1_024
}

fn nanoseconds(time: TimeVal) -> u64 {
    let microseconds = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_usec());
    u64::try_from(microseconds).unwrap_or(0) * 1_000
}
