//! Sums up the lines of a run.

use std::collections::BTreeMap;
use std::io;

use hdrhistogram::Histogram;

use super::summary::{Summary, Times};
use crate::measure::histogram::Encoded;
use crate::output::by_name::ByName;
use crate::output::line::{AnyLine, End, IntervalLine};
use crate::pace::Phase;

/// The kind of error of a request that was due and never sent, for want of a free connection.
const MISSED: &str = "missed";

/// One response in so many may lack its stamp, as the first ones do.
const ONE_UNLIKE_IN: u64 = 100;

/// Which responses count as requests. Failures always count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Those complete before the duration is over. What the connections still wait for then would make the throughput
    /// look better than it is.
    CompleteInTime,
    /// Those due in the duration, whenever they are complete. Without the late ones a server that stands still at the
    /// end would look quick.
    DueInTime,
}

/// The sums so far.
#[derive(Debug)]
pub struct Tally {
    counting: Counting,
    seconds: f64,
    bytes: u64,
    reconnected: u64,
    odd_responses: u64,
    errors: ByName<'static, u64>,
    missed: u64,
    latency: Histogram<u64>,
    service: Histogram<u64>,
    receive_lag: Histogram<u64>,
    unstamped: u64,
    /// Whether the last interval counts.
    counts: bool,
    end: Option<End>,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub fn new(counting: Counting) -> Self {
        Self {
            counting,
            seconds: 0.0,
            bytes: 0,
            reconnected: 0,
            odd_responses: 0,
            errors: ByName::default(),
            missed: 0,
            latency: empty(),
            service: empty(),
            receive_lag: empty(),
            unstamped: 0,
            counts: false,
            end: None,
        }
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When it holds something else than histograms where they should be.
    pub fn add(&mut self, line: &AnyLine) -> io::Result<()> {
        match line {
            AnyLine::Interval(interval) => self.interval(interval)?,
            AnyLine::Audit(audit) if self.counts => {
                if let Some(lag) = &audit.lateness.receive_lag {
                    add(&mut self.receive_lag, lag)?;
                }
                self.unstamped += audit.lateness.unstamped.unwrap_or_default();
            }
            AnyLine::End(end) => self.end = Some(end.clone()),
            _ => {}
        }
        Ok(())
    }

    /// What the run came to.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let end = self.end.as_ref();
        let cpu_us = end.map_or(0.0, |end| float(end.cpu_user_ns + end.cpu_system_ns) / 1e3);
        let handled = end.map_or(0, |end| end.transactions) + self.errors.total();
        Summary {
            requests: self.latency.len(),
            errors: self.errors.total() + self.missed,
            errors_by_kind: self.errors_by_kind(),
            reconnected: self.reconnected,
            odd_responses: self.odd_responses,
            seconds: self.seconds,
            bytes: self.bytes,
            latency_us: Times::of(&self.latency),
            service_us: Times::of(&self.service),
            receive_lag_us: Times::of(&self.receive_lag),
            server_mean_us: self.server_mean(),
            driver_limited: end.and_then(|end| end.driver_limited),
            reason: end.and_then(|end| end.limited_by.clone()),
            cpu_us_per_request: (handled > 0).then(|| cpu_us / float(handled)),
        }
    }

    fn errors_by_kind(&self) -> BTreeMap<String, u64> {
        let missed = (self.missed > 0).then(|| (MISSED.into(), self.missed));
        self.errors.iter().map(|(kind, count)| (kind.to_owned(), *count)).chain(missed).collect()
    }

    /// Mean service time without the receive lag. Means can be subtracted, percentiles cannot; and only where requests
    /// and responses are the same ones: those that failed, and redirects, have a lag and no service time of their own.
    fn server_mean(&self) -> Option<f64> {
        let (requests, responses) = (self.service.len(), self.receive_lag.len() + self.unstamped);
        let alike = requests > 0 && requests.abs_diff(responses) * ONE_UNLIKE_IN <= requests;
        let stamped = self.unstamped * ONE_UNLIKE_IN <= responses;
        (alike && stamped).then(|| self.service.mean() - self.receive_lag.mean())
    }

    fn interval(&mut self, interval: &IntervalLine<'_>) -> io::Result<()> {
        self.counts = match self.counting {
            Counting::CompleteInTime => interval.phase == Phase::Measure,
            Counting::DueInTime => true,
        };
        self.missed += interval.arrivals.as_ref().map_or(0, |arrivals| arrivals.missed);
        if self.counts {
            self.seconds += float(interval.end_ns - interval.start_ns) / 1e9;
            self.bytes += interval.bytes_received;
            self.reconnected += interval.reconnected;
            self.odd_responses += interval.odd_responses;
        }
        for transaction in interval.transactions.values() {
            self.errors.add(&transaction.errors);
            if self.counts {
                add(&mut self.latency, &transaction.histogram)?;
                // In the closed model a request is meant to begin when it begins.
                add(&mut self.service, transaction.service.as_ref().unwrap_or(&transaction.histogram))?;
            }
        }
        Ok(())
    }
}

fn empty() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}

fn add(sum: &mut Histogram<u64>, more: &Encoded) -> io::Result<()> {
    let more = more.decode().ok_or(io::ErrorKind::InvalidData)?;
    sum.add(more).map_err(io::Error::other)
}

#[expect(clippy::cast_precision_loss, reason = "no count comes near 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::measure::histogram::{Encoder, Times as Recorded};

    fn times(count: u64, us: u64) -> Encoded {
        let mut times: Recorded = Recorded::new();
        (0..count).for_each(|_| times.record(Duration::from_micros(us)));
        Encoder::default().encode(&times)
    }

    /// What network and server took of requests of 10 ms, where the stamped responses lay in the kernel for 2 ms.
    fn server_mean(requests: u64, stamped: u64, unstamped: u64) -> Option<f64> {
        let interval = json!({
            "type": "interval", "phase": "measure", "start_ns": 0, "end_ns": 1, "users": 1, "iterations": 1,
            "failed": 0, "connections": 1, "bytes_sent": 0, "bytes_received": 0,
            "transactions": {"page": {"count": requests, "errors": {}, "histogram": times(requests, 10_000)}},
        });
        let audit = json!({
            "type": "audit", "cpu_user_ns": 0, "cpu_system_ns": 0, "threads": [], "rss_bytes": 0,
            "lateness": times(0, 0), "lag": times(0, 0), "receive_lag": times(stamped, 2_000), "unstamped": unstamped,
        });
        let mut tally = Tally::new(Counting::CompleteInTime);
        for line in [interval, audit] {
            tally.add(&serde_json::from_value(line).expect("a line")).expect("histograms");
        }
        tally.summary().server_mean_us
    }

    #[test]
    fn a_mean_is_split_where_nearly_every_response_is_stamped_and_that_of_a_request() {
        for (stamped, unstamped) in [(1000, 0), (990, 10)] {
            let split = server_mean(1000, stamped, unstamped).expect("nearly all are stamped");
            assert!((split - 8_000.0).abs() < 10.0, "{split} µs");
        }
        // The last: a few were redirected, so that stamps and requests are as many.
        for (stamped, unstamped) in [(989, 11), (1000, 100), (0, 1000), (995, 11)] {
            assert_eq!(server_mean(1000, stamped, unstamped), None, "{stamped} and {unstamped}");
        }
    }
}
