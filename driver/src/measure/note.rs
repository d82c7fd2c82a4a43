//! Notes: what became of each single transaction, taken only when the plan asks for it.

use std::time::Duration;

use super::counts::Took;
use super::failure::Failure;
use crate::pace::{Moment, Phase};

/// One transaction. As small as its record in the file, because there may be very many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// When it began; in the open model when it was meant to.
    pub start: Moment,
    /// From then to its end, microseconds.
    pub latency_us: u32,
    /// From its true begin to its end, microseconds.
    pub service_us: u32,
    /// Number of the user, as in the lines.
    pub user: u32,
    /// Number of the user's iteration.
    pub iteration: u32,
    /// Number of the user that ran it: in the open model one runs many visitors, one after the other.
    pub client: u32,
    /// Index of the transaction.
    pub transaction: u16,
    /// 0 when it was valid, else one more than the kind of failure, and behind these the outcomes of calls.
    pub outcome: u8,
    /// The phase in which it ended.
    pub phase: Phase,
}

/// A note's `outcome`.
#[must_use]
pub fn outcome(failure: Option<Failure>) -> u8 {
    failure.map_or(0, |failure| failure as u8 + 1)
}

/// A note's `outcome` of a call, by the place of its outcome among those of the session.
#[must_use]
pub fn of_call(place: usize) -> u8 {
    u8::try_from(1 + Failure::ALL.len() + place).unwrap_or(u8::MAX)
}

/// Whose transaction it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Author {
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Number of the user that runs it.
    pub client: u64,
}

impl Author {
    /// A note of a transaction; the recorder puts the phase into it.
    #[must_use]
    pub fn note(self, start: Moment, took: Took, transaction: usize, outcome: u8) -> Note {
        let [user, iteration, client] =
            [self.user, self.iteration, self.client].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let [latency_us, service_us] = [took.response, took.service.unwrap_or(took.response)]
            .map(|time| u32::try_from((time + Duration::from_nanos(500)).as_micros()).unwrap_or(u32::MAX));
        let transaction = u16::try_from(transaction).unwrap_or(u16::MAX);
        Note {
            start,
            latency_us,
            service_us,
            user,
            iteration,
            client,
            transaction,
            outcome,
            phase: Phase::Ramp,
        }
    }
}

impl Note {
    /// Bytes of a record.
    pub const BYTES: usize = 32;

    /// The record, little-endian, as `docs/reference/driver.md` describes it.
    #[must_use]
    pub fn record(&self) -> [u8; Self::BYTES] {
        let mut record = [0; Self::BYTES];
        record[..8].copy_from_slice(&self.start.nanos().to_le_bytes());
        let numbers = [self.latency_us, self.service_us, self.user, self.iteration, self.client];
        for (place, number) in record[8..28].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        record[28..30].copy_from_slice(&self.transaction.to_le_bytes());
        record[30] = self.outcome;
        record[31] = self.phase as u8;
        record
    }
}
