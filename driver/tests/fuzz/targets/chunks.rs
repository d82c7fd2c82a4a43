//! Bodies in chunks.

use middlemark_driver::connect::ResponseError;
use middlemark_driver::connect::chunked::{ChunkReader, Chunks};

use super::cuts::{self, Draws};

const TRAILER_LIMIT: usize = 256;

/// Any bytes as chunks, and as the content of chunks.
pub fn hold(bytes: &[u8]) {
    let whole = read([bytes]);
    if let Ok((content, used)) = &whole {
        assert!(content.len() <= bytes.len() && used.is_none_or(|used| used <= bytes.len()));
    }
    for pieces in cuts::ways(bytes) {
        assert_eq!(read(pieces), whole);
    }
    let chunked = written(bytes);
    let followed = [chunked.as_slice(), b"HTTP"].concat();
    assert_eq!(read([followed.as_slice()]), Ok((bytes.to_vec(), Some(chunked.len()))));
}

/// The content, and how many bytes it took when its end came.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<u8>, Option<usize>), ResponseError> {
    let (mut reader, mut content, mut before) = (ChunkReader::new(), Vec::new(), 0);
    for piece in pieces {
        let read = reader.read(piece, TRAILER_LIMIT, |piece| {
            content.extend_from_slice(piece);
            Ok(())
        })?;
        match read {
            Chunks::End(used) => return Ok((content, Some(before + used))),
            Chunks::More => before += piece.len(),
        }
    }
    Ok((content, None))
}

/// The content in chunks of lengths that are drawn, with all that a server may write around them.
fn written(content: &[u8]) -> Vec<u8> {
    let (mut draws, mut out, mut rest) = (Draws::from(content), Vec::new(), content);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((draws.below(40) + 1).min(rest.len()));
        let size = match draws.below(4) {
            0 => format!("{:X}\r\n", chunk.len()),
            1 => format!("000{:x} \r\n", chunk.len()),
            2 => format!("{:x};a=\"b\"\r\n", chunk.len()),
            _ => format!("{:x}\n", chunk.len()),
        };
        out.extend_from_slice(size.as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
        rest = after;
    }
    out.extend_from_slice([&b"0\r\n\r\n"[..], b"0;x\r\nA: b\r\nC: d\r\n\r\n", b"00\n\n"][draws.below(3)]);
    out
}
