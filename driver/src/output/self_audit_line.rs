//! The line `self_audit`: the rules by which the driver was the limit or was not, and the figures they rest on.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::line::LineBody;
use crate::measure::histogram::Times;
use crate::measure::network::NetworkCounters;
use crate::measure::self_audit::Rule;
use crate::measure::window::{ThreadWindow, Window};
use crate::workload::expectation::Expectation;

/// The driver's judgement of itself over the measured window.
#[derive(Debug, Deserialize, Serialize)]
pub struct SelfAuditLine {
    /// Length of the window.
    pub window_ns: u64,
    /// Users, on average.
    pub users: f64,
    /// Expected for each transaction.
    pub think_mean_ms: f64,
    /// Valid transactions.
    pub valid: u64,
    /// Failed ones.
    pub failed: u64,
    /// Response times.
    pub response_ms: TimesLine,
    /// How late think times and starts fired.
    pub lateness_ms: TimesLine,
    /// How late the tick of the event loops fired.
    pub lag_ms: TimesLine,
    /// What the kernel's stamps tell.
    #[serde(flatten)]
    pub stamps: Option<StampsLine>,
    /// The event loops.
    pub threads: Vec<ThreadLine>,
    /// What TCP had to send again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_namespace: Option<NetworkCounters>,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// What the kernel's stamps tell.
#[derive(Debug, Deserialize, Serialize)]
pub struct StampsLine {
    /// How long responses lay in the kernel.
    pub receive_lag_ms: TimesLine,
    /// By how much the wall clock was set meanwhile.
    pub wall_clock_set_ns: i64,
}

/// Times, in milliseconds.
#[derive(Debug, Deserialize, Serialize)]
pub struct TimesLine {
    /// How many.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Half are not longer.
    pub p50: f64,
    /// 99 % are not longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// What one event loop had of the CPUs in the window.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ThreadLine {
    /// Length of the time looked at.
    pub wall_ns: u64,
    /// CPU time.
    pub cpu_ns: u64,
    /// Time in the run queue.
    pub run_queue_ns: Option<u64>,
    /// CPU time ÷ the CPU time it could get.
    pub share: f64,
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

impl LineBody for SelfAuditLine {
    const TYPE: &'static str = "self_audit";
}

impl TimesLine {
    /// The line of these times.
    #[must_use]
    pub fn new(times: &Times<u64>) -> Self {
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
