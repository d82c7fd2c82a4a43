//! The load: how many users there are, and what makes their steps begin.

use std::time::Duration;

use super::draw::Draws;
use super::error::PlanError;
use super::plan::{self, Model, Phases, Spacing, Unit};
use crate::pace::arrivals::Slope;

/// Most arrivals per second: one each microsecond.
const HIGHEST_RATE: f64 = 1_000_000.0;

/// Sets the draws of the timetable apart from those of any user.
const TIMETABLE: u64 = u64::MAX;

/// What makes the steps of the users begin.
#[derive(Clone, Debug)]
pub enum Load {
    /// Each user waits for its answer, then thinks.
    Closed {
        /// Time over which the starts of the users are spread evenly.
        spread: Duration,
    },
    /// A timetable, whatever the server does.
    Open(OpenLoad),
}

/// The open model.
#[derive(Clone, Debug)]
pub struct OpenLoad {
    /// What an arrival is.
    pub unit: Unit,
    /// Rates from the beginning of the ramp to the end of the measured window.
    pub slopes: Vec<Slope>,
    spacing: Spacing,
    seed: u64,
}

/// The increasing points of a process of rate 1, from which [`crate::pace::Arrivals`] makes a timetable.
#[derive(Clone, Debug)]
pub struct Marks {
    next: f64,
    /// `None` when they are equally far apart.
    draws: Option<Draws>,
}

impl Load {
    /// Checks the load of a plan.
    ///
    /// # Errors
    /// [`PlanError`] naming the key that is wrong, missing or of the other model.
    pub fn new(load: &plan::Load, phases: &Phases, seed: u64) -> Result<Self, PlanError> {
        match load.model {
            Model::Closed => {
                refuse(load.arrivals.is_some(), "load.arrivals", "open")?;
                refuse(load.unit.is_some(), "load.unit", "open")?;
                refuse(load.rate.is_some(), "load.rate", "open")?;
                let spread = needed(load.spread_ms, "load.spread_ms", "the time over which the users start")?;
                Ok(Self::Closed { spread: spread.duration() })
            }
            Model::Open => {
                refuse(load.spread_ms.is_some(), "load.spread_ms", "closed")?;
                let rate = needed(load.rate, "load.rate", "arrivals per second")?;
                if !(rate > 0.0 && rate <= HIGHEST_RATE) {
                    let problem = format!(
                        "{rate} is not a number of arrivals per second above 0, at most {HIGHEST_RATE}"
                    );
                    return Err(PlanError::at("load.rate", problem));
                }
                Ok(Self::Open(OpenLoad {
                    unit: needed(load.unit, "load.unit", "`sessions` or `requests`")?,
                    slopes: slopes(rate, phases),
                    spacing: needed(load.arrivals, "load.arrivals", "`constant` or `poisson`")?,
                    seed,
                }))
            }
        }
    }
}

impl OpenLoad {
    /// The marks of the arrivals.
    #[must_use]
    pub fn marks(&self) -> Marks {
        match self.spacing {
            Spacing::Constant => Marks { next: 0.0, draws: None },
            Spacing::Poisson => {
                let mut draws = Draws::new(self.seed, TIMETABLE, 0);
                Marks { next: draws.exponential(), draws: Some(draws) }
            }
        }
    }
}

impl Iterator for Marks {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let mark = self.next;
        self.next += self.draws.as_mut().map_or(1.0, Draws::exponential);
        Some(mark)
    }
}

/// The rate climbs over the ramp and then stays.
fn slopes(rate: f64, phases: &Phases) -> Vec<Slope> {
    vec![
        Slope { length: phases.ramp_ms.duration(), from: 0.0, to: rate },
        Slope { length: phases.settle_ms.duration() + phases.measure_ms.duration(), from: rate, to: rate },
    ]
}

fn refuse(present: bool, key: &str, model: &str) -> Result<(), PlanError> {
    if present { Err(PlanError::at(key, format!("belongs to the {model} model; remove it"))) } else { Ok(()) }
}

fn needed<T>(value: Option<T>, key: &str, meaning: &str) -> Result<T, PlanError> {
    value.ok_or_else(|| PlanError::at(key, format!("is missing; this model needs {meaning}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_poisson_process_are_one_apart_on_average_and_as_far_off_as_their_number_allows() {
        let load = OpenLoad { unit: Unit::Sessions, slopes: Vec::new(), spacing: Spacing::Poisson, seed: 5 };
        let marks: Vec<f64> = load.marks().take(20_001).collect();
        assert!((marks[20_000] / 20_000.0 - 1.0).abs() < 0.03, "{}", marks[20_000]);
        // Gaps above 1 are e⁻¹ of all.
        let long = marks.windows(2).filter(|pair| pair[1] - pair[0] > 1.0).count();
        assert!(long.abs_diff(7_358) < 250, "{long}");
    }
}
