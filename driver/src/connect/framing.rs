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
    /// How the body of a response with this header ends (RFC 9112, 6.3).
    ///
    /// # Errors
    /// [`ResponseError::Protocol`] for lengths that are none or contradict each other.
    pub fn of(headers: &[Header<'_>]) -> Result<Self, ResponseError> {
        let named = |name| move |header: &&Header<'_>| header.name.eq_ignore_ascii_case(name);
        // Several lines are one list, and its last coding is the outermost.
        if let Some(line) = headers.iter().rfind(named("transfer-encoding")) {
            let last = line.value.rsplit(|&byte| byte == b',').next().unwrap_or_default();
            let is_chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            return Ok(if is_chunked { Self::Chunked } else { Self::UntilClose });
        }
        let mut length: Option<usize> = None;
        for header in headers.iter().filter(named("content-length")) {
            let value = digits(header.value).ok_or(ResponseError::Protocol)?;
            if length.is_some_and(|known| known != value) {
                return Err(ResponseError::Protocol);
            }
            length = Some(value);
        }
        Ok(length.map_or(Self::UntilClose, Self::Length))
    }
}

/// Whether the server keeps the connection after a response of this minor version of HTTP/1.
#[must_use]
pub fn keeps_alive(version: Option<u8>, headers: &[Header<'_>]) -> bool {
    let mut keeps = version == Some(1);
    for header in headers.iter().filter(|header| header.name.eq_ignore_ascii_case("connection")) {
        for token in header.value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            if token.eq_ignore_ascii_case(b"close") {
                return false;
            }
            keeps |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }
    keeps
}

/// Whether the body is in gzip and nothing else. Empty members of the list and `identity` are no codings.
#[must_use]
pub fn is_gzip(headers: &[Header<'_>]) -> bool {
    let lines = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("content-encoding"));
    let members = lines.flat_map(|line| line.value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    let mut codings =
        members.filter(|member| !member.is_empty() && !member.eq_ignore_ascii_case(b"identity"));
    let is_gzip =
        |coding: &[u8]| coding.eq_ignore_ascii_case(b"gzip") || coding.eq_ignore_ascii_case(b"x-gzip");
    codings.next().is_some_and(is_gzip) && codings.next().is_none()
}

/// A whole number; one too large for this machine is the largest there is.
fn digits(text: &[u8]) -> Option<usize> {
    let text = text.trim_ascii();
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: usize, digit: &u8| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    Some(text.iter().fold(0, add))
}
