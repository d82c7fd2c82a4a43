//! The sum of what all event loops counted, interval by interval.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;

use super::counts::Counts;
use super::failure::PerFailure;
use super::network::{NetworkCounters, NetworkMeter};
use super::processor::ThreadUsage;
use super::recorder::{LoopEnd, Record};
use super::window::Window;
use crate::pace::{Interval, Moment, StopReason};

/// Puts the records of the event loops together. An interval is over when every loop has handed it over or has ended.
#[derive(Debug)]
pub struct Collector {
    threads: Vec<ThreadRecords>,
    totals: Vec<Totals>,
    window: Window,
    network: NetworkMeter,
}

/// An interval, counted by all event loops.
#[derive(Debug)]
pub struct Finished {
    /// The interval; its end is true also where the timetable knew none.
    pub interval: Interval,
    /// What each event loop had of the CPUs since its start.
    pub usages: Vec<ThreadUsage>,
    /// The records of the loops; the first holds the sum.
    records: Vec<Record>,
}

/// Counts of one transaction over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Answered and valid.
    pub valid: u64,
    /// Answered completely, but not valid.
    pub invalid: u64,
    /// Without a complete response.
    pub unanswered: u64,
    /// Failures by kind.
    pub errors: PerFailure,
}

#[derive(Debug)]
struct ThreadRecords {
    waiting: VecDeque<Record>,
    ended: Option<(Moment, Option<StopReason>)>,
    usage: ThreadUsage,
    empty: Sender<Box<Counts>>,
}

impl Collector {
    /// A collector for event loops that start at `start` and take their empty counts from `empty`.
    #[must_use]
    pub fn new(empty: Vec<Sender<Box<Counts>>>, transactions: usize, start: Moment) -> Self {
        let window = Window::new(empty.len(), transactions, start);
        let usage = ThreadUsage::default();
        let thread = |empty| ThreadRecords { waiting: VecDeque::new(), ended: None, usage, empty };
        Self {
            window,
            network: NetworkMeter::start(),
            threads: empty.into_iter().map(thread).collect(),
            totals: vec![Totals::default(); transactions],
        }
    }

    /// Takes one record.
    pub fn add(&mut self, record: Record) {
        self.threads[record.thread].waiting.push_back(record);
    }

    /// Takes the last record of an event loop.
    pub fn end(&mut self, end: LoopEnd) {
        let thread = &mut self.threads[end.last.thread];
        thread.ended = Some((end.moment, end.stopped));
        thread.waiting.push_back(end.last);
    }

    /// The next interval that is over.
    pub fn take_finished(&mut self) -> Option<Finished> {
        if self.threads.iter().any(|thread| thread.waiting.is_empty() && thread.ended.is_none()) {
            return None;
        }
        let end = self.end_of_next()?;
        let mut records: Vec<Record> =
            self.threads.iter_mut().filter_map(|thread| thread.waiting.pop_front()).collect();
        for record in &records {
            self.threads[record.thread].usage = record.usage;
            self.window.read(record);
        }
        let (sum, others) = records.split_first_mut()?;
        for other in others {
            sum.counts.add(&other.counts);
        }
        // A run may be ended before it has begun.
        let interval = Interval { end: end.max(sum.interval.start), ..sum.interval };
        self.window.add(&interval, &records[0].counts);
        self.network.read(interval.phase);
        self.add_to_totals(&records[0].counts);
        Some(Finished { interval, usages: self.threads.iter().map(|thread| thread.usage).collect(), records })
    }

    /// Hands counts that have been written back to the event loops.
    pub fn give_back(&self, finished: Finished) {
        for mut record in finished.records {
            record.counts.reset();
            // An event loop that has ended needs none.
            let _ = self.threads[record.thread].empty.send(record.counts);
        }
    }

    /// True when every event loop has ended.
    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.threads.iter().all(|thread| thread.ended.is_some())
    }

    /// What ended the run early, if anything.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.threads.iter().find_map(|thread| thread.ended?.1)
    }

    /// Counts over the whole run, by transaction.
    #[must_use]
    pub fn totals(&self) -> &[Totals] {
        &self.totals
    }

    /// What the measured window has shown up to now.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// What TCP had to send again in the measured window, in the whole network namespace; nothing when the kernel does
    /// not tell.
    #[must_use]
    pub fn network(&self) -> Option<NetworkCounters> {
        self.network.window()
    }

    /// The end of the next interval: by the timetable if any loop has counted on beyond it, else when the last ended.
    fn end_of_next(&self) -> Option<Moment> {
        let ends = self.threads.iter().filter_map(|thread| {
            let record = thread.waiting.front()?;
            match thread.ended {
                Some((moment, _)) if thread.waiting.len() == 1 => Some(moment),
                _ => Some(record.interval.end),
            }
        });
        ends.max()
    }

    fn add_to_totals(&mut self, counts: &Counts) {
        for (total, more) in self.totals.iter_mut().zip(&counts.transactions) {
            total.valid += more.times.count();
            total.invalid += more.invalid;
            total.unanswered += more.unanswered;
            total.errors.add(&more.errors);
        }
    }
}

impl Finished {
    /// The sum of all event loops.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.records[0].counts
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::measure::counts::Took;
    use crate::pace::timetable::LevelLengths;
    use crate::pace::{Phase, Timetable};

    fn collector(threads: usize) -> Collector {
        Collector::new((0..threads).map(|_| channel().0).collect(), 1, Moment::default())
    }

    fn first_interval() -> Interval {
        let [ramp, settle, measure, drain] = [0, 0, 3, 3].map(Duration::from_secs);
        Timetable::new(Moment::default(), &[LevelLengths { ramp, settle, measure }], drain).first()
    }

    fn record(thread: usize, valid: usize) -> Record {
        let mut counts = Box::new(Counts::new(1));
        let took = Took { response: Duration::from_millis(1), service: None };
        (0..valid).for_each(|_| counts.transactions[0].valid(took));
        let (usage, interval) = (ThreadUsage::default(), first_interval());
        Record { thread, interval, counts, usage, handed_over: interval.end }
    }

    #[test]
    fn an_interval_is_over_when_every_loop_has_handed_it_over() {
        let mut collector = collector(2);
        collector.add(record(0, 3));
        assert!(collector.take_finished().is_none());
        collector.add(record(1, 4));
        let finished = collector.take_finished().expect("both are there");
        assert_eq!(finished.counts().transactions[0].times.count(), 7);
        assert_eq!(finished.interval.end, Moment::from_nanos(1_000_000_000));
        assert_eq!(collector.totals()[0].valid, 7);
    }

    #[test]
    fn the_last_interval_ends_when_the_last_loop_ended() {
        let mut collector = collector(2);
        for (thread, end) in [(0, 500_000_000), (1, 700_000_000)] {
            let moment = Moment::from_nanos(end);
            collector.end(LoopEnd { last: record(thread, 1), moment, stopped: None });
        }
        let finished = collector.take_finished().expect("both have ended");
        assert_eq!(finished.interval.end, Moment::from_nanos(700_000_000));
        assert_eq!(finished.interval.phase, Phase::Measure);
        assert!(collector.all_ended() && collector.take_finished().is_none());
    }

    #[test]
    fn a_loop_that_has_ended_does_not_hold_up_the_others() {
        let mut collector = collector(2);
        let moment = Moment::from_nanos(400_000_000);
        collector.end(LoopEnd { last: record(0, 1), moment, stopped: Some(StopReason::Lease) });
        collector.add(record(1, 1));
        let finished = collector.take_finished().expect("one has ended, one has handed over");
        assert_eq!(finished.interval.end, Moment::from_nanos(1_000_000_000));
        collector.add(record(1, 1));
        assert!(collector.take_finished().is_some());
        assert_eq!(collector.stopped(), Some(StopReason::Lease));
    }
}
