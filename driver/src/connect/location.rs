//! Where a redirect leads.

use std::borrow::Cow;

use url::Position;

use super::target::Target;

/// Most redirects that are followed.
pub const MAX_REDIRECTS: usize = 5;

/// Resolves `location`, found in the response to a request for `path`, to a path with query on the same target, as a
/// browser does (WHATWG URL). Nothing when it leads elsewhere or is no address.
#[must_use]
pub fn resolve(location: &[u8], path: &str, target: &Target) -> Option<String> {
    let location = text(location);
    let location = location.trim();
    if location.is_empty() {
        return None;
    }
    let found = target.root().join(path).ok()?.join(location).ok()?;
    (found.origin() == target.root().origin())
        .then(|| found[Position::BeforePath..Position::AfterQuery].into())
}

/// A location as text. Bytes that are not UTF-8 are percent-encoded as they are.
fn text(location: &[u8]) -> Cow<'_, str> {
    let encoded = |byte: &u8| if byte.is_ascii() { char::from(*byte).into() } else { format!("%{byte:02X}") };
    let encode = |_| location.iter().map(encoded).collect::<String>().into();
    std::str::from_utf8(location).map_or_else(encode, Cow::Borrowed)
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
            ("/a b\r\n<ä>", "/a%20b%3C%C3%A4%3E"),
            ("http:/x", "/x"),
            ("\\x", "/x"),
        ] {
            let resolved = resolve(location.as_bytes(), "/app/login?from=1", &target);
            assert_eq!(resolved.as_deref(), Some(expected), "{location}");
        }
    }

    #[test]
    fn bytes_of_a_location_that_are_not_utf_8_are_encoded_one_by_one() {
        let target = Target::resolve("http://127.0.0.1:8080").expect("a target");
        assert_eq!(resolve(b"/L\xe4?\xff", "/", &target).as_deref(), Some("/L%E4?%FF"));
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
            "javascript:x",
            "http://127.0.0.1:x/",
        ] {
            assert_eq!(resolve(location.as_bytes(), "/", &target), None, "{location}");
        }
    }
}
