//! `srcset` of an image: which of its candidates a browser takes on a screen with one pixel per CSS pixel.
//!
//! As the HTML standard reads it (4.8.4.3.10, "parsing a srcset attribute"). Candidates with a width are not chosen among:
//! which one a browser takes depends on the size of its window, and a driver has none.

/// What a `srcset` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice<'a> {
    /// This address is taken instead of `src`.
    Taken(&'a [u8]),
    /// `src` is taken.
    Source,
}

/// A candidate for each density. `src`, if there is one, is that for density 1 unless another is.
#[must_use]
pub fn choose(set: &[u8], has_source: bool) -> Choice<'_> {
    let mut best: Option<(f64, &[u8])> = None;
    for (address, descriptors) in candidates(set) {
        let Some(density) = density(descriptors) else { return Choice::Source };
        if best.is_none_or(|(known, _)| is_nearer(density, known)) {
            best = Some((density, address));
        }
    }
    match best {
        Some((1.0, address)) => Choice::Taken(address),
        Some((_, address)) if !has_source => Choice::Taken(address),
        _ => Choice::Source,
    }
}

/// The smallest density that is enough, else the largest.
fn is_nearer(density: f64, known: f64) -> bool {
    if known < 1.0 { density > known } else { (1.0..known).contains(&density) }
}

/// Nothing when it depends on the window.
fn density(descriptors: &[u8]) -> Option<f64> {
    let mut words = descriptors.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(word) = words.next() else { return Some(1.0) };
    let density: f64 = std::str::from_utf8(word.strip_suffix(b"x")?).ok()?.parse().ok()?;
    (words.next().is_none() && density > 0.0).then_some(density)
}

/// Each address with what stands behind it, up to a comma. A comma inside an address belongs to it.
fn candidates(set: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&byte| !byte.is_ascii_whitespace() && byte != b',')?;
        rest = &rest[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (address, behind) = rest.split_at(end);
        let bare = address.iter().rposition(|&byte| byte != b',').map_or(0, |last| last + 1);
        if bare < address.len() {
            rest = behind;
            return Some((&address[..bare], &[][..]));
        }
        let end = behind.iter().position(|&byte| byte == b',').unwrap_or(behind.len());
        let descriptors;
        (descriptors, rest) = behind.split_at(end);
        Some((address, descriptors))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_for_one_pixel_per_pixel_is_taken_else_src_else_the_next_better() {
        for (set, with_source, without) in [
            ("a.png", Some("a.png"), Some("a.png")),
            ("a.png 2x, b.png 1x", Some("b.png"), Some("b.png")),
            ("a.png 2x, b.png", Some("b.png"), Some("b.png")),
            ("a.png, b.png 1x", Some("a.png"), Some("a.png")),
            ("a.png 3x,b.png 1.5x", None, Some("b.png")),
            ("a.png .5x,b.png .7x", None, Some("b.png")),
            ("a.png .5x, b.png 4x, c.png 2x", None, Some("c.png")),
            (" , a,b.png 1x,", Some("a,b.png"), Some("a,b.png")),
            ("a.png,, b.png 2x", Some("a.png"), Some("a.png")),
            ("a.png 300w, b.png 600w", None, None),
            ("a.png 1x, b.png 600w", None, None),
            ("a.png 1x 2x", None, None),
            ("a.png -1x", None, None),
            ("", None, None),
            (" ,", None, None),
        ] {
            for (has_source, expected) in [(true, with_source), (false, without)] {
                let expected = expected.map_or(Choice::Source, |taken| Choice::Taken(taken.as_bytes()));
                assert_eq!(choose(set.as_bytes(), has_source), expected, "{set:?} {has_source}");
            }
        }
    }
}
