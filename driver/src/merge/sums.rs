//! The sums of what several drivers counted.

use std::borrow::Cow;

use crate::measure::histogram::{Encoded, Encoder, Times};
use crate::output::by_name::ByName;
use crate::output::line::{
    ArrivalsLine, HandshakesLine, IntervalLine, LatenessLine, SubResourcesLine, TransactionLine, WindowLine,
};

/// Adds; keeps what it needs for that.
#[derive(Default)]
pub struct Sums {
    times: Times<u64>,
    encoder: Encoder,
}

/// Which of what was to be added holds a histogram that cannot be read.
pub type Broken = usize;

impl Sums {
    /// The counts of one interval of several drivers; `start` is when the merged load begins, and the intervals count
    /// from when theirs do. There is at least one, and all have the same transactions.
    pub fn intervals(
        &mut self,
        lines: &[(&IntervalLine<'_>, u64)],
        start: u64,
    ) -> Result<IntervalLine<'static>, Broken> {
        let (first, begun) = lines[0];
        let sum = |of: fn(&IntervalLine<'_>) -> u64| lines.iter().map(|(line, _)| of(line)).sum();
        let ends = lines.iter().map(|(line, begun)| start + line.end_ns.saturating_sub(*begun));
        Ok(IntervalLine {
            phase: first.phase,
            level: first.level,
            start_ns: start + first.start_ns.saturating_sub(begun),
            end_ns: ends.max().unwrap_or_default(),
            users: sum(|line| line.users),
            iterations: sum(|line| line.iterations),
            failed: sum(|line| line.failed),
            abandoned: first.abandoned.map(|_| sum(|line| line.abandoned.unwrap_or_default())),
            connections: sum(|line| line.connections),
            reconnected: sum(|line| line.reconnected),
            odd_responses: sum(|line| line.odd_responses),
            tls: handshakes(lines),
            requests: sum(|line| line.requests),
            bytes_sent: sum(|line| line.bytes_sent),
            bytes_received: sum(|line| line.bytes_received),
            responses: sum(|line| line.responses),
            body_bytes: sum(|line| line.body_bytes),
            arrivals: first.arrivals.as_ref().map(|_| ArrivalsLine {
                waited: sum(|line| line.arrivals.as_ref().map_or(0, |arrivals| arrivals.waited)),
                missed: sum(|line| line.arrivals.as_ref().map_or(0, |arrivals| arrivals.missed)),
            }),
            sub_resources: first.sub_resources.as_ref().map(|_| SubResourcesLine {
                sub_resources: sum(|line| line.sub_resources.as_ref().map_or(0, |all| all.sub_resources)),
                sub_resources_validated: sum(|line| {
                    line.sub_resources.as_ref().map_or(0, |all| all.sub_resources_validated)
                }),
                sub_resources_cached: sum(|line| {
                    line.sub_resources.as_ref().map_or(0, |all| all.sub_resources_cached)
                }),
            }),
            transactions: self.transactions(lines)?,
        })
    }

    /// The window of one level of several drivers, as [`Sums::intervals`].
    pub fn windows(
        &mut self,
        lines: &[(&WindowLine<'_>, u64)],
        start: u64,
    ) -> Result<WindowLine<'static>, Broken> {
        let counts: Vec<_> = lines.iter().map(|(line, begun)| (&line.counts, *begun)).collect();
        let lateness: Vec<_> = lines.iter().map(|(line, _)| &line.lateness).collect();
        Ok(WindowLine {
            counts: self.intervals(&counts, start)?,
            cpu_user_ns: lines.iter().map(|(line, _)| line.cpu_user_ns).sum(),
            cpu_system_ns: lines.iter().map(|(line, _)| line.cpu_system_ns).sum(),
            lateness: self.lateness(&lateness)?,
        })
    }

    /// How late several drivers were.
    pub fn lateness(&mut self, lines: &[&LatenessLine]) -> Result<LatenessLine, Broken> {
        Ok(LatenessLine {
            lateness: self.histogram(lines.iter().map(|line| Some(&line.lateness)))?,
            lag: self.histogram(lines.iter().map(|line| Some(&line.lag)))?,
            receive_lag: self.perhaps(lines.iter().map(|line| line.receive_lag.as_ref()))?,
            unstamped: lines[0].unstamped.map(|_| lines.iter().filter_map(|line| line.unstamped).sum()),
        })
    }

    fn transactions(
        &mut self,
        lines: &[(&IntervalLine<'_>, u64)],
    ) -> Result<ByName<'static, TransactionLine>, Broken> {
        let mut others: Vec<_> = lines.iter().map(|(line, _)| line.transactions.iter()).collect();
        let mut merged = Vec::new();
        for (name, _) in lines[0].0.transactions.iter() {
            // All have the same, in the same order.
            let own: Vec<&TransactionLine> =
                others.iter_mut().filter_map(Iterator::next).map(|(_, line)| line).collect();
            merged.push((Cow::Owned(name.to_owned()), self.transaction(&own)?));
        }
        Ok(ByName::owned(merged))
    }

    fn transaction(&mut self, lines: &[&TransactionLine]) -> Result<TransactionLine, Broken> {
        let mut errors = ByName::default();
        for line in lines {
            errors.add(&line.errors);
        }
        Ok(TransactionLine {
            count: lines.iter().map(|line| line.count).sum(),
            errors,
            histogram: self.histogram(lines.iter().map(|line| Some(&line.histogram)))?,
            service: self.perhaps(lines.iter().map(|line| line.service.as_ref()))?,
            first_byte: self.perhaps(lines.iter().map(|line| line.first_byte.as_ref()))?,
            page: self.perhaps(lines.iter().map(|line| line.page.as_ref()))?,
        })
    }

    /// The sum of histograms that the lines may have; nothing when they have none.
    fn perhaps<'a>(
        &mut self,
        parts: impl Iterator<Item = Option<&'a Encoded>> + Clone,
    ) -> Result<Option<Encoded>, Broken> {
        if parts.clone().flatten().next().is_none() { Ok(None) } else { self.histogram(parts).map(Some) }
    }

    fn histogram<'a>(&mut self, parts: impl Iterator<Item = Option<&'a Encoded>>) -> Result<Encoded, Broken> {
        self.times.reset();
        for (place, part) in parts.enumerate() {
            if part.is_some_and(|part| !self.times.add_encoded(part)) {
                return Err(place);
            }
        }
        Ok(self.encoder.encode(&self.times))
    }
}

fn handshakes(lines: &[(&IntervalLine<'_>, u64)]) -> Vec<HandshakesLine<'static>> {
    let mut sums: Vec<HandshakesLine<'static>> = Vec::new();
    for one in lines.iter().flat_map(|(line, _)| &line.tls) {
        match sums.iter_mut().find(|sum| sum.version == one.version && sum.cipher == one.cipher) {
            Some(sum) => {
                sum.full += one.full;
                sum.resumed += one.resumed;
            }
            None => sums.push(HandshakesLine {
                version: Cow::Owned(one.version.to_string()),
                cipher: Cow::Owned(one.cipher.to_string()),
                full: one.full,
                resumed: one.resumed,
            }),
        }
    }
    sums
}
