//! One event loop: a thread with its share of the users.

use std::cell::{Cell, RefCell};
use std::io;
use std::iter::{Skip, StepBy};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use crate::connect::{Inbox, Target};
use crate::measure::Recorder;
use crate::pace::deadlines::TICK_NS;
use crate::pace::{Alarm, Alarms, Arrivals, Clock, Moment, StopReason, Timetable, WallClock};
use crate::user::User;
use crate::workload::examination::BodyBuffers;
use crate::workload::load::Marks;
use crate::workload::{Load, Session};

/// How often the loop looks at how late it is: in whole ticks, or coalescing would look like lateness.
const LAG_TICK: Duration = Duration::from_nanos(5 * TICK_NS);

/// What all event loops of a run share.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What is played.
    pub session: Arc<Session>,
    /// Where it is played.
    pub targets: Arc<Vec<Target>>,
    /// When its phases come.
    pub timetable: Timetable,
    /// The clock of the run.
    pub clock: Clock,
    /// Wall clock at the clock's origin, seconds since 1970.
    pub wall_clock: i64,
    /// The wall clock beside the clock of the run, when the kernel is to stamp what it receives.
    pub stamps: Option<WallClock>,
}

/// What the users of one event loop share.
#[derive(Debug)]
pub struct Stage {
    /// What all event loops share.
    pub scene: Scene,
    /// Deadlines.
    pub alarms: Rc<Alarms>,
    /// Open model: the arrivals that no user has taken.
    pub arrivals: Option<RefCell<LoopArrivals>>,
    /// Open model: the number of the next visitor.
    pub next_visitor: Cell<u64>,
    /// Counts.
    pub recorder: RefCell<Recorder>,
    /// Bytes that come in.
    pub inbox: Inbox,
    /// The request being sent.
    pub request: RefCell<Vec<u8>>,
    /// Its payload.
    pub payload: RefCell<Vec<u8>>,
    /// Bodies from which something is captured.
    pub bodies: BodyBuffers,
}

/// Every so many-th arrival of the timetable, so that all loops together have it whole.
pub type LoopArrivals = StepBy<Skip<Arrivals<Marks>>>;

/// Plays the users whose number leaves the remainder `number` when divided by the number of loops.
///
/// # Errors
/// When the kernel gives no poller or timer.
pub fn play(
    scene: Scene,
    number: usize,
    recorder: Recorder,
    stop: watch::Receiver<Option<StopReason>>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let local = LocalSet::new();
    local.block_on(&runtime, async move {
        let stage = Rc::new(Stage::new(scene, number, recorder)?);
        let stopped = play_users(&stage, number, stop).await?;
        let now = stage.scene.clock.now();
        let mut recorder = stage.recorder.borrow_mut();
        recorder.at(now).missed += stage.arrivals_left(now);
        recorder.end(now, stopped);
        Ok(())
    })
}

impl Stage {
    fn new(scene: Scene, number: usize, recorder: Recorder) -> io::Result<Self> {
        let (clock, stamps) = (scene.clock, scene.stamps);
        let alarms = Alarms::new(clock, scene.session.wake_ups)?;
        let threads = scene.session.threads.get();
        let arrivals = match &scene.session.load {
            Load::Closed(_) => None,
            Load::Open(open) => {
                let start = scene.timetable.start();
                let all = Arrivals::new(start, open.slopes.clone(), open.marks());
                Some(RefCell::new(all.skip(number).step_by(threads)))
            }
        };
        Ok(Self {
            scene,
            alarms,
            arrivals,
            next_visitor: Cell::new(number as u64),
            recorder: RefCell::new(recorder),
            inbox: Inbox::new(clock, stamps),
            request: RefCell::default(),
            payload: RefCell::default(),
            bodies: BodyBuffers::default(),
        })
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.scene.clock.now()
    }

    /// Open model: a number for a visitor, never the same twice in a run.
    pub fn number_visitor(&self) -> u64 {
        let number = self.next_visitor.get();
        self.next_visitor.set(number + self.scene.session.threads.get() as u64);
        number
    }

    /// Open model: takes the next arrival. Users take them in the order in which they get free, so it goes to the one
    /// that has been free longest.
    pub fn take_arrival(&self) -> Option<Moment> {
        self.arrivals.as_ref()?.borrow_mut().next()
    }

    /// Open model: how many arrivals were due at `now` and have not been taken.
    fn arrivals_left(&self, now: Moment) -> u64 {
        std::iter::from_fn(|| self.take_arrival()).take_while(|&due| due <= now).count() as u64
    }
}

async fn play_users(
    stage: &Rc<Stage>,
    number: usize,
    mut stop: watch::Receiver<Option<StopReason>>,
) -> io::Result<Option<StopReason>> {
    let session = &stage.scene.session;
    let mut users = JoinSet::new();
    for user in (number as u64..session.users).step_by(session.threads.get()) {
        let mut user = User::new(user, Rc::clone(stage));
        users.spawn_local(async move { user.play().await });
    }
    let drain_end = Alarm::new(&stage.alarms);
    let mut stopped = None;
    tokio::select! {
        () = all_finished(&mut users) => {}
        _ = drain_end.not_before(stage.scene.timetable.drain_end()) => {}
        reason = stop.wait_for(Option::is_some) => stopped = reason.ok().and_then(|reason| *reason),
        () = measure_lag(stage) => {}
        error = stage.alarms.keep_time() => error?,
    }
    stage.alarms.cut();
    all_finished(&mut users).await;
    Ok(stopped)
}

async fn all_finished(users: &mut JoinSet<()>) {
    while users.join_next().await.is_some() {}
}

/// Records how late a regular tick fires, for ever. This also hands intervals over when nothing else happens.
async fn measure_lag(stage: &Stage) {
    let alarm = Alarm::new(&stage.alarms);
    let mut tick = stage.scene.timetable.start();
    loop {
        alarm.not_before(tick).await;
        let now = stage.now();
        let mut recorder = stage.recorder.borrow_mut();
        // Ticks that were missed while the loop stood still count too: each was late by what was left.
        while tick <= now {
            recorder.at(now).lag.record(now - tick);
            tick = tick + LAG_TICK;
        }
    }
}
