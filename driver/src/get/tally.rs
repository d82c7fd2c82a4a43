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
            counts: false,
            end: End::default(),
        }
    }

    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Interval(interval) => self.interval(interval),
            Line::Audit(audit) => {
                if let Some(lag) = audit.receive_lag.filter(|_| self.counts) {
                    add(&mut self.receive_lag, &lag);
                }
            }
            Line::End(end) => self.end = end,
            Line::Other => {}
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
        let (requests, answers) = (self.service.len(), self.receive_lag.len());
        let alike = requests > 0 && requests.abs_diff(answers) * MOST_UNLIKE <= requests;
        alike.then(|| self.service.mean() - self.receive_lag.mean())
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
