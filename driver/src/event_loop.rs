//! One event loop: a thread with its share of the users.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use crate::context::{LoopContext, RunContext};
use crate::measure::Recorder;
use crate::pace::deadlines::TICK_NS;
use crate::pace::{Alarm, Slice, SliceCommand, StopReason};
use crate::user::User;

/// How often the loop looks at how late it is: in whole ticks, or coalescing would look like lateness.
const LAG_TICK: Duration = Duration::from_nanos(5 * TICK_NS);

/// What ends an event loop early, and what lets its users work and holds them.
#[derive(Debug)]
pub struct Control {
    /// Why the run is to end.
    pub stop: watch::Receiver<Option<StopReason>>,
    /// Commands, when the run has slices.
    pub slices: Option<UnboundedReceiver<SliceCommand>>,
}

/// Runs the users whose turn it is in event loop `number` of this driver.
///
/// # Errors
/// When the kernel gives no poller or timer.
pub fn run(run: RunContext, number: usize, recorder: Recorder, control: Control) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let local = LocalSet::new();
    local.block_on(&runtime, async move {
        let context = Rc::new(LoopContext::new(run, number, recorder)?);
        let stopped = run_users(&context, number, control).await?;
        let now = context.run.clock.now();
        let mut recorder = context.recorder.borrow_mut();
        recorder.at(now).missed += context.visitors.left_at(now);
        recorder.end(now, stopped);
        Ok(())
    })
}

async fn run_users(
    context: &Rc<LoopContext>,
    number: usize,
    mut control: Control,
) -> io::Result<Option<StopReason>> {
    let session = &context.run.session;
    let mut users = JoinSet::new();
    for user in session.share.turn(number, session.threads).below(session.users) {
        let mut user = User::new(user, Rc::clone(context));
        users.spawn_local(async move { user.run().await });
    }
    let drain_end = Alarm::new(&context.alarms);
    let mut stopped = None;
    tokio::select! {
        () = all_finished(&mut users) => {}
        _ = drain_end.not_before(context.run.timetable.drain_end()) => {}
        reason = control.stop.wait_for(Option::is_some) => stopped = reason.ok().and_then(|reason| *reason),
        () = measure_lag(context) => {}
        () = obey(context, control.slices) => {}
        error = context.alarms.keep_time() => error?,
    }
    context.alarms.cut();
    context.gate.end();
    all_finished(&mut users).await;
    Ok(stopped)
}

async fn all_finished(users: &mut JoinSet<()>) {
    while users.join_next().await.is_some() {}
}

/// Lets the users work and holds them as the commands say, for ever.
async fn obey(context: &LoopContext, commands: Option<UnboundedReceiver<SliceCommand>>) {
    let Some(mut commands) = commands else { return std::future::pending().await };
    let mut slice = Slice { number: 0, go: context.now(), hold: context.now() };
    // Their end is that of stdin, which ends the run.
    while let Some(command) = commands.recv().await {
        match (command, context.gate.is_open()) {
            (SliceCommand::Go, false) => {
                slice.go = context.now();
                context.gate.open();
                // A process that stood still may find both commands: who waited has a turn before the next one.
                tokio::task::yield_now().await;
            }
            (SliceCommand::Hold, true) => {
                slice.hold = context.now();
                context.gate.shut().await;
                context.recorder.borrow_mut().end_slice(context.now(), slice);
                slice.number += 1;
            }
            // It is so already.
            _ => {}
        }
    }
    std::future::pending::<()>().await;
}

/// Records how late a regular tick fires, for ever. This also hands intervals over when nothing else happens.
async fn measure_lag(context: &LoopContext) {
    let alarm = Alarm::new(&context.alarms);
    let mut tick = context.alarms.not_before(context.run.timetable.start());
    loop {
        alarm.not_before(tick).await;
        let now = context.now();
        let mut recorder = context.recorder.borrow_mut();
        // Ticks that were missed while the loop stood still count too: each was late by what was left.
        while tick <= now {
            recorder.at(now).lag.record(now - tick);
            tick = tick + LAG_TICK;
        }
    }
}
