//! The measured window of one level, summed up: what the line `window` holds.

use super::counts::Counts;
use super::processor::Usage;
use crate::pace::{Interval, Phase};

/// Sums over the measured window of a level. Its counts have 64 bits: a window may last for days.
#[derive(Debug)]
pub struct LevelWindow {
    /// Number of the level.
    pub level: usize,
    /// The whole window as one interval, and what was counted in it; nothing before it began.
    pub sums: Option<(Interval, Counts<u64>)>,
    /// CPU time of the driver in the window.
    pub used: Usage,
    /// Arrivals of the level that were due outside the window, or are known only after it, and never begun.
    missed: u64,
    before: Usage,
}

impl LevelWindow {
    /// Level number `level`, before its window. The driver has used that much CPU time up to now.
    #[must_use]
    pub fn new(level: usize, before: Usage) -> Self {
        Self { level, sums: None, used: Usage::default(), missed: 0, before }
    }

    /// Adds an interval of the level, at whose end the driver had used so much CPU time.
    pub fn add(&mut self, interval: &Interval, counts: &Counts, usage: Usage) {
        let before = std::mem::replace(&mut self.before, usage);
        if interval.phase != Phase::Measure {
            self.missed += counts.missed;
            return;
        }
        self.used.user_ns += usage.user_ns.saturating_sub(before.user_ns);
        self.used.system_ns += usage.system_ns.saturating_sub(before.system_ns);
        let (whole, sums) =
            self.sums.get_or_insert_with(|| (*interval, Counts::new(counts.transactions.len())));
        whole.end = interval.end;
        sums.add(counts);
        // Users at an interval's end are not a count.
        sums.users = counts.users;
    }

    /// How much CPU time the driver had used at the end of the last interval.
    #[must_use]
    pub fn reached(&self) -> Usage {
        self.before
    }

    /// The whole window and its sums, with all arrivals that were missed; nothing when it never began, or has no length.
    #[must_use]
    pub fn finish(self) -> Option<(Interval, Counts<u64>)> {
        let (interval, sums) = self.sums.filter(|(interval, _)| interval.end > interval.start)?;
        Some((interval, Counts { missed: sums.missed + self.missed, ..sums }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::measure::counts::Took;
    use crate::pace::Moment;

    fn interval(phase: Phase, second: u64) -> Interval {
        let [start, end] = [second, second + 1].map(|second| Moment::from_nanos(second * 1_000_000_000));
        Interval { number: 0, stretch: 0, level: 3, phase, start, end }
    }

    #[test]
    fn a_window_sums_up_its_intervals_and_the_arrivals_that_its_level_missed() {
        let mut window = LevelWindow::new(3, Usage { user_ns: 5, system_ns: 1 });
        for (second, phase) in
            [Phase::Ramp, Phase::Measure, Phase::Measure, Phase::Drain].into_iter().enumerate()
        {
            let mut counts = Counts::new(1);
            (counts.users, counts.missed, counts.requests) = (10 + second as u64, 1, 100);
            counts.transactions[0].valid(Took { response: Duration::from_millis(2), service: None });
            let usage = Usage { user_ns: 10 * (1 + second as u64), system_ns: 2 };
            window.add(&interval(phase, second as u64), &counts, usage);
        }
        assert_eq!(window.used, Usage { user_ns: 20, system_ns: 0 });
        let (whole, sums) = window.finish().expect("it began");
        assert_eq!((whole.start.nanos(), whole.end.nanos()), (1_000_000_000, 3_000_000_000));
        assert_eq!((sums.users, sums.requests, sums.missed), (12, 200, 4));
        assert_eq!(sums.transactions[0].times.count(), 2);
    }

    #[test]
    fn a_window_that_never_began_has_no_sums() {
        let mut window = LevelWindow::new(0, Usage::default());
        window.add(&interval(Phase::Ramp, 0), &Counts::new(1), Usage::default());
        assert!(window.finish().is_none());
    }
}
