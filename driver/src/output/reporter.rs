//! Turns what was counted into lines.

use std::io::{self, Write};

use super::by_name::ByName;
use super::line::{
    ArrivalsLine, Audit, Confirmed, End, EndReason, FailedCheckLine, HandshakesLine, Hello, IntervalLine,
    LatenessLine, MoreTimes, PhaseStart, ResponseCounts, ResponseLine, SliceLine, SubResourcesLine,
    ThreadAudit, TransactionLine, UnansweredLine, WindowLine,
};
use super::notebook::ClientsLine;
use super::self_audit_line::SelfAuditLine;
use super::writer::LineWriter;
use crate::measure::collector::{Collector, Finished, Totals};
use crate::measure::counts::{Counts, TransactionCounts};
use crate::measure::histogram::{Count, Encoder};
use crate::measure::level_window::LevelWindow;
use crate::measure::processor::{Usage, max_resident_bytes, resident_bytes};
use crate::measure::recorder::CHECKS_SHOWN;
use crate::measure::{CompleteResponse, PerFailure, Unanswered, WrongCheck, self_audit};
use crate::pace::{Clock, Interval, Moment, Slice, StopReason, Timetable, WallClock};
use crate::workload::calls::Calls;
use crate::workload::expectation::Expectation;
use crate::workload::{Session, Share};

/// SHA-256 of a plan, in hexadecimal.
#[derive(Clone, Debug)]
pub struct Hashes {
    /// Of the file.
    pub plan_sha256: String,
    /// Of its load: without what may differ between drivers that share it.
    pub load_sha256: String,
}

/// Writes the lines of one run.
pub struct Reporter<'a, W> {
    session: &'a Session,
    clock: Clock,
    /// The wall clock at the start, when the kernel is to stamp what it receives.
    stamps: Option<WallClock>,
    writer: LineWriter<W>,
    encoder: Encoder,
    /// Number of the first stretch that has not begun.
    coming: usize,
    /// The window of the level that goes on.
    window: LevelWindow,
    /// Those of earlier levels, as they will be written: encoded they are small.
    windows: Vec<(Moment, WindowLine<'a>)>,
    /// How many failed checks of each kind the event loops have handed over.
    shown: PerFailure,
}

impl<'a, W: Write> Reporter<'a, W> {
    /// A reporter that writes to `out`.
    pub fn new(session: &'a Session, clock: Clock, stamps: Option<WallClock>, out: W) -> Self {
        let writer = LineWriter::new(out);
        let window = LevelWindow::new(0, Usage::default());
        let encoder = Encoder::default();
        Self {
            session,
            clock,
            stamps,
            writer,
            encoder,
            coming: 0,
            window,
            windows: Vec::new(),
            shown: PerFailure::default(),
        }
    }

    /// The first line.
    ///
    /// # Errors
    /// When the reader is gone, like all that follow.
    pub fn hello(&mut self, hashes: &Hashes, wall_clock: String, start: Moment) -> io::Result<()> {
        let hello = Hello {
            driver: env!("CARGO_PKG_VERSION").into(),
            wall_clock,
            monotonic_ns: self.clock.origin_ns(),
            seed: self.session.seed,
            plan_sha256: hashes.plan_sha256.as_str().into(),
            load_sha256: hashes.load_sha256.as_str().into(),
            name: self.session.name.as_str().into(),
            run: self.session.run.as_str().into(),
            users: self.session.own_users(),
            threads: self.session.threads.get(),
            pid: std::process::id(),
            host: host_name().into(),
            start_ns: start.nanos(),
            interval_ms: 1_000.0 * self.session.interval.as_secs_f64(),
            share: Some(self.session.share).filter(|share| *share != Share::WHOLE),
            clock_offset_ms: self.session.clock_offset_ms,
            merged: Vec::new(),
        };
        self.writer.write(Moment::default(), hello)
    }

    /// The phases that begin up to stretch number `stretch`.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn phases_to(&mut self, stretch: usize, timetable: &Timetable) -> io::Result<()> {
        for next in timetable.stretches().iter().take(stretch + 1).skip(self.coming) {
            self.writer.write(next.start, PhaseStart { phase: next.phase, level: self.level(next.level) })?;
        }
        self.coming = self.coming.max(stretch + 1);
        Ok(())
    }

    /// A level, for the lines of a plan that names levels.
    fn level(&self, level: usize) -> Option<usize> {
        self.session.names_levels.then_some(level)
    }

    /// An interval and the audit that goes with it.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn interval(&mut self, finished: &Finished) -> io::Result<()> {
        let line = self.line_of(&finished.interval, finished.counts());
        self.writer.write(finished.interval.end, line)?;
        let usage = Usage::of_process();
        if finished.interval.level != self.window.level {
            self.close_window(LevelWindow::new(finished.interval.level, self.window.reached()));
        }
        self.window.add(&finished.interval, finished.counts(), usage);
        self.audit(finished, usage)
    }

    fn line_of<C: Count>(&mut self, interval: &Interval, counts: &Counts<C>) -> IntervalLine<'a> {
        let (session, encoder) = (self.session, &mut self.encoder);
        let (open, split) = (session.is_open(), session.split_times);
        let more =
            MoreTimes { service: open, first_byte: split, page: split && session.sub_resources.is_some() };
        let line = |(name, counts): (&'a String, &TransactionCounts<C>)| {
            (name.as_str(), TransactionLine::new(counts, &session.outcomes, more, encoder))
        };
        IntervalLine {
            phase: interval.phase,
            level: self.session.names_levels.then_some(interval.level),
            start_ns: interval.start.nanos(),
            end_ns: interval.end.nanos(),
            users: counts.users,
            iterations: counts.iterations,
            failed: counts.failed,
            abandoned: session.may_abandon().then_some(counts.abandoned),
            connections: counts.connections,
            reconnected: counts.reconnected,
            odd_responses: counts.odd_responses,
            tls: counts.handshakes.per_suite().iter().map(HandshakesLine::new).collect(),
            requests: counts.requests,
            bytes_sent: counts.bytes_sent,
            bytes_received: counts.bytes_received,
            responses: counts.responses,
            body_bytes: counts.body_bytes,
            arrivals: open.then_some(ArrivalsLine { waited: counts.waited, missed: counts.missed }),
            sub_resources: session.sub_resources.map(|_| SubResourcesLine::new(counts.sub_resources)),
            transactions: session.transactions.iter().zip(&counts.transactions).map(line).collect(),
        }
    }

    /// Keeps the line of the window that is over; `next` is that of the level that begins.
    fn close_window(&mut self, next: LevelWindow) {
        let over = std::mem::replace(&mut self.window, next);
        let used = over.used;
        let Some((interval, sums)) = over.finish() else { return };
        let line = WindowLine {
            counts: self.line_of(&interval, &sums),
            cpu_user_ns: used.user_ns,
            cpu_system_ns: used.system_ns,
            lateness: LatenessLine::new(&sums, self.stamps.is_some(), &mut self.encoder),
        };
        self.windows.push((interval.end, line));
    }

    /// A slice is over.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn slice(&mut self, slice: Slice, moment: Moment) -> io::Result<()> {
        let (go_ns, hold_ns) = (slice.go.nanos(), slice.hold.nanos());
        self.writer.write(moment, SliceLine { slice: slice.number, go_ns, hold_ns })
    }

    /// A request without a complete response.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn unanswered(&mut self, unanswered: Unanswered) -> io::Result<()> {
        let step = &self.session.steps[unanswered.step];
        let line = UnansweredLine {
            user: unanswered.user,
            iteration: unanswered.iteration,
            step: step.id.as_str().into(),
            transaction: self.session.transactions[step.transaction].as_str().into(),
            kind: unanswered.failure,
            calls: step.calls.is_some(),
            variables: identified(self.session, unanswered.step, unanswered.variables),
        };
        self.writer.write(unanswered.moment, line)
    }

    /// A response that failed a check, unless so many of its kind are written already.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn failed_check(&mut self, check: WrongCheck) -> io::Result<()> {
        self.shown.count(check.failure);
        if self.shown.of(check.failure) > CHECKS_SHOWN {
            return Ok(());
        }
        let step = &self.session.steps[check.step];
        let line = FailedCheckLine {
            user: check.user,
            iteration: check.iteration,
            step: step.id.as_str().into(),
            transaction: self.session.transactions[step.transaction].as_str().into(),
            kind: check.failure,
            request: check.request.into(),
            expected: check.response.expected.into(),
            status: check.response.status,
            body: check.response.body.into(),
            variables: identified(self.session, check.step, check.variables),
        };
        self.writer.write(check.moment, line)
    }

    /// A complete response to a step that identifies somebody.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn response(&mut self, response: CompleteResponse) -> io::Result<()> {
        let step = &self.session.steps[response.step];
        let line = ResponseLine {
            user: response.user,
            iteration: response.iteration,
            step: step.id.as_str().into(),
            transaction: self.session.transactions[step.transaction].as_str().into(),
            valid: response.valid,
            variables: identified(self.session, response.step, response.variables),
        };
        self.writer.write(response.moment, line)
    }

    /// The last lines.
    ///
    /// # Errors
    /// When the reader is gone.
    pub fn end(&mut self, collector: &Collector, clients: Option<ClientsLine>) -> io::Result<()> {
        let totals = collector.totals();
        let responses = |totals: &Totals| ResponseCounts { valid: totals.valid, invalid: totals.invalid };
        let names = self.session.transactions.iter().map(String::as_str);
        let transactions = names.zip(totals.iter().map(responses)).collect();
        self.writer.write(self.clock.now(), Confirmed { transactions })?;
        if let Some(clients) = clients {
            self.writer.write(self.clock.now(), clients)?;
        }
        self.close_window(LevelWindow::new(0, Usage::default()));
        for (end, window) in std::mem::take(&mut self.windows) {
            self.writer.write(end, window)?;
        }
        let expectation = Expectation::of(self.session);
        let wall_clock_set = self.wall_clock_set();
        let rules = self_audit::judge(collector.window(), &expectation, wall_clock_set);
        let judged = !rules.is_empty();
        let limited_by = self_audit::limited_by(&rules);
        let line = SelfAuditLine::new(collector.window(), &expectation, rules)
            .stamped(wall_clock_set, collector.window())
            .beside(collector.network());
        self.writer.write(self.clock.now(), line)?;
        let mut errors = PerFailure::default();
        for transaction in totals {
            errors.add(&transaction.errors);
        }
        let usage = Usage::of_process();
        let end = End {
            reason: match collector.stopped() {
                None => EndReason::Finished,
                Some(StopReason::Signal) => EndReason::Signal,
                Some(StopReason::Lease) => EndReason::Lease,
            },
            transactions: totals.iter().map(|totals| totals.valid).sum(),
            errors: errors.counts(&self.session.outcomes).collect(),
            unanswered: totals.iter().map(|totals| totals.unanswered).sum(),
            cpu_user_ns: usage.user_ns,
            cpu_system_ns: usage.system_ns,
            max_rss_bytes: max_resident_bytes(),
            driver_limited: judged.then_some(limited_by.is_some()),
            limited_by,
        };
        self.writer.write(self.clock.now(), end)
    }

    /// With stamps: by how many nanoseconds the wall clock was set since the start, so that they mislead.
    fn wall_clock_set(&self) -> Option<i64> {
        let start = self.stamps?;
        WallClock::beside(self.clock).map(|now| now.set_since(start))
    }

    fn audit(&mut self, finished: &Finished, usage: Usage) -> io::Result<()> {
        let audit = Audit {
            cpu_user_ns: usage.user_ns,
            cpu_system_ns: usage.system_ns,
            threads: finished.usages.iter().map(ThreadAudit::new).collect(),
            rss_bytes: resident_bytes(),
            lateness: LatenessLine::new(finished.counts(), self.stamps.is_some(), &mut self.encoder),
        };
        self.writer.write(self.clock.now(), audit)
    }
}

/// The values of a step's `identify` by name; the one value of a reported call is that of `identify` of `calls`.
fn identified(session: &Session, step: usize, values: Vec<String>) -> ByName<'_, String> {
    let step = &session.steps[step];
    let names = step.identify.iter().map(|&variable| session.names.name(variable));
    names.chain(step.calls.as_ref().and_then(Calls::identify)).zip(values).collect()
}

/// The name of this host; empty when it has none.
fn host_name() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default()
}
