//! The lines of a file, each with as many columns: what a feed draws from without looking for it.

use std::fs;
use std::ops::Range;
use std::path::Path;

/// Longest file: all of it is kept in memory, once for all users.
const MAX_BYTES: u64 = 100 << 20;

/// The lines of a file.
#[derive(Debug)]
pub struct Lines {
    text: String,
    lines: Vec<Range<usize>>,
}

/// What some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl Lines {
    /// Reads a file whose lines have `columns` columns, separated by tabs. It is read now, and never again.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn read(file: &Path, columns: usize) -> Result<Self, String> {
        let unreadable = |error| format!("{} cannot be read ({error})", file.display());
        let metadata = fs::metadata(file).map_err(unreadable)?;
        if metadata.len() > MAX_BYTES {
            let mebibytes = MAX_BYTES >> 20;
            return Err(format!("{} is longer than {mebibytes} MiB; use a smaller file", file.display()));
        }
        let mut text = fs::read_to_string(file).map_err(unreadable)?;
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        let mut lines = Vec::new();
        let mut start = 0;
        for whole in text.split_inclusive('\n') {
            let line = whole.trim_end_matches(['\n', '\r']);
            let place = || format!("{}:{}", file.display(), lines.len() + 1);
            if line.is_empty() {
                return Err(format!("{}: this line is empty; remove it", place()));
            }
            let found = line.split('\t').count();
            if found != columns {
                return Err(format!("{}: {found} columns instead of {columns}, separated by tabs", place()));
            }
            lines.push(start..start + line.len());
            start += whole.len();
        }
        if lines.is_empty() {
            return Err(format!("{} has no line to draw", file.display()));
        }
        Ok(Self { text, lines })
    }

    /// All that the file holds.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.lines.len() as u64
    }

    /// The columns of a line; beyond the last line the first follows.
    pub fn columns(&self, number: u64) -> impl Iterator<Item = &str> {
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of lines")]
        let number = (number % self.count()) as usize;
        self.text[self.lines[number].clone()].split('\t')
    }

    /// The first line that cannot stand in a path as it is, with its number from 1.
    #[must_use]
    pub fn not_a_path(&self) -> Option<(usize, &str)> {
        let is_path = |byte: u8| byte.is_ascii_graphic() && byte != b'#' || byte == b'\t';
        let mut lines = self.lines.iter().map(|line| &self.text[line.clone()]);
        let number = lines.clone().position(|line| !line.bytes().all(is_path))?;
        Some((number + 1, lines.nth(number)?))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tempfile::NamedTempFile;

    use super::*;

    fn read(text: &str, columns: usize) -> Result<Lines, String> {
        let mut file = NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("its text");
        Lines::read(file.path(), columns)
    }

    #[test]
    fn lines_have_columns_and_begin_again_behind_the_last() {
        let lines = read("/a\t1\r\n/b\t22", 2).expect("lines");
        assert_eq!(lines.count(), 2);
        let columns = |number| lines.columns(number).collect::<Vec<_>>().join("|");
        assert_eq!([0, 1, 2, u64::MAX].map(columns), ["/a|1", "/b|22", "/a|1", "/b|22"]);
    }

    #[test]
    fn files_from_which_nothing_can_be_drawn_are_refused_with_the_line() {
        for (text, columns, word) in [
            ("", 1, "no line"),
            ("a\n\nb\n", 1, ":2: this line is empty"),
            ("a\t1\nb\n", 2, ":2: 1 columns instead"),
        ] {
            let problem = read(text, columns).expect_err(text);
            assert!(problem.contains(word), "{problem}");
        }
        assert!(Lines::read(Path::new("/no/such/file"), 1).expect_err("none").contains("cannot be read"));
    }

    #[test]
    fn what_cannot_stand_in_a_path_is_found() {
        assert_eq!(read("/a?b=%20\t1\n", 2).expect("lines").not_a_path(), None);
        assert_eq!(read("\u{feff}/a\n", 1).expect("lines").text(), "/a\n");
        assert_eq!(read("/a\n/b c\n", 1).expect("lines").not_a_path(), Some((2, "/b c")));
        assert_eq!(read("/a#b\n", 1).expect("lines").not_a_path(), Some((1, "/a#b")));
    }
}
