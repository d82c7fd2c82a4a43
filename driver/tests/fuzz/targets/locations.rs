//! Redirects: the location on the first line, then the path of the request.

use std::sync::OnceLock;

use middlemark_driver::connect::{Target, location};
use middlemark_driver::workload::transport::Tls;

use super::first_line;

/// Targets of each kind.
pub fn targets() -> &'static [Target] {
    static TARGETS: OnceLock<Vec<Target>> = OnceLock::new();
    let texts = ["http://127.0.0.1:8080", "http://[::1]/app", "unix:/a.sock:/app"].map(String::from);
    TARGETS.get_or_init(|| Target::resolve_all(&texts, &Tls::default()).expect("targets"))
}

/// Any location after any path.
pub fn hold(bytes: &[u8]) {
    let (location, path) = first_line(bytes);
    let is_path = path.starts_with(b"/") && path.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#');
    let path = std::str::from_utf8(path).ok().filter(|_| is_path).unwrap_or("/a/b?c");
    for target in targets() {
        let Some(found) = location::resolve(location, path, target) else { continue };
        assert!(is_sendable(&found), "{found}");
        // Each byte may have been percent-encoded.
        assert!(found.len() <= 3 * (path.len() + location.len()) + 1);
        let is_plain = |address: &str| {
            let path = address.split('?').next().unwrap_or_default();
            path.split('/').all(|segment| segment != "." && segment != "..")
        };
        assert!(is_plain(&found) || !is_plain(path), "{found}");
        // Two slashes would be read as the beginning of another host.
        if is_plain(&found) && !found.starts_with("//") {
            assert_eq!(location::resolve(found.as_bytes(), "/other", target).as_ref(), Some(&found));
        }
    }
}

/// Whether a request line can hold it.
pub fn is_sendable(path: &str) -> bool {
    path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}
