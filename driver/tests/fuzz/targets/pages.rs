//! Pages and what they refer to, with the character references in it.

use middlemark_driver::connect::entities;
use middlemark_driver::connect::sub_resources::{BeyondLimits, SubResources};

use super::cuts;
use super::locations::{is_sendable, targets};

/// Most sub-resources of a page, by the reference.
const MAX_SUB_RESOURCES: usize = 256;

/// Any bytes as a page.
pub fn hold(bytes: &[u8]) {
    let whole = sub_resources([bytes]);
    for pieces in cuts::ways(bytes) {
        assert_eq!(sub_resources(pieces), whole);
    }
    for (number, path) in whole.iter().flatten().enumerate() {
        assert!(is_sendable(path), "{path}");
        assert!(!whole.iter().flatten().take(number).any(|other| other == path), "{path} twice");
    }
    assert!(whole.is_ok_and(|paths| paths.len() <= MAX_SUB_RESOURCES) || bytes.len() > MAX_SUB_RESOURCES);
    check_entities(bytes);
}

fn sub_resources<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<String>, BeyondLimits> {
    let mut page = SubResources::default();
    // What the page before left must make no difference.
    page.begin(true);
    page.look_at(b"<base href=/x/><link rel=icon href=a><script><!-- <img src='", "/", &targets()[0]);
    page.begin(true);
    for piece in pieces {
        page.look_at(piece, "/shop/page?x", &targets()[0]);
    }
    page.take()
}

fn check_entities(bytes: &[u8]) {
    let mut resolved = bytes.to_vec();
    entities::resolve(&mut resolved);
    assert!(resolved.len() <= bytes.len());
    let mut escaped = Vec::new();
    for &byte in bytes {
        match byte {
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&#60;"),
            b'>' => escaped.extend_from_slice(b"&#x3e;"),
            _ => escaped.push(byte),
        }
    }
    entities::resolve(&mut escaped);
    assert_eq!(escaped, bytes);
}
