//! Responses of every form, cut everywhere.

use super::*;

#[derive(Default)]
struct Kept {
    status: u16,
    headers: usize,
    body: Vec<u8>,
}

impl Receiver for Kept {
    fn head(&mut self, status: u16, headers: &[Header<'_>]) {
        self.status = status;
        self.headers = headers.len();
    }

    fn body(&mut self, piece: &[u8]) -> Result<(), ResponseError> {
        self.body.extend_from_slice(piece);
        Ok(())
    }
}

/// What a receiver sees of a header, one line each.
#[derive(Default)]
struct Lines(Vec<String>);

impl Receiver for Lines {
    fn head(&mut self, _: u16, headers: &[Header<'_>]) {
        let line = |header: &Header<'_>| format!("{}={}", header.name, String::from_utf8_lossy(header.value));
        self.0 = headers.iter().map(line).collect();
    }

    fn body(&mut self, _: &[u8]) -> Result<(), ResponseError> {
        Ok(())
    }
}

struct OfHead;

impl Receiver for OfHead {
    fn expects(&self, _: u16) -> Body {
        Body::Never
    }

    fn head(&mut self, _: u16, _: &[Header<'_>]) {}

    fn body(&mut self, piece: &[u8]) -> Result<(), ResponseError> {
        panic!("{piece:?}");
    }
}

fn read(pieces: &[&[u8]]) -> Result<(Kept, Progress, bool), ResponseError> {
    let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 });
    reader.restart();
    let mut kept = Kept::default();
    let mut progress = Progress::More;
    for piece in pieces {
        progress = reader.read(piece, &mut kept)?;
    }
    Ok((kept, progress, reader.keeps_alive()))
}

const WHOLE: [&[u8]; 3] = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
];

#[test]
fn a_response_is_read_wherever_it_is_cut() {
    for whole in WHOLE {
        for first in 1..whole.len() {
            for second in first..whole.len() {
                let (kept, progress, keeps) =
                    read(&[&whole[..first], &whole[first..second], &whole[second..]]).expect("a response");
                assert_eq!((kept.status, kept.headers, kept.body.as_slice()), (200, 2, &b"hello"[..]));
                assert_eq!(progress, Progress::Complete);
                assert!(keeps);
            }
        }
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(read(&bytes).expect("a response").1, Progress::Complete);
    }
}

#[test]
fn a_connection_is_used_again_only_when_both_sides_may() {
    for (head, expected) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", true),
        ("HTTP/1.1 204 No Content\r\nConnection: Close\r\n\r\n", false),
        ("HTTP/1.0 204 No Content\r\n\r\n", false),
        ("HTTP/1.0 204 No Content\r\nConnection: keep-alive\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\n\r\n", false),
    ] {
        assert_eq!(read(&[head.as_bytes()]).expect(head).2, expected, "{head}");
    }
}

#[test]
fn chunks_are_read_wherever_the_header_names_them() {
    for lines in [
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: Chunked",
        "Transfer-Encoding: gzip, chunked\r\nContent-Length: 9",
        "Content-Length: 9\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked,\r\nContent-Length: x",
    ] {
        let whole = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nA: b\r\n\r\n");
        let (kept, progress, keeps) = read(&[whole.as_bytes()]).expect(lines);
        assert_eq!(
            (kept.body.as_slice(), progress, keeps),
            (&b"hello"[..], Progress::Complete, true),
            "{lines}"
        );
    }
    for (lines, expected) in [
        ("Transfer-Encoding: identity\r\nContent-Length: 5", (Progress::Complete, true)),
        ("Transfer-Encoding: xchunked", (Progress::More, false)),
    ] {
        let whole = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nhello");
        let (kept, progress, keeps) = read(&[whole.as_bytes()]).expect("a response");
        assert_eq!((kept.body.as_slice(), (progress, keeps)), (&b"hello"[..], expected), "{lines}");
    }
}

#[test]
fn a_response_to_head_ends_with_its_header() {
    for lines in ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", ""] {
        let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 3 });
        let head = format!("HTTP/1.1 200 OK\r\n{lines}\r\n");
        let progress = reader.read(head.as_bytes(), &mut OfHead);
        assert_eq!((progress, reader.keeps_alive()), (Ok(Progress::Complete), true), "{lines}");
    }
}

#[test]
fn bytes_behind_a_response_are_noticed() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello";
    assert_eq!(read(&[response]).expect("a response").1, Progress::Excess);
}

#[test]
fn what_is_not_http_is_an_error_and_so_is_too_much() {
    let error = |pieces: &[&[u8]]| read(pieces).err();
    assert_eq!(error(&[b"SSH-2.0-x\r\n"]), Some(ResponseError::Protocol));
    assert_eq!(error(&[b"H", b"I"]), Some(ResponseError::Protocol));
    assert_eq!(error(&[b"HTTP/1.1 101 Switching\r\n\r\n"]), Some(ResponseError::Protocol));
    assert_eq!(error(&[b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"]), Some(ResponseError::Protocol));
    let two = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n";
    assert_eq!(error(&[two]), Some(ResponseError::Protocol));
    assert_eq!(error(&[b"HTTP/1.1 200 OK\r\nContent-Length: 61\r\n\r\n"]), Some(ResponseError::TooLarge));
    assert_eq!(error(&[b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 61]]), Some(ResponseError::TooLarge));
    assert_eq!(error(&[b"HTTP/1.1 200 OK\r\nX: ", &[b'x'; 400]]), Some(ResponseError::TooLarge));
    let hints = b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20);
    assert_eq!(error(&[&hints]), Some(ResponseError::TooLarge));
}

#[test]
fn nothing_is_kept_beyond_the_limit_of_the_header_not_even_empty_lines() {
    for line in [&b"\r\n"[..], b"\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"] {
        let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 });
        let mut kept = Kept::default();
        let pieces = std::iter::once(line.repeat(40)).chain(std::iter::repeat_n(line.to_vec(), 400));
        let error = pieces.map(|piece| reader.read(&piece, &mut kept)).find_map(Result::err);
        // A line without a colon is no header line, which the first piece of several shows already.
        assert!(error.is_some(), "{line:?}");
        assert!(reader.pieces.capacity() <= 1_024, "{} bytes", reader.pieces.capacity());
    }
    let whole =
        [&b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: "[..], &[b'x'; 357], b"\r\n\r\n", b"hi"].concat();
    let head = whole.len() - 2;
    assert_eq!(head, 400, "as long as may be");
    for cut in 1..whole.len() {
        assert_eq!(read(&[&whole[..cut], &whole[cut..]]).expect("a response").1, Progress::Complete, "{cut}");
    }
}

#[test]
fn odd_header_lines_are_read_as_browsers_read_them_wherever_they_are_cut() {
    for (odd, expected) in [
        ("X: a\r\n  b\r\n\tc\r\n", &["X=a b c"][..]),
        ("\"X\": a\r\n", &[]),
        ("no colon\r\n", &[]),
        ("X Y: a\r\n", &[]),
        ("X\u{e4}: a\r\n", &[]),
        ("X: a\u{1}b\r\n", &[]),
        ("\"X\": a\r\n b\r\n", &[]),
        (" folded: first\r\n", &[]),
        ("X: \r\n a\r\n \r\n", &["X=a"]),
        ("X : a\r\n", &["X=a"]),
        ("X\t: a\r\n", &["X=a"]),
        ("X: a\r\r\n", &["X=a"]),
        ("X: a\rZ: b\r\n", &["X=a", "Z=b"]),
        ("X: a\r\n", &["X=a"]),
    ] {
        let first = if odd.starts_with(' ') { "" } else { "Content-Length: 0\r\n" };
        let whole = format!("HTTP/1.1 204 No Content\r\n{first}{odd}Y: z\r\n\r\n");
        for cut in 1..whole.len() {
            let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 });
            let mut lines = Lines::default();
            reader.read(&whole.as_bytes()[..cut], &mut lines).expect(odd);
            let progress = reader.read(&whole.as_bytes()[cut..], &mut lines).expect(odd);
            assert_eq!(progress, Progress::Complete, "{odd}");
            let expected =
                [if first.is_empty() { &[] } else { &["Content-Length=0"][..] }, expected, &["Y=z"]];
            assert_eq!(lines.0, expected.concat(), "{odd} cut at {cut}");
            assert_eq!(reader.is_odd(), odd != "X: a\r\n", "{odd}");
        }
    }
}

#[test]
fn as_many_header_lines_may_come_as_there_is_room_for() {
    let cookies = "a:\n".repeat(10_000);
    let whole = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{cookies}\r\n");
    let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 65_536, body_bytes: 60 });
    let mut lines = Lines::default();
    assert_eq!(reader.read(whole.as_bytes(), &mut lines), Ok(Progress::Complete));
    assert_eq!((lines.0.len(), reader.is_odd()), (10_001, false));
}

#[test]
fn gzip_with_nothing_in_it_is_an_empty_body() {
    for (coding, inflates) in
        [("gzip", true), ("gzip,", true), ("identity, gzip", true), (", x-gzip", true), ("gzip, gzip", false)]
    {
        for body in ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
            let whole = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n{body}");
            let mut reader =
                ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 }).inflating();
            let progress = reader.read(whole.as_bytes(), &mut Kept::default());
            assert_eq!(progress, Ok(Progress::Complete), "{coding} {body}");
        }
        let headers = [Header { name: "Content-Encoding", value: coding.as_bytes() }];
        assert_eq!(framing::is_gzip(&headers), inflates, "{coding}");
    }
}

#[test]
fn a_body_in_gzip_that_breaks_off_is_what_came_of_it() {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"hello").expect("memory");
    let zipped = encoder.finish().expect("memory");
    for (bytes, expected) in [(zipped.len(), &b"hello"[..]), (zipped.len() - 1, b"hello"), (5, b"")] {
        for length in [format!("Content-Length: {bytes}\r\n"), String::new()] {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n{length}\r\n");
            let mut reader =
                ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 }).inflating();
            let mut kept = Kept::default();
            reader.read(&[head.as_bytes(), &zipped[..bytes]].concat(), &mut kept).expect("a response");
            assert_eq!(reader.ends_here(), length.is_empty());
            assert_eq!((kept.body.as_slice(), reader.is_odd()), (expected, bytes < zipped.len()), "{bytes}");
        }
    }
}

#[test]
fn a_length_is_the_number_with_which_it_begins_and_all_of_them_are_equal() {
    for (lines, expected) in [
        ("Content-Length: 5", Some((5, false))),
        ("Content-Length: 005\r\nContent-Length: 5", Some((5, false))),
        ("Content-Length: 5, 5", Some((5, true))),
        ("Content-Length: +5", Some((5, true))),
        ("Content-Length: 5.0", Some((5, true))),
        ("Content-Length: 5 bytes", Some((5, true))),
        ("Content-Length: 5;a=b\r\nContent-Length: 5", Some((5, true))),
        ("Content-Length: 5, 6", None),
        ("Content-Length: 5,", None),
        ("Content-Length: -5", None),
        ("Content-Length: ", None),
        ("Content-Length: \"5\"", None),
    ] {
        let whole = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nhello");
        let mut reader = ResponseReader::new(ResponseLimits { header_bytes: 400, body_bytes: 60 });
        let mut kept = Kept::default();
        let progress = reader.read(whole.as_bytes(), &mut kept).ok();
        let read = progress.map(|_| (kept.body.len(), reader.is_odd()));
        assert_eq!((read, progress), (expected, expected.map(|_| Progress::Complete)), "{lines}");
    }
    // Larger than any: as if there were none.
    let endless = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello";
    let (kept, progress, keeps) = read(&[endless]).expect("a response");
    assert_eq!((kept.body.as_slice(), progress, keeps), (&b"hello"[..], Progress::More, false));
}
