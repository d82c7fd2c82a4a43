//! Reads a body in chunks (RFC 9112, 7.1), however its bytes are cut into pieces.

use super::response::ResponseError;

/// Longest line of a chunk, size and extensions: that of Chromium.
const LONGEST_SIZE_LINE: usize = 16 * 1_024;

/// Where the reader stands.
#[derive(Clone, Copy, Debug)]
pub struct ChunkReader {
    state: State,
    /// Size of the chunk as far as it was read, then what is left of it.
    size: u64,
    /// Length of the line or trailer so far.
    line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the size; no digit yet.
    SizeStart,
    /// In the size.
    Size,
    /// In extensions, up to the line's end.
    Extension,
    /// After the CR of the size line.
    SizeEnd,
    /// In the chunk.
    Content,
    /// After the chunk.
    ContentEnd,
    /// After the CR of that.
    ContentEndLf,
    /// At the beginning of a trailer line.
    TrailerStart,
    /// In a trailer line.
    Trailer,
    /// After the CR of the last, empty line.
    LastLf,
}

/// How far a call of [`ChunkReader::read`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunks {
    /// All bytes were used, more must come.
    More,
    /// The body ended after so many of the bytes.
    End(usize),
}

impl ChunkReader {
    /// A reader at the beginning of a body.
    #[must_use]
    pub fn new() -> Self {
        Self { state: State::SizeStart, size: 0, line: 0 }
    }

    /// Reads the next bytes and hands out the content in them.
    ///
    /// # Errors
    /// When they are not chunks, when `content` refuses, or when the trailer is longer than `trailer_limit`.
    pub fn read(
        &mut self,
        bytes: &[u8],
        trailer_limit: usize,
        mut content: impl FnMut(&[u8]) -> Result<(), ResponseError>,
    ) -> Result<Chunks, ResponseError> {
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Content {
                let piece = &bytes[at..];
                let length = usize::try_from(self.size).map_or(piece.len(), |left| left.min(piece.len()));
                content(&piece[..length])?;
                at += length;
                self.size -= length as u64;
                if self.size == 0 {
                    self.state = State::ContentEnd;
                }
                continue;
            }
            let ended = self.step(bytes[at], trailer_limit)?;
            at += 1;
            if ended {
                return Ok(Chunks::End(at));
            }
        }
        Ok(Chunks::More)
    }

    /// Reads one byte that is not content. True at the end of the body.
    fn step(&mut self, byte: u8, trailer_limit: usize) -> Result<bool, ResponseError> {
        self.state = match (self.state, byte) {
            (State::SizeStart | State::Size, digit) if digit.is_ascii_hexdigit() => self.digit(digit)?,
            (State::Size | State::Extension, b'\r') => State::SizeEnd,
            (State::Size | State::Extension | State::SizeEnd, b'\n') => self.after_size(),
            (State::Size, b';' | b' ' | b'\t') | (State::Extension, _) => {
                self.lengthen(State::Extension, LONGEST_SIZE_LINE)?
            }
            (State::ContentEnd, b'\r') => State::ContentEndLf,
            (State::ContentEnd | State::ContentEndLf, b'\n') => {
                self.line = 0;
                State::SizeStart
            }
            (State::TrailerStart, b'\r') => State::LastLf,
            (State::TrailerStart | State::LastLf, b'\n') => return Ok(true),
            (State::Trailer, b'\n') => self.lengthen(State::TrailerStart, trailer_limit)?,
            (State::TrailerStart | State::Trailer, _) => self.lengthen(State::Trailer, trailer_limit)?,
            _ => return Err(ResponseError::Protocol),
        };
        Ok(false)
    }

    fn digit(&mut self, digit: u8) -> Result<State, ResponseError> {
        let value = char::from(digit).to_digit(16).ok_or(ResponseError::Protocol)?;
        if self.size >> 60 != 0 {
            return Err(ResponseError::TooLarge);
        }
        self.size = self.size << 4 | u64::from(value);
        self.lengthen(State::Size, LONGEST_SIZE_LINE)
    }

    fn after_size(&mut self) -> State {
        self.line = 0;
        if self.size == 0 { State::TrailerStart } else { State::Content }
    }

    fn lengthen(&mut self, next: State, limit: usize) -> Result<State, ResponseError> {
        self.line += 1;
        if self.line > limit { Err(ResponseError::TooLarge) } else { Ok(next) }
    }
}

impl Default for ChunkReader {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"5;ext=1\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: x\r\n\r\n";

    fn read(pieces: &[&[u8]]) -> Result<(Vec<u8>, Option<usize>), ResponseError> {
        let mut reader = ChunkReader::new();
        let mut content = Vec::new();
        for piece in pieces {
            let read = reader.read(piece, 100, |piece| {
                content.extend_from_slice(piece);
                Ok(())
            })?;
            if let Chunks::End(at) = read {
                return Ok((content, Some(piece.len() - at)));
            }
        }
        Ok((content, None))
    }

    #[test]
    fn a_body_is_read_wherever_it_is_cut() {
        for first in 0..=BODY.len() {
            for second in first..=BODY.len() {
                let (content, left) =
                    read(&[&BODY[..first], &BODY[first..second], &BODY[second..]]).expect("chunks");
                assert_eq!(content, b"helloabcdefghijklmnopqrstuvwxyz");
                assert_eq!(left, Some(0));
            }
        }
    }

    #[test]
    fn bytes_after_the_end_are_left() {
        let (_, left) = read(&[b"0\r\n\r\nHTTP"]).expect("chunks");
        assert_eq!(left, Some(4));
    }

    #[test]
    fn what_is_not_chunked_or_has_no_end_is_an_error() {
        assert_eq!(read(&[b"<html>"]), Err(ResponseError::Protocol));
        assert_eq!(read(&[b"\r\n"]), Err(ResponseError::Protocol));
        assert_eq!(read(&[b"1\r\nabc"]), Err(ResponseError::Protocol));
        assert_eq!(read(&[b"fffffffffffffffff\r\n"]), Err(ResponseError::TooLarge));
        assert_eq!(read(&[b"1;", &b"x".repeat(17_000)]), Err(ResponseError::TooLarge));
        assert_eq!(read(&[b"0\r\n", &[b'x'; 200]]), Err(ResponseError::TooLarge));
        assert_eq!(read(&[&b"0".repeat(17_000)]), Err(ResponseError::TooLarge));
    }
}
