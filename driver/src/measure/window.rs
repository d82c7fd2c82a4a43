//! What the measured window showed, over all its intervals: what the self-audit rests on.

use std::time::Duration;

use super::counts::Counts;
use super::failure::Failure;
use super::histogram::Times;
use super::processor::ThreadUsage;
use super::recorder::Record;
use crate::pace::{Interval, Moment, Phase};

/// Sums over the measured window.
#[derive(Clone, Debug)]
pub struct Window {
    /// Its length up to now.
    pub length: Duration,
    /// Users, summed over its time: users × seconds.
    pub user_seconds: f64,
    /// Valid transactions by transaction.
    pub valid: Vec<u64>,
    /// Failed transactions.
    pub failed: u64,
    /// Those of them for which no local port was left.
    pub without_a_port: u64,
    /// Response times of all valid transactions.
    pub times: Times<u64>,
    /// How late think times and starts fired.
    pub lateness: Times<u64>,
    /// How late the tick of the event loops fired.
    pub lag: Times<u64>,
    /// How long the last bytes of responses lay in the kernel; nothing when it stamped none.
    pub receive_lag: Option<Times<u64>>,
    threads: Vec<Stretch>,
    users: u64,
}

/// What one event loop had of the CPUs in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadWindow {
    /// From the reading before the window to the last one in it.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
    /// Time in the run queue; nothing when the kernel does not tell.
    pub run_queue: Option<Duration>,
}

/// Two readings of a thread's usage.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    before: (Moment, ThreadUsage),
    last: (Moment, ThreadUsage),
    /// The busiest measured window of an earlier level.
    worst: ThreadWindow,
}

impl Window {
    /// An empty window of so many event loops, which start at `start`, and transactions.
    #[must_use]
    pub fn new(threads: usize, transactions: usize, start: Moment) -> Self {
        // A thread that has just started has used nothing, and its kernel tells the time in the run queue or does not.
        let reading = (start, ThreadUsage { cpu_ns: 0, run_queue_ns: Some(0) });
        Self {
            length: Duration::ZERO,
            user_seconds: 0.0,
            valid: vec![0; transactions],
            failed: 0,
            without_a_port: 0,
            times: Times::new(),
            lateness: Times::new(),
            lag: Times::new(),
            receive_lag: None,
            threads: vec![
                Stretch { before: reading, last: reading, worst: ThreadWindow::default() };
                threads
            ],
            users: 0,
        }
    }

    /// Reads how much of the CPUs a thread has had when it handed `record` over.
    pub fn read(&mut self, record: &Record) {
        let thread = &mut self.threads[record.thread];
        let reading = (record.handed_over, record.usage);
        match record.interval.phase {
            Phase::Ramp | Phase::Settle => {
                let worst = thread.worst();
                *thread = Stretch { before: reading, last: reading, worst };
            }
            Phase::Measure => thread.last = reading,
            Phase::Drain => {}
        }
    }

    /// Adds an interval, counted by all event loops.
    pub fn add(&mut self, interval: &Interval, counts: &Counts) {
        let users_before = std::mem::replace(&mut self.users, counts.users);
        if interval.phase != Phase::Measure {
            return;
        }
        let length = interval.end - interval.start;
        self.length += length;
        // Users come and go evenly, so that the mean of both ends is the mean over the interval.
        #[expect(clippy::cast_precision_loss, reason = "2^53 users are enough")]
        let users = (users_before + counts.users) as f64 / 2.0;
        self.user_seconds += users * length.as_secs_f64();
        for (valid, transaction) in self.valid.iter_mut().zip(&counts.transactions) {
            *valid += transaction.times.count();
            self.failed += transaction.errors.total();
            self.without_a_port += transaction.errors.of(Failure::LocalPorts);
            self.times.add(&transaction.times);
        }
        self.lateness.add(&counts.lateness);
        self.lag.add(&counts.lag);
        if let Some(receive_lag) = &counts.receive_lag {
            self.receive_lag.get_or_insert_default().add(receive_lag);
        }
    }

    /// Users, on average over the window; 0 without a window.
    #[must_use]
    pub fn mean_users(&self) -> f64 {
        let seconds = self.length.as_secs_f64();
        if seconds > 0.0 { self.user_seconds / seconds } else { 0.0 }
    }

    /// What each event loop had of the CPUs; of several levels the one at which it had least to spare.
    pub fn threads(&self) -> impl Iterator<Item = ThreadWindow> {
        self.threads.iter().map(Stretch::worst)
    }
}

impl Stretch {
    fn worst(&self) -> ThreadWindow {
        let current = self.difference();
        if self.worst.share() > current.share() { self.worst } else { current }
    }

    fn difference(&self) -> ThreadWindow {
        let ((from, before), (to, last)) = (self.before, self.last);
        let run_queue = last.run_queue_ns.zip(before.run_queue_ns);
        ThreadWindow {
            wall: to - from,
            cpu: Duration::from_nanos(last.cpu_ns.saturating_sub(before.cpu_ns)),
            run_queue: run_queue.map(|(last, before)| Duration::from_nanos(last.saturating_sub(before))),
        }
    }
}

impl ThreadWindow {
    /// CPU time ÷ the CPU time the thread could get: all of the window but its time in the run queue. 0 without a
    /// window.
    #[must_use]
    pub fn share(&self) -> f64 {
        let available = self.wall.saturating_sub(self.run_queue.unwrap_or_default()).max(self.cpu);
        if available.is_zero() { 0.0 } else { self.cpu.as_secs_f64() / available.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::counts::Took;

    const SECOND: u64 = 1_000_000_000;

    fn interval(phase: Phase, second: u64) -> Interval {
        let [start, end] = [second, second + 1].map(|second| Moment::from_nanos(second * SECOND));
        Interval { number: 0, stretch: 0, level: 0, phase, start, end }
    }

    fn record(phase: Phase, second: u64, cpu_ns: u64, run_queue_ns: Option<u64>) -> Record {
        Record {
            thread: 0,
            interval: interval(phase, second),
            counts: Box::new(Counts::new(0)),
            usage: ThreadUsage { cpu_ns, run_queue_ns },
            handed_over: Moment::from_nanos((second + 1) * SECOND),
        }
    }

    #[test]
    fn what_a_thread_used_is_compared_with_what_it_could_get() {
        let mut window = Window::new(1, 0, Moment::default());
        window.read(&record(Phase::Ramp, 0, 5, Some(7)));
        window.read(&record(Phase::Measure, 1, 5 + SECOND / 2, Some(7 + SECOND / 2)));
        window.read(&record(Phase::Drain, 2, 9 * SECOND, Some(9 * SECOND)));
        let thread = window.threads().next().expect("one thread");
        assert_eq!(thread.wall, Duration::from_secs(1));
        assert!((thread.share() - 1.0).abs() < 1e-9, "half of the time it waited, half it ran: {thread:?}");
    }

    #[test]
    fn of_several_levels_the_busiest_counts() {
        let mut window = Window::new(1, 0, Moment::default());
        for (phase, second, cpu) in
            [(Phase::Measure, 0, 0.2), (Phase::Ramp, 1, 0.2), (Phase::Measure, 2, 0.8), (Phase::Ramp, 3, 0.8)]
        {
            let busy = Duration::from_secs_f64(cpu);
            window.read(&record(phase, second, busy.as_nanos().try_into().expect("small"), Some(0)));
        }
        window.read(&record(Phase::Measure, 4, SECOND, Some(0)));
        let thread = window.threads().next().expect("one thread");
        assert!((thread.share() - 0.6).abs() < 1e-9, "{thread:?}");
    }

    #[test]
    fn a_kernel_that_tells_no_run_queue_leaves_the_whole_time_available() {
        let mut window = Window::new(1, 0, Moment::default());
        window.read(&record(Phase::Measure, 0, SECOND / 4, None));
        let thread = window.threads().next().expect("one thread");
        assert_eq!(thread.run_queue, None);
        assert!((thread.share() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn only_the_measured_window_counts() {
        let mut window = Window::new(1, 1, Moment::default());
        for (phase, second) in [(Phase::Ramp, 0), (Phase::Measure, 1), (Phase::Measure, 2), (Phase::Drain, 3)]
        {
            let mut counts = Counts::new(1);
            counts.users = second.min(2);
            let response = Duration::from_millis(5);
            counts.transactions[0].valid(Took { response, service: None });
            window.add(&interval(phase, second), &counts);
        }
        assert_eq!((window.length, &window.valid[..]), (Duration::from_secs(2), &[2][..]));
        assert!((window.user_seconds - (0.5 + 1.5)).abs() < 1e-9, "{}", window.user_seconds);
    }
}
