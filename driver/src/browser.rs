//! The browser of one user: its lanes and cookies, and the requests of its steps.

use std::rc::Rc;

use httparse::Header;

use crate::connect::answer::Body;
use crate::connect::cookies::Place;
use crate::connect::{CookieJar, Dialer, Receiver, request};
use crate::event_loop::Stage;
use crate::exchange::{Exchange, Lane};
use crate::workload::plan::Method;
use crate::workload::variables::Variables;
use crate::workload::{Examination, Step};

/// What one user keeps between its requests.
#[derive(Debug)]
pub struct Browser {
    /// Cookies.
    pub cookies: CookieJar,
    lane: Lane,
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
        Self { cookies: CookieJar::default(), lane: Lane::new(stage, dialer) }
    }

    /// Closes all connections.
    pub fn disconnect(&mut self) {
        self.lane.disconnect();
    }

    /// Sends a request and receives its answer.
    pub async fn exchange(
        &mut self,
        stage: &Stage,
        request: Request<'_>,
        lesson: &mut Lesson<'_>,
    ) -> Exchange {
        let connection = match self.lane.connection(stage, request.target).await {
            Ok(connection) => connection,
            Err(failure) => return Exchange::Failed { failure, sent: false },
        };
        self.write(stage, request, lesson.values);
        let mut reader = Reader { request, stage, cookies: &mut self.cookies, lesson };
        self.lane.exchange(stage, request.target, connection, &mut reader).await
    }

    /// Writes the request into the buffer that all users of the loop share.
    fn write(
        &mut self,
        stage: &Stage,
        Request { step, target, method, path }: Request<'_>,
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
    request: Request<'a>,
    stage: &'a Stage,
    cookies: &'a mut CookieJar,
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
            let Request { target, path, .. } = self.request;
            self.cookies.set(header.value, place(self.stage, target, path));
        }
        // Allocates on redirects only.
        self.lesson.location =
            if (300..400).contains(&status) { find("location").map(<[u8]>::to_vec) } else { None };
        self.lesson.examination.head(status, self.request.step, self.lesson.values, find);
    }

    fn body(&mut self, piece: &[u8]) {
        self.lesson.examination.piece(self.request.step, piece);
    }
}

fn place<'a>(stage: &'a Stage, target: usize, path: &'a str) -> Place<'a> {
    let seconds = i64::try_from(stage.now().nanos() / 1_000_000_000).unwrap_or(0);
    let target = &stage.scene.targets[target];
    let (host, secure) = (target.host(), target.security().is_some());
    Place { host, path, secure, now: stage.scene.wall_clock + seconds }
}
