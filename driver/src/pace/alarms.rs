//! Alarms of one event loop: the deadlines, a kernel timer that wakes the loop for them, and waiting for them.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, ready};

use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::clock::{Clock, Moment};
use super::deadlines::{AlarmId, Deadlines, WakeUps};

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The deadline has come.
    Due,
    /// The run is cut off: nobody waits any longer.
    Cut,
}

/// All alarms of one event loop.
///
/// A `timerfd` instead of the runtime's timer: the latter is late by 1 ms on average.
#[derive(Debug)]
pub struct Alarms {
    clock: Clock,
    deadlines: RefCell<Deadlines>,
    timer: AsyncFd<KernelTimer>,
    armed: Cell<Moment>,
}

impl Alarms {
    /// Makes the alarms of the event loop that this is called in. Coalesced, its ticks begin at `first`.
    ///
    /// # Errors
    /// When the kernel gives no timer (open files exhausted).
    pub fn new(clock: Clock, wake_ups: WakeUps, first: Moment) -> io::Result<Rc<Self>> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = KernelTimer(TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?);
        #[expect(
            deprecated,
            reason = "its successor is unsafe; the timer owns its descriptor and never changes it"
        )]
        let timer = AsyncFd::with_interest(timer, Interest::READABLE)?;
        let deadlines = RefCell::new(Deadlines::new(wake_ups, first));
        Ok(Rc::new(Self { clock, deadlines, timer, armed: Cell::new(Moment::NEVER) }))
    }

    /// The clock the deadlines are told in.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Fires deadlines for ever; one task of the event loop does this.
    ///
    /// # Errors
    /// When the kernel's timer fails.
    pub async fn keep_time(&self) -> io::Result<()> {
        // Kept between wake-ups so that firing does not allocate.
        let mut wake = Vec::new();
        loop {
            // Not read: setting the timer anew takes its expirations back, and the readiness is edge-triggered.
            self.timer.readable().await?.clear_ready();
            self.armed.set(Moment::NEVER);
            self.deadlines.borrow_mut().fire(self.clock.now(), &mut wake);
            wake.drain(..).for_each(std::task::Waker::wake);
            self.arm()?;
        }
    }

    /// The first moment, not before `deadline`, at which the loop may wake.
    #[must_use]
    pub fn not_before(&self, deadline: Moment) -> Moment {
        self.deadlines.borrow().not_before(deadline)
    }

    /// Ends every wait with [`Wake::Cut`], also those that have not begun.
    pub fn cut(&self) {
        let mut wake = Vec::new();
        self.deadlines.borrow_mut().cut(&mut wake);
        wake.into_iter().for_each(std::task::Waker::wake);
    }

    /// Whether the run is cut off.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.deadlines.borrow().is_cut()
    }

    fn arm(&self) -> io::Result<()> {
        let Some(next) = self.deadlines.borrow().next() else { return Ok(()) };
        if next < self.armed.get() {
            // A time of zero would switch the timer off; a moment in the past fires at once.
            let expiration = Expiration::OneShot(self.clock.absolute(next));
            self.timer.get_ref().0.set(expiration, TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            self.armed.set(next);
        }
        Ok(())
    }
}

/// One alarm that is set again and again: a think time, or the limit on a request.
#[derive(Debug)]
pub struct Alarm {
    alarms: Rc<Alarms>,
    id: AlarmId,
}

impl Alarm {
    /// An alarm that is not set.
    #[must_use]
    pub fn new(alarms: &Rc<Alarms>) -> Self {
        let id = alarms.deadlines.borrow_mut().add();
        Self { alarms: Rc::clone(alarms), id }
    }

    /// Waits for `deadline`; coalesced, it fires at the nearest tick.
    pub async fn until(&self, deadline: Moment) -> Wake {
        self.set(deadline);
        poll_fn(|context| self.alarms.deadlines.borrow_mut().poll(self.id, context)).await
    }

    /// When [`Alarm::until`] ends for this `deadline`: coalesced, at the nearest tick.
    #[must_use]
    pub fn fires(&self, deadline: Moment) -> Moment {
        self.alarms.deadlines.borrow().nearest(deadline)
    }

    /// Waits for `deadline` and never fires before it.
    pub async fn not_before(&self, deadline: Moment) -> Wake {
        self.until(self.alarms.not_before(deadline)).await
    }

    /// Waits for `work`, but not beyond `deadline`. The caller pins it: moved in here, every user would have room for
    /// it twice.
    ///
    /// # Errors
    /// Why the wait ended before the work was done.
    pub fn limit<'a, W: Future>(
        &'a self,
        deadline: Moment,
        work: Pin<&'a mut W>,
    ) -> impl Future<Output = Result<W::Output, Wake>> + use<'a, W> {
        self.limit_moving(move || deadline, work)
    }

    /// As [`Alarm::limit`], with a deadline that may move while the work goes on: it is looked at when it has come.
    ///
    /// # Errors
    /// Why the wait ended before the work was done.
    pub async fn limit_moving<W: Future>(
        &self,
        deadline: impl Fn() -> Moment,
        mut work: Pin<&mut W>,
    ) -> Result<W::Output, Wake> {
        let mut due = deadline();
        self.set(due);
        let result = poll_fn(|context| {
            if let Poll::Ready(output) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            loop {
                let wake = ready!(self.alarms.deadlines.borrow_mut().poll(self.id, context));
                let moved = deadline();
                if wake == Wake::Cut || moved <= due {
                    return Poll::Ready(Err(wake));
                }
                due = moved;
                self.set(due);
            }
        })
        .await;
        self.alarms.deadlines.borrow_mut().clear(self.id);
        result
    }

    fn set(&self, deadline: Moment) {
        self.alarms.deadlines.borrow_mut().set(self.id, deadline);
        // A timer that cannot be set is found by `keep_time`, which ends the event loop.
        let _ = self.alarms.arm();
    }
}

#[derive(Debug)]
struct KernelTimer(TimerFd);

impl AsRawFd for KernelTimer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}
