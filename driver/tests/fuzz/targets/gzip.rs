//! Bodies in gzip.

use middlemark_driver::connect::ResponseError;
use middlemark_driver::connect::inflate::Inflater;

use super::cuts;

/// Where the one who looks has seen enough.
const MAX_BYTES: usize = 1 << 16;

/// Any bytes as gzip.
pub fn hold(bytes: &[u8]) {
    let (whole, content) = inflated([bytes]);
    for pieces in cuts::ways(bytes) {
        let (cut, seen) = inflated(pieces);
        assert_eq!(cut.ok(), whole.ok());
        // How much is seen before an error depends on how much is inflated at once.
        let is_same = if whole.is_ok() {
            seen == content
        } else {
            seen.starts_with(&content) || content.starts_with(&seen)
        };
        assert!(is_same, "{} and {} bytes", seen.len(), content.len());
    }
}

fn inflated<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Result<bool, ResponseError>, Vec<u8>) {
    let (mut inflater, mut content) = (Inflater::new(), Vec::new());
    for piece in pieces {
        let read = inflater.read(piece, |inflated| {
            content.extend_from_slice(inflated);
            if content.len() > MAX_BYTES { Err(ResponseError::TooLarge) } else { Ok(()) }
        });
        if read.is_err() {
            content.truncate(MAX_BYTES);
            return (read.map(|()| false), content);
        }
    }
    (Ok(inflater.is_whole()), content)
}
