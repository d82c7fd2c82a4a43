//! One line that says how it goes, written over again each second.

use std::io::{self, IsTerminal, Stderr, Write};

use super::summary::readable;
use crate::output::line::{AnyLine, IntervalLine};

/// Back to the beginning of the line, and nothing on it.
const EMPTY_LINE: &str = "\r\x1b[K";

/// The line, or nothing where nobody looks.
#[derive(Debug)]
pub struct LiveLine<W> {
    out: Option<W>,
}

impl LiveLine<Stderr> {
    /// On stderr when that is a terminal.
    #[must_use]
    pub fn on_terminal() -> Self {
        let stderr = io::stderr();
        Self { out: stderr.is_terminal().then_some(stderr) }
    }
}

impl<W: Write> LiveLine<W> {
    /// Shows the interval that is over.
    pub fn show(&mut self, line: &AnyLine) {
        if let (Some(out), AnyLine::Interval(interval)) = (&mut self.out, line) {
            // A terminal that is gone must not end the measurement.
            let _ = write!(out, "{EMPTY_LINE}{}", text(interval)).and_then(|()| out.flush());
        }
    }

    /// Leaves the line empty.
    pub fn clear(&mut self) {
        if let Some(out) = &mut self.out {
            let _ = write!(out, "{EMPTY_LINE}").and_then(|()| out.flush());
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no count comes near 2^53")]
fn text(interval: &IntervalLine<'_>) -> String {
    let seconds = (interval.end_ns - interval.start_ns) as f64 / 1e9;
    let mut valid = 0;
    let (mut errors, mut p99) = (0, 0);
    for transaction in interval.transactions.values() {
        valid += transaction.count;
        p99 = p99.max(transaction.histogram.decode().map_or(0, |times| times.value_at_quantile(0.99)));
        errors += transaction.errors.total();
    }
    format!(
        "{:3.0} s  {:.0} requests/s  p99 {}  {errors} errors",
        interval.end_ns as f64 / 1e9,
        valid as f64 / seconds,
        readable(p99 as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::histogram::{Encoder, Times};
    use serde_json::json;
    use std::time::Duration;

    fn second() -> AnyLine {
        let mut times: Times = Times::new();
        (0..50).for_each(|_| times.record(Duration::from_millis(4)));
        let line = json!({
            "type": "interval", "phase": "measure", "start_ns": 2_000_000_000u64, "end_ns": 3_000_000_000u64,
            "users": 1, "iterations": 1, "failed": 0, "connections": 1, "bytes_sent": 3, "bytes_received": 5,
            "transactions": {"get": {"count": 50, "errors": {"status": 2}, "histogram": Encoder::default().encode(&times)}},
        });
        serde_json::from_value(line).expect("a line")
    }

    #[test]
    fn each_second_is_shown_over_the_one_before() {
        let mut live = LiveLine { out: Some(Vec::new()) };
        live.show(&second());
        live.show(&AnyLine::Other);
        live.clear();
        let shown = String::from_utf8(live.out.expect("what was shown")).expect("text");
        assert_eq!(shown, "\r\x1b[K  3 s  50 requests/s  p99 4.00 ms  2 errors\r\x1b[K");
    }
}
