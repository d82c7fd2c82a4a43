//! What an iteration adds up to, on average and how far off: mean and variance of a sum over the steps it runs.
//!
//! Parts are drawn independently, so the moments of a sequence follow from those of its parts; where a user may give up,
//! those of iterations that go on and of abandoned ones are kept apart.

use super::script::{Part, Script};
use super::step::Step;

/// Probability, first and second moment of a sum, over the iterations to which something applies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moments([f64; 3]);

/// What running a part adds up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Where the user goes on.
    on: Moments,
    /// Where it has abandoned the iteration.
    abandoned: Moments,
}

impl Moments {
    /// Of the sum of two independent things.
    fn and(self, other: Self) -> Self {
        let (Self([one, first, second]), Self([its_one, its_first, its_second])) = (self, other);
        Self([
            one * its_one,
            first * its_one + one * its_first,
            second * its_one + 2.0 * first * its_first + one * its_second,
        ])
    }

    /// Of one thing or another.
    fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|order| self.0[order] + other.0[order]))
    }

    fn times(self, probability: f64) -> Self {
        Self(self.0.map(|moment| probability * moment))
    }
}

impl Outcome {
    /// Nothing runs.
    const NOTHING: Self = Self { on: Moments([1.0, 0.0, 0.0]), abandoned: Moments([0.0; 3]) };

    /// A step of this weight runs; the user then gives up with this probability.
    fn step(weight: f64, abandon: f64) -> Self {
        let of_step = Moments([1.0, weight, weight * weight]);
        Self { on: of_step.times(1.0 - abandon), abandoned: of_step.times(abandon) }
    }

    fn then(self, next: Self) -> Self {
        Self { on: self.on.and(next.on), abandoned: self.abandoned.or(self.on.and(next.abandoned)) }
    }

    fn perhaps(self, probability: f64) -> Self {
        let on = self.on.times(probability).or(Self::NOTHING.on.times(1.0 - probability));
        Self { on, abandoned: self.abandoned.times(probability) }
    }

    /// The same again and again, by repeated doubling.
    fn repeated(self, times: u32) -> Self {
        let (mut result, mut power, mut left) = (Self::NOTHING, self, times);
        while left > 0 {
            if left & 1 == 1 {
                result = result.then(power);
            }
            power = power.then(power);
            left >>= 1;
        }
        result
    }

    /// Mean of the sum.
    #[must_use]
    pub fn mean(self) -> f64 {
        self.on.or(self.abandoned).0[1]
    }

    /// Its variance from one iteration to the next.
    #[must_use]
    pub fn variance(self) -> f64 {
        let Moments([_, mean, square]) = self.on.or(self.abandoned);
        (square - mean * mean).max(0.0)
    }
}

/// The scripts of a session, to be added up.
#[derive(Clone, Copy, Debug)]
pub struct Mix<'a> {
    scripts: &'a [Script],
    steps: &'a [Step],
}

impl<'a> Mix<'a> {
    /// These scripts over these steps.
    #[must_use]
    pub fn new(scripts: &'a [Script], steps: &'a [Step]) -> Self {
        Self { scripts, steps }
    }

    /// Each script with its share of the iterations.
    pub fn shares(self) -> impl Iterator<Item = (&'a Script, f64)> {
        let total: f64 = self.scripts.iter().map(|script| script.weight).sum();
        self.scripts.iter().map(move |script| (script, script.weight / total))
    }

    /// The sum of `weight` over all steps run in one iteration of `script`.
    #[must_use]
    pub fn of(self, script: &Script, weight: &dyn Fn(usize) -> f64) -> Outcome {
        sum(&script.parts, self.steps, weight)
    }

    /// The same for an iteration of any script.
    #[must_use]
    pub fn sum(self, weight: &dyn Fn(usize) -> f64) -> Outcome {
        let nothing = Outcome { on: Moments::default(), abandoned: Moments::default() };
        self.shares().fold(nothing, |all, (script, share)| {
            let one = self.of(script, weight);
            Outcome {
                on: all.on.or(one.on.times(share)),
                abandoned: all.abandoned.or(one.abandoned.times(share)),
            }
        })
    }
}

fn sum(parts: &[Part], steps: &[Step], weight: &dyn Fn(usize) -> f64) -> Outcome {
    parts.iter().fold(Outcome::NOTHING, |before, part| {
        let outcome = match part {
            Part::Step(index) => {
                let step = &steps[*index];
                Outcome::step(weight(*index), step.abandon).repeated(step.repeat).perhaps(step.probability)
            }
            Part::Group { parts, probability, repeat } => {
                sum(parts, steps, weight).repeated(*repeat).perhaps(*probability)
            }
        };
        before.then(outcome)
    })
}

/// How likely nothing of `parts` runs.
#[must_use]
pub fn none(parts: &[Part], steps: &[Step]) -> f64 {
    let of_part = |part: &Part| match part {
        Part::Step(index) => 1.0 - steps[*index].probability,
        Part::Group { parts, probability, repeat } => {
            1.0 - probability + probability * none(parts, steps).powf(f64::from(*repeat))
        }
    };
    parts.iter().map(of_part).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn what_is_certain_has_no_variance_and_repetitions_come_in_one() {
        let certain = Outcome::step(0.25, 0.0).repeated(3).then(Outcome::step(-0.75, 0.0));
        close(certain.mean(), 0.0);
        close(certain.variance(), 0.0);
        // Ten runs or none: by 100 times the variance of one run, half of it because its own share moves along.
        let drawn = Outcome::step(0.5, 0.0).repeated(10).perhaps(0.1).then(Outcome::step(-0.5, 0.0));
        close(drawn.variance(), 100.0 * 0.25 * 0.09);
    }

    #[test]
    fn a_group_is_drawn_as_one() {
        let group = Outcome::step(1.0, 0.0).then(Outcome::step(1.0, 0.0)).repeated(2).perhaps(0.5);
        close(group.mean(), 2.0);
        close(group.variance(), 4.0);
    }

    #[test]
    fn who_leaves_runs_nothing_more() {
        let half = Outcome::step(1.0, 0.5).then(Outcome::step(1.0, 0.0));
        close(half.mean(), 1.5);
        close(half.variance(), 0.25);
        // Three times a step after which one of two leaves: 1 + 1/2 + 1/4.
        close(Outcome::step(1.0, 0.5).repeated(3).mean(), 1.75);
    }
}
