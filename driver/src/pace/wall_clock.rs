//! The wall clock beside the clock of the run: the kernel stamps what it receives with the wall clock.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use super::clock::{Clock, Moment};

/// Looks at both clocks, of which the quickest counts: the thread may be interrupted between two.
const LOOKS: usize = 16;

/// How far the wall clock was ahead of the clock of the run, at one moment.
///
/// Both clocks of the kernel run at one rate, that of `adjtimex` included (Linux, `kernel/time/timekeeping.c`), so that
/// this changes only when somebody sets the wall clock, or at a leap second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    ahead_ns: i128,
}

impl WallClock {
    /// Looks at both clocks. Nothing when the kernel has no wall clock.
    #[must_use]
    pub fn beside(clock: Clock) -> Option<Self> {
        let look = || {
            let before = clock.now();
            let wall = Duration::from(clock_gettime(ClockId::CLOCK_REALTIME).ok()?);
            let between = clock.now() - before;
            let middle = i128::from((before + between / 2).nanos());
            let ahead_ns = i128::try_from(wall.as_nanos()).ok()? - middle;
            Some((between, Self { ahead_ns }))
        };
        (0..LOOKS).filter_map(|_| look()).min_by_key(|(between, _)| *between).map(|(_, found)| found)
    }

    /// The moment of a stamp of the wall clock, the time since 1970; that of `hello` when it is before.
    #[must_use]
    pub fn moment(self, stamp: Duration) -> Moment {
        let stamp = i128::try_from(stamp.as_nanos()).unwrap_or(i128::MAX);
        let nanos = stamp.saturating_sub(self.ahead_ns).max(0);
        Moment::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// By how many nanoseconds the wall clock was set forward since `earlier`; negative: back.
    #[must_use]
    pub fn set_since(self, earlier: Self) -> i64 {
        let set = self.ahead_ns - earlier.ahead_ns;
        i64::try_from(set).unwrap_or(if set > 0 { i64::MAX } else { i64::MIN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_now_lies_between_the_moments_around_it() {
        let clock = Clock::start();
        let wall = WallClock::beside(clock).expect("a wall clock");
        let slack = Duration::from_millis(1);
        let before = clock.now();
        let stamp = Duration::from(clock_gettime(ClockId::CLOCK_REALTIME).expect("a wall clock"));
        let after = clock.now();
        let moment = wall.moment(stamp);
        assert!(moment + slack >= before && after + slack >= moment, "{before:?} {moment:?} {after:?}");
        assert_eq!(wall.moment(Duration::ZERO), Moment::default());
    }

    #[test]
    fn a_clock_that_was_set_is_reported() {
        let (earlier, later) = (WallClock { ahead_ns: 5_000 }, WallClock { ahead_ns: 2_000 });
        assert_eq!((later.set_since(earlier), earlier.set_since(later)), (-3_000, 3_000));
    }
}
