//! The browser of one user: its slots and cookies, and the requests of its steps.

use std::rc::Rc;
use std::sync::Arc;

use httparse::Header;

use crate::connect::cache::Cache;
use crate::connect::response::Body;
use crate::connect::sub_resources::SubResources;
use crate::connect::{CookieJar, Dialer, Receiver, ResponseError, request};
use crate::context::LoopContext;
use crate::exchange::{ConnectionSlot, Exchange, Limited, Repetition, Requester};
use crate::measure::Failure;
use crate::measure::calls::CallCounter;
use crate::pace::Moment;
use crate::sub_resources::SubResourceFetch;
use crate::workload::payload::Payload;
use crate::workload::plan::Method;
use crate::workload::sub_resources::CacheLife;
use crate::workload::variables::Variables;
use crate::workload::{Step, Validation};

/// What one user keeps between its requests.
#[derive(Debug)]
pub struct Browser {
    /// Cookies.
    pub cookies: CookieJar,
    /// The slot of pages, which also fetches sub-resources.
    slot: ConnectionSlot,
    /// What opens connections for all of them.
    dialer: Rc<Dialer>,
    /// More slots for sub-resources, made when a page first needs them.
    sub_resource_slots: Vec<ConnectionSlot>,
    /// What the page being received refers to; boxed, because most runs fetch no sub-resources.
    page: Option<Box<SubResources>>,
    cache: Option<Box<Cache>>,
}

/// A request about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The step it belongs to.
    pub step: &'a Step,
    /// Index of the target.
    pub target: usize,
    /// The method; another than the step's after a redirect.
    pub method: Method,
    /// Path and query.
    pub path: &'a str,
}

/// What a user learns from a response.
#[derive(Debug)]
pub struct Findings<'a> {
    /// Values, to be captured.
    pub values: &'a mut Variables,
    /// Checks.
    pub validation: &'a mut Validation,
    /// Calls that it reports.
    pub calls: &'a mut CallCounter,
    /// Where a redirect leads.
    pub location: Option<Vec<u8>>,
}

impl Browser {
    /// The browser of user number `user`, without connections and cookies.
    #[must_use]
    pub fn new(context: &LoopContext, user: u64) -> Self {
        let dialer = Rc::new(Dialer::new(&context.run.session.transport.sources, user));
        let sub_resources = context.run.session.sub_resources;
        Self {
            cookies: CookieJar::default(),
            slot: ConnectionSlot::new(context, Rc::clone(&dialer)),
            dialer,
            sub_resource_slots: Vec::new(),
            page: sub_resources.map(|_| Box::default()),
            cache: sub_resources.filter(|fetched| fetched.cache != CacheLife::None).map(|_| Box::default()),
        }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.slot.disconnect();
        self.sub_resource_slots.iter_mut().for_each(ConnectionSlot::disconnect);
    }

    /// Forgets all sessions of TLS.
    pub fn forget_sessions(&self) {
        self.dialer.forget_sessions();
    }

    /// Forgets all sub-resources.
    pub fn empty_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    /// Fetches the sub-resources of the page that was received last, as far as the cache needs them. Returns the moment
    /// at which the last one was complete; nothing when none had to be requested.
    ///
    /// # Errors
    /// Why one of them could not be fetched.
    pub async fn fetch_sub_resources(
        &mut self,
        context: &LoopContext,
        target: usize,
        initiator: (&Step, &Variables),
    ) -> Result<Option<Moment>, Failure> {
        let Some((page, plan)) = self.page.as_mut().zip(context.run.session.sub_resources) else {
            return Ok(None);
        };
        let paths = page.take().map_err(|_| Failure::SubResource)?;
        if paths.is_empty() {
            return Ok(None);
        }
        let fetch =
            SubResourceFetch::new(context, target, initiator, &mut self.cookies, self.cache.as_deref_mut());
        let requested = fetch.plan(paths);
        if requested == 0 {
            return Ok(None);
        }
        let more = plan.connections.min(requested) - 1;
        while self.sub_resource_slots.len() < more {
            self.sub_resource_slots.push(ConnectionSlot::new(context, Rc::clone(&self.dialer)));
        }
        let slots = std::iter::once(&mut self.slot).chain(self.sub_resource_slots.iter_mut().take(more));
        // Boxed: the task of a user whose pages have no sub-resources need not have room for it.
        Box::pin(fetch.run(slots)).await
    }

    /// Sends a request and receives its response.
    pub async fn exchange(
        &mut self,
        context: &LoopContext,
        request: &Request<'_>,
        findings: &mut Findings<'_>,
    ) -> Exchange {
        let page = self.page.as_deref_mut();
        let mut reader = Reader { request, context, cookies: &mut self.cookies, page, findings };
        self.slot.exchange(context, request.target, &mut reader).await
    }
}

/// Writes a request, and takes from its response what the user needs while it comes.
struct Reader<'a, 'b> {
    request: &'a Request<'a>,
    context: &'a LoopContext,
    cookies: &'a mut CookieJar,
    page: Option<&'a mut SubResources>,
    findings: &'a mut Findings<'b>,
}

impl Requester for Reader<'_, '_> {
    fn write(&mut self, context: &LoopContext) {
        let &Request { step, target, method, path } = self.request;
        let mut out = context.buffers.request.borrow_mut();
        out.clear();
        let with_payload = match method {
            Method::Get | Method::Head => false,
            Method::Post | Method::Put | Method::Patch => true,
            Method::Delete => step.payload().is_some(),
        };
        let transport = &context.run.session.transport;
        request::start(&mut out, method.word(), path, transport.http, &context.run.targets[target].authority);
        out.extend_from_slice(transport.lines);
        if !self.cookies.is_empty() {
            self.cookies.write(context.place(target, path), &mut out);
        }
        step.write_headers(self.findings.values, with_payload, &mut out);
        if with_payload {
            let mut payload = context.buffers.payload.borrow_mut();
            payload.clear();
            let bytes = step.payload().map_or(0, |written| {
                written.write(self.findings.values, &mut payload);
                written.bytes().map_or(0, |bytes| bytes.len())
            });
            request::finish_with(&mut out, &payload, bytes);
        } else {
            request::finish(&mut out);
        }
    }

    fn repetition(&self) -> Repetition {
        match self.request.method {
            Method::Get | Method::Head => Repetition::Harmless,
            Method::Post | Method::Put | Method::Patch | Method::Delete => Repetition::Unknown,
        }
    }

    fn limited(&self) -> Limited {
        if self.request.step.calls.is_some() { Limited::Pieces } else { Limited::Whole }
    }

    fn payload(&self) -> Option<Arc<[u8]>> {
        let carries = !matches!(self.request.method, Method::Get | Method::Head);
        self.request.step.payload().filter(|_| carries).and_then(Payload::bytes).map(Arc::clone)
    }
}

impl Receiver for Reader<'_, '_> {
    fn expects(&self, status: u16) -> Body {
        let step = self.request.step;
        match self.request.method {
            Method::Head => Body::Never,
            _ if step.calls.is_some() && status == step.expect.status => Body::OfAnyLength,
            _ => Body::Possible,
        }
    }

    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        let find = |name: &str| {
            let found = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| header.value)
        };
        for header in headers.iter().filter(|header| header.name.eq_ignore_ascii_case("set-cookie")) {
            let &Request { target, path, .. } = self.request;
            self.cookies.set(header.value, self.context.place(target, path));
        }
        // Allocates on redirects only.
        self.findings.location =
            if (300..400).contains(&status) { find("location").map(<[u8]>::to_vec) } else { None };
        if let Some(page) = &mut self.page {
            let is_expected = status == self.request.step.expect.status && self.findings.location.is_none();
            page.begin(is_expected && find("content-type").is_some_and(is_html));
        }
        let &Request { target, path, .. } = self.request;
        let cookie = |name: &str| self.cookies.value(name.as_bytes(), self.context.place(target, path));
        self.findings.validation.head(status, self.request.step, self.findings.values, find, cookie);
    }

    fn body(&mut self, piece: &[u8]) -> Result<(), ResponseError> {
        let step = self.request.step;
        let Findings { validation, calls, .. } = &mut *self.findings;
        if step.calls.is_some() && validation.status() == step.expect.status {
            let at = self.context.lately();
            let mut recorder = self.context.recorder.borrow_mut();
            let read = validation.calls(piece, |call| calls.count(&mut recorder, at, step, call));
            return read.map_err(|_| ResponseError::Refused);
        }
        validation.piece(step, piece);
        if let Some(page) = &mut self.page {
            let &Request { target, path, .. } = self.request;
            page.look_at(piece, path, &self.context.run.targets[target]);
        }
        Ok(())
    }
}

fn is_html(content_type: &[u8]) -> bool {
    let media_type = content_type.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    [b"text/html".as_slice(), b"application/xhtml+xml"]
        .iter()
        .any(|html| media_type.eq_ignore_ascii_case(html))
}
