//! Makes an `HdrHistogram` log of the lines of a run, for the standard tools.
//!
//! Format: 1.3 of `HistogramLogWriter`, <https://github.com/HdrHistogram/HdrHistogram>, which has tags.

use std::io::{self, BufRead, Write};
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError, Tag};
use hdrhistogram::serialization::{V2DeflateSerializeError, V2DeflateSerializer};
use thiserror::Error;

use super::line::AnyLine;
use super::line_file::{LineError, LineFile};
use crate::pace::Phase;

const MICROSECONDS_OF_A_MILLISECOND: f64 = 1_000.0;

/// Why there is no log.
#[derive(Debug, Error)]
pub enum HlogError {
    /// The log cannot be written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The lines cannot be read.
    #[error(transparent)]
    Lines(#[from] LineError),
    /// Without it nobody knows when the run was.
    #[error("does not begin with `hello`; give all the lines that `run` wrote")]
    Hello,
}

/// Writes one entry for each interval of the measured window and transaction, with the transaction's name as its tag.
/// Values are microseconds; times are seconds since `hello`, whose moment is the log's base. A last line that was not
/// written to its end, as a killed run leaves it, is left out.
///
/// # Errors
/// [`HlogError`]
pub fn convert(lines: impl BufRead, out: &mut impl Write) -> Result<(), HlogError> {
    let mut lines = LineFile::new(lines);
    let first = lines.next_line()?.map(|first| first.line);
    let Some(AnyLine::Hello(hello)) = first else { return Err(HlogError::Hello) };
    let start =
        humantime::parse_rfc3339(&hello.wall_clock).map_err(|error| lines.wrong(error.to_string()))?;
    let mut serializer = V2DeflateSerializer::new();
    let mut log = head(start).begin_log_with(out, &mut serializer)?;
    while let Some(line) = lines.next_line()? {
        let AnyLine::Interval(interval) = line.line else { continue };
        if interval.phase != Phase::Measure {
            continue;
        }
        let start = Duration::from_nanos(interval.start_ns);
        let length = Duration::from_nanos(interval.end_ns.saturating_sub(interval.start_ns));
        for (name, transaction) in interval.transactions.iter() {
            let times = transaction.histogram.decode();
            let times = times.ok_or_else(|| lines.wrong(format!("histogram of `{name}`")))?;
            log.write_histogram(&times, start, length, Tag::new(&tag(name))).map_err(of_log)?;
        }
    }
    Ok(out.flush()?)
}

fn head(start: SystemTime) -> IntervalLogWriterBuilder {
    let mut head = IntervalLogWriterBuilder::new();
    head.add_comment("[Histogram log format version 1.3]")
        .add_comment("[Values are microseconds, Interval_Max is milliseconds]")
        .with_start_time(start)
        .with_base_time(start)
        .with_max_value_divisor(MICROSECONDS_OF_A_MILLISECOND);
    head
}

fn of_log(error: IntervalLogWriterError<V2DeflateSerializeError>) -> HlogError {
    HlogError::File(match error {
        IntervalLogWriterError::IoError(error) => error,
        IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
    })
}

/// A tag holds neither commas nor blanks.
fn tag(name: &str) -> String {
    name.replace(|character: char| character == ',' || character.is_whitespace(), "_")
}
