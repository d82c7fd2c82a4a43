//! The timetable of a run: its phases and the intervals in which is counted.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Moment;

const SECOND: Duration = Duration::from_secs(1);

/// A part of the run, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Users start.
    Ramp,
    /// The load is whole, the system settles.
    Settle,
    /// The measured window.
    Measure,
    /// No new steps; started ones may finish.
    Drain,
}

impl Phase {
    /// All phases in their order.
    pub const ALL: [Self; 4] = [Self::Ramp, Self::Settle, Self::Measure, Self::Drain];
}

/// Lengths of the phases.
#[derive(Clone, Copy, Debug)]
pub struct PhaseLengths {
    /// Time for the users to start.
    pub ramp: Duration,
    /// Time for the system to settle.
    pub settle: Duration,
    /// Length of the measured window.
    pub measure: Duration,
    /// The longest time for started steps to finish.
    pub drain: Duration,
}

/// A stretch of time counted together: a second of a phase, or its rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its number, from 0 over all phases.
    pub number: usize,
    /// The phase it belongs to.
    pub phase: Phase,
    /// Its first moment.
    pub start: Moment,
    /// The first moment that belongs to the next one; `NEVER` for the last, which ends when the last user is done.
    pub end: Moment,
}

/// When each phase begins and ends.
#[derive(Clone, Copy, Debug)]
pub struct Timetable {
    starts: [Moment; 4],
    drain_end: Moment,
}

impl Timetable {
    /// The timetable of a run whose ramp begins at `start`.
    #[must_use]
    pub fn new(start: Moment, lengths: PhaseLengths) -> Self {
        let settle = start + lengths.ramp;
        let measure = settle + lengths.settle;
        let drain = measure + lengths.measure;
        Self { starts: [start, settle, measure, drain], drain_end: drain + lengths.drain }
    }

    /// When `phase` begins.
    #[must_use]
    pub fn start_of(&self, phase: Phase) -> Moment {
        self.starts[phase as usize]
    }

    /// The last moment at which a step may begin.
    #[must_use]
    pub fn last_send(&self) -> Moment {
        self.start_of(Phase::Drain)
    }

    /// When requests still without an answer are cut off.
    #[must_use]
    pub fn drain_end(&self) -> Moment {
        self.drain_end
    }

    /// The first interval.
    #[must_use]
    pub fn first(&self) -> Interval {
        self.interval(0, Phase::Ramp, self.start_of(Phase::Ramp))
    }

    /// The interval after `interval`. After the last one comes nothing, because it has no end.
    #[must_use]
    pub fn after(&self, interval: &Interval) -> Interval {
        self.interval(interval.number + 1, interval.phase, interval.end)
    }

    fn interval(&self, number: usize, phase: Phase, start: Moment) -> Interval {
        // Phases of no length are stepped over; the drain always has an interval, for what is cut off in it.
        let phase = Phase::ALL
            .into_iter()
            .find(|&each| each >= phase && (each == Phase::Drain || start < self.end_of(each)))
            .unwrap_or(Phase::Drain);
        let second = start + SECOND;
        let end = match phase {
            Phase::Drain if second >= self.drain_end => Moment::NEVER,
            Phase::Drain => second,
            _ => second.min(self.end_of(phase)),
        };
        Interval { number, phase, start, end }
    }

    fn end_of(&self, phase: Phase) -> Moment {
        self.starts.get(phase as usize + 1).copied().unwrap_or(self.drain_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timetable(milliseconds: [u64; 4]) -> Timetable {
        let [ramp, settle, measure, drain] = milliseconds.map(Duration::from_millis);
        Timetable::new(Moment::from_nanos(7), PhaseLengths { ramp, settle, measure, drain })
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
    fn a_drain_of_no_length_still_has_an_interval_for_what_is_cut_off() {
        let never = Moment::NEVER.nanos() / 1_000_000;
        assert_eq!(
            intervals(&timetable([0, 0, 1_000, 0])),
            [(Phase::Measure, 0, 1_000), (Phase::Drain, 1_000, never)]
        );
    }
}
