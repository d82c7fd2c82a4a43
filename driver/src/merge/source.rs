//! The lines of one of the drivers, read one after the other.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::{MergeError, finished};
use crate::output::line::{AnyLine, Audit, Confirmed, End, Hello, IntervalLine, StampedLine, WindowLine};
use crate::output::line_file::LineFile;
use crate::output::notebook::ClientsLine;
use crate::output::self_audit_line::SelfAuditLine;
use crate::pace::Phase;

/// The last line is shorter.
const END_BYTES: u64 = 1 << 20;

/// One file of lines. Moments count from when its load begins.
#[derive(Debug)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its first line.
    pub hello: Hello<'static>,
    /// Its lines after the last interval.
    pub last: LastLines,
    /// Its last line.
    pub end: End,
    /// When the line read last was true.
    pub ended: u64,
    lines: LineFile<BufReader<File>>,
}

/// What comes after the last interval.
#[derive(Debug, Default)]
pub struct LastLines {
    /// Responses over the whole run.
    pub confirmed: Option<Confirmed<'static>>,
    /// What each user saw.
    pub clients: Option<ClientsLine>,
    /// The measured window of each level.
    pub windows: Vec<WindowLine<'static>>,
    /// The driver's judgement of itself.
    pub self_audit: Option<Box<SelfAuditLine>>,
}

/// An interval of a driver, with its audit.
#[derive(Debug)]
pub struct Counted {
    /// The interval.
    pub interval: IntervalLine<'static>,
    /// The audit that follows it.
    pub audit: Audit,
    /// When it begins.
    pub start: u64,
    /// When it ends.
    pub end: u64,
}

impl Source {
    /// Opens a file of lines that a run wrote to its end.
    ///
    /// # Errors
    /// [`MergeError`]
    pub fn open(path: &Path) -> Result<Self, MergeError> {
        let mut file = File::open(path).map_err(|error| MergeError::file(path, error))?;
        let end = end_of(&mut file).map_err(|error| MergeError::file(path, error))?;
        let mut lines = LineFile::new(BufReader::new(file));
        let broken = |error| MergeError::Lines { path: path.into(), error };
        let Some(StampedLine { line: AnyLine::Hello(hello), .. }) = lines.next_line().map_err(broken)? else {
            return Err(MergeError::unlike(
                path,
                "does not begin with `hello`; give all the lines that `run` wrote",
            ));
        };
        let end = end.ok_or_else(|| {
            MergeError::unlike(
                path,
                "has no `end`: its driver was killed, or still runs; its counts are not whole",
            )
        })?;
        Ok(Self { path: path.into(), hello, last: LastLines::default(), end, ended: 0, lines })
    }

    /// The next line and when it was true.
    ///
    /// # Errors
    /// [`MergeError`]
    pub fn next_line(&mut self) -> Result<Option<(u64, AnyLine)>, MergeError> {
        let line =
            self.lines.next_line().map_err(|error| MergeError::Lines { path: self.path.clone(), error })?;
        let line = line.map(|line| (self.since_start(line.t_ns), line.line));
        self.ended = line.as_ref().map_or(self.ended, |(moment, _)| *moment);
        Ok(line)
    }

    /// An interval with the audit that follows it.
    ///
    /// # Errors
    /// When there is none.
    pub fn counted(&mut self, interval: IntervalLine<'static>) -> Result<Counted, MergeError> {
        let (start, end) = (self.since_start(interval.start_ns), self.since_start(interval.end_ns));
        match self.next_line()? {
            Some((_, AnyLine::Audit(audit))) => Ok(Counted { interval, audit, start, end }),
            _ => Err(self.wrong("an `audit` is missing after its `interval`")),
        }
    }

    /// Checks that an interval is the same part of the same load as that of another driver, if there is one.
    ///
    /// # Errors
    /// When it is not.
    pub fn check_like(&self, other: Option<&Counted>, counted: &Counted) -> Result<(), MergeError> {
        let Some(other) = other else { return Ok(()) };
        let (own, others) = (&counted.interval, &other.interval);
        // How long the drain takes is each driver's own, and so is the end of a run that was ended early.
        let may_differ = own.phase == Phase::Drain || !finished(self.end.reason);
        let same = (own.phase, own.level, counted.start) == (others.phase, others.level, other.start);
        if !same || (counted.end != other.end && !may_differ) {
            return Err(self.wrong("this interval is not the one that the other files have next"));
        }
        if !own.transactions.iter().map(|(name, _)| name).eq(others.transactions.iter().map(|(name, _)| name))
        {
            return Err(self.wrong("this interval has other transactions than that of the other files"));
        }
        Ok(())
    }

    /// Keeps a line that comes after the last interval; others say nothing here.
    pub fn keep(&mut self, line: AnyLine) {
        match line {
            AnyLine::Confirmed(confirmed) => self.last.confirmed = Some(confirmed),
            AnyLine::Clients(clients) => self.last.clients = Some(clients),
            AnyLine::Window(window) => self.last.windows.push(*window),
            AnyLine::SelfAudit(audit) => self.last.self_audit = Some(audit),
            _ => {}
        }
    }

    /// A moment of its lines, counted from when its load begins.
    #[must_use]
    pub fn since_start(&self, t_ns: u64) -> u64 {
        t_ns.saturating_sub(self.hello.start_ns)
    }

    /// The error that something in it is not a histogram.
    #[must_use]
    pub fn broken_histogram(&self) -> MergeError {
        self.wrong("a histogram cannot be read")
    }

    fn wrong(&self, problem: &str) -> MergeError {
        MergeError::Lines { path: self.path.clone(), error: self.lines.wrong(problem) }
    }
}

/// The line `end` at the end of a file, which stands at its beginning again; nothing when it is missing.
fn end_of(file: &mut File) -> Result<Option<End>, std::io::Error> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES)))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    file.rewind()?;
    let Some(text) = text.strip_suffix(b"\n") else { return Ok(None) };
    let last = text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(match serde_json::from_slice(last) {
        Ok(StampedLine { line: AnyLine::End(end), .. }) => Some(end),
        _ => None,
    })
}
