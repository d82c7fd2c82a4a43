//! What becomes of the notes: records in a file, and the line of the single users.

use std::fs::File;
use std::io;

use serde::{Deserialize, Serialize};

use super::line::LineBody;
use super::records::RecordWriter;
use crate::measure::clients::{ClientSummary, Clients};
use crate::measure::note::Note;
use crate::pace::Clock;
use crate::workload::Session;

/// Takes the notes of a run, when its plan asks for any.
#[derive(Debug)]
pub struct Notebook {
    records: Option<RecordWriter>,
    clients: Option<Clients>,
}

/// What each user saw in the measured window.
#[derive(Debug, Deserialize, Serialize)]
pub struct ClientsLine {
    /// Each, in the order of their numbers.
    pub clients: Vec<ClientSummary>,
}

impl LineBody for ClientsLine {
    const TYPE: &'static str = "clients";
}

impl Notebook {
    /// A notebook for `session`, whose records go to `records`.
    ///
    /// # Errors
    /// When nothing can be written there, like all that follow.
    pub fn new(session: &Session, records: Option<File>, clock: Clock) -> io::Result<Self> {
        let records = records.map(|file| RecordWriter::new(file, session, clock)).transpose()?;
        Ok(Self { records, clients: session.per_client.then(|| Clients::new(session.share, session.users)) })
    }

    /// Takes notes.
    ///
    /// # Errors
    /// When no record can be written.
    pub fn add(&mut self, notes: &[Note]) -> io::Result<()> {
        if let Some(clients) = &mut self.clients {
            for note in notes {
                clients.add(note);
            }
        }
        self.records.as_mut().map_or(Ok(()), |records| records.write(notes))
    }

    /// Writes the last records. Returns the line of the single users, if it is asked for.
    ///
    /// # Errors
    /// When no record can be written.
    pub fn finish(&mut self) -> io::Result<Option<ClientsLine>> {
        if let Some(records) = &mut self.records {
            records.finish()?;
        }
        let line = |clients: &Clients| ClientsLine { clients: clients.summaries().collect() };
        Ok(self.clients.as_ref().map(line))
    }
}
