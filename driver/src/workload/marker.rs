//! Search for a text in a body that comes in pieces, without keeping the body.

use memchr::memmem;

/// Looks for one text. Used again from answer to answer, so that it does not allocate.
#[derive(Debug, Default)]
pub struct MarkerSearch {
    marker: Vec<u8>,
    /// The last bytes seen, fewer than the marker has: it may begin there.
    tail: Vec<u8>,
    found: bool,
}

impl MarkerSearch {
    /// The text to look for, emptied, to be written anew.
    pub fn renew(&mut self) -> &mut Vec<u8> {
        self.marker.clear();
        &mut self.marker
    }

    /// Begins a new body.
    pub fn restart(&mut self) {
        self.tail.clear();
        self.found = false;
    }

    /// Looks at the next piece.
    pub fn look_at(&mut self, piece: &[u8]) {
        if self.found {
            return;
        }
        let overlap = self.marker.len().saturating_sub(1);
        if !self.tail.is_empty() {
            let kept = self.tail.len();
            self.tail.extend_from_slice(&piece[..piece.len().min(overlap)]);
            self.found = memmem::find(&self.tail, &self.marker).is_some();
            if piece.len() >= overlap {
                self.tail.truncate(kept);
            }
        }
        self.found = self.found || memmem::find(piece, &self.marker).is_some();
        if piece.len() >= overlap {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - overlap..]);
        } else if self.tail.is_empty() {
            self.tail.extend_from_slice(piece);
        } else if self.tail.len() > overlap {
            self.tail.drain(..self.tail.len() - overlap);
        }
    }

    /// Whether it was there. An empty text is always there.
    #[must_use]
    pub fn found(&self) -> bool {
        self.found || self.marker.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(marker: &str, pieces: &[&str]) -> bool {
        let mut search = MarkerSearch::default();
        search.renew().extend_from_slice(marker.as_bytes());
        search.restart();
        for piece in pieces {
            search.look_at(piece.as_bytes());
        }
        search.found()
    }

    #[test]
    fn a_marker_is_found_however_the_body_is_cut() {
        let body = "ababac<h1>Welcome</h1>";
        for marker in ["ababac", "Welcome", "</h1>", "a", "bac<"] {
            for first in 0..=body.len() {
                for second in first..=body.len() {
                    let pieces = [&body[..first], &body[first..second], &body[second..]];
                    assert!(found(marker, &pieces), "{marker} in {pieces:?}");
                }
            }
            let bytes: Vec<&str> = body.split("").collect();
            assert!(found(marker, &bytes), "{marker} byte by byte");
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        assert!(!found("abc", &["ab", "ab", "c"].map(|_| "ab")));
        assert!(!found("abc", &["a", "c", "b"]));
        assert!(!found("x", &[]));
        assert!(found("", &[]));
    }
}
