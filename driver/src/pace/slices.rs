//! Slices: the lines `go` and `hold` on stdin let the users work and hold them.

use std::cell::Cell;
use std::io::{self, BufRead, Write as _};
use std::ops::ControlFlow;
use std::thread;

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::clock::Moment;
use super::stop::{StopReason, StopSwitch};

/// What a line of stdin asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceCommand {
    /// Steps may begin.
    Go,
    /// No step begins any more; the slice is over when none is in flight.
    Hold,
}

/// A stretch of time in which the users worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Its number, from 0.
    pub number: u64,
    /// When steps might begin.
    pub go: Moment,
    /// When they might no longer.
    pub hold: Moment,
}

/// Sends the commands that `held` holds, a line for each; its end ends the run like that of a lease.
///
/// # Errors
/// When no thread can be started.
pub fn watch(
    held: impl io::Read + Send + 'static,
    switch: StopSwitch,
) -> io::Result<UnboundedReceiver<SliceCommand>> {
    let (sender, commands) = unbounded_channel();
    thread::Builder::new().name("slices".into()).spawn(move || {
        for line in io::BufReader::new(held).lines().map_while(Result::ok) {
            // The event loop is gone only when the run is over.
            let _ = match line.trim() {
                "go" => sender.send(SliceCommand::Go),
                "hold" => sender.send(SliceCommand::Hold),
                other => {
                    // A message that no one reads must not end the run.
                    let _ = writeln!(io::stderr(), "stdin: '{other}' is neither go nor hold");
                    Ok(())
                }
            };
        }
        switch.press(StopReason::Lease);
    })?;
    Ok(commands)
}

/// What every step of an event loop passes. It is shut at first where a run has slices, else always open.
#[derive(Debug)]
pub struct Gate {
    open: Cell<bool>,
    ended: Cell<bool>,
    in_flight: Cell<u64>,
    opened: Notify,
    idle: Notify,
}

impl Gate {
    /// A gate before any step.
    #[must_use]
    pub fn new(open: bool) -> Self {
        let [open, ended] = [open, false].map(Cell::new);
        Self { open, ended, in_flight: Cell::new(0), opened: Notify::new(), idle: Notify::new() }
    }

    /// Whether steps may begin.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.get()
    }

    /// Waits until a step may begin, after which [`Gate::leave`] is due. Breaks when the run is over.
    pub async fn enter(&self) -> ControlFlow<()> {
        while !self.open.get() {
            if self.ended.get() {
                return ControlFlow::Break(());
            }
            self.opened.notified().await;
        }
        self.in_flight.set(self.in_flight.get() + 1);
        ControlFlow::Continue(())
    }

    /// A step is over.
    pub fn leave(&self) {
        self.in_flight.set(self.in_flight.get() - 1);
        if self.in_flight.get() == 0 && !self.open.get() {
            self.idle.notify_waiters();
        }
    }

    /// Lets steps begin.
    pub fn open(&self) {
        self.open.set(true);
        self.opened.notify_waiters();
    }

    /// Lets no step begin any more, and waits until none is in flight.
    pub async fn shut(&self) {
        self.open.set(false);
        while self.in_flight.get() > 0 {
            self.idle.notified().await;
        }
    }

    /// The run is over: nobody waits any longer.
    pub fn end(&self) {
        self.ended.set(true);
        self.opened.notify_waiters();
    }
}
