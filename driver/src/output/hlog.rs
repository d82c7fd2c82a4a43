//! Makes an `HdrHistogram` log of the lines of a run, for the standard tools.
//!
//! Format: 1.3 of `HistogramLogWriter`, <https://github.com/HdrHistogram/HdrHistogram>, which has tags.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer as HistogramReader;
use serde::Deserialize;
use thiserror::Error;

use crate::pace::Phase;

/// Why there is no log.
#[derive(Debug, Error)]
pub enum HlogError {
    /// The lines cannot be read, or the log cannot be written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// Something else than a line of the driver.
    #[error("line {number} is not a line of the driver: {problem}; give the NDJSON that `run` wrote")]
    Line {
        /// Its number, from 1.
        number: usize,
        /// What the reader says.
        problem: String,
    },
    /// Without it nobody knows when the run was.
    #[error("does not begin with `hello`; give all the lines that `run` wrote")]
    Hello,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Hello {
        wall_clock: String,
    },
    Interval {
        phase: Phase,
        start_ns: u64,
        end_ns: u64,
        transactions: BTreeMap<String, Transaction>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Transaction {
    histogram: String,
}

/// Writes one entry for each interval of the measured window and transaction, with the transaction's name as its tag.
/// Values are microseconds; times are seconds since `hello`, whose moment is the log's base. A last line that was not
/// written to its end, as a killed run leaves it, is left out.
///
/// # Errors
/// [`HlogError`]
pub fn convert(mut lines: impl BufRead, out: &mut impl Write) -> Result<(), HlogError> {
    let mut text = Vec::new();
    let mut begun = false;
    for number in 1.. {
        text.clear();
        lines.read_until(b'\n', &mut text)?;
        if !text.ends_with(b"\n") {
            break;
        }
        let wrong = |problem: String| HlogError::Line { number, problem };
        let line = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        match line {
            Line::Hello { wall_clock } if !begun => {
                let moment =
                    humantime::parse_rfc3339(&wall_clock).map_err(|error| wrong(error.to_string()))?;
                head(moment.duration_since(UNIX_EPOCH).unwrap_or_default(), &wall_clock, out)?;
                begun = true;
            }
            _ if !begun => return Err(HlogError::Hello),
            Line::Interval { phase: Phase::Measure, start_ns, end_ns, transactions } => {
                let start = Duration::from_nanos(start_ns).as_secs_f64();
                let length = Duration::from_nanos(end_ns.saturating_sub(start_ns)).as_secs_f64();
                for (name, Transaction { histogram }) in transactions {
                    let max_ms = max_ms(&histogram).ok_or_else(|| wrong(format!("histogram of `{name}`")))?;
                    let tag = tag(&name);
                    writeln!(out, "Tag={tag},{start:.6},{length:.6},{max_ms:.3},{histogram}")?;
                }
            }
            _ => {}
        }
    }
    if begun { Ok(out.flush()?) } else { Err(HlogError::Hello) }
}

fn head(start: Duration, wall_clock: &str, out: &mut impl Write) -> io::Result<()> {
    let seconds = start.as_secs_f64();
    writeln!(out, "#[Histogram log format version 1.3]")?;
    writeln!(out, "#[Values are microseconds, Interval_Max is milliseconds]")?;
    writeln!(out, "#[StartTime: {seconds:.3} (seconds since epoch), {wall_clock}]")?;
    writeln!(out, "#[BaseTime: {seconds:.3} (seconds since epoch)]")?;
    writeln!(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"")
}

/// A tag holds neither commas nor blanks.
fn tag(name: &str) -> String {
    name.replace(|character: char| character == ',' || character.is_whitespace(), "_")
}

#[expect(clippy::cast_precision_loss, reason = "at most 120 s in microseconds")]
fn max_ms(histogram: &str) -> Option<f64> {
    let bytes = STANDARD.decode(histogram).ok()?;
    let histogram: Histogram<u64> = HistogramReader::new().deserialize(&mut bytes.as_slice()).ok()?;
    Some(histogram.max() as f64 / 1_000.0)
}
