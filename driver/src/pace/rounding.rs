//! What coalescing has moved a user by, carried into its next think time.
//!
//! A user that wakes at a tick, gets its answer after a quarter of a millisecond and thinks for 20 ms is due at the same
//! place between two ticks each time: rounded to the nearest, every think time would be 0.55 ms too long. With what is
//! left carried over, each is still at most half a tick off, and all of them together are exact.

use std::time::Duration;

use super::Moment;

/// By how much the last wait ended later than it was due (or earlier: negative), in nanoseconds; 0 with exact wake-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounding(i64);

impl Rounding {
    /// What a wait is rounded by that was due at `due` and ends at `fires`. How late the event loop then is does not
    /// count: what the machine delays is not made up for.
    #[must_use]
    pub fn between(due: Moment, fires: Moment) -> Self {
        let signed = |moment: Moment| i64::try_from(moment.nanos()).unwrap_or(i64::MAX);
        Self(signed(fires) - signed(due))
    }

    /// When a think time of `pause` since `at` is over, had the last wait ended when it was due.
    #[must_use]
    pub fn due(self, at: Moment, pause: Duration) -> Moment {
        Moment::from_nanos((at + pause).nanos().saturating_add_signed(-self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::WakeUps;
    use crate::pace::deadlines::Deadlines;

    const CYCLES: u32 = 1_000;

    /// How long a user takes for [`CYCLES`] answers and think times, each waking as it is planned.
    fn played(wake_ups: WakeUps, answer: Duration, pause: Duration) -> Duration {
        let deadlines = Deadlines::new(wake_ups);
        let (mut now, mut rounding) = (Moment::default(), Rounding::default());
        for _ in 0..CYCLES {
            let due = rounding.due(now + answer, pause);
            now = deadlines.nearest(due);
            rounding = Rounding::between(due, now);
        }
        now - Moment::default()
    }

    #[test]
    fn equal_think_times_are_exact_together() {
        let answer = Duration::from_micros(250);
        for pause in [5, 7, 20, 100, 1_000].map(Duration::from_millis) {
            let planned = (answer + pause) * CYCLES;
            assert_eq!(played(WakeUps::Exact, answer, pause), planned);
            let error = played(WakeUps::Coalesced, answer, pause).abs_diff(planned);
            assert!(error < Duration::from_millis(1), "{pause:?}: {error:?}");
        }
    }
}
