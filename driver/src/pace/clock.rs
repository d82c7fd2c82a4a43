//! Moments of one run: nanoseconds since `hello` on the monotonic clock.

use std::ops::{Add, Sub};
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

/// A moment of the run, in nanoseconds since `hello`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// Later than anything.
    pub const NEVER: Self = Self(u64::MAX);

    /// The moment `nanoseconds` after `hello`.
    #[must_use]
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// The moment `duration` earlier; that of `hello` when it would be before.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// Nanoseconds since `hello`.
    #[must_use]
    pub const fn nanos(self) -> u64 {
        self.0
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Moment {
    type Output = Duration;

    /// The time from `earlier` to this moment; zero if `earlier` is the later one.
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// The clock of a run. Every event loop holds a copy, so that all stamps have one origin.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: u64,
}

impl Clock {
    /// A clock whose origin is now.
    #[must_use]
    pub fn start() -> Self {
        Self { origin: monotonic() }
    }

    /// The origin, in nanoseconds of `CLOCK_MONOTONIC`.
    #[must_use]
    pub fn origin_ns(self) -> u64 {
        self.origin
    }

    /// The present moment.
    #[must_use]
    pub fn now(self) -> Moment {
        Moment(monotonic().saturating_sub(self.origin))
    }

    /// `moment` as the kernel's monotonic clock counts it, for an absolute timer.
    #[must_use]
    pub(crate) fn absolute(self, moment: Moment) -> TimeSpec {
        TimeSpec::from_duration(Duration::from_nanos(self.origin.saturating_add(moment.0)))
    }
}

fn monotonic() -> u64 {
    // The monotonic clock always exists on Linux; zero would show at once as a run without time.
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0, |time| u64::try_from(Duration::from(time).as_nanos()).unwrap_or(u64::MAX))
}
