//! What the plan lets expect of the measured window: think times and the mix of the transactions.

use std::time::Duration;

use super::load::Load;
use super::plan::Unit;
use super::session::Session;
use super::think::ThinkTime;
use crate::pace::WakeUps;

/// Coalesced wake-ups come up to half a millisecond late on purpose, and as often early.
const HALF_A_TICK: Duration = Duration::from_micros(500);

/// Expected values of a session, whatever the server does. Times in seconds.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Mean think time after a transaction.
    pub think_mean: f64,
    /// Its variance over the transactions.
    pub think_variance: f64,
    /// Names of the transactions.
    pub names: Vec<String>,
    /// How often each transaction is played in one iteration, on average.
    pub plays: Vec<f64>,
    /// For each transaction the variance, from one iteration to the next, of: its plays less its share of all plays.
    pub plays_variance: Vec<f64>,
    /// Whether the users make the load, so that Little's law tells how much there is.
    pub closed: bool,
    /// Users who may act in step with each other, because a timetable or the way they start does not keep them apart.
    pub in_step: f64,
    /// Time over which their starts are spread.
    pub spread: f64,
    /// By how much a wake-up may be late on purpose.
    pub coalescing: Duration,
}

/// How a step is played in one iteration.
struct Plays {
    transaction: usize,
    probability: f64,
    repeat: f64,
    think: ThinkTime,
}

impl Plays {
    fn mean(&self) -> f64 {
        self.probability * self.repeat
    }
}

impl Expectation {
    /// What `session` lets expect.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let steps = session.steps.iter().map(|step| Plays {
            transaction: step.transaction,
            probability: step.probability,
            repeat: f64::from(step.repeat),
            think: step.think.unwrap_or(session.think),
        });
        let steps: Vec<Plays> = steps.collect();
        let total: f64 = steps.iter().map(Plays::mean).sum();
        let mut plays = vec![0.0; session.transactions.len()];
        for step in &steps {
            plays[step.transaction] += step.mean();
        }
        let (think_mean, think_variance) = think(&steps, session.think, total);
        let plays_variance =
            plays.iter().enumerate().map(|(number, plays)| variance(&steps, number, plays / total)).collect();
        let (in_step, spread) = match &session.load {
            // Each level has a window of its own, at whose ends users may be in step.
            Load::Closed(attendance) => (session.users * session.levels.len() as u64, attendance.shortest()),
            // Each arrival is an iteration of its own.
            Load::Open(_) if session.unit() == Some(Unit::Sessions) => (0, Duration::ZERO),
            // Users take their steps in turn.
            Load::Open(_) => (session.users, Duration::ZERO),
        };
        Self {
            think_mean: if session.unit() == Some(Unit::Requests) { 0.0 } else { think_mean },
            think_variance,
            names: session.transactions.clone(),
            plays,
            plays_variance,
            closed: !session.is_open(),
            in_step: users(in_step),
            spread: spread.as_secs_f64(),
            coalescing: match session.wake_ups {
                WakeUps::Coalesced => HALF_A_TICK,
                WakeUps::Exact => Duration::ZERO,
            },
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 users are enough")]
fn users(count: u64) -> f64 {
    count as f64
}

/// Mean and variance of the think time after a transaction.
fn think(steps: &[Plays], default: ThinkTime, total: f64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for step in steps {
        let (mean, variance) = (step.think.mean(), step.think.variance());
        sum += step.mean() * mean;
        squares += step.mean() * (variance + mean * mean);
    }
    // An iteration without any step lasts one default think time.
    let empty: f64 = steps.iter().map(|step| 1.0 - step.probability).product();
    let mean = (sum + empty * default.mean()) / total;
    (mean, (squares / total - mean * mean).max(0.0))
}

/// Variance over iterations of a transaction's plays less `share` of all plays. Steps are drawn independently, each
/// with all its repetitions or not at all.
fn variance(steps: &[Plays], transaction: usize, share: f64) -> f64 {
    let of_step = |step: &Plays| {
        let own = if step.transaction == transaction { 1.0 } else { 0.0 };
        let weight = step.repeat * (own - share);
        weight * weight * step.probability * (1.0 - step.probability)
    };
    steps.iter().map(of_step).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(transaction: usize, probability: f64, repeat: f64, think_ms: u64) -> Plays {
        let think = ThinkTime::Constant(Duration::from_millis(think_ms));
        Plays { transaction, probability, repeat, think }
    }

    #[test]
    fn think_times_are_weighted_by_how_often_they_come() {
        let steps = [step(0, 1.0, 3.0, 100), step(1, 1.0, 1.0, 500)];
        let (mean, variance) = think(&steps, steps[0].think, 4.0);
        assert!((mean - 0.2).abs() < 1e-9);
        assert!((variance - (0.03 / 4.0 + 0.25 / 4.0 - 0.04)).abs() < 1e-9, "{variance}");
    }

    #[test]
    fn an_iteration_left_out_lasts_one_think_time() {
        let steps = [step(0, 0.5, 1.0, 100)];
        let (mean, _) = think(&steps, steps[0].think, 0.5);
        assert!((mean - 0.2).abs() < 1e-9, "twice as long for each transaction: {mean}");
    }

    #[test]
    fn a_mix_without_chance_has_no_variance_and_repetitions_come_in_one() {
        let certain = [step(0, 1.0, 3.0, 1), step(1, 1.0, 1.0, 1)];
        assert!(variance(&certain, 0, 0.75) < 1e-12);
        // Ten plays or none: by 100 times the variance of one play, half of it because its own share moves along.
        let drawn = [step(0, 0.1, 10.0, 1), step(1, 1.0, 1.0, 1)];
        assert!((variance(&drawn, 0, 0.5) - 100.0 * 0.25 * 0.09).abs() < 1e-9);
    }
}
