//! Sums up the lines of a run.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::lines::{End, Interval, Line};
use super::summary::{Summary, Times};

/// The kind of error of a request that was due and never sent, for want of a free connection.
const MISSED: &str = "missed";

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
            end: End::default(),
        }
    }

    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Interval(interval) => self.interval(interval),
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
            driver_limited: self.end.driver_limited,
            reason: self.end.limited_by.clone(),
            cpu_us_per_request: (handled > 0).then(|| cpu_us / float(handled)),
        }
    }

    fn interval(&mut self, interval: Interval) {
        let counts = match self.counting {
            Counting::AnsweredInTime => interval.phase == "measure",
            Counting::DueInTime => true,
        };
        if interval.missed > 0 {
            *self.errors.entry(MISSED.into()).or_default() += interval.missed;
        }
        if counts {
            self.seconds += float(interval.end_ns - interval.start_ns) / 1e9;
            self.bytes += interval.bytes_received;
        }
        for transaction in interval.transactions.into_values() {
            for (kind, count) in transaction.errors {
                *self.errors.entry(kind).or_default() += count;
            }
            if counts {
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
