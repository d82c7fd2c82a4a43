//! Character references in the attributes of a page: those that addresses hold.

/// Names that stand in addresses; a browser knows 2,231, hardly any of which a server would write there.
const NAMES: [(&[u8], u8); 5] =
    [(b"amp", b'&'), (b"quot", b'"'), (b"lt", b'<'), (b"gt", b'>'), (b"apos", b'\'')];

/// Longest reference that is looked at, without `&` and `;`.
const LONGEST: usize = 8;

/// Replaces the references in `text` by what they stand for; others stay as they are.
pub fn resolve(text: &mut Vec<u8>) {
    let Some(first) = memchr::memchr(b'&', text) else { return };
    let all = text.split_off(first);
    let mut rest = all.as_slice();
    while let Some(start) = memchr::memchr(b'&', rest) {
        text.extend_from_slice(&rest[..start]);
        let after = &rest[start + 1..];
        let end = after.iter().take(LONGEST + 1).position(|&byte| byte == b';');
        let found = end.and_then(|end| character(&after[..end]).map(|found| (end, found)));
        let used = if let Some((end, found)) = found {
            text.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
            start + end + 2
        } else {
            text.push(b'&');
            start + 1
        };
        rest = &rest[used..];
    }
    text.extend_from_slice(rest);
}

/// The character that a reference stands for.
fn character(reference: &[u8]) -> Option<char> {
    if let Some((_, byte)) = NAMES.iter().find(|(name, _)| *name == reference) {
        return Some(char::from(*byte));
    }
    let digits = std::str::from_utf8(reference.strip_prefix(b"#")?).ok()?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_addresses_are_resolved_and_others_stay() {
        for (text, expected) in [
            ("/a?b=1&amp;c=2&amp;d=3", "/a?b=1&c=2&d=3"),
            ("&#38;&#x26;&#X41;&quot;", "&&A\""),
            ("&#228;", "ä"),
            ("a&b;c&;&&amp", "a&b;c&;&&amp"),
            ("&#xD800;&#99999999;&#+1;&#;", "&#xD800;&#99999999;&#+1;&#;"),
            ("plain", "plain"),
        ] {
            let mut resolved = text.as_bytes().to_vec();
            resolve(&mut resolved);
            assert_eq!(String::from_utf8_lossy(&resolved), expected);
        }
    }
}
