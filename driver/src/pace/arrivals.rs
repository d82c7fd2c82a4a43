//! The timetable of the open model: when each arrival is due, whatever the server does.

use std::time::Duration;

use super::clock::Moment;

/// A stretch of time over which the rate of arrivals goes evenly from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Its length.
    pub length: Duration,
    /// Arrivals per second at its beginning.
    pub from: f64,
    /// Arrivals per second at its end.
    pub to: f64,
}

/// The moments at which arrivals are due, in their order.
///
/// Arrivals are the points of a process of rate 1, `marks`, put on the time axis by the rate wanted: an arrival is due
/// when the integral of the rate reaches its mark (Çınlar, "Introduction to Stochastic Processes", 1975). So they are
/// fixed by the plan alone and need no memory, however long the run is.
#[derive(Clone, Debug)]
pub struct Arrivals<M> {
    marks: M,
    slopes: Vec<Slope>,
    /// Index of the slope on which the last arrival was.
    current: usize,
    /// When it begins.
    start: Moment,
    /// The integral of the rate up to there.
    reached: f64,
}

impl<M> Arrivals<M> {
    /// Arrivals from `start` on over these slopes, one for each of the increasing `marks`.
    #[must_use]
    pub fn new(start: Moment, slopes: Vec<Slope>, marks: M) -> Self {
        Self { marks, slopes, current: 0, start, reached: 0.0 }
    }
}

impl<M: Iterator<Item = f64>> Iterator for Arrivals<M> {
    type Item = Moment;

    fn next(&mut self) -> Option<Moment> {
        let mark = self.marks.next()?;
        loop {
            let slope = self.slopes.get(self.current)?;
            let area = slope.area();
            if mark < self.reached + area {
                return Some(self.start + slope.time_of(mark - self.reached));
            }
            self.reached += area;
            self.start = self.start + slope.length;
            self.current += 1;
        }
    }
}

impl Slope {
    /// Arrivals over the whole slope.
    fn area(&self) -> f64 {
        f64::midpoint(self.from, self.to) * self.length.as_secs_f64()
    }

    /// When the integral of the rate reaches `area`, which is less than that of the whole slope.
    ///
    /// `from · t + gain · t²/2 = area`, solved in the form that holds without a gain too and never subtracts what is
    /// nearly equal.
    fn time_of(&self, area: f64) -> Duration {
        let gain = (self.to - self.from) / self.length.as_secs_f64();
        let root = (self.from * self.from + 2.0 * gain * area).max(0.0).sqrt();
        let seconds = 2.0 * area / (self.from + root);
        // Zero by zero: the first arrival of a slope that begins at rate 0.
        Duration::from_secs_f64(if seconds.is_finite() { seconds } else { 0.0 }).min(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(milliseconds: u64, from: f64, to: f64) -> Slope {
        Slope { length: Duration::from_millis(milliseconds), from, to }
    }

    fn milliseconds(slopes: &[Slope]) -> Vec<u64> {
        let marks = (0..).map(f64::from);
        let arrivals = Arrivals::new(Moment::from_nanos(7_000_000), slopes.to_vec(), marks);
        arrivals.map(|moment| (moment.nanos() + 500_000) / 1_000_000 - 7).collect()
    }

    #[test]
    fn arrivals_of_a_constant_rate_are_equally_far_apart() {
        assert_eq!(milliseconds(&[slope(1_000, 5.0, 5.0)]), [0, 200, 400, 600, 800]);
    }

    #[test]
    fn a_rate_that_climbs_from_zero_reaches_half_its_arrivals() {
        // t²/2 · 8/s² = n, so t = √n / 2 s.
        assert_eq!(milliseconds(&[slope(1_000, 0.0, 8.0)]), [0, 500, 707, 866]);
    }

    #[test]
    fn a_rate_that_falls_to_zero_mirrors_one_that_climbs() {
        // 8 t − 4 t² = n, so t = 1 − √(1 − n/4) s.
        assert_eq!(milliseconds(&[slope(1_000, 8.0, 0.0)]), [0, 134, 293, 500]);
    }

    #[test]
    fn slopes_follow_each_other_without_a_gap_and_empty_ones_are_stepped_over() {
        let slopes = [slope(0, 0.0, 5.0), slope(300, 5.0, 5.0), slope(500, 0.0, 0.0), slope(300, 5.0, 5.0)];
        assert_eq!(milliseconds(&slopes), [0, 200, 900]);
    }
}
