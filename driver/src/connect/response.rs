//! Reads a response from its bytes as they come, without keeping the body.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Response, Status};
use memchr::memmem;

use super::chunked::{ChunkReader, Chunks};
use super::framing::{self, Framing};
use super::inflate::Inflater;
use super::repair;

/// Header lines for which nothing is allocated.
const FEW_LINES: usize = 128;

/// Shortest header line: `a:` and a line feed.
const SHORTEST_LINE: usize = 3;

/// A header cut into pieces up to this long is read again with every piece, so that garbage is noticed at once;
/// a longer one only when it is whole.
const SHORT_HEAD: usize = 256;

/// Who looks at a response while it comes.
pub trait Receiver {
    /// Whether a response with this status can have a body; one to a HEAD never has.
    fn expects(&self, _status: u16) -> Body {
        Body::Possible
    }
    /// The header is there.
    fn head(&mut self, status: u16, headers: &[Header<'_>]);
    /// A piece of the body.
    ///
    /// # Errors
    /// When nothing more of it is wanted.
    fn body(&mut self, piece: &[u8]) -> Result<(), ResponseError>;
}

/// Why a response cannot be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseError {
    /// Not HTTP.
    Protocol,
    /// Longer than the plan allows.
    TooLarge,
    /// Its receiver wants nothing more of it.
    Refused,
}

/// Longest parts of a response.
#[derive(Clone, Copy, Debug)]
pub struct ResponseLimits {
    /// Header, interim responses and trailer each included.
    pub header_bytes: usize,
    /// Body without its framing.
    pub body_bytes: usize,
}

/// Whether a response can have a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// As its header says.
    Possible,
    /// As its header says, however long: its receiver keeps nothing of it.
    OfAnyLength,
    /// Never, whatever its header says: the request was a HEAD.
    Never,
}

/// How far a response has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More must come.
    More,
    /// It is complete.
    Complete,
    /// It is complete, and there were bytes behind it that nobody asked for.
    Excess,
}

/// Reads one response after the other.
#[derive(Debug)]
pub struct ResponseReader {
    limits: ResponseLimits,
    /// Longest body of this response.
    body_limit: usize,
    state: State,
    /// The header as far as it came, when it came in pieces.
    pieces: Vec<u8>,
    header_bytes: usize,
    body_bytes: usize,
    keeps_alive: bool,
    is_odd: bool,
    /// Whether a body in gzip is inflated.
    inflates: bool,
    inflation: Option<Box<Inflation>>,
}

/// A body being inflated.
#[derive(Debug, Default)]
struct Inflation {
    inflater: Inflater,
    /// Bytes so far.
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Head,
    Length(usize),
    Chunked(ChunkReader),
    UntilClose,
    Complete,
}

impl ResponseReader {
    /// A reader with these limits.
    #[must_use]
    pub fn new(limits: ResponseLimits) -> Self {
        let pieces = Vec::new();
        Self {
            limits,
            body_limit: limits.body_bytes,
            state: State::Head,
            pieces,
            header_bytes: 0,
            body_bytes: 0,
            keeps_alive: false,
            is_odd: false,
            inflates: false,
            inflation: None,
        }
    }

    /// The same reader, but the receiver sees bodies in gzip inflated. They are limited like others.
    #[must_use]
    pub fn inflating(self) -> Self {
        Self { inflates: true, ..self }
    }

    /// Prepares for the next response.
    pub fn restart(&mut self) {
        self.state = State::Head;
        self.pieces.clear();
        self.header_bytes = 0;
        self.body_bytes = 0;
        self.is_odd = false;
        self.inflation = None;
    }

    /// Whether anything of it has come.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !matches!(self.state, State::Head) || self.header_bytes > 0 || !self.pieces.is_empty()
    }

    /// Whether the connection may be used again after this response.
    #[must_use]
    pub fn keeps_alive(&self) -> bool {
        self.keeps_alive
    }

    /// Whether it was not quite HTTP, and was read as browsers do: its header was repaired or its body in gzip broke off.
    #[must_use]
    pub fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// Bytes of the body as it came over the wire, without framing; meant for a complete response.
    #[must_use]
    pub fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// When they are not a response or too many.
    pub fn read(&mut self, bytes: &[u8], receiver: &mut impl Receiver) -> Result<Progress, ResponseError> {
        let mut rest = bytes;
        loop {
            rest = match self.state {
                State::Complete if self.inflation.is_some() => {
                    self.end_inflation();
                    rest
                }
                State::Complete if rest.is_empty() => return Ok(Progress::Complete),
                State::Complete => return Ok(Progress::Excess),
                _ if rest.is_empty() => return Ok(Progress::More),
                State::Head => &rest[self.read_head(rest, receiver)?..],
                State::Length(left) => {
                    let (piece, after) = rest.split_at(left.min(rest.len()));
                    self.hand_over(piece, receiver)?;
                    self.state =
                        if piece.len() == left { State::Complete } else { State::Length(left - piece.len()) };
                    after
                }
                State::Chunked(mut chunks) => {
                    let used = self.read_chunks(&mut chunks, rest, receiver)?;
                    &rest[used..]
                }
                State::UntilClose => {
                    self.count_body(rest.len())?;
                    self.hand_over(rest, receiver)?;
                    &[]
                }
            };
        }
    }

    /// The connection ended. True when that is how this response ends.
    #[must_use]
    pub fn ends_here(&mut self) -> bool {
        let ends = matches!(self.state, State::UntilClose);
        if ends {
            self.end_inflation();
        }
        ends
    }

    /// Reads from the header; returns how many of the bytes belong to it. Nothing is looked at or kept beyond the
    /// limit, whatever it is: a server may send empty lines, which belong to no header, for ever.
    fn read_head(&mut self, bytes: &[u8], receiver: &mut impl Receiver) -> Result<usize, ResponseError> {
        let before = self.pieces.len();
        let room = self.limits.header_bytes.saturating_sub(self.header_bytes + before);
        let within = &bytes[..bytes.len().min(room)];
        let is_cut = within.len() < bytes.len();
        let whole = if before == 0 {
            self.parse(within, receiver)?
        } else {
            self.pieces.extend_from_slice(within);
            let seam = &self.pieces[before.saturating_sub(3)..];
            let may_end = memmem::find(seam, b"\n\r\n").is_some() || memmem::find(seam, b"\n\n").is_some();
            if may_end || is_cut || self.pieces.len() <= SHORT_HEAD {
                let pieces = std::mem::take(&mut self.pieces);
                let whole = self.parse(&pieces, receiver)?;
                self.pieces = if whole.is_some() { Vec::new() } else { pieces };
                whole
            } else {
                None
            }
        };
        match whole {
            Some(length) => Ok(length.saturating_sub(before)),
            None if is_cut => Err(ResponseError::TooLarge),
            None => {
                if before == 0 {
                    self.pieces.extend_from_slice(within);
                }
                Ok(bytes.len())
            }
        }
    }

    /// Parses a header from its first byte. Nothing when it is not whole.
    fn parse(&mut self, bytes: &[u8], receiver: &mut impl Receiver) -> Result<Option<usize>, ResponseError> {
        if !self.is_odd {
            let mut lines = [const { MaybeUninit::uninit() }; FEW_LINES];
            let mut parsed = self.parse_strictly(bytes, &mut lines, receiver);
            if parsed == Err(httparse::Error::TooManyHeaders) {
                // Allocates: hardly a server sends so many lines.
                let mut lines = vec![MaybeUninit::uninit(); bytes.len() / SHORTEST_LINE];
                parsed = self.parse_strictly(bytes, &mut lines, receiver);
            }
            if let Ok(parsed) = parsed {
                return parsed;
            }
            self.is_odd = true;
        }
        let Some(header) = repair::repaired(bytes)? else { return Ok(None) };
        let version = Some(header.minor_version);
        self.begin((version, header.status), &header.headers(), header.length, receiver).map(Some)
    }

    /// Parses a header with room for so many `lines`. The outer error is that of a header that is not HTTP.
    fn parse_strictly<'a>(
        &mut self,
        bytes: &'a [u8],
        lines: &mut [MaybeUninit<Header<'a>>],
        receiver: &mut impl Receiver,
    ) -> Result<Result<Option<usize>, ResponseError>, httparse::Error> {
        let mut response = Response::new(&mut []);
        let parsed = ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, lines);
        let Status::Complete(length) = parsed? else { return Ok(Ok(None)) };
        let status = response.code.ok_or(httparse::Error::Status)?;
        Ok(self.begin((response.version, status), response.headers, length, receiver).map(Some))
    }

    /// Begins with the body that follows a header of so many bytes; returns their number.
    fn begin(
        &mut self,
        (version, status): (Option<u8>, u16),
        headers: &[Header<'_>],
        length: usize,
        receiver: &mut impl Receiver,
    ) -> Result<usize, ResponseError> {
        self.header_bytes += length;
        match status {
            0..100 | 101 => return Err(ResponseError::Protocol),
            // An interim response; the real one follows.
            100..200 => return Ok(length),
            _ => {}
        }
        self.keeps_alive = framing::keeps_alive(version, headers);
        let body = receiver.expects(status);
        self.body_limit = if body == Body::OfAnyLength { usize::MAX } else { self.limits.body_bytes };
        let without_body = body == Body::Never || matches!(status, 204 | 304);
        self.state = if without_body { State::Complete } else { self.first_state(headers)? };
        self.is_odd |= !without_body && !framing::has_plain_lengths(headers);
        if self.inflates && !without_body && framing::is_gzip(headers) {
            self.inflation = Some(Box::default());
        }
        receiver.head(status, headers);
        Ok(length)
    }

    fn first_state(&mut self, headers: &[Header<'_>]) -> Result<State, ResponseError> {
        match Framing::of(headers)? {
            Framing::Length(0) => Ok(State::Complete),
            Framing::Length(length) => self.count_body(length).map(|()| State::Length(length)),
            Framing::Chunked => Ok(State::Chunked(ChunkReader::new())),
            Framing::UntilClose => {
                self.keeps_alive = false;
                Ok(State::UntilClose)
            }
        }
    }

    fn read_chunks(
        &mut self,
        chunks: &mut ChunkReader,
        bytes: &[u8],
        receiver: &mut impl Receiver,
    ) -> Result<usize, ResponseError> {
        let limit = self.limits.header_bytes;
        let read = chunks.read(bytes, limit, |piece| {
            self.count_body(piece.len())?;
            self.hand_over(piece, receiver)
        })?;
        match read {
            Chunks::More => {
                self.state = State::Chunked(*chunks);
                Ok(bytes.len())
            }
            Chunks::End(used) => {
                self.state = State::Complete;
                Ok(used)
            }
        }
    }

    /// Shows a piece of the body to the receiver, inflated if need be.
    fn hand_over(&mut self, piece: &[u8], receiver: &mut impl Receiver) -> Result<(), ResponseError> {
        let Some(inflation) = &mut self.inflation else {
            return receiver.body(piece);
        };
        let (limit, sum) = (self.body_limit, &mut inflation.bytes);
        inflation.inflater.read(piece, |content| {
            *sum += content.len();
            if *sum > limit {
                return Err(ResponseError::TooLarge);
            }
            receiver.body(content)
        })
    }

    /// A body in gzip that breaks off is what came of it.
    fn end_inflation(&mut self) {
        let inflation = self.inflation.take();
        self.is_odd |= inflation.is_some_and(|inflation| !inflation.inflater.is_whole());
    }

    fn count_body(&mut self, bytes: usize) -> Result<(), ResponseError> {
        self.body_bytes = self.body_bytes.saturating_add(bytes);
        if self.body_bytes > self.body_limit { Err(ResponseError::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
