//! The address of a page, split into the target of a plan and the path of its step.

/// Splits an address behind its host. The path is a template that names no value, without the fragment; it begins
/// with `/`.
#[must_use]
pub fn split(address: &str) -> (&str, String) {
    let address = address.split('#').next().unwrap_or_default();
    let end = if address.starts_with("unix:") {
        address.find(":/").and_then(|socket| address[socket + 1..].find(':').map(|colon| socket + 2 + colon))
    } else {
        let host = address.find("://").map_or(0, |scheme| scheme + 3);
        address[host..].find(['/', '?']).map(|end| host + end)
    };
    let end = end.unwrap_or(address.len());
    let (target, path) = address.split_at(end);
    let slash = if path.starts_with('/') { "" } else { "/" };
    (target, format!("{slash}{}", plain(path)))
}

/// A text as a template that names no value.
#[must_use]
pub fn plain(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_target_and_a_path() {
        for (address, target, path) in [
            ("http://127.0.0.1:80", "http://127.0.0.1:80", "/"),
            ("http://h/", "http://h", "/"),
            ("http://h:8080/a/b?c=d/e#top", "http://h:8080", "/a/b?c=d/e"),
            ("http://h?c=http://x/", "http://h", "/?c=http://x/"),
            ("http://[::1]:8080/a", "http://[::1]:8080", "/a"),
            ("http://h/${a}", "http://h", "/$${a}"),
            ("h/a", "h", "/a"),
            ("unix:/run/a.sock:/b?c:d", "unix:/run/a.sock:", "/b?c:d"),
            ("unix:/run/a.sock", "unix:/run/a.sock", "/"),
        ] {
            assert_eq!(split(address), (target, path.to_owned()), "{address}");
        }
    }
}
