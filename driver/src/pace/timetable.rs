//! The timetable of a run: its phases and the intervals in which is counted.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Moment;

/// How long an interval is unless the plan asks for another length.
pub const SECOND: Duration = Duration::from_secs(1);

/// A part of the run, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Users come and go, or the rate changes.
    Ramp,
    /// The load is whole, the system settles.
    Settle,
    /// The measured window.
    Measure,
    /// No new steps; started ones may finish.
    Drain,
}

/// Lengths of the phases at one level of load.
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelLengths {
    /// Time for the load to reach the level.
    pub ramp: Duration,
    /// Time for the system to settle.
    pub settle: Duration,
    /// Length of the measured window.
    pub measure: Duration,
}

impl LevelLengths {
    /// All of them.
    #[must_use]
    pub fn whole(&self) -> Duration {
        self.ramp + self.settle + self.measure
    }
}

/// A stretch of time counted together: so long a part of a phase, or its rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its number, from 0 over all phases.
    pub number: usize,
    /// Number of the stretch it belongs to.
    pub stretch: usize,
    /// The level it belongs to.
    pub level: usize,
    /// The phase it belongs to.
    pub phase: Phase,
    /// Its first moment.
    pub start: Moment,
    /// The first moment that belongs to the next one; `NEVER` for the last, which ends when the last user is done.
    pub end: Moment,
}

/// One phase of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of the level, from 0.
    pub level: usize,
    /// Its phase.
    pub phase: Phase,
    /// When it begins.
    pub start: Moment,
}

/// When each phase begins and ends.
#[derive(Clone, Debug)]
pub struct Timetable {
    /// Three for each level, then the drain, which counts to the last level.
    stretches: Arc<[Stretch]>,
    last_send: Moment,
    drain_end: Moment,
    interval: Duration,
}

impl Timetable {
    /// The timetable of a run whose first ramp begins at `start`, counted in intervals of a second.
    #[must_use]
    pub fn new(start: Moment, levels: &[LevelLengths], drain: Duration) -> Self {
        let mut stretches = Vec::new();
        let mut next = start;
        for (level, lengths) in levels.iter().enumerate() {
            let phases = [
                (Phase::Ramp, lengths.ramp),
                (Phase::Settle, lengths.settle),
                (Phase::Measure, lengths.measure),
            ];
            for (phase, length) in phases {
                stretches.push(Stretch { level, phase, start: next });
                next = next + length;
            }
        }
        stretches.push(Stretch { level: levels.len().saturating_sub(1), phase: Phase::Drain, start: next });
        Self { stretches: stretches.into(), last_send: next, drain_end: next + drain, interval: SECOND }
    }

    /// The same, counted in intervals of this length.
    #[must_use]
    pub fn counted_in(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// The phases of all levels, in their order.
    #[must_use]
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// When the first ramp begins.
    #[must_use]
    pub fn start(&self) -> Moment {
        self.stretches[0].start
    }

    /// The last moment at which a step may begin.
    #[must_use]
    pub fn last_send(&self) -> Moment {
        self.last_send
    }

    /// When requests still without a response are cut off.
    #[must_use]
    pub fn drain_end(&self) -> Moment {
        self.drain_end
    }

    /// The first interval.
    #[must_use]
    pub fn first(&self) -> Interval {
        self.interval(0, 0, self.start())
    }

    /// The interval after `interval`. After the last one comes nothing, because it has no end.
    #[must_use]
    pub fn after(&self, interval: &Interval) -> Interval {
        self.interval(interval.number + 1, interval.stretch, interval.end)
    }

    fn interval(&self, number: usize, from: usize, start: Moment) -> Interval {
        // Phases of no length are stepped over; the drain always has an interval, for what is cut off in it.
        let drain = self.stretches.len() - 1;
        let stretch = (from..drain).find(|&each| start < self.stretches[each + 1].start).unwrap_or(drain);
        let whole = start + self.interval;
        let end = match self.stretches.get(stretch + 1) {
            Some(next) => whole.min(next.start),
            None if whole >= self.drain_end => Moment::NEVER,
            None => whole,
        };
        let Stretch { level, phase, .. } = self.stretches[stretch];
        Interval { number, stretch, level, phase, start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timetable(milliseconds: [u64; 4]) -> Timetable {
        let [ramp, settle, measure, drain] = milliseconds.map(Duration::from_millis);
        Timetable::new(Moment::from_nanos(7), &[LevelLengths { ramp, settle, measure }], drain)
    }

    fn intervals(timetable: &Timetable) -> Vec<(Phase, u64, u64)> {
        let mut all = Vec::new();
        let mut interval = timetable.first();
        loop {
            all.push((
                interval.phase,
                (interval.start.nanos() - 7) / 1_000_000,
                interval.end.nanos() / 1_000_000,
            ));
            if interval.end == Moment::NEVER {
                return all;
            }
            interval = timetable.after(&interval);
        }
    }

    #[test]
    fn each_second_of_a_phase_is_an_interval_and_so_is_its_rest() {
        let never = Moment::NEVER.nanos() / 1_000_000;
        assert_eq!(
            intervals(&timetable([1_500, 0, 2_000, 1_200])),
            [
                (Phase::Ramp, 0, 1_000),
                (Phase::Ramp, 1_000, 1_500),
                (Phase::Measure, 1_500, 2_500),
                (Phase::Measure, 2_500, 3_500),
                (Phase::Drain, 3_500, 4_500),
                (Phase::Drain, 4_500, never),
            ]
        );
    }

    #[test]
    fn intervals_are_as_long_as_the_plan_asks_for_and_never_reach_into_the_next_phase() {
        let never = Moment::NEVER.nanos() / 1_000_000;
        assert_eq!(
            intervals(&timetable([1_500, 0, 7_000, 1_200]).counted_in(Duration::from_secs(3))),
            [
                (Phase::Ramp, 0, 1_500),
                (Phase::Measure, 1_500, 4_500),
                (Phase::Measure, 4_500, 7_500),
                (Phase::Measure, 7_500, 8_500),
                (Phase::Drain, 8_500, never),
            ]
        );
    }

    #[test]
    fn a_drain_of_no_length_still_has_an_interval_for_what_is_cut_off() {
        let never = Moment::NEVER.nanos() / 1_000_000;
        assert_eq!(
            intervals(&timetable([0, 0, 1_000, 0])),
            [(Phase::Measure, 0, 1_000), (Phase::Drain, 1_000, never)]
        );
    }

    #[test]
    fn the_phases_of_each_level_follow_those_of_the_one_before() {
        let level = LevelLengths { measure: Duration::from_secs(1), ..LevelLengths::default() };
        let ramp = LevelLengths { ramp: Duration::from_millis(500), ..level };
        let timetable = Timetable::new(Moment::default(), &[level, ramp], Duration::ZERO);
        let mut interval = timetable.first();
        let mut seen = Vec::new();
        while interval.end != Moment::NEVER {
            seen.push((interval.level, interval.phase, interval.start.nanos() / 1_000_000));
            interval = timetable.after(&interval);
        }
        assert_eq!(seen, [(0, Phase::Measure, 0), (1, Phase::Ramp, 1_000), (1, Phase::Measure, 1_500)]);
        assert_eq!((interval.level, interval.phase, interval.stretch), (1, Phase::Drain, 6));
    }
}
