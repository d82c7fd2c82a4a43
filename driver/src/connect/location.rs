//! Where a redirect leads (RFC 3986, section 5).

use super::target::Target;

/// Resolves `location`, found in the answer to a request for `path`, to a path with query on the same target.
/// Nothing when it leads elsewhere or is no address.
#[must_use]
pub fn resolve(location: &[u8], path: &str, target: &Target) -> Option<String> {
    let location = std::str::from_utf8(location).ok()?.trim();
    if location.is_empty() || !location.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let location = location.split('#').next().unwrap_or_default();
    if let Some(rest) = strip_scheme(location, target.scheme())? {
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if !target.is_at(authority) {
            return None;
        }
        return Some(if path.starts_with('/') { without_dots(path) } else { format!("/{path}") });
    }
    let base = path.split('?').next().unwrap_or_default();
    Some(match location.as_bytes().first() {
        None => path.into(),
        Some(b'/') => without_dots(location),
        Some(b'?') => format!("{base}{location}"),
        Some(_) => {
            without_dots(&format!("{}/{location}", base.rsplit_once('/').map_or("", |(folder, _)| folder)))
        }
    })
}

/// What follows the target's `http://` or `https://`, or `//`; `Some(None)` for a relative address, nothing for another scheme.
#[expect(clippy::option_option, reason = "three cases: absolute, relative, elsewhere")]
fn strip_scheme<'a>(location: &'a str, own: &str) -> Option<Option<&'a str>> {
    if let Some(rest) = location.strip_prefix("//") {
        return Some(Some(rest));
    }
    let first = location.split(['/', '?']).next().unwrap_or_default();
    match first.split_once(':') {
        None => Some(None),
        Some((scheme, _)) if scheme.eq_ignore_ascii_case(own) => {
            location[scheme.len() + 1..].strip_prefix("//").map(Some)
        }
        Some(_) => None,
    }
}

/// Removes `.` and `..` from a path that starts with `/`; a query stays as it is (RFC 3986, 5.2.4).
fn without_dots(address: &str) -> String {
    let (path, query) = address.split_at(address.find('?').unwrap_or(address.len()));
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path[1..].split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            _ => {
                kept.push(segment);
                continue;
            }
        }
        if is_last {
            kept.push("");
        }
    }
    format!("/{}{query}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_may_be_absolute_or_relative() {
        let target = Target::resolve("http://127.0.0.1:8080").expect("a target");
        for (location, expected) in [
            ("/home", "/home"),
            ("home?x=1#top", "/app/home?x=1"),
            ("../up", "/up"),
            ("./", "/app/"),
            ("..", "/"),
            ("../../../x/./y/../z", "/x/z"),
            ("?page=2", "/app/login?page=2"),
            ("http://127.0.0.1:8080/a/b?c=http://d", "/a/b?c=http://d"),
            ("HTTP://127.0.0.1:8080", "/"),
            ("http://127.0.0.1:8080?x", "/?x"),
            ("//127.0.0.1:8080/a", "/a"),
            ("/a?u=http://x/../y", "/a?u=http://x/../y"),
        ] {
            let resolved = resolve(location.as_bytes(), "/app/login?from=1", &target);
            assert_eq!(resolved.as_deref(), Some(expected), "{location}");
        }
    }

    #[test]
    fn a_location_elsewhere_or_none_at_all_is_refused() {
        let target = Target::resolve("http://127.0.0.1:8080").expect("a target");
        for location in [
            "",
            "http://127.0.0.1/a",
            "http://127.0.0.1:8081/",
            "https://127.0.0.1:8080/",
            "http://example.org/",
            "//example.org/",
            "ftp:x",
            "http:/x",
            "/a b",
            "/a\r\nEvil: 1",
        ] {
            assert_eq!(resolve(location.as_bytes(), "/", &target), None, "{location}");
        }
        assert_eq!(resolve(b"/\xff", "/", &target), None);
    }
}
