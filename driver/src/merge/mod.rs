//! `merge`: the lines of drivers that shared a load become those of one driver.
//!
//! Histograms are added, counter by counter; percentiles are never averaged. Of each file one interval is in memory.

mod audits;
mod hellos;
mod last;
mod source;
mod sums;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::output::LineWriter;
use crate::output::line::{AnyLine, EndReason, PhaseStart};
use crate::output::line_file::LineError;
use crate::pace::Moment;
use audits::Audits;
use source::{Counted, Source};
use sums::{Broken, Sums};

/// Why lines were not merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Lines {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: LineError,
    },
    /// A file does not belong to the others.
    #[error("{}: {problem}", path.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// Why not, and what to give instead.
        problem: String,
    },
    /// Nobody reads the merged lines any longer.
    #[error("nobody reads the merged lines")]
    ReaderGone,
}

impl MergeError {
    fn unlike(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unlike { path: path.into(), problem: problem.into() }
    }

    fn file(path: &Path, error: io::Error) -> Self {
        Self::Lines { path: path.into(), error: error.into() }
    }
}

/// Writes the lines of one driver, from those of all drivers that shared a load.
///
/// # Errors
/// [`MergeError`] with the file and the reason.
pub fn merge(paths: &[PathBuf], out: impl Write) -> Result<(), MergeError> {
    let sources = paths.iter().map(|path| Source::open(path)).collect::<Result<Vec<_>, _>>()?;
    let (sources, hello) = hellos::together(sources)?;
    let start = sources[0].hello.start_ns;
    let mut merger =
        Merger { sources, start, out: Out(LineWriter::new(out)), sums: Sums::default(), phases: Vec::new() };
    merger.out.write(0, hello)?;
    let mut audits = Audits::new(merger.sources.len());
    while merger.interval(&mut audits)? {}
    last::write(&merger.sources, &mut merger.sums, start, &mut merger.out)
}

struct Merger<W> {
    /// In the order of their shares.
    sources: Vec<Source>,
    /// When the merged load begins, by the clock of the merged lines.
    start: u64,
    out: Out<W>,
    sums: Sums,
    /// Those that have been written.
    phases: Vec<PhaseStart>,
}

/// Where the merged lines go.
struct Out<W>(LineWriter<W>);

impl<W: Write> Out<W> {
    fn write(&mut self, moment: u64, line: impl crate::output::line::LineBody) -> Result<(), MergeError> {
        self.0.write(Moment::from_nanos(moment), line).map_err(|_| MergeError::ReaderGone)
    }
}

impl<W: Write> Merger<W> {
    /// Merges the next interval. False when no driver has any more.
    fn interval(&mut self, audits: &mut Audits) -> Result<bool, MergeError> {
        let mut found = Vec::new();
        for number in 0..self.sources.len() {
            if let Some(counted) = self.next_interval(number)? {
                self.sources[number].check_like(found.first().map(|(_, first)| first), &counted)?;
                audits.take(number, &counted.audit);
                found.push((number, counted));
            }
        }
        if found.is_empty() {
            return Ok(false);
        }
        let intervals: Vec<_> =
            found.iter().map(|(number, one)| (&one.interval, self.sources[*number].hello.start_ns)).collect();
        let lateness: Vec<_> = found.iter().map(|(_, one)| &one.audit.lateness).collect();
        let broken = |place: Broken| self.sources[found[place].0].broken_histogram();
        let interval = self.sums.intervals(&intervals, self.start).map_err(broken)?;
        let lateness = self.sums.lateness(&lateness).map_err(broken)?;
        let end = interval.end_ns;
        self.out.write(end, interval)?;
        self.out.write(end, audits.line(lateness))?;
        Ok(true)
    }

    /// The next interval of a driver. What stands before it is handed on.
    fn next_interval(&mut self, number: usize) -> Result<Option<Counted>, MergeError> {
        loop {
            let source = &mut self.sources[number];
            let Some((moment, line)) = source.next_line()? else { return Ok(None) };
            let moment = self.start + moment;
            match line {
                AnyLine::Interval(interval) => return source.counted(interval).map(Some),
                AnyLine::Phase(phase) if !self.phases.contains(&phase) => {
                    self.phases.push(phase);
                    self.out.write(moment, phase)?;
                }
                AnyLine::Unanswered(line) => self.out.write(moment, line)?,
                AnyLine::FailedCheck(line) => self.out.write(moment, line)?,
                AnyLine::Response(line) => self.out.write(moment, line)?,
                other => source.keep(other),
            }
        }
    }
}

/// Whether a driver ran its plan to the end.
fn finished(reason: EndReason) -> bool {
    matches!(reason, EndReason::Finished)
}
