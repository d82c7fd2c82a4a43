//! Checks responses: are they what the step expects, and what is captured from them?

use std::cell::RefCell;
use std::rc::Rc;

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
    status: u16,
    header_missing: bool,
}

impl Validation {
    /// An validation that borrows its buffers from `buffers`.
    #[must_use]
    pub fn new(buffers: BodyBuffers) -> Self {
        Self {
            buffers,
            markers: MarkerSearches::default(),
            length: None,
            came: 0,
            body: None,
            status: 0,
            header_missing: false,
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
        if self.status == step.expect.status {
            self.markers.look_at(piece);
            self.came += piece.len() as u64;
            if let Some(body) = &mut self.body {
                body.extend_from_slice(piece);
            }
        }
    }

    /// Status of the last response.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the last response, which ended at `path`, is what the step expects; then captures from it.
    ///
    /// # Errors
    /// The first check that failed.
    pub fn verdict(&mut self, step: &Step, path: &str, values: &mut Variables) -> Result<(), Mismatch> {
        let verdict = self.check(step, path, values);
        self.release();
        verdict
    }

    /// Gives the body back, if there is one.
    pub fn release(&mut self) {
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
