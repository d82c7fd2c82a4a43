//! How an inserted value is written where it stands.

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The rule of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Verbatim,
    /// In a path or query: everything but unreserved characters becomes `%XX` (RFC 3986, 2.3).
    Percent,
    /// In a form: as `Percent`, but a space becomes `+` (WHATWG URL, application/x-www-form-urlencoded).
    Form,
    /// In a header line: control characters become spaces, so that a captured value cannot end the line.
    HeaderValue,
}

impl Encoding {
    /// Writes `text` to the end of `out`.
    pub fn write(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::Verbatim => out.extend_from_slice(text.as_bytes()),
            Self::Percent => text.bytes().for_each(|byte| percent(byte, b"-._~", out)),
            Self::Form => text.bytes().for_each(|byte| match byte {
                b' ' => out.push(b'+'),
                _ => percent(byte, b"*-._", out),
            }),
            Self::HeaderValue => {
                out.extend(text.bytes().map(|byte| if byte < 0x20 || byte == 0x7f { b' ' } else { byte }));
            }
        }
    }
}

fn percent(byte: u8, kept: &[u8], out: &mut Vec<u8>) {
    if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
        out.push(byte);
    } else {
        out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(encoding: Encoding, text: &str) -> String {
        let mut out = Vec::new();
        encoding.write(text, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn each_place_has_its_own_encoding() {
        assert_eq!(written(Encoding::Percent, "uid:1 ä/~"), "uid%3A1%20%C3%A4%2F~");
        assert_eq!(written(Encoding::Form, "uid:1 ä*"), "uid%3A1+%C3%A4*");
        assert_eq!(written(Encoding::HeaderValue, "a\r\nEvil: 1"), "a  Evil: 1");
        assert_eq!(written(Encoding::Verbatim, "<a b>"), "<a b>");
    }
}
