//! What the event loops of a run share, and what the users of one event loop share.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::connect::cookies::Place;
use crate::connect::{Inbox, Target};
use crate::measure::Recorder;
use crate::pace::{Alarms, Clock, Gate, LoopClock, Moment, Timetable, WallClock, deadlines};
use crate::visitors::Visitors;
use crate::workload::Session;
use crate::workload::validation::BodyBuffers;

/// What all event loops of a run share.
#[derive(Clone, Debug)]
pub struct RunContext {
    /// What is run.
    pub session: Arc<Session>,
    /// Where it is run.
    pub targets: Arc<Vec<Target>>,
    /// When its phases come.
    pub timetable: Timetable,
    /// The clock of the run.
    pub clock: Clock,
    /// Whether it has slices.
    pub sliced: bool,
    /// Wall clock at the clock's origin, seconds since 1970.
    pub wall_clock: i64,
    /// The wall clock beside the clock of the run, when the kernel is to stamp what it receives.
    pub stamps: Option<WallClock>,
}

/// What the users of one event loop share.
#[derive(Debug)]
pub struct LoopContext {
    /// What all event loops share.
    pub run: RunContext,
    /// The clock of the run, as this event loop reads it.
    pub clock: Rc<LoopClock>,
    /// Deadlines.
    pub alarms: Rc<Alarms>,
    /// What each step passes.
    pub gate: Gate,
    /// Counts.
    pub recorder: RefCell<Recorder>,
    /// Whose iteration comes next in the open model.
    pub visitors: Visitors,
    /// What requests and responses need while they are sent and received.
    pub buffers: Buffers,
}

/// Buffers that each user needs for a moment only.
#[derive(Debug)]
pub struct Buffers {
    /// Bytes that come in.
    pub inbox: Inbox,
    /// The request being sent.
    pub request: RefCell<Vec<u8>>,
    /// Its payload.
    pub payload: RefCell<Vec<u8>>,
    /// Bodies from which something is captured.
    pub bodies: BodyBuffers,
    /// Beginnings of bodies, to be shown where a check fails.
    pub beginnings: BodyBuffers,
}

impl LoopContext {
    /// The context of event loop number `number` of this driver, which this is called in.
    ///
    /// # Errors
    /// When the kernel gives no timer.
    pub fn new(run: RunContext, number: usize, recorder: Recorder) -> io::Result<Self> {
        let session = &run.session;
        let turn = session.share.turn(number, session.threads);
        let first = deadlines::first_tick(run.timetable.start(), turn.first, turn.every);
        let clock = Rc::new(LoopClock::new(run.clock));
        let alarms = Alarms::new(run.clock, session.wake_ups, first)?;
        let visitors = Visitors::new(&session.load, run.timetable.start(), turn);
        let buffers = Buffers {
            inbox: Inbox::new(Rc::clone(&clock), run.stamps),
            request: RefCell::default(),
            payload: RefCell::default(),
            bodies: BodyBuffers::default(),
            beginnings: BodyBuffers::default(),
        };
        let gate = Gate::new(!run.sliced);
        Ok(Self { run, clock, alarms, gate, recorder: RefCell::new(recorder), visitors, buffers })
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The moment of the last response or look at the clock: see [`LoopClock::last`].
    #[must_use]
    pub fn lately(&self) -> Moment {
        self.clock.last()
    }

    /// Where and when the cookies of a request for `path` are set or sent.
    #[must_use]
    pub fn place<'a>(&'a self, target: usize, path: &'a str) -> Place<'a> {
        let seconds = i64::try_from(self.lately().nanos() / 1_000_000_000).unwrap_or(0);
        let target = &self.run.targets[target];
        let (host, secure) = (target.host(), target.security().is_some());
        Place { host, path, secure, now: self.run.wall_clock + seconds }
    }
}
