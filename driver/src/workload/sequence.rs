//! Which line of a list comes next when its lines come in sequence.

use super::feed::Whose;
use super::plan::{Draw, List};

/// The line whose turn it is: users begin evenly spread over the list and go on from there. In the open model, where
/// each iteration is a visitor's, visitor number *n* begins at line *n*.
#[must_use]
pub fn in_sequence(whose: Whose<'_>, lines: u64) -> u64 {
    let Some(before) = whose.before else { return whose.user.wrapping_add(whose.earlier) };
    let begin = u128::from(whose.user) * u128::from(lines) / u128::from(whose.users.max(1));
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of lines")]
    let begin = begin as u64;
    begin.wrapping_add(before)
}

/// How many of so many lines later everybody begins.
///
/// # Errors
/// A share that is none, or one of a list that is not drawn in sequence.
pub fn beginning(list: &List, lines: u64) -> Result<u64, String> {
    if !(0.0..1.0).contains(&list.begin) {
        return Err(format!("`begin` is {}; it is a share of the list from 0 to less than 1", list.begin));
    }
    if list.begin > 0.0 && list.draw != Draw::Sequence {
        return Err("`begin` is for `sequence`; here any line comes next".into());
    }
    #[expect(clippy::cast_precision_loss, reason = "no list has 2^53 lines")]
    let begin = list.begin * lines as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of lines"
    )]
    Ok(begin as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_dealt_out_evenly_and_goes_round() {
        let line = |user, before| {
            let whose = Whose { run: "r1", user, users: 4, iteration: 0, earlier: 0, before: Some(before) };
            in_sequence(whose, 100) % 100
        };
        assert_eq!([line(0, 0), line(1, 0), line(3, 24), line(3, 25)], [0, 25, 99, 0]);
        let visitor = Whose { run: "r1", user: 17, users: 4, iteration: 0, earlier: 2, before: None };
        assert_eq!(in_sequence(visitor, 100), 19);
    }

    #[test]
    fn a_share_of_a_list_is_some_of_its_lines_and_only_in_sequence() {
        let begin = |draw, begin| {
            let (columns, file) = (Vec::new(), "paths".into());
            beginning(&List { file, draw, begin, columns, as_path: false }, 40)
        };
        assert_eq!([begin(Draw::Sequence, 0.9), begin(Draw::Random, 0.0)], [Ok(36), Ok(0)]);
        for (draw, share, word) in [
            (Draw::Sequence, 1.0, "less than 1"),
            (Draw::Sequence, f64::NAN, "share"),
            (Draw::Random, 0.5, "any line"),
        ] {
            assert!(begin(draw, share).expect_err("no place").contains(word));
        }
    }
}
