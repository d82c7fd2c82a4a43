//! The cookies of one user, by the algorithms of RFC 6265, section 5.

mod set_cookie;

use std::net::IpAddr;

use set_cookie::SetCookie;

/// Most cookies of a domain, as in Chromium, and of a user; the least recently used make room (RFC 6265, 6.1 and 5.3).
const MAX_PER_DOMAIN: usize = 180;
const MAX_PER_USER: usize = 200;

/// The cookies of one user, for all hosts it talks to, in the order in which they are sent.
#[derive(Debug, Default)]
pub struct CookieJar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    name: Box<[u8]>,
    value: Box<[u8]>,
    domain: Box<str>,
    /// Whether it goes to that host only, not to those whose names end in it.
    host_only: bool,
    path: Box<[u8]>,
    secure: bool,
    /// Seconds since 1970.
    expires: Option<i64>,
    /// When it was set or sent last, in seconds since 1970.
    used: i64,
}

/// Where and when cookies are set or sent.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Name of the host in lower case, or its address.
    pub host: &'a str,
    /// Path of the request, with or without a query.
    pub path: &'a str,
    /// Whether the connection is encrypted.
    pub secure: bool,
    /// Seconds since 1970.
    pub now: i64,
}

impl Place<'_> {
    /// Whether `Secure` cookies are set and sent here: nothing can listen in (RFC 6265bis, 5.7, step 8).
    fn is_secure(&self) -> bool {
        self.secure || is_loopback(self.host)
    }
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

    /// Takes one `Set-Cookie` line (RFC 6265, 5.2 and 5.3). `HttpOnly` makes no difference where no script runs.
    pub fn set(&mut self, line: &[u8], place: Place<'_>) {
        let Some(read) = SetCookie::read(line, place.now) else { return };
        let Some((domain, host_only)) = scope(read.domain.as_deref(), place.host) else { return };
        if (read.secure && !place.is_secure()) || !read.keeps_promise(host_only) {
            return;
        }
        let path = read.path.unwrap_or_else(|| default_path(place.path));
        let known = self.0.iter().position(|known| known.is_called(read.name, domain, path));
        let is_over = read.expires.is_some_and(|expires| expires <= place.now);
        let unchanged = known.map(|index| &mut self.0[index]).filter(|known| *known.value == *read.value);
        if let Some(known) = unchanged.filter(|_| !is_over) {
            // Most responses set what was set before: nothing is allocated for them.
            (known.host_only, known.secure) = (host_only, read.secure);
            (known.expires, known.used) = (read.expires, place.now);
            return;
        }
        let cookie = Cookie {
            name: read.name.into(),
            value: read.value.into(),
            domain: domain.into(),
            host_only,
            path: path.into(),
            secure: read.secure,
            expires: read.expires,
            used: place.now,
        };
        match known {
            Some(index) if is_over => {
                self.0.remove(index);
            }
            // In its old place: it keeps its time of creation.
            Some(index) => self.0[index] = cookie,
            None if is_over => {}
            None => {
                self.make_room(&cookie.domain, place.now);
                // Longer paths come first, then the older cookie (RFC 6265, 5.4).
                let index = self.0.partition_point(|other| other.path.len() >= cookie.path.len());
                // By one: most users have one or two, and room for four would be a tenth of what a user needs.
                self.0.reserve_exact(1);
                self.0.insert(index, cookie);
            }
        }
    }

    /// Writes the `Cookie` line of a request, if there is anything to send (RFC 6265, 5.4).
    pub fn write(&mut self, place: Place<'_>, out: &mut Vec<u8>) {
        let mut separator: &[u8] = b"Cookie: ";
        for cookie in self.0.iter_mut().filter(|cookie| cookie.goes_to(place)) {
            cookie.used = place.now;
            out.extend_from_slice(separator);
            out.extend_from_slice(&cookie.name);
            out.push(b'=');
            out.extend_from_slice(&cookie.value);
            separator = b"; ";
        }
        if separator == b"; " {
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Value of a cookie that would be sent; the first, where several have the name.
    #[must_use]
    pub fn value(&self, name: &[u8], place: Place<'_>) -> Option<&[u8]> {
        let found = self.0.iter().find(|cookie| *cookie.name == *name && cookie.goes_to(place));
        found.map(|cookie| &*cookie.value)
    }

    /// Removes cookies until another of this domain has room: those that are over, then the least recently used.
    fn make_room(&mut self, domain: &str, now: i64) {
        let of_domain = |cookie: &Cookie| *cookie.domain == *domain;
        if self.0.len() < MAX_PER_DOMAIN {
            return;
        }
        self.0.retain(|cookie| !cookie.is_over(now));
        if self.0.iter().filter(|cookie| of_domain(cookie)).count() >= MAX_PER_DOMAIN {
            self.remove_least_recently_used(of_domain);
        }
        if self.0.len() >= MAX_PER_USER {
            self.remove_least_recently_used(|_| true);
        }
    }

    fn remove_least_recently_used(&mut self, among: impl Fn(&Cookie) -> bool) {
        let candidates = self.0.iter().enumerate().filter(|(_, cookie)| among(cookie));
        if let Some((index, _)) = candidates.min_by_key(|(_, cookie)| cookie.used) {
            self.0.remove(index);
        }
    }
}

impl Cookie {
    fn is_called(&self, name: &[u8], domain: &str, path: &[u8]) -> bool {
        *self.name == *name && *self.domain == *domain && *self.path == *path
    }

    fn is_over(&self, now: i64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    fn goes_to(&self, place: Place<'_>) -> bool {
        let is_at_host = if self.host_only {
            *self.domain == *place.host
        } else {
            domain_matches(place.host, &self.domain)
        };
        is_at_host
            && (place.is_secure() || !self.secure)
            && !self.is_over(place.now)
            && path_matches(&self.path, without_query(place.path))
    }
}

/// Whether a host is this machine, where nothing can listen in: browsers send `Secure` cookies there without TLS.
///
/// Source: W3C Secure Contexts, 3.1 (potentially trustworthy origins).
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address
        .map_or_else(|_| host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

/// The domain a cookie belongs to and whether it is for that host only; nothing when the host may not set it.
///
/// Instead of a list of public suffixes (RFC 6265, 5.3, step 5): a name without a dot is one.
fn scope<'a>(domain: Option<&'a str>, host: &'a str) -> Option<(&'a str, bool)> {
    match domain {
        Some(".") => None,
        None | Some("") => Some((host, true)),
        Some(domain) if !domain.contains('.') || is_address(host) => (domain == host).then_some((host, true)),
        Some(domain) => domain_matches(host, domain).then_some((domain, false)),
    }
}

/// RFC 6265, 5.1.3; both in lower case.
fn domain_matches(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || (rest.ends_with('.') && !is_address(host)))
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<IpAddr>().is_ok()
}

/// RFC 6265, 5.1.4.
fn default_path(path: &str) -> &[u8] {
    let path = without_query(path);
    match path.iter().rposition(|&byte| byte == b'/') {
        None | Some(0) => b"/",
        Some(last) => &path[..last],
    }
}

/// RFC 6265, 5.1.4.
fn path_matches(cookie: &[u8], request: &[u8]) -> bool {
    request
        .strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with(b"/") || rest.starts_with(b"/"))
}

fn without_query(path: &str) -> &[u8] {
    path.split('?').next().unwrap_or_default().as_bytes()
}

#[cfg(test)]
mod tests;
