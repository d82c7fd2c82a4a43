//! What the plan lets expect of the measured window: think times and the mix of the transactions.

use std::time::Duration;

use super::load::Load;
use super::outcome::{Mix, none};
use super::plan::Unit;
use super::session::Session;
use super::think::ThinkTime;
use crate::pace::WakeUps;
use crate::pace::deadlines::HALF_A_TICK;

/// Expected values of a session, whatever the server does. Times in seconds.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Mean think time after a transaction.
    pub think_mean: f64,
    /// Its variance over the transactions.
    pub think_variance: f64,
    /// Names of the transactions.
    pub names: Vec<String>,
    /// How often each transaction runs in one iteration, on average.
    pub runs: Vec<f64>,
    /// For each transaction the variance, from one iteration to the next, of: its runs less its share of all runs.
    pub runs_variance: Vec<f64>,
    /// Why Little's law does not tell how much load there is, if so.
    pub no_littles_law: Option<&'static str>,
    /// Whether transactions are calls that applications report: as many as these make, timed by them.
    pub reports_calls: bool,
    /// Users who may act in step with each other, because a timetable or the way they start does not keep them apart.
    pub in_step: f64,
    /// Time over which their starts are spread.
    pub spread: f64,
    /// By how much a wake-up may be late on purpose.
    pub coalescing: Duration,
}

/// How a step runs in one iteration.
struct StepRuns {
    transaction: usize,
    mean: f64,
    think: ThinkTime,
}

impl Expectation {
    /// What `session` lets expect.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let mix = Mix::new(&session.scripts, &session.steps);
        let steps = runs(session, &mix);
        let total: f64 = steps.iter().map(|runs| runs.mean).sum();
        let mut runs = vec![0.0; session.transactions.len()];
        for step in &steps {
            runs[step.transaction] += step.mean;
        }
        let (think_mean, think_variance) = think(&steps, empty(session, &mix), total);
        let of_transaction = |(number, runs): (usize, &f64)| {
            let share = runs / total;
            let own = |step: usize| if session.steps[step].transaction == number { 1.0 } else { 0.0 };
            mix.sum(&|step| own(step) - share).variance()
        };
        let runs_variance = runs.iter().enumerate().map(of_transaction).collect();
        let (in_step, spread) = match &session.load {
            // Each level has a window of its own, at whose ends users may be in step.
            Load::Closed(attendance) => {
                (session.own_users() * session.levels.len() as u64, attendance.shortest())
            }
            // Each arrival is an iteration of its own.
            Load::Open(_) if session.unit() == Some(Unit::Sessions) => (0, Duration::ZERO),
            // Users take their steps in turn.
            Load::Open(_) => (session.own_users(), Duration::ZERO),
        };
        Self {
            think_mean: if session.unit() == Some(Unit::Requests) { 0.0 } else { think_mean },
            think_variance,
            names: session.transactions.clone(),
            runs,
            runs_variance,
            no_littles_law: no_littles_law(session, think_mean),
            reports_calls: session.reports_calls(),
            in_step: users(in_step),
            spread: spread.as_secs_f64(),
            coalescing: match session.wake_ups {
                WakeUps::Coalesced => HALF_A_TICK,
                WakeUps::Exact => Duration::ZERO,
            },
        }
    }
}

/// Why users = throughput × (response + think) is nothing to check.
fn no_littles_law(session: &Session, think_mean: f64) -> Option<&'static str> {
    if session.is_open() {
        Some("open model: the timetable makes the throughput, whatever the number of users")
    } else if session.pacing.is_some() {
        Some("pacing: an iteration lasts that long or longer, not its response and think times alone")
    } else if session.reports_calls() {
        Some("calls: the time between two of them is not a think time of the plan")
    } else if think_mean <= 0.0 {
        Some("no think times: only the server and the driver make the throughput")
    } else {
        None
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 users are enough")]
fn users(count: u64) -> f64 {
    count as f64
}

/// How often each step runs in an iteration on average, with the think time that follows it in each script.
fn runs(session: &Session, mix: &Mix<'_>) -> Vec<StepRuns> {
    let mut all = Vec::new();
    for (script, share) in mix.shares() {
        for (index, step) in session.steps.iter().enumerate() {
            let mean = share * mix.of(script, &|other| if other == index { 1.0 } else { 0.0 }).mean();
            if mean > 0.0 {
                let think = step.think.unwrap_or(script.think);
                all.push(StepRuns { transaction: step.transaction, mean, think });
            }
        }
    }
    all
}

/// The mean think time of an iteration without any step, times how likely there is none.
fn empty(session: &Session, mix: &Mix<'_>) -> f64 {
    mix.shares()
        .map(|(script, share)| share * none(&script.parts, &session.steps) * script.think.mean())
        .sum()
}

/// Mean and variance of the think time after a transaction; `empty` is what iterations without any step add.
fn think(steps: &[StepRuns], empty: f64, total: f64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for step in steps {
        let (mean, variance) = (step.think.mean(), step.think.variance());
        sum += step.mean * mean;
        squares += step.mean * (variance + mean * mean);
    }
    let mean = (sum + empty) / total;
    (mean, (squares / total - mean * mean).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(transaction: usize, mean: f64, think_ms: u64) -> StepRuns {
        StepRuns { transaction, mean, think: ThinkTime::Constant(Duration::from_millis(think_ms)) }
    }

    #[test]
    fn think_times_are_weighted_by_how_often_they_come() {
        let (mean, variance) = think(&[step(0, 3.0, 100), step(1, 1.0, 500)], 0.0, 4.0);
        assert!((mean - 0.2).abs() < 1e-9);
        assert!((variance - (0.03 / 4.0 + 0.25 / 4.0 - 0.04)).abs() < 1e-9, "{variance}");
    }

    #[test]
    fn an_iteration_left_out_lasts_one_think_time() {
        let (mean, _) = think(&[step(0, 0.5, 100)], 0.5 * 0.1, 0.5);
        assert!((mean - 0.2).abs() < 1e-9, "twice as long for each transaction: {mean}");
    }
}
