//! Think times.

use std::time::Duration;

use super::draw::Draws;
use super::error::PlanError;
use super::plan;

/// Draws think times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThinkTime {
    /// Always the same.
    Constant(Duration),
    /// Evenly from the first to the second.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

impl ThinkTime {
    /// Checks the think time of a plan that stands at `place`.
    ///
    /// # Errors
    /// When the bounds are the wrong way round.
    pub fn new(think: plan::Think, place: &str) -> Result<Self, PlanError> {
        match think {
            plan::Think::Constant(time) => Ok(Self::Constant(time.duration())),
            plan::Think::Uniform(from, to) if from > to => Err(PlanError::at(
                format!("{place}.uniform_ms"),
                "the first bound is above the second; swap them",
            )),
            plan::Think::Uniform(from, to) => Ok(Self::Uniform(from.duration(), to.duration())),
            plan::Think::Exponential(mean) => Ok(Self::Exponential(mean.duration())),
        }
    }

    /// The mean in seconds.
    #[must_use]
    pub fn mean(self) -> f64 {
        match self {
            Self::Constant(time) | Self::Exponential(time) => time.as_secs_f64(),
            Self::Uniform(from, to) => f64::midpoint(from.as_secs_f64(), to.as_secs_f64()),
        }
    }

    /// The variance in square seconds.
    #[must_use]
    pub fn variance(self) -> f64 {
        match self {
            Self::Constant(_) => 0.0,
            Self::Uniform(from, to) => to.saturating_sub(from).as_secs_f64().powi(2) / 12.0,
            Self::Exponential(mean) => mean.as_secs_f64().powi(2),
        }
    }

    /// The next think time.
    pub fn draw(self, draws: &mut Draws) -> Duration {
        match self {
            Self::Constant(time) => time,
            Self::Uniform(from, to) => from + to.saturating_sub(from).mul_f64(draws.fraction()),
            Self::Exponential(mean) => mean.mul_f64(draws.exponential()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_ms(think: ThinkTime) -> f64 {
        let mut draws = Draws::new(3, 1, 4);
        let sum: f64 = (0..20_000).map(|_| think.draw(&mut draws).as_secs_f64()).sum();
        sum / 20.0
    }

    #[test]
    fn mean_and_variance_are_those_of_the_draws() {
        let [one, three] = [100, 300].map(Duration::from_millis);
        let shapes = [ThinkTime::Constant(one), ThinkTime::Uniform(one, three), ThinkTime::Exponential(one)];
        for think in shapes {
            let mut draws = Draws::new(5, 2, 9);
            let times: Vec<f64> = (0..50_000).map(|_| think.draw(&mut draws).as_secs_f64()).collect();
            let mean = times.iter().sum::<f64>() / 50_000.0;
            let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 50_000.0;
            assert!((mean / think.mean() - 1.0).abs() < 0.02, "{think:?}: {mean}");
            assert!(
                (variance - think.variance()).abs() <= 0.05 * think.variance() + 1e-12,
                "{think:?}: {variance}"
            );
        }
    }

    #[test]
    fn think_times_have_the_mean_they_are_given() {
        let [one, three] = [100, 300].map(Duration::from_millis);
        assert!((mean_ms(ThinkTime::Constant(one)) - 100.0).abs() < 0.001);
        assert!((mean_ms(ThinkTime::Uniform(one, three)) - 200.0).abs() < 2.0);
        assert!((mean_ms(ThinkTime::Exponential(one)) - 100.0).abs() < 2.0);
    }
}
