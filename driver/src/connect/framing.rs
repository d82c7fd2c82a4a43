//! Where the body of a response ends, how it is encoded and whether the connection outlives it, as the header tells.

use httparse::Header;

use super::response::ResponseError;

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// After so many bytes.
    Length(usize),
    /// After its last chunk.
    Chunked,
    /// With the connection.
    UntilClose,
}

impl Framing {
    /// How the body of a response with this header ends: RFC 9112, 6.3, but like browsers it looks for `chunked` anywhere
    /// among the codings, and at the length where there is none.
    ///
    /// # Errors
    /// [`ResponseError::Protocol`] for lengths that are none or contradict each other.
    pub fn of(headers: &[Header<'_>]) -> Result<Self, ResponseError> {
        let is_chunked = |coding: &[u8]| coding.eq_ignore_ascii_case(b"chunked");
        if members(headers, "transfer-encoding").any(is_chunked) {
            return Ok(Self::Chunked);
        }
        let mut lengths = members(headers, "content-length");
        let Some(first) = lengths.next().map(length).transpose()? else { return Ok(Self::UntilClose) };
        for other in lengths {
            if length(other)? != first {
                return Err(ResponseError::Protocol);
            }
        }
        Ok(first.map_or(Self::UntilClose, Self::Length))
    }
}

/// Whether all lengths of a header are numbers and nothing else.
#[must_use]
pub fn has_plain_lengths(headers: &[Header<'_>]) -> bool {
    let mut values = named(headers, "content-length").map(|header| header.value.trim_ascii());
    values.all(|value| value.iter().all(u8::is_ascii_digit))
}

/// Whether the server keeps the connection after a response of this minor version of HTTP/1.
#[must_use]
pub fn keeps_alive(version: Option<u8>, headers: &[Header<'_>]) -> bool {
    let mut keeps = version == Some(1);
    for token in members(headers, "connection") {
        if token.eq_ignore_ascii_case(b"close") {
            return false;
        }
        keeps |= token.eq_ignore_ascii_case(b"keep-alive");
    }
    keeps
}

/// Whether the body is in gzip and nothing else. Empty members of the list and `identity` are no codings.
#[must_use]
pub fn is_gzip(headers: &[Header<'_>]) -> bool {
    let mut codings = members(headers, "content-encoding")
        .filter(|member| !member.is_empty() && !member.eq_ignore_ascii_case(b"identity"));
    let is_gzip =
        |coding: &[u8]| coding.eq_ignore_ascii_case(b"gzip") || coding.eq_ignore_ascii_case(b"x-gzip");
    codings.next().is_some_and(is_gzip) && codings.next().is_none()
}

fn named<'a>(headers: &'a [Header<'a>], name: &'static str) -> impl Iterator<Item = &'a Header<'a>> {
    headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name))
}

/// Members of the list that all lines of a name are together.
fn members<'a>(headers: &'a [Header<'a>], name: &'static str) -> impl Iterator<Item = &'a [u8]> {
    named(headers, name).flat_map(|line| line.value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii)
}

/// The number with which a length begins; nothing when it is larger than any.
fn length(text: &[u8]) -> Result<Option<usize>, ResponseError> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Err(ResponseError::Protocol);
    }
    let add = |sum: usize, digit: &u8| sum.checked_mul(10)?.checked_add(usize::from(digit - b'0'));
    Ok(text[..digits].iter().try_fold(0, add))
}
