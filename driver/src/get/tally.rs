//! Sums up the lines of a run.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::lines::{End, Interval, Line};
use super::summary::{Summary, Times};

/// The kind of error of a request that was due and never sent, for want of a free connection.
const MISSED: &str = "missed";

/// One answer in so many may lack its stamp, as the first ones do.
const MOST_UNLIKE: u64 = 100;

/// Which answers count as requests. Failures always count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Those complete before the duration is over. What the connections still wait for then would make the throughput
    /// look better than it is.
    AnsweredInTime,
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
    errors: BTreeMap<String, u64>,
    latency: Histogram<u64>,
    service: Histogram<u64>,
    receive_lag: Histogram<u64>,
    unstamped: u64,
    /// Whether the last interval counts.
    counts: bool,
    end: End,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub fn new(counting: Counting) -> Self {
        Self {
            counting,
            seconds: 0.0,
            bytes: 0,
            errors: BTreeMap::new(),
            latency: empty(),
            service: empty(),
            receive_lag: empty(),
            unstamped: 0,
            counts: false,
            end: End::default(),
        }
    }

    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Interval(interval) => self.interval(interval),
            Line::Audit(audit) if self.counts => {
                if let Some(lag) = audit.receive_lag {
                    add(&mut self.receive_lag, &lag);
                }
                self.unstamped += audit.unstamped;
            }
            Line::End(end) => self.end = end,
            Line::Audit(_) | Line::Other => {}
        }
    }

    /// What the run came to.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let errors = self.errors.values().sum::<u64>();
        let cpu_us = float(self.end.cpu_user_ns + self.end.cpu_system_ns) / 1e3;
        let handled = self.end.transactions + errors - self.errors.get(MISSED).unwrap_or(&0);
        Summary {
            requests: self.latency.len(),
            errors,
            errors_by_kind: self.errors.clone(),
            seconds: self.seconds,
            bytes: self.bytes,
            latency_us: Times::of(&self.latency),
            service_us: Times::of(&self.service),
            receive_lag_us: Times::of(&self.receive_lag),
            server_mean_us: self.server_mean(),
            driver_limited: self.end.driver_limited,
            reason: self.end.limited_by.clone(),
            cpu_us_per_request: (handled > 0).then(|| cpu_us / float(handled)),
        }
    }

    /// Mean service time without the receive lag. Means can be subtracted, percentiles cannot; and only where requests
    /// and answers are the same ones: those that failed, and redirects, have a lag and no service time of their own.
    fn server_mean(&self) -> Option<f64> {
        let (requests, answers) = (self.service.len(), self.receive_lag.len() + self.unstamped);
        let alike = requests > 0 && requests.abs_diff(answers) * MOST_UNLIKE <= requests;
        let stamped = self.unstamped * MOST_UNLIKE <= answers;
        (alike && stamped).then(|| self.service.mean() - self.receive_lag.mean())
    }

    fn interval(&mut self, interval: Interval) {
        self.counts = match self.counting {
            Counting::AnsweredInTime => interval.phase == "measure",
            Counting::DueInTime => true,
        };
        if interval.missed > 0 {
            *self.errors.entry(MISSED.into()).or_default() += interval.missed;
        }
        if self.counts {
            self.seconds += float(interval.end_ns - interval.start_ns) / 1e9;
            self.bytes += interval.bytes_received;
        }
        for transaction in interval.transactions.into_values() {
            for (kind, count) in transaction.errors {
                *self.errors.entry(kind).or_default() += count;
            }
            if self.counts {
                add(&mut self.latency, &transaction.histogram);
                // In the closed model a request is meant to begin when it begins.
                add(&mut self.service, transaction.service.as_ref().unwrap_or(&transaction.histogram));
            }
        }
    }
}

fn empty() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}

fn add(sum: &mut Histogram<u64>, more: &Histogram<u64>) {
    sum.add(more).expect("the sum grows as it must");
}

#[expect(clippy::cast_precision_loss, reason = "no count comes near 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::lines::{Audit, Transaction};
    use super::*;

    fn times(count: u64, us: u64) -> Histogram<u64> {
        let mut times = empty();
        times.record_n(us, count).expect("it fits");
        times
    }

    /// What network and server took of requests of 10 ms, where the stamped answers lay in the kernel for 2 ms.
    fn server_mean(requests: u64, stamped: u64, unstamped: u64) -> Option<f64> {
        let transaction =
            Transaction { errors: BTreeMap::new(), histogram: times(requests, 10_000), service: None };
        let mut tally = Tally::new(Counting::AnsweredInTime);
        tally.add(Line::Interval(Interval {
            phase: "measure".into(),
            start_ns: 0,
            end_ns: 1,
            bytes_received: 0,
            missed: 0,
            transactions: BTreeMap::from([("page".into(), transaction)]),
        }));
        tally.add(Line::Audit(Audit { receive_lag: Some(times(stamped, 2_000)), unstamped }));
        tally.summary().server_mean_us
    }

    #[test]
    fn a_mean_is_split_where_nearly_every_answer_is_stamped_and_that_of_a_request() {
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
