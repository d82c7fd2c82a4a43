//! Responses in all their forms: the header and what it says about the body, interim responses, lengths, chunks, gzip.

use httparse::Header;
use middlemark_driver::connect::framing::Framing;
use middlemark_driver::connect::response::{Body, Progress, ResponseLimits};
use middlemark_driver::connect::{Receiver, ResponseError, ResponseReader};

use super::cuts;

const LIMITS: ResponseLimits = ResponseLimits { header_bytes: 1_024, body_bytes: 1_024 };

/// The reader may notice garbage in a header longer than this, when it comes in pieces, only at its end.
const SHORT_HEAD: usize = 256;

/// What the plan says about responses.
#[derive(Clone, Copy, Debug)]
struct Terms {
    body: Body,
    inflates: bool,
}

/// What was understood of a response.
#[derive(Debug)]
struct Understood {
    terms: Terms,
    /// The status, and where the body ends by the header; nothing before the header was whole.
    head: Option<(u16, Result<Framing, ResponseError>)>,
    header_lines: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    /// How reading ended, how many bytes it took until then, and what the reader says about the connection.
    end: Result<Progress, ResponseError>,
    used: usize,
    keeps_alive: bool,
    ends_with_connection: bool,
}

impl Receiver for Understood {
    fn expects(&self, _: u16) -> Body {
        self.terms.body
    }

    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        assert!(self.head.is_none(), "two headers");
        assert!((102..1_000).contains(&status), "{status}");
        self.head = Some((status, Framing::of(headers)));
        let line = |header: &Header<'_>| (header.name.to_owned(), header.value.to_vec());
        self.header_lines = headers.iter().map(line).collect();
    }

    fn body(&mut self, piece: &[u8]) -> Result<(), ResponseError> {
        assert!(self.head.is_some() && self.terms.body == Body::Possible, "a body without a header");
        self.body.extend_from_slice(piece);
        Ok(())
    }
}

impl Understood {
    fn has_ended(&self) -> bool {
        self.end != Ok(Progress::More)
    }

    /// Where the body ends, unless there can be none.
    fn framing(&self) -> Option<Framing> {
        let (status, framing) = self.head?;
        let has_body = self.terms.body == Body::Possible && !matches!(status, 204 | 304);
        framing.ok().filter(|_| has_body)
    }
}

/// Any bytes as a response.
pub fn hold(bytes: &[u8]) {
    for body in [Body::Possible, Body::Never] {
        for inflates in [false, true] {
            let terms = Terms { body, inflates };
            let whole = read(terms, [bytes]);
            check(&whole, bytes);
            let byte_by_byte = read(terms, bytes.chunks(1));
            assert_ne!(byte_by_byte.end, Ok(Progress::Excess), "it went on behind the end");
            if byte_by_byte.end == Ok(Progress::Complete) {
                check_end(terms, &bytes[..byte_by_byte.used]);
            }
            for pieces in cuts::ways(bytes) {
                compare(&whole, &read(terms, pieces));
            }
            check_endless(terms, bytes);
        }
    }
}

/// The same, cut in two at every place.
pub fn hold_at_every_cut(bytes: &[u8]) {
    let terms = Terms { body: Body::Possible, inflates: true };
    let whole = read(terms, [bytes]);
    for cut in 0..=bytes.len() {
        compare(&whole, &read(terms, [&bytes[..cut], &bytes[cut..]]));
    }
}

fn read<'a>(terms: Terms, pieces: impl IntoIterator<Item = &'a [u8]>) -> Understood {
    let reader = ResponseReader::new(LIMITS);
    let mut reader = if terms.inflates { reader.inflating() } else { reader };
    let mut understood = Understood {
        terms,
        head: None,
        header_lines: Vec::new(),
        body: Vec::new(),
        end: Ok(Progress::More),
        used: 0,
        keeps_alive: false,
        ends_with_connection: false,
    };
    for piece in pieces {
        understood.end = reader.read(piece, &mut understood);
        understood.used += piece.len();
        if understood.has_ended() {
            break;
        }
    }
    understood.keeps_alive = reader.keeps_alive();
    understood.ends_with_connection = !understood.has_ended() && reader.ends_here();
    understood
}

fn check(whole: &Understood, bytes: &[u8]) {
    assert!(whole.body.len() <= LIMITS.body_bytes, "{} bytes of body", whole.body.len());
    let is_inflated =
        whole.header_lines.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    let Some(framing) = whole.framing().filter(|_| !whole.terms.inflates || !is_inflated) else { return };
    match (framing, whole.end) {
        (Framing::Length(length), Ok(Progress::Complete | Progress::Excess)) => {
            assert_eq!(whole.body.len(), length);
        }
        (Framing::Length(length), Ok(Progress::More)) => assert!(whole.body.len() < length),
        (Framing::UntilClose, Ok(end)) => {
            assert_eq!((end, whole.keeps_alive, whole.ends_with_connection), (Progress::More, false, true));
            assert!(bytes.ends_with(&whole.body));
        }
        _ => {}
    }
}

/// The bytes are one whole response: no byte less is, and one more is in excess.
fn check_end(terms: Terms, response: &[u8]) {
    assert_eq!(read(terms, [response]).end, Ok(Progress::Complete));
    assert_eq!(read(terms, [&response[..response.len() - 1]]).end, Ok(Progress::More));
    let more = [response, b"H"].concat();
    assert_eq!(read(terms, [more.as_slice()]).end, Ok(Progress::Excess));
}

fn compare(whole: &Understood, cut: &Understood) {
    match (whole.end, cut.end) {
        (Ok(_), Ok(_)) => {
            assert_eq!(whole.has_ended(), cut.has_ended(), "{whole:?} and {cut:?}");
            assert_eq!((&whole.head, &whole.header_lines), (&cut.head, &cut.header_lines));
            assert_eq!(whole.body, cut.body);
            assert_eq!(whole.keeps_alive, cut.keeps_alive);
            assert_eq!(whole.ends_with_connection, cut.ends_with_connection);
        }
        // Which of two things is wrong first depends on how much is inflated at once.
        (Err(_), Err(_)) if whole.terms.inflates => {}
        (Err(one), Err(other)) => assert_eq!(one, other),
        _ => assert!(cut.head.is_none() && cut.used > SHORT_HEAD, "{whole:?} and {cut:?}"),
    }
}

/// Over and over again the same bytes: header and body have limits, so this ends. Chunks may come with framing of 4 KiB
/// for each byte.
fn check_endless(terms: Terms, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let most = LIMITS.header_bytes + LIMITS.body_bytes;
    let endless = read(terms, std::iter::repeat_n(bytes, most / bytes.len() + 1));
    assert!(endless.has_ended() || endless.framing() == Some(Framing::Chunked), "{endless:?}");
}
