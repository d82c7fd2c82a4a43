//! Histograms of times: microseconds, 1 µs to 120 s, three significant digits.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer as HistogramReader, Serializer as _, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram};
use serde::{Deserialize, Serialize};

const LOWEST_US: u64 = 1;
const HIGHEST_US: u64 = 120_000_000;
const DIGITS: u8 = 3;

/// A count of a histogram. Those of an interval fit 32 bits; the sums of a long run need 64.
pub trait Count: Counter {
    /// This many, or the most that it can count.
    fn of(number: u64) -> Self;
}

impl Count for u32 {
    fn of(number: u64) -> Self {
        Self::try_from(number).unwrap_or(Self::MAX)
    }
}

impl Count for u64 {
    fn of(number: u64) -> Self {
        number
    }
}

/// A histogram of times.
#[derive(Clone, Debug)]
pub struct Times<C: Count = u32>(Histogram<C>);

impl<C: Count> Times<C> {
    /// An empty histogram.
    ///
    /// # Panics
    /// Never: the bounds are constants that the library accepts.
    #[must_use]
    pub fn new() -> Self {
        Self(Histogram::new_with_bounds(LOWEST_US, HIGHEST_US, DIGITS).expect("constant bounds are valid"))
    }

    /// Records one time, rounded to the microsecond; what lies outside the bounds counts as the bound.
    pub fn record(&mut self, time: Duration) {
        let microseconds = (time + Duration::from_nanos(500)).as_micros();
        let microseconds = u64::try_from(microseconds).unwrap_or(HIGHEST_US);
        self.0.saturating_record(microseconds.clamp(LOWEST_US, HIGHEST_US));
    }

    /// Adds all times of `other`.
    pub fn add<D: Count>(&mut self, other: &Times<D>) {
        self.add_histogram(&other.0);
    }

    /// Adds the times of an encoded histogram. False when the text is none.
    #[must_use]
    pub fn add_encoded(&mut self, other: &Encoded) -> bool {
        other.decode().map(|other| self.add_histogram(&other)).is_some()
    }

    fn add_histogram<D: Counter>(&mut self, other: &Histogram<D>) {
        for found in other.iter_recorded() {
            // Both have the same bounds, so that each value has the same place in both.
            self.0.saturating_record_n(found.value_iterated_to(), C::of(found.count_at_value().as_u64()));
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// The time that this share of the times does not exceed, in milliseconds; 0 when there is none.
    #[must_use]
    pub fn percentile_ms(&self, share: f64) -> f64 {
        milliseconds(self.0.value_at_quantile(share))
    }

    /// The largest time in milliseconds, rounded up to what the histogram tells apart; 0 when there is none.
    #[must_use]
    pub fn max_ms(&self) -> f64 {
        milliseconds(self.0.max())
    }

    /// The mean in milliseconds; 0 when there is none.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.0.mean() / 1_000.0
    }

    /// How many times are recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }
}

impl<C: Count> Default for Times<C> {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 120 s in microseconds")]
fn milliseconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1_000.0
}

/// A histogram as the lines hold it: V2, deflated, base64.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Encoded(String);

impl Encoded {
    /// The histogram of microseconds; nothing when the text is none.
    #[must_use]
    pub fn decode(&self) -> Option<Histogram<u64>> {
        let bytes = STANDARD.decode(&self.0).ok()?;
        HistogramReader::new().deserialize(&mut bytes.as_slice()).ok()
    }
}

/// Writes histograms as `HISTFAAA…`; keeps its buffers between them.
#[derive(Default)]
pub struct Encoder {
    serializer: V2DeflateSerializer,
    bytes: Vec<u8>,
}

impl Encoder {
    /// The histogram as V2, deflated, base64.
    ///
    /// # Panics
    /// Never: writing to memory does not fail, and the counts fit the format.
    pub fn encode<C: Count>(&mut self, times: &Times<C>) -> Encoded {
        self.bytes.clear();
        self.serializer.serialize(&times.0, &mut self.bytes).expect("a histogram fits its own format");
        Encoded(STANDARD.encode(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_histogram_decodes_to_the_same_times() {
        let mut times: Times = Times::new();
        for milliseconds in 1..=1_000 {
            times.record(Duration::from_millis(milliseconds));
        }
        times.record(Duration::from_secs(3_600));
        times.record(Duration::ZERO);
        let encoded = Encoder::default().encode(&times);
        assert!(encoded.0.starts_with("HISTFAAA"), "{encoded:?}");
        let decoded = encoded.decode().expect("V2");
        assert_eq!(decoded.len(), 1_002);
        assert_eq!(decoded.min(), 1);
        assert!(decoded.max().abs_diff(HIGHEST_US) < HIGHEST_US / 1_000);
        assert!(decoded.value_at_quantile(0.5).abs_diff(500_000) < 1_000);
    }

    #[test]
    fn a_sum_holds_more_than_the_counts_of_one_interval_can() {
        let mut interval: Times = Times::new();
        interval.0.record_n(70, u32::MAX).expect("in its bounds");
        interval.record(Duration::from_millis(3));
        let mut sum: Times<u64> = Times::new();
        sum.add(&interval);
        assert!(sum.add_encoded(&Encoder::default().encode(&interval)));
        assert_eq!(
            (sum.count(), sum.0.count_at(70)),
            (2 * (u64::from(u32::MAX) + 1), 2 * u64::from(u32::MAX))
        );
        assert!(!sum.add_encoded(&Encoded("nonsense".into())));
    }
}
