//! `get`: one address under load, without a plan file.
//!
//! It writes the plan itself and reads the lines like any other reader. So it sends, times and counts exactly as `run`
//! does, and has no send loop of its own.

pub mod address;
pub mod line_reader;
pub mod live;
pub mod options;
pub mod summary;
pub mod tally;

pub use options::Options;
pub use summary::Summary;

use std::io;

use thiserror::Error;

use crate::pace::StopSwitch;
use crate::run::{self, Ending, PreparedRun, RunError};
use line_reader::LineReader;
use live::LiveLine;
use tally::Tally;

/// The driver itself failed.
#[derive(Debug, Error)]
pub enum GetError {
    /// The run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A line is not as `docs/reference/driver.md` describes it.
    #[error("a line that the driver itself wrote cannot be read; please report this with the command")]
    Line,
}

/// Runs what [`Options::plan`] was made into, shows it on `live` while it goes on, and sums it up.
///
/// # Errors
/// When the driver itself fails; never for anything a server does.
pub fn run(
    options: &Options,
    prepared: PreparedRun,
    switch: &StopSwitch,
    mut live: LiveLine<impl io::Write>,
) -> Result<(Summary, Ending), GetError> {
    let mut tally = Tally::new(options.counting());
    let reader = LineReader::new(|line| {
        live.show(&line);
        tally.add(&line)
    });
    let ending = run::run(prepared, reader, switch)?;
    live.clear();
    if ending == Ending::ReaderGone {
        return Err(GetError::Line);
    }
    Ok((tally.summary(), ending))
}
