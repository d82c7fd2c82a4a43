//! A start at a given moment of the wall clock, so that drivers on several hosts begin together.

use std::time::{Duration, SystemTime};

use thiserror::Error;

use super::clock::Moment;

/// Time for the event loops to make their users before the first ramp begins.
pub const PREPARATION: Duration = Duration::from_millis(20);

/// Longest wait for the start. Longer than this is a slip: another day, or a clock that is wrong.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// When the first ramp is to begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The moment, by the clock that all hosts go by.
    pub at: SystemTime,
    /// How far this host's wall clock is ahead of that one, milliseconds; negative: behind.
    pub clock_offset_ms: f64,
}

/// A start that cannot be kept.
#[derive(Debug, Error)]
pub enum StartError {
    /// It is over, or so near that nothing would be ready.
    #[error(
        "start: {at} is past, this host's clock says {now}{offset}; give a moment at least {} ms ahead",
        PREPARATION.as_millis()
    )]
    Past {
        /// The start.
        at: String,
        /// The wall clock.
        now: String,
        /// What is known of the clock.
        offset: String,
    },
    /// Nobody waits that long.
    #[error(
        "start: {at} is more than {} h away, this host's clock says {now}{offset}; give an earlier moment",
        LONGEST_WAIT.as_secs() / 3_600
    )]
    TooFar {
        /// The start.
        at: String,
        /// The wall clock.
        now: String,
        /// What is known of the clock.
        offset: String,
    },
}

impl Start {
    /// The start on the clock of the run, where this host's wall clock says `wall` at the moment `now`.
    ///
    /// # Errors
    /// When it is past, or too far away.
    pub fn moment(self, now: Moment, wall: SystemTime) -> Result<Moment, StartError> {
        let ahead = Duration::from_secs_f64(self.clock_offset_ms.abs() / 1_000.0);
        let at = if self.clock_offset_ms < 0.0 { self.at - ahead } else { self.at + ahead };
        let shown = || {
            let offset = if self.clock_offset_ms == 0.0 {
                String::new()
            } else {
                format!(" and is said to be {} ms ahead", self.clock_offset_ms)
            };
            let text = |time| humantime::format_rfc3339_millis(time).to_string();
            (text(self.at), text(wall), offset)
        };
        match at.duration_since(wall) {
            Ok(wait) if wait > LONGEST_WAIT => {
                let (at, now, offset) = shown();
                Err(StartError::TooFar { at, now, offset })
            }
            Ok(wait) if wait >= PREPARATION => Ok(now + wait),
            _ => {
                let (at, now, offset) = shown();
                Err(StartError::Past { at, now, offset })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(seconds: u64, clock_offset_ms: f64) -> Result<Moment, String> {
        let wall = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let start = Start { at, clock_offset_ms };
        start.moment(Moment::from_nanos(7), wall).map_err(|error| error.to_string())
    }

    #[test]
    fn a_clock_that_is_ahead_waits_longer_and_one_behind_less_long() {
        let second = 1_000_000_000;
        assert_eq!(start(1_000_003, 0.0), Ok(Moment::from_nanos(7 + 3 * second)));
        assert_eq!(start(1_000_003, 500.0), Ok(Moment::from_nanos(7 + 3 * second + second / 2)));
        assert_eq!(start(1_000_003, -500.0), Ok(Moment::from_nanos(7 + 3 * second - second / 2)));
    }

    #[test]
    fn a_moment_that_is_past_or_too_far_away_is_refused() {
        for (seconds, offset, words) in [
            (
                999_999,
                0.0,
                "start: 1970-01-12T13:46:39.000Z is past, this host's clock says 1970-01-12T13:46:40.000Z",
            ),
            (1_000_000, 0.0, "at least 20 ms ahead"),
            (1_000_001, -1_000.0, "is said to be -1000 ms ahead"),
            (1_086_401, 0.0, "is more than 24 h away"),
        ] {
            let error = start(seconds, offset).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
