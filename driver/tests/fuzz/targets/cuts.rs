//! Ways in which bytes may arrive. What they mean must not depend on it.

/// How many ways are drawn beside the plainest one.
const DRAWN: usize = 3;

/// The bytes one by one, and in pieces of lengths that are drawn from the bytes themselves, so that a failure comes again.
pub fn ways(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    let mut draws = Draws::from(bytes);
    let in_pieces = (0..DRAWN).map(move |_| {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        let longest = 1 << (draws.below(12) + 1);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((draws.below(longest) + 1).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces
    });
    std::iter::once(bytes.chunks(1).collect()).chain(in_pieces)
}

/// Numbers that look random.
pub struct Draws(u64);

impl From<&[u8]> for Draws {
    /// FNV-1a of the bytes is the seed.
    fn from(bytes: &[u8]) -> Self {
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, add))
    }
}

impl Draws {
    /// A number below `limit`, by Knuth's linear congruential generator.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}
