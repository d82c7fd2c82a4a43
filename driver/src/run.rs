//! A run: all event loops run the session while their counts are collected and written.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::connect::Target;
use crate::context::RunContext;
use crate::event_loop::{self, Control};
use crate::measure::recorder::Channels;
use crate::measure::{Collector, Recorder, Report};
use crate::output::Reporter;
use crate::output::notebook::Notebook;
use crate::output::reporter::Hashes;
use crate::pace::start::{PREPARATION, StartError};
use crate::pace::{Clock, Moment, SliceCommand, Start, StopReason, StopSwitch, Timetable, WallClock};
use crate::workload::Session;

/// Reports waiting to be written. More only when nobody reads; then the event loops wait, and their lag tells.
const WAITING_REPORTS: usize = 1_024;

/// What is to be run where.
#[derive(Debug)]
pub struct PreparedRun {
    /// The session.
    pub session: Session,
    /// Its targets, at least one.
    pub targets: Vec<Target>,
    /// What tells its plan apart from others.
    pub hashes: Hashes,
    /// Where the records of its transactions go, if it asks for any.
    pub records: Option<File>,
    /// What lets the users work and holds them; without it they always work.
    pub slices: Option<UnboundedReceiver<SliceCommand>>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The plan was run to its end.
    Finished,
    /// It was ended early, after `end` was written.
    Stopped(StopReason),
    /// Nobody reads the lines any longer.
    ReaderGone,
}

/// The driver itself failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// No thread, poller or timer.
    #[error("an event loop cannot work: {0}; is the limit on open files or threads reached?")]
    EventLoop(io::Error),
    /// The run cannot begin when it is to.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The file of records cannot be written any further.
    #[error("no more records can be written: {0}; is the disk full?")]
    Records(io::Error),
}

/// Runs a prepared plan and writes its lines to `out`. `switch` ends it early.
///
/// # Errors
/// When the driver itself fails; never for anything a server does.
pub fn run(prepared: PreparedRun, out: impl Write, switch: &StopSwitch) -> Result<Ending, RunError> {
    let clock = Clock::start();
    let now = SystemTime::now();
    let start = when(prepared.session.start, clock, now)?;
    let session = Arc::new(prepared.session);
    let stamps = session.transport.receive_stamps.then(|| WallClock::beside(clock)).flatten();
    let mut reporter = Reporter::new(&session, clock, stamps, out);
    let mut notebook = Notebook::new(&session, prepared.records, clock).map_err(RunError::Records)?;
    let wall_clock = humantime::format_rfc3339_nanos(now).to_string();
    if reporter.hello(&prepared.hashes, wall_clock, start).is_err() {
        return Ok(Ending::ReaderGone);
    }
    let context = RunContext {
        session: Arc::clone(&session),
        targets: Arc::new(prepared.targets),
        timetable: Timetable::new(start, &session.levels, session.drain).counted_in(session.interval),
        clock,
        sliced: prepared.slices.is_some(),
        wall_clock: now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(0)),
        stamps,
    };
    let (reports, collector) = start_event_loops(&context, switch, prepared.slices)?;
    // Nothing is reported before the start, but the end of a run that is ended early.
    let early = reports.recv_timeout(start - clock.now()).ok();
    if reporter.phases_to(context.timetable.first().stretch, &context.timetable).is_err() {
        return Ok(Ending::ReaderGone);
    }
    let reports = early.into_iter().chain(reports);
    write_reports(reports, collector, &mut reporter, &mut notebook, &context.timetable)
}

/// When the first ramp begins; `wall` is the wall clock at the origin of `clock`.
fn when(start: Option<Start>, clock: Clock, wall: SystemTime) -> Result<Moment, StartError> {
    match start {
        None => Ok(clock.now() + PREPARATION),
        Some(start) => start.moment(Moment::default(), wall),
    }
}

fn start_event_loops(
    context: &RunContext,
    switch: &StopSwitch,
    mut slices: Option<UnboundedReceiver<SliceCommand>>,
) -> Result<(Receiver<Report>, Collector), RunError> {
    let transactions = context.session.transactions.len();
    let (sender, reports) = sync_channel(WAITING_REPORTS);
    let mut returned = Vec::new();
    for number in 0..context.session.threads.get() {
        let (give_back, empty) = channel();
        returned.push(give_back);
        let channels = Channels { reports: sender.clone(), empty };
        let recorder = Recorder::new(number, context.timetable.clone(), transactions, channels);
        let (context, sender) = (context.clone(), sender.clone());
        let control = Control { stop: switch.listen(), slices: slices.take() };
        let work = move || {
            if let Err(error) = event_loop::run(context, number, recorder, control) {
                // Nobody listens only when the run is over.
                let _ = sender.send(Report::Broken(error));
            }
        };
        thread::Builder::new().name(format!("loop-{number}")).spawn(work).map_err(RunError::EventLoop)?;
    }
    Ok((reports, Collector::new(returned, transactions, context.timetable.first().start)))
}

fn write_reports(
    reports: impl IntoIterator<Item = Report>,
    mut collector: Collector,
    reporter: &mut Reporter<'_, impl Write>,
    notebook: &mut Notebook,
    timetable: &Timetable,
) -> Result<Ending, RunError> {
    for report in reports {
        let written = match report {
            Report::Interval(record) => {
                collector.add(record);
                write_intervals(&mut collector, reporter, timetable)
            }
            Report::Slice(slice, moment) => reporter.slice(slice, moment),
            Report::Unanswered(unanswered) => reporter.unanswered(*unanswered),
            Report::WrongCheck(check) => reporter.failed_check(*check),
            Report::Response(response) => reporter.response(*response),
            Report::Notes(notes) => {
                notebook.add(&notes).map_err(RunError::Records)?;
                Ok(())
            }
            Report::End(end) => {
                collector.end(end);
                write_intervals(&mut collector, reporter, timetable)
            }
            Report::Broken(error) => return Err(RunError::EventLoop(error)),
        };
        if written.is_err() {
            return Ok(Ending::ReaderGone);
        }
        if collector.all_ended() {
            break;
        }
    }
    let clients = notebook.finish().map_err(RunError::Records)?;
    match reporter.end(&collector, clients) {
        Ok(()) => Ok(collector.stopped().map_or(Ending::Finished, Ending::Stopped)),
        Err(_) => Ok(Ending::ReaderGone),
    }
}

fn write_intervals(
    collector: &mut Collector,
    reporter: &mut Reporter<'_, impl Write>,
    timetable: &Timetable,
) -> io::Result<()> {
    while let Some(finished) = collector.take_finished() {
        reporter.phases_to(finished.interval.stretch, timetable)?;
        reporter.interval(&finished)?;
        if finished.interval.end != Moment::NEVER && !collector.all_ended() {
            let next = timetable.after(&finished.interval).stretch;
            reporter.phases_to(next, timetable)?;
        }
        collector.give_back(finished);
    }
    Ok(())
}

#[cfg(test)]
mod costs;
