//! The open model's visitors: their arrivals, and the numbers that stand for them.

use std::cell::{Cell, RefCell};
use std::iter::{Skip, StepBy};
use std::num::NonZeroUsize;

use crate::pace::{Arrivals, Moment};
use crate::workload::Load;
use crate::workload::load::Marks;
use crate::workload::share::Turn;

/// The visitors of one event loop: every so many-th arrival, so that all loops of all drivers together have the timetable whole.
#[derive(Debug)]
pub struct Visitors {
    /// Those that no user has taken; nothing in the closed model.
    arrivals: Option<RefCell<StepBy<Skip<Arrivals<Marks>>>>>,
    next_number: Cell<u64>,
    loops: NonZeroUsize,
}

impl Visitors {
    /// The visitors whose `turn` it is, of a load that begins at `start`.
    #[must_use]
    pub fn new(load: &Load, start: Moment, turn: Turn) -> Self {
        let Turn { first, every } = turn;
        let arrivals = match load {
            Load::Closed(_) => None,
            Load::Open(open) => {
                let all = Arrivals::new(start, open.slopes.clone(), open.marks());
                Some(RefCell::new(all.skip(first).step_by(every.get())))
            }
        };
        Self { arrivals, next_number: Cell::new(first as u64), loops: every }
    }

    /// A number for a visitor, never the same twice in a run.
    pub fn take_number(&self) -> u64 {
        let number = self.next_number.get();
        self.next_number.set(number + self.loops.get() as u64);
        number
    }

    /// Takes the next arrival. Users take them in the order in which they get free, so it goes to the one that has been
    /// free longest.
    pub fn take_arrival(&self) -> Option<Moment> {
        self.arrivals.as_ref()?.borrow_mut().next()
    }

    /// How many arrivals were due at `now` and have not been taken.
    #[must_use]
    pub fn left_at(&self, now: Moment) -> u64 {
        std::iter::from_fn(|| self.take_arrival()).take_while(|&due| due <= now).count() as u64
    }
}
