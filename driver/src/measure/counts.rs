//! What one event loop counted in one interval.

use std::time::Duration;

use super::failure::{Failure, PerFailure, RequestOutcome};
use super::handshakes::Handshakes;
use super::histogram::{Count, Times};

/// Counts of one interval. Made once and used again, because the histograms are large.
#[derive(Clone, Debug)]
pub struct Counts<C: Count = u32> {
    /// Users started and not finished, at the end of the interval.
    pub users: u64,
    /// Iterations completed.
    pub iterations: u64,
    /// Failed iterations: ended by an error.
    pub failed: u64,
    /// Connections opened.
    pub connections: u64,
    /// Kept connections that the server had closed, so that they were made anew.
    pub reconnected: u64,
    /// Responses that were not quite HTTP and were read as browsers do.
    pub odd_responses: u64,
    /// Handshakes of TLS.
    pub handshakes: Handshakes,
    /// Requests of which at least one byte was sent.
    pub requests: u64,
    /// Bytes of requests.
    pub bytes_sent: u64,
    /// Bytes of responses, as they came over the wire.
    pub bytes_received: u64,
    /// Complete responses.
    pub responses: u64,
    /// Bytes of their bodies, without framing, as they came over the wire.
    pub body_bytes: u64,
    /// Abandoned iterations: the user gave up, as the plan wants it.
    pub abandoned: u64,
    /// Open model: arrivals begun that had found no free user.
    pub waited: u64,
    /// Open model: arrivals due and never begun.
    pub missed: u64,
    /// Sub-resources of pages.
    pub sub_resources: SubResourceCounts,
    /// By transaction, in the order of the session.
    pub transactions: Vec<TransactionCounts<C>>,
    /// How late think times and starts fired.
    pub lateness: Times<C>,
    /// How late the tick of the event loop fired.
    pub lag: Times<C>,
    /// How long the last byte of a response lay in the kernel before the event loop read it. Made with the first one.
    pub receive_lag: Option<Times<C>>,
    /// Complete responses without the kernel's stamp, where stamps are wanted.
    pub unstamped: u64,
}

/// How long a transaction took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// Response time; in the open model from when it was meant to begin.
    pub response: Duration,
    /// Open model: the time from when it did begin.
    pub service: Option<Duration>,
}

/// When the parts of a transaction were there, counted as its response time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Until the first byte of its last response.
    pub first_byte: Duration,
    /// Until the last byte of that, without the sub-resources of the page.
    pub page: Duration,
}

/// The times of the parts of transactions.
#[derive(Clone, Debug)]
pub struct PartTimes<C: Count = u32> {
    /// Until the first byte.
    pub first_byte: Times<C>,
    /// Until the page was there.
    pub page: Times<C>,
}

impl<C: Count> Default for PartTimes<C> {
    fn default() -> Self {
        Self { first_byte: Times::new(), page: Times::new() }
    }
}

/// Counts of the sub-resources of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubResourceCounts {
    /// Requested and answered as they should be.
    pub fetched: u64,
    /// Those of the fetched that the server said had not changed.
    pub validated: u64,
    /// Taken from the browser's cache without a request.
    pub cached: u64,
}

impl SubResourceCounts {
    /// Adds the counts of another event loop or interval.
    fn add(&mut self, other: Self) {
        self.fetched += other.fetched;
        self.validated += other.validated;
        self.cached += other.cached;
    }
}

/// Counts of one transaction.
#[derive(Clone, Debug)]
pub struct TransactionCounts<C: Count = u32> {
    /// Response times of the valid ones; in the open model from when they were meant to begin.
    pub times: Times<C>,
    /// Open model: the same from when they did begin. Made with the first one, because a histogram is large.
    pub service: Option<Times<C>>,
    /// When their parts were there. Made with the first one.
    pub parts: Option<Box<PartTimes<C>>>,
    /// Failures by kind.
    pub errors: PerFailure,
    /// Answered completely, but not valid; calls that an application reports with an error.
    pub invalid: u64,
    /// Without a complete response.
    pub unanswered: u64,
}

impl<C: Count> Counts<C> {
    /// Empty counts of so many transactions.
    #[must_use]
    pub fn new(transactions: usize) -> Self {
        Self {
            users: 0,
            iterations: 0,
            failed: 0,
            connections: 0,
            reconnected: 0,
            odd_responses: 0,
            handshakes: Handshakes::default(),
            requests: 0,
            bytes_sent: 0,
            bytes_received: 0,
            responses: 0,
            body_bytes: 0,
            abandoned: 0,
            waited: 0,
            missed: 0,
            sub_resources: SubResourceCounts::default(),
            transactions: vec![TransactionCounts::default(); transactions],
            lateness: Times::new(),
            lag: Times::new(),
            receive_lag: None,
            unstamped: 0,
        }
    }

    /// Adds the counts of another event loop or interval; `users` too.
    pub fn add<D: Count>(&mut self, other: &Counts<D>) {
        self.users += other.users;
        self.iterations += other.iterations;
        self.failed += other.failed;
        self.connections += other.connections;
        self.reconnected += other.reconnected;
        self.odd_responses += other.odd_responses;
        self.handshakes.add(&other.handshakes);
        self.requests += other.requests;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.responses += other.responses;
        self.body_bytes += other.body_bytes;
        self.abandoned += other.abandoned;
        self.waited += other.waited;
        self.missed += other.missed;
        self.sub_resources.add(other.sub_resources);
        self.lateness.add(&other.lateness);
        self.lag.add(&other.lag);
        if let Some(receive_lag) = &other.receive_lag {
            self.receive_lag.get_or_insert_default().add(receive_lag);
        }
        self.unstamped += other.unstamped;
        for (sum, more) in self.transactions.iter_mut().zip(&other.transactions) {
            sum.times.add(&more.times);
            if let Some(service) = &more.service {
                sum.service.get_or_insert_default().add(service);
            }
            if let Some(parts) = &more.parts {
                let sum = sum.parts.get_or_insert_default();
                sum.first_byte.add(&parts.first_byte);
                sum.page.add(&parts.page);
            }
            sum.errors.add(&more.errors);
            sum.invalid += more.invalid;
            sum.unanswered += more.unanswered;
        }
    }

    /// Sets everything to zero.
    pub fn reset(&mut self) {
        self.users = 0;
        self.iterations = 0;
        self.failed = 0;
        self.connections = 0;
        self.reconnected = 0;
        self.odd_responses = 0;
        self.handshakes.reset();
        self.requests = 0;
        self.bytes_sent = 0;
        self.bytes_received = 0;
        self.responses = 0;
        self.body_bytes = 0;
        self.abandoned = 0;
        self.waited = 0;
        self.missed = 0;
        self.sub_resources = SubResourceCounts::default();
        self.lateness.reset();
        self.lag.reset();
        if let Some(receive_lag) = &mut self.receive_lag {
            receive_lag.reset();
        }
        self.unstamped = 0;
        for transaction in &mut self.transactions {
            transaction.times.reset();
            if let Some(service) = &mut transaction.service {
                service.reset();
            }
            if let Some(parts) = &mut transaction.parts {
                parts.first_byte.reset();
                parts.page.reset();
            }
            transaction.errors = PerFailure::default();
            transaction.invalid = 0;
            transaction.unanswered = 0;
        }
    }
}

impl<C: Count> Default for TransactionCounts<C> {
    fn default() -> Self {
        Self {
            times: Times::new(),
            service: None,
            parts: None,
            errors: PerFailure::default(),
            invalid: 0,
            unanswered: 0,
        }
    }
}

impl<C: Count> TransactionCounts<C> {
    /// Counts a valid transaction.
    pub fn valid(&mut self, took: Took) {
        self.times.record(took.response);
        if let Some(service) = took.service {
            self.service.get_or_insert_default().record(service);
        }
    }

    /// Counts a failed one.
    pub fn failed(&mut self, failure: Failure, outcome: RequestOutcome) {
        self.errors.count(failure);
        match outcome {
            RequestOutcome::NotSent => {}
            RequestOutcome::Unanswered => self.unanswered += 1,
            RequestOutcome::Complete => self.invalid += 1,
        }
    }

    /// Counts a call with the outcome of this place among those of the session.
    pub fn ended(&mut self, outcome: usize) {
        self.errors.count_outcome(outcome);
        self.invalid += 1;
    }
}
