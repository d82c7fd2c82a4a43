//! Moments of one run: nanoseconds since `hello` on the monotonic clock.

use std::cell::Cell;
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

/// The clock of one event loop, which remembers what it told last: a reading costs as much as many a step of a request.
#[derive(Debug)]
pub struct LoopClock {
    clock: Clock,
    last: Cell<Moment>,
}

impl LoopClock {
    /// A clock that was not read yet.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, last: Cell::default() }
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Moment {
        let now = self.clock.now();
        self.last.set(now);
        now
    }

    /// The moment that was told last. After a response, whose bytes are stamped when they are read, it is the present but
    /// for the work done since. A deadline stamps nothing: whoever has waited for one, or for anything else, reads the
    /// clock.
    #[must_use]
    pub fn last(&self) -> Moment {
        self.last.get()
    }
}

fn monotonic() -> u64 {
    #[cfg(test)]
    readings::count();
    // The monotonic clock always exists on Linux; zero would show at once as a run without time.
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_or(0, |time| u64::try_from(Duration::from(time).as_nanos()).unwrap_or(u64::MAX))
}

/// How often the clock was read, for tests.
#[cfg(test)]
pub(crate) mod readings {
    use std::cell::Cell;

    thread_local!(static READINGS: Cell<u64> = const { Cell::new(0) });

    pub(super) fn count() {
        READINGS.set(READINGS.get() + 1);
    }

    /// By the calling thread so far.
    pub(crate) fn of_this_thread() -> u64 {
        READINGS.get()
    }
}
