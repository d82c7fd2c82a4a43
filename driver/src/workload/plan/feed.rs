//! A feed, as the plan file names it.

use std::path::PathBuf;

use serde::Deserialize;

/// A feed; exactly one of `range`, `pick`, `unique` and `list` is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// Its name in templates.
    pub name: String,
    /// How long a value stays.
    pub per: Per,
    /// A whole number in a text.
    pub range: Option<Range>,
    /// Several draws of a range.
    pub pick: Option<Pick>,
    /// A text that is never the same twice.
    pub unique: Option<String>,
    /// A line of a file.
    pub list: Option<List>,
}

/// A line of a file. The feed's name stands for its first column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The file.
    pub file: PathBuf,
    /// Which line comes next.
    #[serde(default)]
    pub draw: Draw,
    /// In sequence: where in the list everybody begins later, as a share of it, 0 ≤ begin < 1.
    #[serde(default)]
    pub begin: f64,
    /// Names of the columns after the first.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Whether the values stand in paths as they are.
    #[serde(default)]
    pub as_path: bool,
}

/// Which line of a list comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draw {
    /// Any.
    #[default]
    Random,
    /// The next one; each user begins elsewhere.
    Sequence,
}

/// How long a value stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// For one run of a step.
    Step,
    /// For the whole iteration.
    Iteration,
}

/// A whole number, `from` ≤ n < `to`, put into the `{}` of a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The smallest.
    pub from: i64,
    /// One more than the largest.
    pub to: i64,
    /// The text.
    #[serde(default = "just_the_number")]
    pub format: String,
    /// Whether no two users ever have the same number.
    #[serde(default)]
    pub own: bool,
}

/// Several draws of a range, joined.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Name of the range.
    pub from: String,
    /// How many.
    pub count: usize,
    /// Whether all must differ.
    #[serde(default)]
    pub distinct: bool,
    /// What stands between them.
    #[serde(default = "comma")]
    pub join: String,
}

fn just_the_number() -> String {
    "{}".into()
}

fn comma() -> String {
    ",".into()
}
