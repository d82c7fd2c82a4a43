//! The cache of a virtual user's browser (RFC 9111, a private cache): which sub-resources need not be asked for, and
//! which only whether they have changed. Nothing but addresses, lifetimes and validators is kept.

use std::collections::HashMap;

use httparse::Header;

use super::cookie_date;

/// Most bytes of addresses and validators that a user keeps; what is beyond is not kept.
const MAX_BYTES: usize = 128 * 1_024;

/// Longest validator; a response with a longer one counts as without.
const LONGEST_VALIDATOR: usize = 512;

/// The cache of one user.
#[derive(Debug, Default)]
pub struct Cache {
    /// By target and path with query.
    entries: Vec<HashMap<Box<str>, Entry>>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    lifetime: Lifetime,
    /// Seconds since 1970 from which on it is stale; nothing when it never is.
    stale_from: Option<i64>,
    etag: Option<Box<[u8]>>,
    last_modified: Option<Box<[u8]>>,
}

/// How long a response may be used without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifetime {
    /// It does not say. A browser guesses from the age of the file; here it lasts until the cache is emptied, so that
    /// what is requested does not depend on when files were copied.
    Unspecified,
    /// So many seconds.
    Seconds(i64),
}

/// What the cache knows of a sub-resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    No,
    /// It may be used.
    Fresh,
    /// It may be used when the server says that it has not changed.
    Stale,
}

/// What a response says about keeping it.
#[derive(Debug)]
pub struct Keeping {
    may_store: bool,
    lifetime: Lifetime,
    etag: Option<Box<[u8]>>,
    last_modified: Option<Box<[u8]>>,
}

impl Cache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    /// What is known of the sub-resource at `path` of a target, `now` in seconds since 1970.
    #[must_use]
    pub fn look_up(&self, target: usize, path: &str, now: i64) -> Known {
        match self.entry(target, path) {
            None => Known::No,
            Some(entry) if entry.stale_from.is_none_or(|stale| now < stale) => Known::Fresh,
            Some(_) => Known::Stale,
        }
    }

    /// Writes the header lines that ask only for a changed sub-resource. False when there is nothing to ask by.
    pub fn write_conditions(&self, target: usize, path: &str, out: &mut Vec<u8>) -> bool {
        let Some(entry) = self.entry(target, path) else { return false };
        let lines: [(&[u8], _); 2] =
            [(b"If-None-Match: ", &entry.etag), (b"If-Modified-Since: ", &entry.last_modified)];
        for (name, value) in lines {
            if let Some(value) = value {
                out.extend_from_slice(name);
                out.extend_from_slice(value);
                out.extend_from_slice(b"\r\n");
            }
        }
        true
    }

    /// Keeps a complete response of status 200, if it may be kept and is of any use.
    pub fn store(&mut self, target: usize, path: &str, keeping: Keeping, now: i64) {
        self.remove(target, path);
        let Keeping { may_store, lifetime, etag, last_modified } = keeping;
        let has_validator = etag.is_some() || last_modified.is_some();
        let entry = Entry { lifetime, stale_from: lifetime.end(now), etag, last_modified };
        let is_useful = has_validator || entry.stale_from.is_none_or(|stale| now < stale);
        let bytes = self.bytes + entry.bytes(path);
        if may_store && is_useful && bytes <= MAX_BYTES {
            if self.entries.len() <= target {
                self.entries.resize_with(target + 1, HashMap::new);
            }
            self.entries[target].insert(path.into(), entry);
            self.bytes = bytes;
        }
    }

    /// Keeps on what the server says has not changed (RFC 9111, 4.3.4).
    pub fn validated(&mut self, target: usize, path: &str, response: Keeping, now: i64) {
        let Some(mut entry) = self.remove(target, path) else { return };
        if response.lifetime != Lifetime::Unspecified {
            entry.lifetime = response.lifetime;
        }
        let kept = Keeping {
            may_store: response.may_store,
            lifetime: entry.lifetime,
            etag: response.etag.or(entry.etag),
            last_modified: response.last_modified.or(entry.last_modified),
        };
        self.store(target, path, kept, now);
    }

    fn entry(&self, target: usize, path: &str) -> Option<&Entry> {
        self.entries.get(target)?.get(path)
    }

    fn remove(&mut self, target: usize, path: &str) -> Option<Entry> {
        let entry = self.entries.get_mut(target)?.remove(path)?;
        self.bytes -= entry.bytes(path);
        Some(entry)
    }
}

impl Entry {
    fn bytes(&self, path: &str) -> usize {
        let length = |value: &Option<Box<[u8]>>| value.as_ref().map_or(0, |value| value.len());
        size_of::<(Box<str>, Self)>() + path.len() + length(&self.etag) + length(&self.last_modified)
    }
}

impl Lifetime {
    fn end(self, now: i64) -> Option<i64> {
        match self {
            Self::Unspecified => None,
            Self::Seconds(seconds) => Some(now.saturating_add(seconds)),
        }
    }
}

impl Keeping {
    /// Reads the header of a response that came at `now`, in seconds since 1970.
    #[must_use]
    pub fn read(headers: &[Header<'_>], now: i64) -> Self {
        let validator = |name| {
            let value = values(headers, name).next()?;
            (!value.is_empty() && value.len() <= LONGEST_VALIDATOR).then(|| value.into())
        };
        let (mut may_store, mut always_asks, mut max_age) = (true, false, None);
        for (name, value) in directives(headers) {
            if name.eq_ignore_ascii_case(b"no-store") {
                may_store = false;
            } else if name.eq_ignore_ascii_case(b"no-cache") {
                always_asks = true;
            } else if name.eq_ignore_ascii_case(b"max-age") {
                // The shortest of several; one that cannot be read is over (RFC 9111, 4.2.1).
                let seconds = seconds(value).unwrap_or(0);
                max_age = Some(max_age.map_or(seconds, |known: i64| known.min(seconds)));
            }
        }
        always_asks |= depends_on_who_asks(headers);
        let lifetime = match max_age.or_else(|| until_expires(headers, now)) {
            _ if always_asks => Lifetime::Seconds(0),
            None => Lifetime::Unspecified,
            Some(lifetime) => {
                let age = values(headers, "age").find_map(seconds).unwrap_or(0);
                Lifetime::Seconds(lifetime.saturating_sub(age))
            }
        };
        Self { may_store, lifetime, etag: validator("etag"), last_modified: validator("last-modified") }
    }
}

fn values<'a>(headers: &'a [Header<'a>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let named = headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    named.map(|header| header.value.trim_ascii())
}

/// Names and values of `Cache-Control`.
fn directives<'a>(headers: &'a [Header<'a>]) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
    let all = values(headers, "cache-control").flat_map(|line| line.split(|&byte| byte == b','));
    all.map(|directive| match memchr::memchr(b'=', directive) {
        Some(equals) => (directive[..equals].trim_ascii(), directive[equals + 1..].trim_ascii()),
        None => (directive.trim_ascii(), &b""[..]),
    })
}

/// Whether `Vary` names something that differs between the requests of one user: those are told apart by asking.
fn depends_on_who_asks(headers: &[Header<'_>]) -> bool {
    let names = values(headers, "vary").flat_map(|line| line.split(|&byte| byte == b','));
    names.map(<[u8]>::trim_ascii).any(|name| {
        [b"*".as_slice(), b"cookie", b"authorization"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Seconds from the response's date to its `Expires`; an `Expires` that is no date is over.
fn until_expires(headers: &[Header<'_>], now: i64) -> Option<i64> {
    let expires = values(headers, "expires").next()?;
    let made = values(headers, "date").find_map(cookie_date::parse).unwrap_or(now);
    Some(cookie_date::parse(expires).map_or(0, |end| end.saturating_sub(made)))
}

fn seconds(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text);
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: i64, digit: &u8| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    Some(text.iter().fold(0, add))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

    fn keeping(lines: &[(&str, &str)]) -> Keeping {
        let header = |&(name, value): &(&'static str, &'static str)| Header { name, value: value.as_bytes() };
        // Test texts live as long as the program.
        let lines: Vec<(&'static str, &'static str)> = lines
            .iter()
            .map(|(name, value)| (&*name.to_string().leak(), &*value.to_string().leak()))
            .collect();
        Keeping::read(&lines.iter().map(header).collect::<Vec<_>>(), NOW)
    }

    fn known(lines: &[(&str, &str)], later: i64) -> Known {
        let mut cache = Cache::default();
        cache.store(1, "/a.png", keeping(lines), NOW);
        assert_eq!(cache.look_up(0, "/a.png", NOW), Known::No, "of another target");
        cache.look_up(1, "/a.png", NOW + later)
    }

    #[test]
    fn a_sub_resource_is_fresh_for_as_long_as_its_header_says() {
        for (lines, later, expected) in [
            (&[("Cache-Control", "public, max-age=60")][..], 59, Known::Fresh),
            (&[("Cache-Control", "max-age=60"), ("ETag", "\"a\"")], 60, Known::Stale),
            (&[("Cache-Control", "max-age=\"60\""), ("Age", "50")], 9, Known::Fresh),
            (&[("Cache-Control", "max-age=60"), ("Age", "50"), ("ETag", "\"a\"")], 10, Known::Stale),
            (
                &[("cache-control", "MAX-AGE=9"), ("Cache-Control", "max-age=99"), ("ETag", "a")],
                9,
                Known::Stale,
            ),
            (&[("Cache-Control", "max-age=99999999999999999999")], i64::MAX - NOW - 1, Known::Fresh),
            (&[("Cache-Control", "max-age=soon"), ("ETag", "a")], 0, Known::Stale),
            (&[("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 59, Known::Fresh),
            (&[("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"), ("ETag", "a")], 60, Known::Stale),
            (&[("Expires", "0"), ("ETag", "a")], 0, Known::Stale),
            (&[("Expires", "0"), ("Cache-Control", "max-age=5")], 4, Known::Fresh),
            (
                &[("Date", "Sun, 06 Nov 1994 08:00:00 GMT"), ("Expires", "Sun, 06 Nov 1994 08:01:00 GMT")],
                59,
                Known::Fresh,
            ),
            (&[("Cache-Control", "no-cache, max-age=60"), ("Last-Modified", "x")], 0, Known::Stale),
            (&[("Vary", "Accept-Encoding, Cookie"), ("ETag", "a")], 0, Known::Stale),
            (&[("Vary", "Accept-Encoding")], 999, Known::Fresh),
            (&[], 999_999, Known::Fresh),
        ] {
            assert_eq!(known(lines, later), expected, "{lines:?} after {later} s");
        }
    }

    #[test]
    fn what_may_not_be_kept_or_would_be_of_no_use_is_not_kept() {
        for lines in [
            &[("Cache-Control", "max-age=60, no-store")][..],
            &[("Cache-Control", "no-cache")],
            &[("Cache-Control", "max-age=0")],
        ] {
            assert_eq!(known(lines, 0), Known::No, "{lines:?}");
        }
    }

    #[test]
    fn a_stale_sub_resource_is_asked_for_by_its_validators_and_lives_on_when_unchanged() {
        let mut cache = Cache::default();
        let conditions = |cache: &Cache| {
            let mut out = Vec::new();
            assert!(cache.write_conditions(0, "/a", &mut out));
            String::from_utf8(out).expect("text")
        };
        let first = [("Cache-Control", "max-age=10"), ("ETag", "\"v1\""), ("Last-Modified", "yesterday")];
        cache.store(0, "/a", keeping(&first), NOW);
        assert_eq!(conditions(&cache), "If-None-Match: \"v1\"\r\nIf-Modified-Since: yesterday\r\n");
        assert_eq!(cache.look_up(0, "/a", NOW + 10), Known::Stale);
        cache.validated(0, "/a", keeping(&[("ETag", "\"v2\"")]), NOW + 10);
        assert_eq!(cache.look_up(0, "/a", NOW + 19), Known::Fresh);
        assert_eq!(conditions(&cache), "If-None-Match: \"v2\"\r\nIf-Modified-Since: yesterday\r\n");
        cache.validated(0, "/a", keeping(&[("Cache-Control", "max-age=1")]), NOW + 20);
        assert_eq!(cache.look_up(0, "/a", NOW + 21), Known::Stale);
        cache.validated(0, "/a", keeping(&[("Cache-Control", "no-store")]), NOW + 30);
        assert_eq!((cache.look_up(0, "/a", NOW + 30), cache.bytes), (Known::No, 0));
        cache.clear();
        assert!(!cache.write_conditions(0, "/a", &mut Vec::new()));
    }

    #[test]
    fn a_server_cannot_fill_the_memory() {
        let mut cache = Cache::default();
        for number in 0..10_000 {
            cache.store(
                0,
                &format!("/{number}"),
                keeping(&[("ETag", "\"a validator of some length\"")]),
                NOW,
            );
        }
        assert!(cache.bytes <= MAX_BYTES);
        assert!(cache.entries[0].len() < 2_000);
        let long = "x".repeat(LONGEST_VALIDATOR + 1);
        assert_eq!(known(&[("Cache-Control", "no-cache"), ("ETag", long.as_str())], 0), Known::No);
    }
}
