//! The sub-resources of one page, fetched over several slots at the same time.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::vec;

use httparse::Header;

use crate::connect::cache::{Cache, Keeping, Known};
use crate::connect::location::{self, MAX_REDIRECTS};
use crate::connect::{CookieJar, Receiver, ResponseError, request};
use crate::context::LoopContext;
use crate::exchange::{ConnectionSlot, Exchange, Repetition, Requester};
use crate::measure::Failure;
use crate::pace::Moment;
use crate::workload::Step;
use crate::workload::variables::Variables;

/// What the slots of one browser share while they fetch the sub-resources of a page.
#[derive(Debug)]
pub struct SubResourceFetch<'a> {
    /// What the users of the loop share.
    pub context: &'a LoopContext,
    /// The step whose page it is, and the values of its user: the sub-resources are asked for in its name.
    pub initiator: (&'a Step, &'a Variables),
    /// Index of the target.
    pub target: usize,
    /// Cookies.
    pub cookies: RefCell<&'a mut CookieJar>,
    /// The cache, if the browser has one.
    pub cache: RefCell<Option<&'a mut Cache>>,
    wanted: RefCell<vec::IntoIter<String>>,
    failure: Cell<Option<Failure>>,
    last: Cell<Option<Moment>>,
}

/// What the header of a sub-resource's response says.
#[derive(Debug)]
struct Head {
    status: u16,
    keeping: Keeping,
    location: Option<Vec<u8>>,
}

impl<'a> SubResourceFetch<'a> {
    /// A fetch for a page whose sub-resources are not yet known.
    pub fn new(
        context: &'a LoopContext,
        target: usize,
        initiator: (&'a Step, &'a Variables),
        cookies: &'a mut CookieJar,
        cache: Option<&'a mut Cache>,
    ) -> Self {
        Self {
            context,
            initiator,
            target,
            cookies: RefCell::new(cookies),
            cache: RefCell::new(cache),
            wanted: RefCell::default(),
            failure: Cell::new(None),
            last: Cell::new(None),
        }
    }

    /// Decides which of the sub-resources at `paths` have to be requested; returns how many.
    pub fn plan(&self, mut paths: Vec<String>) -> usize {
        let all = paths.len();
        if let Some(cache) = &*self.cache.borrow() {
            let now = self.seconds();
            paths.retain(|path| cache.look_up(self.target, path, now) != Known::Fresh);
        }
        let requested = paths.len();
        if requested < all {
            self.context.recorder.borrow_mut().at(self.context.now()).sub_resources.cached +=
                (all - requested) as u64;
        }
        *self.wanted.borrow_mut() = paths.into_iter();
        requested
    }

    /// Fetches them over these slots. Returns the moment at which the last one was complete.
    ///
    /// # Errors
    /// [`Failure::SubResource`] when one of them could not be fetched; then no other is begun.
    pub async fn run(
        &self,
        slots: impl Iterator<Item = &mut ConnectionSlot>,
    ) -> Result<Option<Moment>, Failure> {
        // Allocates for each slot; a browser without sub-resources never comes here.
        let mut working: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        for slot in slots {
            working.push(Box::pin(self.work(slot)));
        }
        poll_fn(|context| {
            working.retain_mut(|work| work.as_mut().poll(context).is_pending());
            if working.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.failure.get().map_or(Ok(self.last.get()), Err)
    }

    async fn work(&self, slot: &mut ConnectionSlot) {
        while let Some(path) = self.next() {
            match self.fetch(slot, path).await {
                Ok(at) => self.last.set(self.last.get().max(Some(at))),
                Err(failure) => self.failure.set(self.failure.get().or(Some(failure))),
            }
        }
    }

    /// The next sub-resource; nothing after a failure.
    fn next(&self) -> Option<String> {
        self.failure.get().map_or_else(|| self.wanted.borrow_mut().next(), |_| None)
    }

    async fn fetch(&self, slot: &mut ConnectionSlot, mut path: String) -> Result<Moment, Failure> {
        for _ in 0..=MAX_REDIRECTS {
            let mut reader = SubResourceReader { fetch: self, path: &path, conditional: false, head: None };
            let exchange = slot.exchange(self.context, self.target, &mut reader).await;
            let conditional = reader.conditional;
            let (at, head) = match (exchange, reader.head) {
                (Exchange::Complete { at, .. }, Some(head)) => (at, head),
                (Exchange::Failed { failure, .. }, _) => return Err(of_sub_resource(failure)),
                _ => return Err(Failure::SubResource),
            };
            match head.status {
                200 | 304 if head.status == 200 || conditional => {
                    self.keep(&path, head, at);
                    return Ok(at);
                }
                301 | 302 | 303 | 307 | 308 => {
                    let target = &self.context.run.targets[self.target];
                    let next = head.location.and_then(|location| location::resolve(&location, &path, target));
                    path = next.ok_or(Failure::SubResource)?;
                }
                _ => return Err(Failure::SubResource),
            }
        }
        Err(Failure::SubResource)
    }

    /// Counts a fetched sub-resource and keeps it in the cache.
    fn keep(&self, path: &str, head: Head, at: Moment) {
        let unchanged = head.status == 304;
        if let Some(cache) = &mut *self.cache.borrow_mut() {
            let now = self.seconds();
            if unchanged {
                cache.validated(self.target, path, head.keeping, now);
            } else {
                cache.store(self.target, path, head.keeping, now);
            }
        }
        let mut recorder = self.context.recorder.borrow_mut();
        let sub_resources = &mut recorder.at(at).sub_resources;
        sub_resources.fetched += 1;
        sub_resources.validated += u64::from(unchanged);
    }

    /// Writes the request for a sub-resource into the buffer that all users of the loop share. True when it asks
    /// whether the object has changed.
    fn write(&self, path: &str) -> bool {
        let (context, target) = (self.context, self.target);
        let mut out = context.buffers.request.borrow_mut();
        out.clear();
        let transport = &context.run.session.transport;
        request::start(&mut out, "GET", path, transport.http, &context.run.targets[target].authority);
        out.extend_from_slice(transport.lines);
        self.cookies.borrow_mut().write(context.place(target, path), &mut out);
        let (step, values) = self.initiator;
        step.write_sub_resource_headers(values, &mut out);
        let cache = self.cache.borrow();
        let asks = cache.as_ref().is_some_and(|cache| cache.write_conditions(target, path, &mut out));
        request::finish(&mut out);
        asks
    }

    /// Seconds since 1970.
    fn seconds(&self) -> i64 {
        self.context.place(self.target, "").now
    }
}

/// Asks for a sub-resource, and takes from its response what is kept of it: everything but the sub-resource.
struct SubResourceReader<'a, 'b> {
    fetch: &'a SubResourceFetch<'b>,
    path: &'a str,
    conditional: bool,
    head: Option<Head>,
}

impl Requester for SubResourceReader<'_, '_> {
    fn write(&mut self, _stage: &LoopContext) {
        self.conditional = self.fetch.write(self.path);
    }

    fn repetition(&self) -> Repetition {
        Repetition::Harmless
    }

    fn payload(&self) -> Option<Arc<[u8]>> {
        None
    }
}

impl Receiver for SubResourceReader<'_, '_> {
    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        let place = self.fetch.context.place(self.fetch.target, self.path);
        let named = |name| move |header: &&Header<'_>| header.name.eq_ignore_ascii_case(name);
        for header in headers.iter().filter(named("set-cookie")) {
            self.fetch.cookies.borrow_mut().set(header.value, place);
        }
        let location = headers.iter().find(named("location")).map(|header| header.value.to_vec());
        self.head = Some(Head { status, keeping: Keeping::read(headers, place.now), location });
    }

    fn body(&mut self, _piece: &[u8]) -> Result<(), ResponseError> {
        Ok(())
    }
}

/// Whatever keeps a sub-resource from coming fails its page; only the end of the run and the driver's own limit are not
/// the sub-resource's fault.
fn of_sub_resource(failure: Failure) -> Failure {
    if matches!(failure, Failure::CutOff | Failure::LocalPorts) { failure } else { Failure::SubResource }
}
