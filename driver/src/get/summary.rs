//! What a `get` came to: one JSON object, or a table.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use hdrhistogram::Histogram;
use serde::Serialize;

/// The result. Written as JSON it is what `docs/reference/driver.md` describes.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Valid responses.
    pub requests: u64,
    /// Failures, and requests that were due and never sent.
    pub errors: u64,
    /// By kind.
    pub errors_by_kind: BTreeMap<String, u64>,
    /// Kept connections that the server had closed in that time, so that they were made anew.
    pub reconnected: u64,
    /// Responses that were not quite HTTP.
    pub odd_responses: u64,
    /// The time in which the requests were counted.
    pub seconds: f64,
    /// Bytes of responses in that time.
    #[serde(skip)]
    pub bytes: u64,
    /// From the moment a request was to be sent to the last byte of its response; nothing when no response was valid.
    pub latency_us: Option<Times>,
    /// From the moment a request was sent; the same as `latency_us` without a rate.
    pub service_us: Option<Times>,
    /// How long the last byte of each response lay in the kernel before the driver read it; nothing without stamps.
    pub receive_lag_us: Option<Times>,
    /// Mean of `service_us` without that of `receive_lag_us`: what network and server took. Nothing without stamps, or
    /// where requests and responses are not one to one.
    pub server_mean_us: Option<f64>,
    /// CPU time of the driver for each request, in microseconds; nothing when there was none.
    pub cpu_us_per_request: Option<f64>,
    /// Whether the driver was the limit; nothing when the run ended before it could tell.
    pub driver_limited: Option<bool>,
    /// Why it was.
    pub reason: Option<String>,
}

/// A distribution of times, microseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Times {
    /// Mean.
    pub mean: f64,
    /// Half of them are at most this long.
    pub p50: u64,
    /// 90 %.
    pub p90: u64,
    /// 95 %.
    pub p95: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p999: u64,
    /// The longest.
    pub max: u64,
}

impl Times {
    /// The distribution in a histogram of microseconds; nothing when it is empty.
    #[must_use]
    pub fn of(histogram: &Histogram<u64>) -> Option<Self> {
        (!histogram.is_empty()).then(|| Self {
            mean: histogram.mean(),
            p50: histogram.value_at_quantile(0.5),
            p90: histogram.value_at_quantile(0.9),
            p95: histogram.value_at_quantile(0.95),
            p99: histogram.value_at_quantile(0.99),
            p999: histogram.value_at_quantile(0.999),
            max: histogram.max(),
        })
    }

    fn row(&self, name: &str, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "\n{name:9}")?;
        for time in self.columns() {
            write!(out, " {:>9}", readable(time))?;
        }
        Ok(())
    }

    fn columns(&self) -> [f64; 7] {
        let whole = [self.p50, self.p90, self.p95, self.p99, self.p999, self.max];
        let mut columns = [self.mean; 7];
        for (column, value) in columns[1..].iter_mut().zip(whole) {
            *column = float(value);
        }
        columns
    }
}

impl Display for Summary {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let each_second = float(self.requests) / self.seconds;
        let megabytes = float(self.bytes) / self.seconds / 1e6;
        writeln!(
            out,
            "requests  {} in {:.2} s: {each_second:.1}/s, {megabytes:.2} MB/s",
            self.requests, self.seconds
        )?;
        write!(out, "errors    {}", self.errors)?;
        for (number, (kind, count)) in self.errors_by_kind.iter().enumerate() {
            write!(out, "{}{kind} {count}", if number == 0 { ": " } else { ", " })?;
        }
        writeln!(out)?;
        for (count, what) in [
            (self.reconnected, "connections that the server had closed were made anew"),
            (self.odd_responses, "responses were not quite HTTP, and read as browsers do"),
        ] {
            if count > 0 {
                writeln!(out, "          {count} {what}")?;
            }
        }
        if let Some(cpu) = self.cpu_us_per_request {
            writeln!(out, "driver    {cpu:.2} µs of CPU time for each request")?;
        }
        if self.driver_limited == Some(true) {
            let why = self.reason.as_deref().unwrap_or("the reason is not in its lines");
            writeln!(out, "          the driver was the limit: {why}")?;
        }
        let (Some(latency), Some(service)) = (&self.latency_us, &self.service_us) else { return Ok(()) };
        write!(out, "\n{:9}", "")?;
        for name in ["mean", "p50", "p90", "p95", "p99", "p99.9", "max"] {
            write!(out, " {name:>9}")?;
        }
        latency.row("latency", out)?;
        service.row("service", out)?;
        if let Some(lag) = &self.receive_lag_us {
            lag.row("lag", out)?;
        }
        if let Some(server) = self.server_mean_us {
            let (server, service) = (readable(server), readable(service.mean));
            write!(
                out,
                "\n\nof the mean service time, {service}, network and server took {server}; lag is the driver's"
            )?;
        }
        writeln!(out)
    }
}

/// A time in the unit in which it is read most easily.
#[must_use]
pub fn readable(microseconds: f64) -> String {
    match microseconds {
        ..1e3 => format!("{microseconds:.0} µs"),
        ..1e4 => format!("{:.2} ms", microseconds / 1e3),
        ..1e6 => format!("{:.1} ms", microseconds / 1e3),
        _ => format!("{:.2} s", microseconds / 1e6),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no count comes near 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_a_unit_that_suits_it() {
        for (microseconds, text) in
            [(7.4, "7 µs"), (1_234.0, "1.23 ms"), (12_345.0, "12.3 ms"), (2_500_000.0, "2.50 s")]
        {
            assert_eq!(readable(microseconds), text);
        }
    }

    #[test]
    fn percentiles_are_those_of_the_histogram() {
        let mut histogram = Histogram::new(3).expect("three digits");
        for microseconds in 1..=1_000 {
            histogram.record(microseconds).expect("it fits");
        }
        let times = Times::of(&histogram).expect("it is not empty");
        assert!((times.mean - 500.5).abs() < 0.5, "{}", times.mean);
        let found = [times.p50, times.p90, times.p95, times.p99, times.p999, times.max];
        assert_eq!(found, [500, 900, 950, 990, 999, 1_000]);
    }
}
