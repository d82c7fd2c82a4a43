//! Whether the driver itself was the limit: the rules, and the figures of the measured window on which they rest.

use serde::{Deserialize, Serialize};

use super::window::{ThreadWindow, Window};
use crate::workload::expectation::Expectation;

/// Most of the CPU time it could get that a thread may use.
const MAX_CPU_SHARE: f64 = 0.85;
/// Most of the mean think time by which half of all think times may end too late.
const LATENESS_OF_THINK: f64 = 0.05;
/// Most of the reported p99 that the p99 of lateness may be.
const LATENESS_OF_P99: f64 = 0.10;
/// Two looks at both clocks may differ by this much although nobody has set one: the thread is interrupted.
const CLOCK_NOT_SET_NS: u64 = 50_000;
/// Most by which throughput and mix may be off, beside the noise of counting.
const DEVIATION: f64 = 0.02;
/// Standard deviations of counting that are allowed for: chance alone leaves them once in 370 times.
const DEVIATIONS: f64 = 3.0;
/// A larger share of failed transactions says more about the server than throughput and mix can about the driver.
const MAX_FAILED_SHARE: f64 = 0.0001;

/// A rule by which the driver was the limit or was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleName {
    /// CPU time of the busiest thread ÷ the CPU time it could get.
    ThreadCpu,
    /// Half of all think times end at most this late: ms.
    LatenessP50,
    /// The p99 of lateness: ms.
    LatenessP99,
    /// The p99 of the time for which responses lay in the kernel: ms. Only when it stamps them.
    ReceiveLagP99,
    /// Throughput ÷ what Little's law expects, less 1.
    LittlesLaw,
    /// Count of the transaction farthest from its share ÷ what was expected, less 1.
    Mix,
    /// Transactions for which no local port was left.
    LocalPorts,
}

/// How a rule was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The driver was not the limit.
    Passed,
    /// It was.
    Failed,
    /// The rule says nothing about this run.
    NotChecked,
}

/// One rule, judged.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Rule {
    /// Which.
    pub rule: RuleName,
    /// How.
    pub outcome: Outcome,
    /// What was found; nothing when it was not checked.
    pub found: Option<f64>,
    /// What its absolute value may be at most; nothing when it was not checked.
    pub limit: Option<f64>,
    /// Both, for people; or why it was not checked.
    pub message: String,
}

/// Judges the window by every rule, in their order. Empty when the run ended before the window began. When the kernel
/// was to stamp what it received, `wall_clock_set` is by how many nanoseconds its wall clock was set meanwhile.
#[must_use]
pub fn judge(window: &Window, expectation: &Expectation, wall_clock_set: Option<i64>) -> Vec<Rule> {
    if window.length.is_zero() {
        return Vec::new();
    }
    let mut rules = vec![
        thread_cpu(window),
        lateness_p50(window, expectation),
        lateness_p99(window, expectation),
        littles_law(window, expectation),
        mix(window, expectation),
        local_ports(window),
    ];
    rules.extend(wall_clock_set.map(|set| receive_lag_p99(window, set)));
    rules
}

/// Why the driver was the limit; nothing when it was not.
#[must_use]
pub fn limited_by(rules: &[Rule]) -> Option<String> {
    let failed: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.outcome == Outcome::Failed)
        .map(|rule| rule.message.as_str())
        .collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

impl Rule {
    fn judged(rule: RuleName, found: f64, limit: f64, message: String) -> Self {
        let outcome = if found.abs() <= limit { Outcome::Passed } else { Outcome::Failed };
        Self { rule, outcome, found: Some(found), limit: Some(limit), message }
    }

    fn not_checked(rule: RuleName, why: &str) -> Self {
        Self { rule, outcome: Outcome::NotChecked, found: None, limit: None, message: why.into() }
    }
}

fn thread_cpu(window: &Window) -> Rule {
    let (number, share, waited) = busiest(window);
    let message = format!(
        "event loop {number} used {:.0} % of the CPU time it could get, and waited for a CPU for {:.0} % of the time \
         (limit: {:.0} % used)",
        100.0 * share,
        100.0 * waited,
        100.0 * MAX_CPU_SHARE
    );
    Rule::judged(RuleName::ThreadCpu, share, MAX_CPU_SHARE, message)
}

fn lateness_p50(window: &Window, expectation: &Expectation) -> Rule {
    let think_ms = 1_000.0 * expectation.think_mean;
    if think_ms <= 0.0 || window.lateness.count() == 0 {
        return Rule::not_checked(RuleName::LatenessP50, "no think times");
    }
    let (found, limit) = (window.lateness.percentile_ms(0.5), LATENESS_OF_THINK * think_ms);
    let message = format!(
        "half of all think times ended more than {found:.3} ms late (limit: {limit:.3} ms, {:.0} % of the think time)",
        100.0 * LATENESS_OF_THINK
    );
    Rule::judged(RuleName::LatenessP50, found, limit, message)
}

fn lateness_p99(window: &Window, expectation: &Expectation) -> Rule {
    if expectation.reports_calls {
        return Rule::not_checked(
            RuleName::LatenessP99,
            "calls: the application times them, and no lateness is in them",
        );
    }
    if window.times.count() == 0 || window.lateness.count() == 0 {
        return Rule::not_checked(RuleName::LatenessP99, "nothing was sent at a planned time and answered");
    }
    let found = window.lateness.percentile_ms(0.99);
    let p99 = window.times.percentile_ms(0.99);
    let coalescing = 1_000.0 * expectation.coalescing.as_secs_f64();
    let limit = LATENESS_OF_P99 * p99 + coalescing;
    let message = format!(
        "the p99 of lateness is {found:.3} ms (limit: {limit:.3} ms, {:.0} % of the p99 of {p99:.3} ms and \
         {coalescing} ms of coalescing); an event loop waited for a CPU for {:.0} % of the time",
        100.0 * LATENESS_OF_P99,
        100.0 * window.threads().map(waiting).fold(0.0, f64::max)
    );
    Rule::judged(RuleName::LatenessP99, found, limit, message)
}

fn receive_lag_p99(window: &Window, wall_clock_set: i64) -> Rule {
    let name = RuleName::ReceiveLagP99;
    if wall_clock_set.unsigned_abs() > CLOCK_NOT_SET_NS {
        return Rule::not_checked(name, "the wall clock, by which the kernel stamps, was set during the run");
    }
    let Some(lag) = window.receive_lag.as_ref().filter(|lag| lag.count() > 0) else {
        return Rule::not_checked(name, "the kernel has stamped no response");
    };
    if window.times.count() == 0 {
        return Rule::not_checked(name, "no valid transaction");
    }
    let (found, p99) = (lag.percentile_ms(0.99), window.times.percentile_ms(0.99));
    let limit = LATENESS_OF_P99 * p99;
    let message = format!(
        "the p99 of the time for which responses lay in the kernel is {found:.3} ms (limit: {limit:.3} ms, {:.0} % of the \
         p99 of {p99:.3} ms)",
        100.0 * LATENESS_OF_P99
    );
    Rule::judged(name, found, limit, message)
}

/// Users = throughput × (response + think): J. D. C. Little, Operations Research 9, 1961.
fn littles_law(window: &Window, expectation: &Expectation) -> Rule {
    if let Some(why) = expectation.no_littles_law.or_else(|| too_few(window)) {
        return Rule::not_checked(RuleName::LittlesLaw, why);
    }
    let cycle = window.times.mean_ms() / 1_000.0 + expectation.think_mean;
    let expected = window.user_seconds / cycle;
    let drawn = expected * expectation.think_variance / (cycle * cycle);
    // A user who begins the window anywhere in its cycle has the variance 1/6 in the number of its completions.
    let noise = DEVIATIONS * (drawn + window.mean_users() / 6.0).sqrt() + in_step(expectation, cycle);
    let found = float(window.times.count()) / expected - 1.0;
    let limit = DEVIATION + noise / expected;
    let message = format!(
        "{} transactions where Little's law expects {expected:.0}: {:+.1} % (limit: ± {:.1} %)",
        window.times.count(),
        100.0 * found,
        100.0 * limit
    );
    Rule::judged(RuleName::LittlesLaw, found, limit, message)
}

fn mix(window: &Window, expectation: &Expectation) -> Rule {
    if expectation.reports_calls {
        return Rule::not_checked(
            RuleName::Mix,
            "calls: the plan does not say how many the application makes",
        );
    }
    if let Some(why) = too_few(window) {
        return Rule::not_checked(RuleName::Mix, why);
    }
    let total = float(window.times.count());
    let whole: f64 = expectation.runs.iter().sum();
    let cycle = window.times.mean_ms() / 1_000.0 + expectation.think_mean;
    let in_step = in_step(expectation, whole * cycle);
    let users = window.mean_users().max(expectation.in_step);
    let mut farthest = (f64::NEG_INFINITY, 0, 0.0, 0.0);
    for (number, (&valid, runs)) in window.valid.iter().zip(&expectation.runs).enumerate() {
        let expected = total * runs / whole;
        let drawn = total / whole * expectation.runs_variance[number];
        // An iteration cut by the window's begin or end lacks some of its runs, at most all of them.
        let cut = users * runs * runs / 2.0;
        let allowed = DEVIATION * expected + DEVIATIONS * (drawn + cut).sqrt() + in_step * runs;
        let excess = (float(valid) - expected).abs() - allowed;
        if excess > farthest.0 {
            farthest = (excess, number, expected, allowed);
        }
    }
    let (_, number, expected, allowed) = farthest;
    let (found, limit) = (window.valid[number], allowed);
    let message = format!(
        "{found} times `{}` where the plan expects {expected:.0} (limit: ± {limit:.0})",
        expectation.names[number]
    );
    // A transaction that the plan never runs can only be expected not to come.
    let scale = if expected > 0.0 { expected } else { 1.0 };
    Rule::judged(RuleName::Mix, (float(found) - expected) / scale, limit / scale, message)
}

fn local_ports(window: &Window) -> Rule {
    let message = match window.without_a_port {
        0 => "no transaction lacked a local port (limit: 0)".into(),
        count => format!("the driver ran out of local ports, {count} transactions found none (limit: 0)"),
    };
    Rule::judged(RuleName::LocalPorts, float(window.without_a_port), 0.0, message)
}

/// Number, share and time in the run queue ÷ time of the thread that used most of what it could get.
fn busiest(window: &Window) -> (usize, f64, f64) {
    let busiest = window.threads().enumerate().max_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()));
    let (number, thread) = busiest.unwrap_or_default();
    (number, thread.share(), waiting(thread))
}

fn waiting(thread: ThreadWindow) -> f64 {
    let wall = thread.wall.as_secs_f64();
    if wall > 0.0 { thread.run_queue.unwrap_or_default().as_secs_f64() / wall } else { 0.0 }
}

/// Why throughput and mix say nothing about the driver.
fn too_few(window: &Window) -> Option<&'static str> {
    let valid = window.times.count();
    if valid == 0 {
        return Some("no valid transaction");
    }
    let failed = float(window.failed) / float(valid + window.failed);
    (failed > MAX_FAILED_SHARE).then_some("more than 0.01 % of the transactions failed")
}

/// Completions that users who act in step, because they did not start spread over a whole `cycle` (seconds), may have
/// just inside the window or just outside.
fn in_step(expectation: &Expectation, cycle: f64) -> f64 {
    expectation.in_step * (1.0 - expectation.spread / cycle).max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "2^53 transactions are enough")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
