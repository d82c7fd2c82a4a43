//! Search for texts in a body that comes in pieces, without keeping the body.

use memchr::memmem;

/// Looks for all markers of a step. Used from step to step, so that it does not allocate.
#[derive(Debug, Default)]
pub struct MarkerSearches {
    searches: Vec<MarkerSearch>,
    /// How many of them this step has.
    used: usize,
}

impl MarkerSearches {
    /// So many texts to look for, emptied, to be written anew.
    pub fn renew(&mut self, markers: usize) -> impl Iterator<Item = &mut Vec<u8>> {
        self.used = markers;
        if self.searches.len() < markers {
            // By no more: each user has them.
            self.searches.reserve_exact(markers - self.searches.len());
            self.searches.resize_with(markers, MarkerSearch::default);
        }
        self.searches[..markers].iter_mut().map(MarkerSearch::renew)
    }

    /// Begins a new body.
    pub fn restart(&mut self) {
        self.searches[..self.used].iter_mut().for_each(MarkerSearch::restart);
    }

    /// Looks at the next piece.
    pub fn look_at(&mut self, piece: &[u8]) {
        self.searches[..self.used].iter_mut().for_each(|search| search.look_at(piece));
    }

    /// The first that was not there.
    #[must_use]
    pub fn first_missing(&self) -> Option<&[u8]> {
        self.searches[..self.used].iter().find(|search| !search.found()).map(|search| &*search.marker)
    }

    /// Whether each was there.
    #[must_use]
    pub fn all_found(&self) -> bool {
        self.searches[..self.used].iter().all(MarkerSearch::found)
    }
}

/// Looks for one text. Used again from response to response, so that it does not allocate.
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
    fn each_marker_of_a_step_must_be_there_in_any_order_and_those_of_the_last_step_no_longer() {
        let mut searches = MarkerSearches::default();
        for (markers, expected) in
            [(&["two", "one"][..], true), (&["one", "three", "two"], false), (&["wo"], true), (&[], true)]
        {
            for (text, marker) in markers.iter().zip(searches.renew(markers.len())) {
                marker.extend_from_slice(text.as_bytes());
            }
            searches.restart();
            searches.look_at(b"one, t");
            searches.look_at(b"wo");
            assert_eq!(searches.all_found(), expected, "{markers:?}");
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
