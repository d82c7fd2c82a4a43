//! One `Set-Cookie` line (RFC 6265, 5.2).

use crate::connect::cookie_date;

/// Longest name and value together, and longest value of an attribute that counts (RFC 6265bis, 5.6).
const LONGEST: usize = 4_096;
const LONGEST_ATTRIBUTE: usize = 1_024;

/// What a line says.
#[derive(Debug)]
pub(super) struct SetCookie<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Where it says so, in lower case and without a dot in front.
    pub(super) domain: Option<String>,
    /// Where it says so and it starts with `/`.
    pub(super) path: Option<&'a [u8]>,
    pub(super) secure: bool,
    /// Seconds since 1970.
    pub(super) expires: Option<i64>,
}

impl<'a> SetCookie<'a> {
    /// Reads a line that came at `now`, in seconds since 1970. Nothing when it sets no cookie.
    pub(super) fn read(line: &'a [u8], now: i64) -> Option<Self> {
        // A control character could end a line of a request (RFC 6265bis, 5.6).
        if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
            return None;
        }
        let mut parts = line.split(|&byte| byte == b';');
        let (name, value) = pair(parts.next()?);
        let value = value?;
        // No browser takes a tab either.
        let has_tab = name.contains(&b'\t') || value.contains(&b'\t');
        if name.is_empty() || has_tab || name.len() + value.len() > LONGEST {
            return None;
        }
        let mut cookie = Self { name, value, domain: None, path: None, secure: false, expires: None };
        let mut max_age = None;
        for (name, value) in parts.map(pair) {
            let value = value.unwrap_or_default();
            if value.contains(&b'\t') {
                return None;
            }
            if value.len() > LONGEST_ATTRIBUTE {
                continue;
            }
            // Of each attribute that makes sense the last one counts (5.3).
            if name.eq_ignore_ascii_case(b"path") {
                cookie.path = value.starts_with(b"/").then_some(value);
            } else if name.eq_ignore_ascii_case(b"max-age") {
                max_age = seconds(value).or(max_age);
            } else if name.eq_ignore_ascii_case(b"expires") {
                cookie.expires = cookie_date::parse(value).or(cookie.expires);
            } else if name.eq_ignore_ascii_case(b"secure") {
                cookie.secure = true;
            } else if name.eq_ignore_ascii_case(b"domain") && !value.is_empty() {
                // A dot alone is no name.
                let bare = value.strip_prefix(b".").filter(|name| !name.is_empty());
                let domain = bare.unwrap_or(value);
                // What is not text matches no host.
                cookie.domain = Some(String::from_utf8_lossy(domain).to_ascii_lowercase());
            }
        }
        // Max-Age wins, wherever it stands (5.3, step 3).
        cookie.expires = max_age.map(|seconds| now.saturating_add(seconds)).or(cookie.expires);
        Some(cookie)
    }

    /// Whether it is what the prefix of its name promises (RFC 6265bis, 4.1.3), if it goes to one host only or not.
    pub(super) fn keeps_promise(&self, host_only: bool) -> bool {
        let begins = |prefix: &[u8]| {
            self.name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        let of_host = || host_only && self.path == Some(b"/");
        if begins(b"__Host-") { self.secure && of_host() } else { self.secure || !begins(b"__Secure-") }
    }
}

/// What is left and right of the first `=`, without the spaces around it.
fn pair(part: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', part) {
        Some(equals) => (trim(&part[..equals]), Some(trim(&part[equals + 1..]))),
        None => (trim(part), None),
    }
}

/// Spaces and tabs only: other bytes belong to the value.
fn trim(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// RFC 6265, 5.2.2; browsers read a plus sign too. A number that is too large lasts for ever; 0 and below are over.
fn seconds(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (digits, sign) = text.strip_prefix(b"-").map_or((text, 1), |digits| (digits, -1));
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: i64, digit: &u8| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    Some(sign * digits.iter().fold(0, add))
}
