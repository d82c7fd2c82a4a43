//! Counts and response times of each single user over the measured window.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use super::note::Note;
use crate::pace::Phase;
use crate::workload::Share;

/// Two significant digits, and no larger than the times need: 5 KB for a user whose responses take 100 ms.
const DIGITS: u8 = 2;

/// All users of this driver.
#[derive(Debug)]
pub struct Clients {
    share: Share,
    /// In the order of their numbers.
    clients: Vec<Client>,
}

#[derive(Clone, Debug)]
struct Client {
    times: Histogram<u32>,
    errors: u64,
}

/// What one user saw in the measured window.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ClientSummary {
    /// Its number.
    pub user: usize,
    /// Valid transactions.
    pub transactions: u64,
    /// Failed ones.
    pub errors: u64,
    /// Response times of the valid ones.
    pub response_ms: ResponseTimes,
}

/// Response times in milliseconds; 0 without any.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ResponseTimes {
    /// Arithmetic mean.
    pub mean: f64,
    /// Half are not longer.
    pub p50: f64,
    /// 99 % are not longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Clients {
    /// Those of so many users who belong to this share, and have seen nothing.
    ///
    /// # Panics
    /// Never: two digits are allowed.
    #[must_use]
    pub fn new(share: Share, users: u64) -> Self {
        let client = || Client { times: Histogram::new(DIGITS).expect("two digits are allowed"), errors: 0 };
        Self { share, clients: (0..share.part_of(users)).map(|_| client()).collect() }
    }

    /// Counts a transaction, if it ended in the measured window.
    ///
    /// # Panics
    /// Never: a histogram that grows takes every time of 32 bits.
    pub fn add(&mut self, note: &Note) {
        if note.phase != Phase::Measure {
            return;
        }
        let place = note.client as usize / self.share.of.get();
        let Some(client) = self.clients.get_mut(place) else { return };
        if note.outcome == 0 {
            // It grows as the times need; `saturating_record` would cut them off at the 2 µs it begins with.
            client.times.record(u64::from(note.latency_us)).expect("32 bits of microseconds fit");
        } else {
            client.errors += 1;
        }
    }

    /// What each has seen, in their order.
    pub fn summaries(&self) -> impl Iterator<Item = ClientSummary> {
        self.clients.iter().enumerate().map(|(place, client)| ClientSummary {
            user: self.share.index + place * self.share.of.get(),
            transactions: client.times.len(),
            errors: client.errors,
            response_ms: ResponseTimes {
                mean: client.times.mean() / 1_000.0,
                p50: milliseconds(client.times.value_at_quantile(0.5)),
                p99: milliseconds(client.times.value_at_quantile(0.99)),
                max: milliseconds(client.times.max()),
            },
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 2^32 microseconds")]
fn milliseconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1_000.0
}
