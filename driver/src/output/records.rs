//! The file of records: a head that says what it holds, and 32 bytes for each transaction.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::measure::Failure;
use crate::measure::note::Note;
use crate::pace::{Clock, Phase};
use crate::workload::Session;

/// Writes records.
#[derive(Debug)]
pub struct RecordWriter(BufWriter<File>);

/// The first line of the file, filled up with blanks to a multiple of the length of a record.
#[derive(Serialize)]
struct Head<'a> {
    v: u8,
    record_bytes: usize,
    name: &'a str,
    run: &'a str,
    monotonic_ns: u64,
    transactions: &'a [String],
    outcomes: Vec<String>,
    phases: [Phase; 4],
}

impl RecordWriter {
    /// Writes the head of the records of `session` to `file`.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn new(file: File, session: &Session, clock: Clock) -> io::Result<Self> {
        let failures = Failure::ALL.into_iter().map(Failure::name);
        let head = Head {
            v: 1,
            record_bytes: Note::BYTES,
            name: &session.name,
            run: &session.run,
            monotonic_ns: clock.origin_ns(),
            transactions: &session.transactions,
            outcomes: ["valid".into()].into_iter().chain(failures).chain(session.outcomes.clone()).collect(),
            phases: [Phase::Ramp, Phase::Settle, Phase::Measure, Phase::Drain],
        };
        let mut line = serde_json::to_vec(&head)?;
        let length = (line.len() + 1).next_multiple_of(Note::BYTES);
        line.resize(length - 1, b' ');
        line.push(b'\n');
        let mut writer = BufWriter::new(file);
        writer.write_all(&line)?;
        writer.flush()?;
        Ok(Self(writer))
    }

    /// Writes one record for each note.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn write(&mut self, notes: &[Note]) -> io::Result<()> {
        notes.iter().try_for_each(|note| self.0.write_all(&note.record()))
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
