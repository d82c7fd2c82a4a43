//! Reads the lines of a run where they are written.

use std::io::{self, Write};

use crate::output::line::AnyLine;

/// Hands every line that is written to it to `listener`.
#[derive(Debug)]
pub struct LineReader<F> {
    listener: F,
    begun: Vec<u8>,
}

impl<F: FnMut(AnyLine) -> io::Result<()>> LineReader<F> {
    /// A reader whose lines go to `listener`.
    pub fn new(listener: F) -> Self {
        Self { listener, begun: Vec::new() }
    }
}

impl<F: FnMut(AnyLine) -> io::Result<()>> Write for LineReader<F> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let taken = memchr::memchr(b'\n', piece).map_or(piece.len(), |end| end + 1);
        self.begun.extend_from_slice(&piece[..taken]);
        if self.begun.ends_with(b"\n") {
            let line = serde_json::from_slice(&self.begun)?;
            self.begun.clear();
            (self.listener)(line)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
