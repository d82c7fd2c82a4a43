//! The cookies of one user (RFC 6265, as far as hosts that are addressed by name need it).

use super::cookie_date;

/// Most cookies a user keeps and the longest of them (RFC 6265, 6.1): a server must not fill the memory.
const MOST_COOKIES: usize = 50;
const LONGEST_COOKIE: usize = 4_096;

/// The cookies of one user, for all hosts it talks to.
#[derive(Debug, Default)]
pub struct CookieJar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    /// The target whose host set it.
    host: usize,
    name: String,
    value: String,
    path: String,
    /// Seconds since 1970.
    expires: Option<i64>,
}

/// Where and when cookies are set or sent.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Number of the host.
    pub host: usize,
    /// Path of the request, with or without a query.
    pub path: &'a str,
    /// Seconds since 1970.
    pub now: i64,
}

impl CookieJar {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes one `Set-Cookie` line. `Domain` and `HttpOnly` make no difference here; a `Secure` cookie is not kept,
    /// because this version speaks http only.
    pub fn set(&mut self, line: &[u8], place: Place<'_>) {
        let text = String::from_utf8_lossy(line);
        let mut parts = text.split(';');
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { return };
        let (name, value) = (name.trim(), value.trim());
        let is_sendable = |byte: u8| byte >= 0x20 && byte != 0x7f;
        if name.is_empty()
            || text.len() > LONGEST_COOKIE
            || !text.bytes().all(|byte| is_sendable(byte) || byte == 9)
        {
            return;
        }
        let attributes = Attributes::read(parts, place.now);
        let path = attributes.path.unwrap_or_else(|| default_path(place.path));
        let known = self
            .0
            .iter()
            .position(|cookie| cookie.host == place.host && cookie.name == name && cookie.path == path);
        if attributes.secure || attributes.expires.is_some_and(|expires| expires <= place.now) {
            known.map(|index| self.0.remove(index));
        } else if let Some(index) = known {
            self.0[index].value = value.into();
            self.0[index].expires = attributes.expires;
        } else if self.0.len() < MOST_COOKIES {
            let cookie = Cookie {
                host: place.host,
                name: name.into(),
                value: value.into(),
                path: path.into(),
                expires: attributes.expires,
            };
            // Longer paths come first, then the older cookie (RFC 6265, 5.4).
            let index = self.0.partition_point(|other| other.path.len() >= cookie.path.len());
            self.0.insert(index, cookie);
        }
    }

    /// Writes the `Cookie` line of a request, if there is anything to send.
    pub fn write(&self, place: Place<'_>, out: &mut Vec<u8>) {
        let mut separator: &[u8] = b"Cookie: ";
        for cookie in self.0.iter().filter(|cookie| cookie.goes_to(place)) {
            out.extend_from_slice(separator);
            out.extend_from_slice(cookie.name.as_bytes());
            out.push(b'=');
            out.extend_from_slice(cookie.value.as_bytes());
            separator = b"; ";
        }
        if separator == b"; " {
            out.extend_from_slice(b"\r\n");
        }
    }
}

impl Cookie {
    fn goes_to(&self, place: Place<'_>) -> bool {
        self.host == place.host
            && self.expires.is_none_or(|expires| expires > place.now)
            && path_matches(&self.path, place.path.split('?').next().unwrap_or_default())
    }
}

#[derive(Default)]
struct Attributes<'a> {
    path: Option<&'a str>,
    expires: Option<i64>,
    secure: bool,
}

impl<'a> Attributes<'a> {
    fn read(parts: impl Iterator<Item = &'a str>, now: i64) -> Self {
        let mut attributes = Self::default();
        let mut max_age = None;
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim(), value.trim());
            if name.eq_ignore_ascii_case("path") {
                attributes.path = value.starts_with('/').then_some(value);
            } else if name.eq_ignore_ascii_case("max-age") {
                max_age = parse_seconds(value).or(max_age);
            } else if name.eq_ignore_ascii_case("expires") {
                attributes.expires = cookie_date::parse(value).or(attributes.expires);
            } else if name.eq_ignore_ascii_case("secure") {
                attributes.secure = true;
            }
        }
        // Max-Age wins (RFC 6265, 5.3).
        attributes.expires = max_age.map(|seconds| now.saturating_add(seconds)).or(attributes.expires);
        attributes
    }
}

fn parse_seconds(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A number of seconds that is too large lasts for ever, one too small is over.
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// RFC 6265, 5.1.4.
fn default_path(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(last) => &path[..last],
    }
}

/// RFC 6265, 5.1.4.
fn path_matches(cookie: &str, request: &str) -> bool {
    request
        .strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn at(path: &str) -> Place<'_> {
        Place { host: 0, path, now: NOW }
    }

    fn jar(lines: &[&str]) -> CookieJar {
        let mut jar = CookieJar::default();
        for line in lines {
            jar.set(line.as_bytes(), at("/app/login?x=/y/z"));
        }
        jar
    }

    fn sent(jar: &CookieJar, place: Place<'_>) -> String {
        let mut out = Vec::new();
        jar.write(place, &mut out);
        String::from_utf8(out).expect("text").trim_end().replace("Cookie: ", "")
    }

    #[test]
    fn a_cookie_goes_back_to_its_path_and_host_only() {
        let jar = jar(&["a=1; HttpOnly", "b=2; Path=/", "c=3; path=/app/deep", "d=4; Path=/application"]);
        assert_eq!(sent(&jar, at("/app/home")), "a=1; b=2");
        assert_eq!(sent(&jar, at("/app/deep?q=1")), "c=3; a=1; b=2");
        assert_eq!(sent(&jar, at("/apple")), "b=2");
        assert_eq!(sent(&jar, Place { host: 1, ..at("/app/home") }), "");
    }

    #[test]
    fn a_cookie_set_again_is_replaced_and_one_expired_is_gone() {
        assert_eq!(sent(&jar(&["a=1", "a=2"]), at("/app/")), "a=2");
        assert_eq!(sent(&jar(&["a=1", "a=; Max-Age=0"]), at("/app/")), "");
        assert_eq!(sent(&jar(&["a=1", "a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]), at("/app/")), "");
        assert_eq!(
            sent(&jar(&["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]), at("/app/")),
            "a=1"
        );
        let jar = jar(&["a=1; Max-Age=60"]);
        assert_eq!(sent(&jar, Place { now: NOW + 60, ..at("/app/") }), "");
    }

    #[test]
    fn a_secure_cookie_is_not_sent() {
        assert_eq!(sent(&jar(&["a=1; Secure"]), at("/app/")), "");
    }

    #[test]
    fn a_server_cannot_fill_the_memory_or_break_a_line() {
        let lines: Vec<String> = (0..1_000).map(|number| format!("c{number}=x")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(jar(&lines).0.len(), MOST_COOKIES);
        let long = format!("a={}", "x".repeat(LONGEST_COOKIE));
        assert_eq!(sent(&jar(&["", "=x", "novalue", "a=1\u{1}", &long]), at("/app/")), "");
    }
}
