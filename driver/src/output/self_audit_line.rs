//! The line `self_audit`: the rules by which the driver was the limit or was not, and the figures they rest on.

use std::time::Duration;

use serde::Serialize;

use super::line::Says;
use crate::measure::histogram::Times;
use crate::measure::network::NetworkCounters;
use crate::measure::self_audit::Rule;
use crate::measure::window::{ThreadWindow, Window};
use crate::workload::expectation::Expectation;

/// The driver's judgement of itself over the measured window.
#[derive(Serialize)]
pub struct SelfAuditLine {
    window_ns: u64,
    users: f64,
    think_mean_ms: f64,
    valid: u64,
    failed: u64,
    response_ms: TimesLine,
    lateness_ms: TimesLine,
    lag_ms: TimesLine,
    #[serde(flatten)]
    stamps: Option<StampsLine>,
    threads: Vec<ThreadLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_namespace: Option<NetworkCounters>,
    rules: Vec<Rule>,
}

/// What the kernel's stamps tell.
#[derive(Serialize)]
struct StampsLine {
    receive_lag_ms: TimesLine,
    wall_clock_set_ns: i64,
}

/// Times, in milliseconds.
#[derive(Serialize)]
struct TimesLine {
    count: u64,
    mean: f64,
    p50: f64,
    p99: f64,
    max: f64,
}

/// What one event loop had of the CPUs in the window.
#[derive(Serialize)]
struct ThreadLine {
    wall_ns: u64,
    cpu_ns: u64,
    run_queue_ns: Option<u64>,
    share: f64,
}

impl SelfAuditLine {
    /// The line of a window that was judged by `rules`.
    #[must_use]
    pub fn new(window: &Window, expectation: &Expectation, rules: Vec<Rule>) -> Self {
        Self {
            window_ns: nanoseconds(window.length),
            users: window.mean_users(),
            think_mean_ms: 1_000.0 * expectation.think_mean,
            valid: window.times.count(),
            failed: window.failed,
            response_ms: TimesLine::new(&window.times),
            lateness_ms: TimesLine::new(&window.lateness),
            lag_ms: TimesLine::new(&window.lag),
            stamps: None,
            threads: window.threads().map(ThreadLine::new).collect(),
            network_namespace: None,
            rules,
        }
    }

    /// The line with what the kernel's stamps tell of the window, if the plan wants them. The wall clock was set by
    /// so many nanoseconds meanwhile.
    #[must_use]
    pub fn stamped(self, wall_clock_set: Option<i64>, window: &Window) -> Self {
        let line = |wall_clock_set_ns| StampsLine {
            receive_lag_ms: TimesLine::new(window.receive_lag.as_ref().unwrap_or(&Times::new())),
            wall_clock_set_ns,
        };
        Self { stamps: wall_clock_set.map(line), ..self }
    }

    /// The line with what all programs of this network did in the window, if the kernel tells.
    #[must_use]
    pub fn beside(self, network: Option<NetworkCounters>) -> Self {
        Self { network_namespace: network, ..self }
    }
}

impl Says for SelfAuditLine {
    const TYPE: &'static str = "self_audit";
}

impl TimesLine {
    fn new(times: &Times) -> Self {
        Self {
            count: times.count(),
            mean: times.mean_ms(),
            p50: times.percentile_ms(0.5),
            p99: times.percentile_ms(0.99),
            max: times.max_ms(),
        }
    }
}

impl ThreadLine {
    fn new(thread: ThreadWindow) -> Self {
        Self {
            wall_ns: nanoseconds(thread.wall),
            cpu_ns: nanoseconds(thread.cpu),
            run_queue_ns: thread.run_queue.map(nanoseconds),
            share: thread.share(),
        }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
