//! Reads the lines of a run from a file, one after the other: a long run has more of them than memory.

use std::io::{self, BufRead};

use thiserror::Error;

use super::line::StampedLine;

/// Lines that cannot be read.
#[derive(Debug, Error)]
pub enum LineError {
    /// The file.
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
}

/// Lines, of which one is kept.
#[derive(Debug)]
pub struct LineFile<R> {
    reader: R,
    number: usize,
    text: Vec<u8>,
}

impl<R: BufRead> LineFile<R> {
    /// The lines that `reader` gives.
    pub fn new(reader: R) -> Self {
        Self { reader, number: 0, text: Vec::new() }
    }

    /// The next line. One that was not written to its end, as a killed run leaves it, is the end.
    ///
    /// # Errors
    /// [`LineError`]
    pub fn next_line(&mut self) -> Result<Option<StampedLine>, LineError> {
        self.text.clear();
        self.reader.read_until(b'\n', &mut self.text)?;
        if !self.text.ends_with(b"\n") {
            return Ok(None);
        }
        self.number += 1;
        serde_json::from_slice(&self.text).map(Some).map_err(|error| self.wrong(error.to_string()))
    }

    /// The error that the line read last is wrong.
    pub fn wrong(&self, problem: impl Into<String>) -> LineError {
        LineError::Line { number: self.number, problem: problem.into() }
    }
}
