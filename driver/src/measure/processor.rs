//! What the driver itself uses: CPU time and memory, and how long its threads wait for a CPU.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

/// CPU time of the whole process since its start. Zeros when the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in the program, nanoseconds.
    pub user_ns: u64,
    /// CPU time in the kernel on its behalf, nanoseconds.
    pub system_ns: u64,
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
            },
        )
    }
}

/// What one thread had of the CPUs since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUsage {
    /// CPU time, nanoseconds.
    pub cpu_ns: u64,
    /// Time in which it could have run and stood in the kernel's run queue, nanoseconds; nothing when the kernel
    /// does not tell.
    pub run_queue_ns: Option<u64>,
}

/// Tells the usage of the thread that made it.
#[derive(Debug)]
pub struct ThreadMeter {
    /// Kept open: telling costs one read, and no search for the file.
    schedstat: Option<File>,
}

impl ThreadMeter {
    /// A meter of the calling thread.
    #[must_use]
    pub fn of_this_thread() -> Self {
        Self { schedstat: File::open("/proc/thread-self/schedstat").ok() }
    }

    /// The usage up to now. CPU time is that of the calling thread.
    #[must_use]
    pub fn usage(&self) -> ThreadUsage {
        let cpu_ns = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
            .map_or(0, |time| u64::try_from(Duration::from(time).as_nanos()).unwrap_or(0));
        ThreadUsage { cpu_ns, run_queue_ns: self.run_queue_ns() }
    }

    fn run_queue_ns(&self) -> Option<u64> {
        let mut text = [0; 64];
        let length = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        run_queue_of(std::str::from_utf8(&text[..length]).ok()?)
    }
}

/// The second of three numbers (Linux, `Documentation/scheduler/sched-stats.rst`): time on the CPU, time waiting for it,
/// and how often it had one.
fn run_queue_of(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().nth(1)?.parse().ok()
}

/// Resident memory of the process in bytes.
#[must_use]
pub fn resident_bytes() -> u64 {
    memory("VmRSS:")
}

/// The largest resident memory of the process so far, in bytes. Not from `getrusage`: there it begins with that of the
/// program that started this one (Linux, `setmax_mm_hiwater_rss` in `fs/exec.c`).
#[must_use]
pub fn max_resident_bytes() -> u64 {
    memory("VmHWM:")
}

/// A line of `/proc/self/status`, which are in KiB; 0 when the kernel does not tell.
fn memory(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1_024
}

fn nanoseconds(time: TimeVal) -> u64 {
    let microseconds = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_usec());
    u64::try_from(microseconds).unwrap_or(0) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_the_run_queue_is_the_second_number() {
        assert_eq!(run_queue_of("98967 96082 2\n"), Some(96_082));
        assert_eq!(run_queue_of(""), None);
    }

    #[test]
    fn a_thread_that_works_is_seen_to_work() {
        let meter = ThreadMeter::of_this_thread();
        let before = meter.usage();
        let sum =
            (0..2_000_000_u64).fold(0, |sum: u64, number| sum.wrapping_add(std::hint::black_box(number)));
        std::hint::black_box(sum);
        let after = meter.usage();
        assert!(after.cpu_ns > before.cpu_ns);
        assert!(after.run_queue_ns >= before.run_queue_ns);
    }
}
