//! The kinds of errors a step can end with, and what became of its requests.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::workload::PlanError;
use crate::workload::calls::MAX_OUTCOMES;

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
    /// The body does not hold calls, one after the other.
    Calls,
    /// A call ended with an outcome that the step does not name.
    UnknownOutcome,
    /// The run ended before the response was complete.
    CutOff,
}

impl Failure {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 19] = [
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
        Self::Calls,
        Self::UnknownOutcome,
        Self::CutOff,
    ];

    /// Its name in lines and records.
    #[must_use]
    pub fn name(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }
}

/// Checks that no outcome of calls has the name of a kind of the driver's own.
///
/// # Errors
/// [`PlanError`] with the name.
pub fn check_outcomes(names: &[String]) -> Result<(), PlanError> {
    let own = Failure::ALL.map(Failure::name);
    names.iter().find(|name| own.contains(name)).map_or(Ok(()), |name| {
        Err(PlanError::at(
            "calls.outcomes",
            format!("`{name}` is a kind of error of the driver's own; rename it"),
        ))
    })
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

/// A count for each kind of failure: those of the driver, and the outcomes of calls that the session names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerFailure {
    own: [u64; Failure::ALL.len()],
    outcomes: [u64; MAX_OUTCOMES],
}

impl PerFailure {
    /// Counts one failure.
    pub fn count(&mut self, failure: Failure) {
        self.own[failure as usize] += 1;
    }

    /// Counts a call with the outcome of this place among those of the session.
    pub fn count_outcome(&mut self, place: usize) {
        self.outcomes[place] += 1;
    }

    /// How many of this kind.
    #[must_use]
    pub fn of(&self, failure: Failure) -> u64 {
        self.own[failure as usize]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.own.iter().chain(&self.outcomes).sum()
    }

    /// The names of the kinds that occurred, each with its count; `outcomes` are those of the session.
    pub fn counts<'a>(&'a self, outcomes: &'a [String]) -> impl Iterator<Item = (String, u64)> + 'a {
        let own = Failure::ALL.into_iter().zip(self.own).filter(|(_, count)| *count > 0);
        let named = outcomes.iter().zip(self.outcomes).filter(|(_, count)| *count > 0);
        own.map(|(failure, count)| (failure.name(), count))
            .chain(named.map(|(name, count)| (name.clone(), count)))
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.own.iter_mut().zip(other.own) {
            *sum += more;
        }
        for (sum, more) in self.outcomes.iter_mut().zip(other.outcomes) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_occurred_are_named() {
        let mut counts = PerFailure::default();
        counts.count(Failure::CutOff);
        counts.count(Failure::TooLarge);
        counts.count(Failure::TooLarge);
        counts.count_outcome(1);
        let mut both = counts;
        both.add(&counts);
        let named: Vec<_> = both.counts(&["different".into(), "unavailable".into()]).collect();
        assert_eq!(named, [("too_large".into(), 4), ("cut_off".into(), 2), ("unavailable".into(), 2)]);
        assert_eq!(both.total(), 8);
    }

    #[test]
    fn the_list_of_all_kinds_is_in_the_order_of_their_numbers() {
        for (number, failure) in Failure::ALL.into_iter().enumerate() {
            assert_eq!(failure as usize, number);
        }
    }

    #[test]
    fn an_outcome_does_not_have_the_name_of_a_kind_of_the_driver() {
        assert!(check_outcomes(&["different".into()]).is_ok());
        let problem = check_outcomes(&["different".into(), "cut_off".into()]).expect_err("taken").to_string();
        assert!(problem.contains("`cut_off`"), "{problem}");
    }
}
