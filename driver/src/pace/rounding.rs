//! What coalescing has moved a user by, carried into its next think time.
//!
//! A user that wakes at a tick, gets its response after a quarter of a millisecond and thinks for 20 ms is due at the
//! same place between two ticks each time: rounded to the nearest, every think time would be 0.55 ms too long. With
//! what is left carried over, each ends at most half a tick from when it is due and may be a whole tick too long or too
//! short; all of them together are exact.

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

    /// When a think time of `pause` since `at` is over, had the last wait ended when it was due; and what is left to
    /// carry when the think time is shorter than that.
    #[must_use]
    pub fn due(self, at: Moment, pause: Duration) -> (Moment, Self) {
        let meant = Moment::from_nanos((at + pause).nanos().saturating_add_signed(-self.0));
        let due = meant.max(at);
        (due, Self::between(meant, due))
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::WakeUps;
    use crate::pace::deadlines::Deadlines;

    const CYCLES: u32 = 1_000;

    /// How long a user takes for [`CYCLES`] times these think times, each after a response, waking as it is planned.
    fn duration_of_cycles(wake_ups: WakeUps, response: Duration, pauses: &[Duration]) -> Duration {
        let deadlines = Deadlines::new(wake_ups, Moment::default());
        let (mut now, mut rounding) = (Moment::default(), Rounding::default());
        for pause in (0..CYCLES).flat_map(|_| pauses) {
            let at = now + response;
            let (due, left) = rounding.due(at, *pause);
            now = if due > at { deadlines.nearest(due).max(at) } else { at };
            rounding = Rounding::between(due, now).with(left);
        }
        now - Moment::default()
    }

    #[test]
    fn equal_think_times_are_exact_together() {
        let response = Duration::from_micros(250);
        for pause in [5, 7, 20, 100, 1_000].map(Duration::from_millis) {
            let planned = (response + pause) * CYCLES;
            assert_eq!(duration_of_cycles(WakeUps::Exact, response, &[pause]), planned);
            let error = duration_of_cycles(WakeUps::Coalesced, response, &[pause]).abs_diff(planned);
            assert!(error < Duration::from_millis(1), "{pause:?}: {error:?}");
        }
    }

    #[test]
    fn a_think_time_too_short_to_make_up_for_the_last_leaves_it_to_the_next() {
        let (response, pauses) = (Duration::from_micros(250), [7_100, 100, 200].map(Duration::from_micros));
        let planned = (3 * response + pauses.iter().sum::<Duration>()) * CYCLES;
        let error = duration_of_cycles(WakeUps::Coalesced, response, &pauses).abs_diff(planned);
        assert!(error < Duration::from_millis(2), "{error:?}");
    }
}
