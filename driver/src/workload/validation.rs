//! Checks responses: are they what the step expects, and what is captured from them?

use std::cell::RefCell;
use std::rc::Rc;

use super::calls::{Call, CallReader};
use super::capture::Source;
use super::encoding::Encoding;
use super::marker::MarkerSearches;
use super::step::Step;
use super::variables::Variables;

/// A buffer that one huge body has made larger than this is not kept.
const LARGEST_KEPT: usize = 1 << 20;

/// Longest value that is captured. Each user keeps its values, and sends them.
const LONGEST_VALUE: usize = 256 * 1_024;

/// Why a response is not what the step expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Another status.
    Status,
    /// The redirects ended at another path.
    Path,
    /// A marker is not there.
    Marker,
    /// The body has another length.
    Length,
    /// Something to be captured is not there.
    Capture,
    /// What is to be captured is too long.
    TooLarge,
    /// The body does not hold calls, one after the other.
    Calls,
}

/// Characters of a wrong response that are shown, and bytes that hold them.
const SHOWN_CHARACTERS: usize = 200;
const SHOWN_BYTES: usize = 4 * SHOWN_CHARACTERS;

/// What was wrong with a response, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongResponse {
    /// What the step expects.
    pub expected: String,
    /// Its status.
    pub status: u16,
    /// The beginning of its body.
    pub body: String,
}

/// Buffers for bodies from which something is captured, shared by the users of one event loop.
pub type BodyBuffers = Rc<RefCell<Vec<Vec<u8>>>>;

/// The validation of the responses of one user, one after the other.
#[derive(Debug)]
pub struct Validation {
    buffers: BodyBuffers,
    markers: MarkerSearches,
    /// How many bytes the body must have; no body has the largest number of them.
    length: Option<u64>,
    /// How many have come.
    came: u64,
    /// The body so far, when something is captured from it.
    body: Option<Vec<u8>>,
    /// Where the beginnings of bodies come from, and that of this one.
    beginnings: BodyBuffers,
    beginning: Option<Vec<u8>>,
    status: u16,
    header_missing: bool,
    /// Made with the first step whose response reports calls.
    calls: Option<Box<CallReader>>,
}

impl Validation {
    /// A validation that borrows its buffers for bodies from `buffers`, and those for their `beginnings`.
    #[must_use]
    pub fn new(buffers: BodyBuffers, beginnings: BodyBuffers) -> Self {
        Self {
            buffers,
            markers: MarkerSearches::default(),
            length: None,
            came: 0,
            body: None,
            beginnings,
            beginning: None,
            status: 0,
            header_missing: false,
            calls: None,
        }
    }

    /// Prepares for the responses of a step.
    pub fn begin(&mut self, step: &Step, values: &Variables) {
        let markers = self.markers.renew(step.expect.markers.len());
        for (template, marker) in step.expect.markers.iter().zip(markers) {
            template.write(values, Encoding::Verbatim, marker);
        }
        self.length = step.expect.length.map(|length| length.bytes(values).unwrap_or(u64::MAX));
    }

    /// A response begins. `header` finds a header line by its name, `cookie` a cookie that the user has then.
    pub fn head<'h>(
        &mut self,
        status: u16,
        step: &Step,
        values: &mut Variables,
        header: impl Fn(&str) -> Option<&'h [u8]>,
        cookie: impl Fn(&str) -> Option<&'h [u8]>,
    ) {
        self.status = status;
        self.markers.restart();
        self.came = 0;
        self.header_missing = false;
        self.release();
        if step.calls.is_some() {
            // Allocates once for each user.
            **self.calls.get_or_insert_default() = CallReader::default();
        }
        for capture in &step.captures {
            let found = match &capture.source {
                Source::Header(name) => header(name),
                Source::Cookie(name) => cookie(name),
                Source::Body(_) => {
                    if self.body.is_none() {
                        self.body = Some(self.buffers.borrow_mut().pop().unwrap_or_default());
                    }
                    continue;
                }
            };
            match found {
                Some(value) => values.renew(capture.variable).push_str(&String::from_utf8_lossy(value)),
                None => self.header_missing = true,
            }
        }
    }

    /// The next piece of its body. Only the body of a response with the expected status is looked at.
    pub fn piece(&mut self, step: &Step, piece: &[u8]) {
        self.keep_beginning(piece);
        if self.status == step.expect.status {
            self.markers.look_at(piece);
            self.came += piece.len() as u64;
            if let Some(body) = &mut self.body {
                body.extend_from_slice(piece);
            }
        }
    }

    /// The next piece of a body that reports calls, which `take` gets. As with [`Validation::piece`] only one of a response
    /// with the expected status is looked at.
    ///
    /// # Errors
    /// When it does not hold calls, one after the other.
    pub fn calls(&mut self, piece: &[u8], take: impl FnMut(Call)) -> Result<(), Mismatch> {
        let read = self.calls.as_mut().map(|calls| calls.read(piece, take));
        read.unwrap_or(Ok(())).map_err(|_| Mismatch::Calls)
    }

    /// Status of the last response.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    fn keep_beginning(&mut self, piece: &[u8]) {
        let beginnings = &self.beginnings;
        let kept = self.beginning.get_or_insert_with(|| beginnings.borrow_mut().pop().unwrap_or_default());
        kept.extend_from_slice(&piece[..piece.len().min(SHOWN_BYTES - kept.len())]);
    }

    /// What was wrong with the last response; only before [`Validation::release`].
    #[must_use]
    pub fn wrong_response(&self, mismatch: Mismatch, step: &Step, values: &Variables) -> WrongResponse {
        let expected = match mismatch {
            Mismatch::Status => format!("status {}", step.expect.status),
            Mismatch::Path => {
                let mut text = b"path ".to_vec();
                step.expect.path.iter().for_each(|path| path.write(values, Encoding::Percent, &mut text));
                String::from_utf8_lossy(&text).into_owned()
            }
            Mismatch::Marker => beginning_of(self.markers.first_missing().unwrap_or_default()),
            Mismatch::Length => format!("{} bytes, not {}", self.length.unwrap_or_default(), self.came),
            Mismatch::Capture => "a value to capture".to_owned(),
            Mismatch::Calls => self.calls.as_ref().and_then(|calls| calls.problem()).unwrap_or_default(),
            Mismatch::TooLarge => format!("a value to capture of at most {LONGEST_VALUE} bytes"),
        };
        let body = beginning_of(self.beginning.as_deref().unwrap_or_default());
        WrongResponse { expected, status: self.status, body }
    }

    /// Whether the last response, which ended at `path`, is what the step expects; then captures from it.
    ///
    /// # Errors
    /// The first check that failed.
    pub fn verdict(&mut self, step: &Step, path: &str, values: &mut Variables) -> Result<(), Mismatch> {
        let verdict = self.check(step, path, values);
        if verdict.is_ok() {
            self.release();
        }
        verdict
    }

    /// Gives back what there is of the body.
    pub fn release(&mut self) {
        if let Some(mut beginning) = self.beginning.take() {
            beginning.clear();
            self.beginnings.borrow_mut().push(beginning);
        }
        if let Some(mut body) = self.body.take().filter(|body| body.capacity() <= LARGEST_KEPT) {
            body.clear();
            self.buffers.borrow_mut().push(body);
        }
    }

    fn check(&mut self, step: &Step, path: &str, values: &mut Variables) -> Result<(), Mismatch> {
        if self.status != step.expect.status {
            return Err(Mismatch::Status);
        }
        if let Some(expected) = &step.expect.path {
            // Allocates: few steps ask where the redirects ended.
            let mut text = Vec::new();
            expected.write(values, Encoding::Percent, &mut text);
            if text != path.as_bytes() {
                return Err(Mismatch::Path);
            }
        }
        if !self.markers.all_found() {
            return Err(Mismatch::Marker);
        }
        if self.length.is_some_and(|length| length != self.came) {
            return Err(Mismatch::Length);
        }
        if self.header_missing {
            return Err(Mismatch::Capture);
        }
        if step.calls.is_some() && self.calls.as_ref().is_some_and(|calls| calls.problem().is_some()) {
            return Err(Mismatch::Calls);
        }
        let body = self.body.as_deref().unwrap_or_default();
        for capture in &step.captures {
            if let Source::Body(source) = &capture.source {
                let value = values.renew(capture.variable);
                if !source.find(body, value) {
                    return Err(Mismatch::Capture);
                }
                if value.len() > LONGEST_VALUE {
                    *value = String::new();
                    return Err(Mismatch::TooLarge);
                }
            }
        }
        Ok(())
    }
}

/// So many characters of a text at most.
fn beginning_of(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(SHOWN_CHARACTERS).collect()
}
