//! Counts of one event loop, switched at the true ends of intervals.
//!
//! Every count carries the moment at which it happened. A count at or after the end of the interval first hands the
//! interval over, so that no stall of the loop moves a response into another interval.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender};

use super::counts::{Counts, Parts, Took};
use super::failure::{Failure, PerFailure, RequestOutcome};
use super::note::Note;
use super::processor::{ThreadMeter, ThreadUsage};
use crate::pace::{Interval, Moment, Slice, StopReason, Timetable};
use crate::workload::validation::WrongResponse;

/// Notes that are handed over together: 32 KB.
const NOTES_TOGETHER: usize = 1_024;

/// Failed checks of a kind that are shown: of each event loop, and of a run.
pub const CHECKS_SHOWN: u64 = 5;

/// What an event loop reports.
#[derive(Debug)]
pub enum Report {
    /// An interval is over.
    Interval(Record),
    /// A slice is over, and with it the interval before; at this moment nothing was in flight any more.
    Slice(Slice, Moment),
    /// A request has no complete response and will get none.
    Unanswered(Box<Unanswered>),
    /// A response failed a check.
    WrongCheck(Box<WrongCheck>),
    /// A step that identifies somebody was answered completely, or a reported call has an id.
    Response(Box<CompleteResponse>),
    /// Single transactions.
    Notes(Vec<Note>),
    /// The loop has ended. Its last interval is not over by the timetable.
    End(LoopEnd),
    /// The loop cannot work.
    Broken(io::Error),
}

/// Counts of one event loop in one interval.
#[derive(Debug)]
pub struct Record {
    /// Number of the event loop.
    pub thread: usize,
    /// The interval.
    pub interval: Interval,
    /// What was counted.
    pub counts: Box<Counts>,
    /// What the thread had of the CPUs since its start.
    pub usage: ThreadUsage,
    /// When the interval was handed over and `usage` was true: its end, or a little later.
    pub handed_over: Moment,
}

/// The end of an event loop.
#[derive(Debug)]
pub struct LoopEnd {
    /// Its last, unfinished interval.
    pub last: Record,
    /// When it ended.
    pub moment: Moment,
    /// What ended it early.
    pub stopped: Option<StopReason>,
}

/// A request of which at least one byte was sent and no complete response came.
#[derive(Debug)]
pub struct Unanswered {
    /// When the user gave it up.
    pub moment: Moment,
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Index of the step in the session.
    pub step: usize,
    /// Why there is no response.
    pub failure: Failure,
    /// Values of the step's `identify`, in its order.
    pub variables: Vec<String>,
}

/// A complete response to a step that identifies somebody, or a reported call with an id.
#[derive(Debug)]
pub struct CompleteResponse {
    /// When it was complete, or had failed a check.
    pub moment: Moment,
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Index of the step in the session.
    pub step: usize,
    /// Whether it passed every check.
    pub valid: bool,
    /// Values of the step's `identify`, in its order; of a reported call its id.
    pub variables: Vec<String>,
}

/// A complete response that failed a check: one of the first of its kind.
#[derive(Debug)]
pub struct WrongCheck {
    /// When it had failed.
    pub moment: Moment,
    /// Number of the user.
    pub user: u64,
    /// Number of the user's iteration.
    pub iteration: u64,
    /// Index of the step in the session.
    pub step: usize,
    /// Which check.
    pub failure: Failure,
    /// The request.
    pub request: String,
    /// The response.
    pub response: WrongResponse,
    /// Values of the step's `identify`, in its order.
    pub variables: Vec<String>,
}

/// Where the recorder's reports go and its empty counts come from.
#[derive(Debug)]
pub struct Channels {
    /// To the collector. Full only when nobody reads the lines; then the loop waits, and its lag tells.
    pub reports: SyncSender<Report>,
    /// Counts that the collector has written and reset.
    pub empty: Receiver<Box<Counts>>,
}

/// The recorder of one event loop.
#[derive(Debug)]
pub struct Recorder {
    thread: usize,
    timetable: Timetable,
    interval: Interval,
    users: u64,
    counts: Box<Counts>,
    channels: Channels,
    /// Made by the thread of the event loop when it first hands over.
    meter: Option<ThreadMeter>,
    /// Empty and without memory when nobody takes notes.
    notes: Vec<Note>,
    /// How many checks of each kind have failed.
    shown: PerFailure,
}

impl Recorder {
    /// A recorder for event loop number `thread`, counting so many transactions.
    #[must_use]
    pub fn new(thread: usize, timetable: Timetable, transactions: usize, channels: Channels) -> Self {
        let counts = Box::new(Counts::new(transactions));
        Self {
            thread,
            interval: timetable.first(),
            timetable,
            users: 0,
            counts,
            channels,
            meter: None,
            notes: Vec::new(),
            shown: PerFailure::default(),
        }
    }

    /// Counts of the interval that `now` belongs to.
    pub fn at(&mut self, now: Moment) -> &mut Counts {
        while now >= self.interval.end {
            self.hand_notes_over();
            let empty = self.channels.empty.try_recv();
            let empty = empty.unwrap_or_else(|_| Box::new(Counts::new(self.counts.transactions.len())));
            let record = self.take(empty, now);
            self.interval = self.timetable.after(&self.interval);
            self.send(Report::Interval(record));
        }
        &mut self.counts
    }

    /// A user starts.
    pub fn user_started(&mut self, now: Moment) {
        self.at(now);
        self.users += 1;
    }

    /// A user is finished.
    pub fn user_finished(&mut self, now: Moment) {
        self.at(now);
        self.users -= 1;
    }

    /// Counts when the parts of a valid transaction were there.
    pub fn parts(&mut self, now: Moment, transaction: usize, parts: Parts) {
        let times = self.at(now).transactions[transaction].parts.get_or_insert_default();
        times.first_byte.record(parts.first_byte);
        times.page.record(parts.page);
    }

    /// A transaction was valid.
    pub fn valid(&mut self, now: Moment, transaction: usize, took: Took) {
        self.at(now).transactions[transaction].valid(took);
    }

    /// A transaction failed.
    pub fn failed(&mut self, now: Moment, transaction: usize, failure: Failure, outcome: RequestOutcome) {
        self.at(now).transactions[transaction].failed(failure, outcome);
    }

    /// Takes a note of a transaction that ended at `end`; the phase of that moment is put into it.
    pub fn note(&mut self, end: Moment, note: Note) {
        self.at(end);
        if self.notes.capacity() == 0 {
            // Allocates once for so many transactions.
            self.notes.reserve_exact(NOTES_TOGETHER);
        }
        self.notes.push(Note { phase: self.interval.phase, ..note });
        if self.notes.len() == NOTES_TOGETHER {
            self.hand_notes_over();
        }
    }

    fn hand_notes_over(&mut self) {
        if !self.notes.is_empty() {
            let notes = std::mem::take(&mut self.notes);
            self.send(Report::Notes(notes));
        }
    }

    /// A request has no complete response.
    pub fn unanswered(&mut self, unanswered: Unanswered) {
        self.send(Report::Unanswered(Box::new(unanswered)));
    }

    /// Whether a check of this kind that fails now is to be shown; counts it.
    pub fn shows_check(&mut self, failure: Failure) -> bool {
        self.shown.count(failure);
        self.shown.of(failure) <= CHECKS_SHOWN
    }

    /// A response failed a check.
    pub fn wrong_check(&mut self, check: WrongCheck) {
        self.send(Report::WrongCheck(Box::new(check)));
    }

    /// A step that identifies somebody was answered completely, or a reported call has an id.
    pub fn response(&mut self, response: CompleteResponse) {
        self.send(Report::Response(Box::new(response)));
    }

    /// Hands over what was counted up to the end of a slice, so that no interval is longer than one.
    pub fn end_slice(&mut self, now: Moment, slice: Slice) {
        self.at(now);
        self.interval.end = now;
        // Hands the interval over, which is over now.
        self.at(now);
        self.send(Report::Slice(slice, now));
    }

    /// Hands the rest over: the event loop ends at `now`.
    pub fn end(&mut self, now: Moment, stopped: Option<StopReason>) {
        self.at(now);
        self.hand_notes_over();
        let last = self.take(Box::new(Counts::new(0)), now);
        self.send(Report::End(LoopEnd { last, moment: now, stopped }));
    }

    fn take(&mut self, empty: Box<Counts>, now: Moment) -> Record {
        self.counts.users = self.users;
        let counts = std::mem::replace(&mut self.counts, empty);
        let usage = self.meter.get_or_insert_with(ThreadMeter::of_this_thread).usage();
        Record { thread: self.thread, interval: self.interval, counts, usage, handed_over: now }
    }

    fn send(&self, report: Report) {
        // The collector is gone only when stdout is closed: then the process is about to end.
        let _ = self.channels.reports.send(report);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};
    use std::time::Duration;

    use super::*;
    use crate::pace::timetable::LevelLengths;

    const SECOND: u64 = 1_000_000_000;
    const QUICK: Took = Took { response: Duration::from_millis(1), service: None };

    fn recorder() -> (Recorder, Receiver<Report>) {
        let [ramp, settle, measure, drain] = [0, 0, 10, 0].map(Duration::from_secs);
        let timetable = Timetable::new(Moment::default(), &[LevelLengths { ramp, settle, measure }], drain);
        let (reports, received) = sync_channel(20);
        let channels = Channels { reports, empty: channel().1 };
        (Recorder::new(0, timetable, 1, channels), received)
    }

    /// Start of each interval handed over, valid transactions and users in it.
    fn counts_of(reports: &Receiver<Report>) -> Vec<(u64, u64, u64)> {
        let record = |report| match report {
            Report::Interval(record) | Report::End(LoopEnd { last: record, .. }) => record,
            other => panic!("{other:?}"),
        };
        let counts = |record: Record| {
            let valid = record.counts.transactions[0].times.count();
            (record.interval.start.nanos() / SECOND, valid, record.counts.users)
        };
        reports.try_iter().map(record).map(counts).collect()
    }

    #[test]
    fn a_response_belongs_to_the_interval_in_which_it_completed() {
        let (mut recorder, reports) = recorder();
        let response = |recorder: &mut Recorder, nanos| {
            recorder.valid(Moment::from_nanos(nanos), 0, QUICK);
        };
        recorder.user_started(Moment::from_nanos(5));
        response(&mut recorder, SECOND - 1);
        assert_eq!(counts_of(&reports), []);
        response(&mut recorder, SECOND);
        assert_eq!(counts_of(&reports), [(0, 1, 1)]);
        recorder.user_finished(Moment::from_nanos(2 * SECOND));
        assert_eq!(counts_of(&reports), [(1, 1, 1)], "finished in the next");
    }

    #[test]
    fn a_loop_that_stood_still_hands_over_every_interval_it_missed() {
        let (mut recorder, reports) = recorder();
        recorder.valid(Moment::from_nanos(1), 0, QUICK);
        recorder.end(Moment::from_nanos(3 * SECOND + 5), None);
        assert_eq!(counts_of(&reports), [(0, 1, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]);
    }
}
