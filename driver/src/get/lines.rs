//! Reads the lines of a run where they are written: what `get` looks at of `docs/reference/driver.md`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde::de::{Deserialize, Error};

/// A line, as far as `get` looks at it.
#[derive(Debug, serde::Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// Counts of one interval.
    Interval(Interval),
    /// The driver's report on itself, for the interval of the line before.
    Audit(Audit),
    /// The last line.
    End(End),
    /// Everything else.
    #[serde(other)]
    Other,
}

/// Counts of one interval.
#[derive(Debug, serde::Deserialize)]
pub struct Interval {
    /// The phase it belongs to.
    pub phase: String,
    /// First moment, nanoseconds.
    pub start_ns: u64,
    /// First moment that no longer belongs to it.
    pub end_ns: u64,
    /// Bytes of answers.
    pub bytes_received: u64,
    /// Open model: arrivals that were due and never begun.
    #[serde(default)]
    pub missed: u64,
    /// By name.
    pub transactions: BTreeMap<String, Transaction>,
}

/// Counts of one transaction in one interval.
#[derive(Debug, serde::Deserialize)]
pub struct Transaction {
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Response times of the valid ones, microseconds.
    #[serde(deserialize_with = "decoded")]
    pub histogram: Histogram<u64>,
    /// Open model: the same from the true begin of the request.
    #[serde(default, deserialize_with = "decoded_if_there")]
    pub service: Option<Histogram<u64>>,
}

/// What the driver says of itself in one interval.
#[derive(Debug, serde::Deserialize)]
pub struct Audit {
    /// With stamps: how long the last byte of each answer lay in the kernel, microseconds.
    #[serde(default, deserialize_with = "decoded_if_there")]
    pub receive_lag: Option<Histogram<u64>>,
    /// With stamps: complete answers without one.
    #[serde(default)]
    pub unstamped: u64,
}

/// What the driver says of the whole run.
#[derive(Debug, Default, serde::Deserialize)]
pub struct End {
    /// Valid transactions.
    pub transactions: u64,
    /// Whether the driver was the limit; nothing when the run ended before it could tell.
    pub driver_limited: Option<bool>,
    /// Why.
    pub limited_by: Option<String>,
    /// CPU time in the program, nanoseconds.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
}

/// Hands every line that is written to it to `listener`.
#[derive(Debug)]
pub struct LineReader<F> {
    listener: F,
    begun: Vec<u8>,
}

impl<F: FnMut(Line)> LineReader<F> {
    /// A reader whose lines go to `listener`.
    pub fn new(listener: F) -> Self {
        Self { listener, begun: Vec::new() }
    }
}

impl<F: FnMut(Line)> Write for LineReader<F> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let taken = memchr::memchr(b'\n', piece).map_or(piece.len(), |end| end + 1);
        self.begun.extend_from_slice(&piece[..taken]);
        if self.begun.ends_with(b"\n") {
            let line = serde_json::from_slice(&self.begun)?;
            self.begun.clear();
            (self.listener)(line);
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn decoded_if_there<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Option<Histogram<u64>>, D::Error> {
    decoded(text).map(Some)
}

fn decoded<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Histogram<u64>, D::Error> {
    let bytes = STANDARD.decode(String::deserialize(text)?).map_err(D::Error::custom)?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| D::Error::custom(format!("{error:?}")))
}
