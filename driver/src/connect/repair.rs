//! A header that is not HTTP, read as browsers read it.

use httparse::Header;
use memchr::memchr;

use super::response::ResponseError;

/// A header that had to be repaired.
#[derive(Debug)]
pub struct Repaired<'a> {
    /// Bytes of it, the empty line included.
    pub length: usize,
    /// Minor version of HTTP/1 whose rules hold.
    pub minor_version: u8,
    /// Three digits.
    pub status: u16,
    lines: Vec<(&'a str, Vec<u8>)>,
}

impl Repaired<'_> {
    /// Its lines, without those that are none.
    #[must_use]
    pub fn headers(&self) -> Vec<Header<'_>> {
        self.lines.iter().map(|(name, value)| Header { name, value }).collect()
    }
}

/// Repairs a header; nothing before all of it has come.
///
/// # Errors
/// When it does not begin with a status line or holds a NUL.
pub fn repaired(bytes: &[u8]) -> Result<Option<Repaired<'_>>, ResponseError> {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let end = end_of_header(bytes, start);
    let header = &bytes[start..end.unwrap_or(bytes.len())];
    let known = header.len().min(PROTOCOL.len());
    if !header[..known].eq_ignore_ascii_case(&PROTOCOL[..known]) || memchr(b'\0', header).is_some() {
        return Err(ResponseError::Protocol);
    }
    let mut lines = header.split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| !line.is_empty());
    let Some(length) = end else { return Ok(None) };
    let (minor_version, status) = lines.next().and_then(status_line).ok_or(ResponseError::Protocol)?;
    Ok(Some(Repaired { length, minor_version, status, lines: header_lines(lines) }))
}

const PROTOCOL: &[u8] = b"HTTP/";

/// Where the first empty line behind `start` ends.
fn end_of_header(bytes: &[u8], start: usize) -> Option<usize> {
    let mut line = start;
    while let Some(length) = memchr(b'\n', &bytes[line..]) {
        if matches!(bytes[line..line + length], [] | [b'\r']) {
            return Some(line + length + 1);
        }
        line += length + 1;
    }
    None
}

/// Minor version and status of a line like `http/1.1 200OK`.
fn status_line(line: &[u8]) -> Option<(u8, u16)> {
    let blank = line.iter().position(|byte| is_blank(*byte))?;
    let minor_version = match line.get(PROTOCOL.len()..blank)? {
        b"1" | b"1.0" => 0,
        [b'1'..=b'9'] | [b'1'..=b'9', b'.', b'0'..=b'9'] => 1,
        _ => return None,
    };
    let status = line[blank..].trim_ascii_start();
    let digits = status.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits != 3 {
        return None;
    }
    let status = status[..digits].iter().fold(0, |status, digit| 10 * status + u16::from(digit - b'0'));
    Some((minor_version, status))
}

/// The lines that have a name. A folded line goes on behind one blank (RFC 9112, 5.2); a line without a colon, with a name
/// that cannot be one, or with control characters is passed over.
fn header_lines<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<(&'a str, Vec<u8>)> {
    // Allocates: servers that write such headers are rare.
    let mut read: Vec<(&str, Vec<u8>)> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        if is_blank(line[0]) {
            let last = read.last_mut().filter(|_| goes_on);
            if let Some((_, value)) = last {
                let more = line.trim_ascii();
                if !value.is_empty() && !more.is_empty() {
                    value.push(b' ');
                }
                value.extend_from_slice(more);
            }
            continue;
        }
        let pair = memchr(b':', line).and_then(|colon| {
            Some((name(line[..colon].trim_ascii_end())?, line[colon + 1..].trim_ascii().to_vec()))
        });
        goes_on = pair.is_some();
        read.extend(pair);
    }
    read.retain(|(_, value)| !value.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t'));
    read
}

/// RFC 9110, 5.1: a token.
fn name(text: &[u8]) -> Option<&str> {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    if text.is_empty() || !text.iter().all(is_token) {
        return None;
    }
    std::str::from_utf8(text).ok()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_is_read_where_its_status_has_three_digits() {
        for (line, expected) in [
            ("HTTP/1.1 200 OK", Some((1, 200))),
            ("http/1.0 404", Some((0, 404))),
            ("HTTP/1 200 OK", Some((0, 200))),
            ("HTTP/2.0 200 OK", Some((1, 200))),
            ("HTTP/2 200", Some((1, 200))),
            ("HTTP/1.1\t200\tOK", Some((1, 200))),
            ("HTTP/1.1  200OK", Some((1, 200))),
            ("HTTP/1.1 999 \x01", Some((1, 999))),
            ("HTTP/1.1 20 OK", None),
            ("HTTP/1.1 2000 OK", None),
            ("HTTP/1.1 -200 OK", None),
            ("HTTP/1.1 OK", None),
            ("HTTP/1.1", None),
            ("HTTP/1.10 200 OK", None),
            ("HTTP/0.9 200 OK", None),
            ("HTTP/ 1.1 200 OK", None),
        ] {
            let header = format!("{line}\r\n\r\n");
            let read = repaired(header.as_bytes());
            let read = read.ok().flatten().map(|header| (header.minor_version, header.status));
            assert_eq!(read, expected, "{line}");
        }
    }

    #[test]
    fn what_cannot_become_a_header_is_noticed_at_once() {
        for (bytes, is_error) in [
            (&b""[..], false),
            (b"\r\n\r\n", false),
            (b"\r\nht", false),
            (b"HTTP/1.1 2", false),
            (b"HI", true),
            (b" HTTP/1.1 200", true),
            (b"HTTP/1.1 200 OK\r\nX: a\0", true),
            (b"\xef\xbb\xbfHTTP/1.1 200 OK", true),
        ] {
            assert_eq!(repaired(bytes).is_err(), is_error, "{bytes:?}");
        }
    }
}
