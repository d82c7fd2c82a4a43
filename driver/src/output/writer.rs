//! Writes lines, each at once.

use std::io::{self, Write};

use serde::Serialize;

use super::line::{Line, LineBody};
use crate::pace::Moment;

/// Writes one JSON object a line.
#[derive(Debug)]
pub struct LineWriter<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> LineWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }

    /// Writes what is true at `moment`, as one line, and flushes it.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn write<T: LineBody + Serialize>(&mut self, moment: Moment, body: T) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, &Line::new(moment, body))?;
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.out.flush()
    }
}
