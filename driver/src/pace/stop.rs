//! What ends a run early: a signal, or the lease.

use std::io;
use std::thread;
use std::time::Duration;

use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio::sync::watch;

/// Exit status of a run that was ended early.
pub const ENDED_EARLY: u8 = 130;

/// How long an ended run may take to write its last lines. A reader that has stopped reading must not keep it alive.
const LAST_WORDS: Duration = Duration::from_millis(4_500);

/// Why a run ended before its plan was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// SIGTERM or SIGINT.
    Signal,
    /// The end of stdin.
    Lease,
}

/// Ends the run for everybody who listens.
#[derive(Clone, Debug)]
pub struct StopSwitch {
    sender: watch::Sender<Option<StopReason>>,
}

impl StopSwitch {
    /// A switch that nobody has pressed.
    #[must_use]
    pub fn new() -> Self {
        Self { sender: watch::Sender::new(None) }
    }

    /// Something to wait on.
    #[must_use]
    pub fn listen(&self) -> watch::Receiver<Option<StopReason>> {
        self.sender.subscribe()
    }

    /// Ends the run; the first reason stays. The process ends at last when its last lines find no reader.
    pub fn press(&self, reason: StopReason) {
        let first = self.sender.send_if_modified(|current| {
            let first = current.is_none();
            current.get_or_insert(reason);
            first
        });
        if first {
            thread::sleep(LAST_WORDS);
            std::process::exit(i32::from(ENDED_EARLY));
        }
    }

    /// Presses the switch on SIGTERM and SIGINT.
    ///
    /// # Errors
    /// When the signals cannot be caught or no thread can be started.
    pub fn press_on_signals(&self) -> io::Result<()> {
        let mut signals = Signals::new([SIGTERM, SIGINT])?;
        let switch = self.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for _ in signals.forever() {
                switch.press(StopReason::Signal);
            }
        })?;
        Ok(())
    }
}

impl Default for StopSwitch {
    fn default() -> Self {
        Self::new()
    }
}
