//! The browser of one user: its lanes and cookies, and the requests of its steps.

use std::rc::Rc;

use httparse::Header;

use crate::connect::answer::Body;
use crate::connect::cache::Cache;
use crate::connect::cookies::Place;
use crate::connect::page_objects::PageObjects;
use crate::connect::{CookieJar, Dialer, Receiver, request};
use crate::event_loop::Stage;
use crate::exchange::{Exchange, Lane};
use crate::measure::Failure;
use crate::pace::Moment;
use crate::page::Errand;
use crate::workload::page_objects::CacheLife;
use crate::workload::plan::Method;
use crate::workload::variables::Variables;
use crate::workload::{Examination, Step};

/// What one user keeps between its requests.
#[derive(Debug)]
pub struct Browser {
    /// Cookies.
    pub cookies: CookieJar,
    /// The lane of pages, which also fetches objects.
    lane: Lane,
    /// What opens connections for all of them.
    dialer: Rc<Dialer>,
    /// More lanes for objects, made when a page first needs them.
    object_lanes: Vec<Lane>,
    /// What the page being received refers to; boxed, because most runs fetch no objects.
    page: Option<Box<PageObjects>>,
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

/// What a user learns from an answer.
#[derive(Debug)]
pub struct Lesson<'a> {
    /// Values, to be captured.
    pub values: &'a mut Variables,
    /// Checks.
    pub examination: &'a mut Examination,
    /// Where a redirect leads.
    pub location: Option<Vec<u8>>,
}

impl Browser {
    /// The browser of user number `user`, without connections and cookies.
    #[must_use]
    pub fn new(stage: &Stage, user: u64) -> Self {
        let dialer = Rc::new(Dialer::new(&stage.scene.session.transport.sources, user));
        let objects = stage.scene.session.page_objects;
        Self {
            cookies: CookieJar::default(),
            lane: Lane::new(stage, Rc::clone(&dialer)),
            dialer,
            object_lanes: Vec::new(),
            page: objects.map(|_| Box::default()),
            cache: objects.filter(|objects| objects.cache != CacheLife::None).map(|_| Box::default()),
        }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.lane.disconnect();
        self.object_lanes.iter_mut().for_each(Lane::disconnect);
    }

    /// Forgets all objects.
    pub fn empty_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    /// Fetches the objects of the page that was received last, as far as the cache needs them. Returns the moment at
    /// which the last one was complete; nothing when none had to be requested.
    ///
    /// # Errors
    /// Why one of them could not be fetched.
    pub async fn fetch_objects(
        &mut self,
        stage: &Stage,
        target: usize,
        asker: (&Step, &Variables),
    ) -> Result<Option<Moment>, Failure> {
        let Some((page, plan)) = self.page.as_mut().zip(stage.scene.session.page_objects) else {
            return Ok(None);
        };
        let paths = page.take().map_err(|_| Failure::Object)?;
        if paths.is_empty() {
            return Ok(None);
        }
        let errand = Errand::new(stage, target, asker, &mut self.cookies, self.cache.as_deref_mut());
        let requested = errand.plan(paths);
        if requested == 0 {
            return Ok(None);
        }
        let more = plan.connections.min(requested) - 1;
        while self.object_lanes.len() < more {
            self.object_lanes.push(Lane::new(stage, Rc::clone(&self.dialer)));
        }
        let lanes = std::iter::once(&mut self.lane).chain(self.object_lanes.iter_mut().take(more));
        // Boxed: the task of a user whose pages have no objects need not have room for it.
        Box::pin(errand.run(lanes)).await
    }

    /// Sends a request and receives its answer.
    pub async fn exchange(
        &mut self,
        stage: &Stage,
        request: &Request<'_>,
        lesson: &mut Lesson<'_>,
    ) -> Exchange {
        if let Err(failure) = self.lane.connect(stage, request.target).await {
            return Exchange::Failed { failure, sent: false };
        }
        self.write(stage, request, lesson.values);
        let page = self.page.as_deref_mut();
        let mut reader = Reader { request, stage, cookies: &mut self.cookies, page, lesson };
        self.lane.exchange(stage, request.target, &mut reader).await
    }

    /// Writes the request into the buffer that all users of the loop share.
    fn write(
        &mut self,
        stage: &Stage,
        &Request { step, target, method, path }: &Request<'_>,
        values: &Variables,
    ) {
        let mut out = stage.request.borrow_mut();
        out.clear();
        let (word, with_payload) = match method {
            Method::Get => ("GET", false),
            Method::Head => ("HEAD", false),
            Method::Post => ("POST", true),
        };
        let transport = &stage.scene.session.transport;
        request::start(&mut out, word, path, transport.http, &stage.scene.targets[target].authority);
        out.extend_from_slice(transport.lines);
        if !self.cookies.is_empty() {
            self.cookies.write(place(stage, target, path), &mut out);
        }
        step.write_headers(values, with_payload, &mut out);
        if with_payload {
            let mut payload = stage.payload.borrow_mut();
            payload.clear();
            step.write_payload(values, &mut payload);
            request::finish_with(&mut out, &payload);
        } else {
            request::finish(&mut out);
        }
    }
}

/// Takes from an answer what the user needs while it comes.
struct Reader<'a, 'b> {
    request: &'a Request<'a>,
    stage: &'a Stage,
    cookies: &'a mut CookieJar,
    page: Option<&'a mut PageObjects>,
    lesson: &'a mut Lesson<'b>,
}

impl Receiver for Reader<'_, '_> {
    fn expects(&self) -> Body {
        if self.request.method == Method::Head { Body::Never } else { Body::Possible }
    }

    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        let find = |name: &str| {
            let found = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| header.value)
        };
        for header in headers.iter().filter(|header| header.name.eq_ignore_ascii_case("set-cookie")) {
            let &Request { target, path, .. } = self.request;
            self.cookies.set(header.value, place(self.stage, target, path));
        }
        // Allocates on redirects only.
        self.lesson.location =
            if (300..400).contains(&status) { find("location").map(<[u8]>::to_vec) } else { None };
        if let Some(page) = &mut self.page {
            let is_expected = status == self.request.step.expect.status && self.lesson.location.is_none();
            page.begin(is_expected && find("content-type").is_some_and(is_html));
        }
        self.lesson.examination.head(status, self.request.step, self.lesson.values, find);
    }

    fn body(&mut self, piece: &[u8]) {
        self.lesson.examination.piece(self.request.step, piece);
        if let Some(page) = &mut self.page {
            let &Request { target, path, .. } = self.request;
            page.look_at(piece, path, &self.stage.scene.targets[target]);
        }
    }
}

fn is_html(content_type: &[u8]) -> bool {
    let media_type = content_type.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    [b"text/html".as_slice(), b"application/xhtml+xml"]
        .iter()
        .any(|html| media_type.eq_ignore_ascii_case(html))
}

/// Where and when the cookies of a request are set or sent.
pub(crate) fn place<'a>(stage: &'a Stage, target: usize, path: &'a str) -> Place<'a> {
    let seconds = i64::try_from(stage.now().nanos() / 1_000_000_000).unwrap_or(0);
    let target = &stage.scene.targets[target];
    let (host, secure) = (target.host(), target.security().is_some());
    Place { host, path, secure, now: stage.scene.wall_clock + seconds }
}
