//! The kinds of errors a step can end with, and what became of its requests.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a step is not a valid transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// No connection could be made.
    Connect,
    /// The driver has no local port left for another connection: its own limit, and not the server's.
    LocalPorts,
    /// No connection within its time.
    ConnectTimeout,
    /// TLS could not be agreed on, or broke.
    Tls,
    /// No byte of a response within its time.
    FirstByteTimeout,
    /// No complete response within its time.
    ResponseTimeout,
    /// The connection ended before the response was complete.
    Closed,
    /// Not HTTP.
    Protocol,
    /// Header or body longer than the plan allows.
    TooLarge,
    /// More than five redirects, one to elsewhere, or one without a usable address.
    Redirect,
    /// Another status than expected.
    Status,
    /// The redirects ended at another path than expected.
    Path,
    /// The body lacks its marker.
    Marker,
    /// The body has another length than expected.
    Length,
    /// Something to be captured was not found.
    Capture,
    /// A sub-resource of the page could not be fetched.
    SubResource,
    /// The run ended before the response was complete.
    CutOff,
}

impl Failure {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 17] = [
        Self::Connect,
        Self::LocalPorts,
        Self::ConnectTimeout,
        Self::Tls,
        Self::FirstByteTimeout,
        Self::ResponseTimeout,
        Self::Closed,
        Self::Protocol,
        Self::TooLarge,
        Self::Redirect,
        Self::Status,
        Self::Path,
        Self::Marker,
        Self::Length,
        Self::Capture,
        Self::SubResource,
        Self::CutOff,
    ];
}

/// What became of the requests of a step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// No byte was sent.
    NotSent,
    /// Its last request was sent, at least in part, and has no complete response.
    Unanswered,
    /// Every request sent was answered completely.
    Complete,
}

/// A count for each kind of failure. Written as an object of those that occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerFailure([u64; Failure::ALL.len()]);

impl PerFailure {
    /// Counts one failure.
    pub fn count(&mut self, failure: Failure) {
        self.0[failure as usize] += 1;
    }

    /// How many of this kind.
    #[must_use]
    pub fn of(&self, failure: Failure) -> u64 {
        self.0[failure as usize]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The kinds that occurred, each with its count.
    pub fn counts(&self) -> impl Iterator<Item = (Failure, u64)> {
        Failure::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

impl Serialize for PerFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (failure, count) in self.counts() {
            map.serialize_entry(&failure, &count)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for PerFailure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = Self::default();
        for (failure, count) in BTreeMap::<Failure, u64>::deserialize(deserializer)? {
            counts.0[failure as usize] = count;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_occurred_are_written() {
        let mut counts = PerFailure::default();
        counts.count(Failure::CutOff);
        counts.count(Failure::TooLarge);
        counts.count(Failure::TooLarge);
        let text = serde_json::to_string(&counts).expect("an object");
        assert_eq!(text, r#"{"too_large":2,"cut_off":1}"#);
        assert_eq!(serde_json::from_str::<PerFailure>(&text).expect("counts"), counts);
    }

    #[test]
    fn the_list_of_all_kinds_is_in_the_order_of_their_numbers() {
        for (number, failure) in Failure::ALL.into_iter().enumerate() {
            assert_eq!(failure as usize, number);
        }
    }
}
