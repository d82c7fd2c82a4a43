//! Inflates a body while it comes.

use std::fmt;

use flate2::{Decompress, FlushDecompress, Status};

use super::response::ResponseError;

/// Room for inflated bytes before somebody looks at them. What a few bytes blow up to never lies in memory at once.
const ROOM: usize = 16 * 1_024;

/// Largest window of gzip, as a power of two.
const WINDOW_BITS: u8 = 15;

/// One body in gzip (RFC 1952). It exists as long as its response comes; a connection that waits has none.
pub struct Inflater {
    stream: Decompress,
    room: Box<[u8]>,
    ended: bool,
}

impl Inflater {
    /// An inflater at the beginning of a body.
    #[must_use]
    pub fn new() -> Self {
        // Allocates: only responses that are zipped pay for it.
        let room = vec![0; ROOM].into_boxed_slice();
        Self { stream: Decompress::new_gzip(WINDOW_BITS), room, ended: false }
    }

    /// Inflates the next bytes and hands them to `content` piece by piece.
    ///
    /// # Errors
    /// [`ResponseError::Protocol`] when they are not gzip or go on behind its end; what `content` says.
    pub fn read(
        &mut self,
        mut bytes: &[u8],
        mut content: impl FnMut(&[u8]) -> Result<(), ResponseError>,
    ) -> Result<(), ResponseError> {
        loop {
            if self.ended {
                return if bytes.is_empty() { Ok(()) } else { Err(ResponseError::Protocol) };
            }
            let (taken, given) = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.decompress(bytes, &mut self.room, FlushDecompress::None);
            let status = status.map_err(|_| ResponseError::Protocol)?;
            bytes = &bytes[progress(taken, self.stream.total_in())..];
            let inflated = progress(given, self.stream.total_out());
            content(&self.room[..inflated])?;
            self.ended = status == Status::StreamEnd;
            if !self.ended && bytes.is_empty() && inflated < self.room.len() {
                return Ok(());
            }
        }
    }

    /// Whether a body that ends here is whole. One without a byte is empty.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.ended || self.stream.total_in() == 0
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Inflater {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Inflater").field("ended", &self.ended).finish_non_exhaustive()
    }
}

fn progress(before: u64, after: u64) -> usize {
    // One call never takes or gives more than a buffer.
    usize::try_from(after - before).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn zipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    fn inflated(pieces: &[&[u8]]) -> Result<(Vec<u8>, bool), ResponseError> {
        let (mut inflater, mut all) = (Inflater::new(), Vec::new());
        for piece in pieces {
            inflater.read(piece, |content| {
                all.extend_from_slice(content);
                Ok(())
            })?;
        }
        Ok((all, inflater.is_whole()))
    }

    #[test]
    fn a_body_is_inflated_wherever_it_is_cut() {
        let text = b"<h1>Welcome</h1>".repeat(2_000);
        let whole = zipped(&text);
        for cut in 0..=whole.len() {
            let whole = inflated(&[&whole[..cut], &whole[cut..]]);
            assert_eq!(whole, Ok((text.clone(), true)), "{cut}");
        }
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(inflated(&bytes), Ok((text, true)));
    }

    #[test]
    fn what_is_not_a_whole_gzip_is_an_error() {
        let whole = zipped(b"Welcome");
        assert_eq!(inflated(&[]), Ok((Vec::new(), true)));
        assert_eq!(inflated(&[b"", b""]), Ok((Vec::new(), true)));
        assert_eq!(inflated(&[b"Welcome, everybody"]), Err(ResponseError::Protocol));
        assert_eq!(inflated(&[&whole[..whole.len() - 1]]), Ok((b"Welcome".to_vec(), false)), "broken off");
        assert_eq!(inflated(&[&whole, b"more"]), Err(ResponseError::Protocol));
        let mut wrong_sum = whole;
        let at = wrong_sum.len() - 8;
        wrong_sum[at] ^= 1;
        assert_eq!(inflated(&[&wrong_sum]), Err(ResponseError::Protocol));
    }

    #[test]
    fn who_has_seen_enough_stops_it() {
        let bomb = zipped(&vec![0; 10_000_000]);
        let mut seen = 0;
        let result = Inflater::new().read(&bomb, |content| {
            seen += content.len();
            if seen > 100_000 { Err(ResponseError::TooLarge) } else { Ok(()) }
        });
        assert_eq!(result, Err(ResponseError::TooLarge));
        assert!(seen <= 100_000 + ROOM);
    }
}
