//! Handshakes of TLS by what was agreed on.

/// What client and server agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suite {
    /// Version of TLS.
    pub version: &'static str,
    /// Name of the cipher suite.
    pub cipher: &'static str,
}

/// A handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// With certificates.
    Full,
    /// That resumes an earlier session.
    Resumed,
}

/// Counts of handshakes. There are few suites, so that they are looked for one by one.
#[derive(Clone, Debug, Default)]
pub struct Handshakes(Vec<PerSuite>);

/// Counts of one suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerSuite {
    /// The suite.
    pub suite: Suite,
    /// Full handshakes.
    pub full: u64,
    /// Resumed ones.
    pub resumed: u64,
}

impl Handshakes {
    /// Counts one.
    pub fn count(&mut self, suite: Suite, handshake: Handshake) {
        let (full, resumed) = match handshake {
            Handshake::Full => (1, 0),
            Handshake::Resumed => (0, 1),
        };
        self.put(PerSuite { suite, full, resumed });
    }

    /// Adds the counts of another event loop.
    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|counts| self.put(*counts));
    }

    /// Sets everything to zero.
    pub fn reset(&mut self) {
        self.0.clear();
    }

    /// The suites that occurred, in the order in which they came.
    #[must_use]
    pub fn per_suite(&self) -> &[PerSuite] {
        &self.0
    }

    fn put(&mut self, counts: PerSuite) {
        match self.0.iter_mut().find(|known| known.suite == counts.suite) {
            Some(known) => {
                known.full += counts.full;
                known.resumed += counts.resumed;
            }
            None => self.0.push(counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshakes_are_counted_by_suite_and_kind_over_all_event_loops() {
        let [old, new] = ["1.2", "1.3"].map(|version| Suite { version, cipher: "C" });
        let (mut one, mut other) = (Handshakes::default(), Handshakes::default());
        one.count(new, Handshake::Full);
        one.count(new, Handshake::Resumed);
        other.count(old, Handshake::Full);
        other.count(new, Handshake::Resumed);
        one.add(&other);
        let expected =
            [PerSuite { suite: new, full: 1, resumed: 2 }, PerSuite { suite: old, full: 1, resumed: 0 }];
        assert_eq!(one.per_suite(), expected);
        one.reset();
        assert!(one.per_suite().is_empty());
    }
}
