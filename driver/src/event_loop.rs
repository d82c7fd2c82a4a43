//! One event loop: a thread with its share of the users.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use crate::connect::{Inbox, Target};
use crate::measure::Recorder;
use crate::pace::{Alarm, Alarms, Clock, Moment, StopReason, Timetable};
use crate::user::User;
use crate::workload::Session;
use crate::workload::examination::BodyBuffers;

/// How often the loop looks at how late it is.
const LAG_TICK: Duration = Duration::from_millis(10);

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
}

/// What the users of one event loop share.
#[derive(Debug)]
pub struct Stage {
    /// What all event loops share.
    pub scene: Scene,
    /// Deadlines.
    pub alarms: Rc<Alarms>,
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
        let stage = Rc::new(Stage::new(scene, recorder)?);
        let stopped = play_users(&stage, number, stop).await?;
        let now = stage.scene.clock.now();
        stage.recorder.borrow_mut().end(now, stopped);
        Ok(())
    })
}

impl Stage {
    fn new(scene: Scene, recorder: Recorder) -> io::Result<Self> {
        let clock = scene.clock;
        Ok(Self {
            scene,
            alarms: Alarms::new(clock)?,
            recorder: RefCell::new(recorder),
            inbox: Inbox::new(clock),
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
}

async fn play_users(
    stage: &Rc<Stage>,
    number: usize,
    mut stop: watch::Receiver<Option<StopReason>>,
) -> io::Result<Option<StopReason>> {
    let session = &stage.scene.session;
    let mut users = JoinSet::new();
    for user in (number as u64..session.users).step_by(session.threads.get()) {
        users.spawn_local(User::new(user, Rc::clone(stage)).play());
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
    let mut tick = stage.scene.timetable.first().start;
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
