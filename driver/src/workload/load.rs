//! The load: how many users there are, and what makes their steps begin.

use std::time::Duration;

use super::draw::Draws;
use super::error::PlanError;
use super::plan::{Level, Model, Plan, Spacing, Unit};
use super::quantity::Milliseconds;
use crate::pace::arrivals::Slope;
use crate::pace::attendance::{Attendance, Change};
use crate::pace::timetable::LevelLengths;

/// Most arrivals per second: one each microsecond.
const HIGHEST_RATE: f64 = 1_000_000.0;

/// Sets the draws of the timetable apart from those of any user.
const TIMETABLE: u64 = u64::MAX;

/// What makes the steps of the users begin.
#[derive(Clone, Debug)]
pub enum Load {
    /// Each user waits for its response, then thinks.
    Closed(Attendance),
    /// A timetable, whatever the server does.
    Open(OpenLoad),
}

/// The open model.
#[derive(Clone, Debug)]
pub struct OpenLoad {
    /// What an arrival is.
    pub unit: Unit,
    /// Rates from the beginning of the first ramp to the end of the last measured window.
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

/// The course of the load over the whole run.
#[derive(Debug)]
pub struct Course {
    /// What makes steps begin.
    pub load: Load,
    /// Most users at the same time.
    pub users: u64,
    /// Lengths of the phases of each level.
    pub levels: Vec<LevelLengths>,
}

impl Course {
    /// Checks load, phases and levels of a plan.
    ///
    /// # Errors
    /// [`PlanError`] naming the key that is wrong, missing or belongs to something else.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let levels = levels(plan)?;
        let (load, users) = match plan.load.model {
            Model::Closed => closed(plan, &levels)?,
            Model::Open => open(plan, &levels)?,
        };
        Ok(Self { load, users, levels })
    }
}

/// The phases of each level; a plan without levels has one.
fn levels(plan: &Plan) -> Result<Vec<LevelLengths>, PlanError> {
    let phases = &plan.phases;
    let keys =
        [("ramp_ms", phases.ramp_ms), ("settle_ms", phases.settle_ms), ("measure_ms", phases.measure_ms)];
    let Some(levels) = &plan.levels else {
        let length = |(key, value): (&str, Option<Milliseconds>)| {
            let missing = || {
                PlanError::at(format!("phases.{key}"), "is missing; only a plan with `levels` does without")
            };
            value.map(Milliseconds::duration).ok_or_else(missing)
        };
        let [ramp, settle, measure] = keys.map(length);
        return Ok(vec![LevelLengths { ramp: ramp?, settle: settle?, measure: measure? }]);
    };
    if let Some((key, _)) = keys.iter().find(|(_, value)| value.is_some()) {
        return Err(PlanError::at(format!("phases.{key}"), "stands in each of the `levels`; remove it here"));
    }
    if levels.is_empty() {
        return Err(PlanError::at("levels", "is empty; at least one level is needed"));
    }
    let lengths = |level: &Level| LevelLengths {
        ramp: level.ramp_ms.duration(),
        settle: level.settle_ms.duration(),
        measure: level.measure_ms.duration(),
    };
    Ok(levels.iter().map(lengths).collect())
}

fn closed(plan: &Plan, lengths: &[LevelLengths]) -> Result<(Load, u64), PlanError> {
    let load = &plan.load;
    refuse(load.arrivals.is_some(), "load.arrivals", "belongs to the open model")?;
    refuse(load.unit.is_some(), "load.unit", "belongs to the open model")?;
    refuse(load.rate.is_some(), "load.rate", "belongs to the open model")?;
    let targets = if let Some(levels) = &plan.levels {
        refuse(load.users.is_some(), "load.users", "stands in each of the `levels`")?;
        refuse(load.spread_ms.is_some(), "load.spread_ms", "is the ramp of each of the `levels`")?;
        let target = |(number, level): (usize, &Level)| {
            refuse(level.rate.is_some(), &format!("levels[{number}].rate"), "belongs to the open model")?;
            let ramp = level.ramp_ms.duration();
            users(level.users, &format!("levels[{number}].users")).map(|users| (users, ramp))
        };
        levels.iter().enumerate().map(target).collect::<Result<_, _>>()?
    } else {
        let spread = needed(load.spread_ms, "load.spread_ms", "the time over which the users start")?;
        vec![(users(load.users, "load.users")?, spread.duration())]
    };
    let (mut changes, mut begins, mut from) = (Vec::new(), Duration::ZERO, 0);
    for (&(to, takes), lengths) in targets.iter().zip(lengths) {
        changes.push(Change { begins, takes, from, to });
        begins += lengths.whole();
        from = to;
    }
    let most = targets.iter().map(|(users, _)| *users).max().unwrap_or_default();
    Ok((Load::Closed(Attendance(changes)), most))
}

fn open(plan: &Plan, lengths: &[LevelLengths]) -> Result<(Load, u64), PlanError> {
    let load = &plan.load;
    refuse(load.spread_ms.is_some(), "load.spread_ms", "belongs to the closed model")?;
    let rates = if let Some(levels) = &plan.levels {
        refuse(load.rate.is_some(), "load.rate", "stands in each of the `levels`")?;
        let rate_of = |(number, level): (usize, &Level)| {
            refuse(
                level.users.is_some(),
                &format!("levels[{number}].users"),
                "stands in `load` in the open model",
            )?;
            rate(level.rate, &format!("levels[{number}].rate"))
        };
        levels.iter().enumerate().map(rate_of).collect::<Result<_, _>>()?
    } else {
        vec![rate(load.rate, "load.rate")?]
    };
    let (mut slopes, mut from) = (Vec::new(), 0.0);
    for (to, lengths) in rates.into_iter().zip(lengths) {
        slopes.push(Slope { length: lengths.ramp, from, to });
        slopes.push(Slope { length: lengths.settle + lengths.measure, from: to, to });
        from = to;
    }
    let open = OpenLoad {
        unit: needed(load.unit, "load.unit", "`sessions` or `requests`")?,
        slopes,
        spacing: needed(load.arrivals, "load.arrivals", "`constant` or `poisson`")?,
        seed: plan.seed,
    };
    Ok((Load::Open(open), users(load.users, "load.users")?))
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

fn users(users: Option<u64>, key: &str) -> Result<u64, PlanError> {
    match needed(users, key, "a number of users")? {
        0 => Err(PlanError::at(key, "is 0; at least one user is needed")),
        users => Ok(users),
    }
}

fn rate(rate: Option<f64>, key: &str) -> Result<f64, PlanError> {
    let rate = needed(rate, key, "arrivals per second")?;
    if rate > 0.0 && rate <= HIGHEST_RATE {
        return Ok(rate);
    }
    let problem = format!("{rate} is not a number of arrivals per second above 0, at most {HIGHEST_RATE}");
    Err(PlanError::at(key, problem))
}

fn refuse(present: bool, key: &str, problem: &str) -> Result<(), PlanError> {
    if present { Err(PlanError::at(key, format!("{problem}; remove it"))) } else { Ok(()) }
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
