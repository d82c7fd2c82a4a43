//! Feeds: where the values of a user come from.

use std::fmt::Write as _;

use super::draw::Draws;
use super::error::PlanError;
use super::lines::Lines;
use super::plan::{self, Draw, Per};
use super::sequence::{beginning, in_sequence};
use super::variables::{Names, Variable, Variables};

/// More draws than a session needs; a distinct draw compares each with all before it.
const MAX_PICKS: usize = 1_000;

const TWICE: &str = "there are two feeds of this name; rename one";

/// A feed, ready to be drawn from.
#[derive(Debug)]
pub struct Feed {
    /// The variable it fills.
    pub variable: Variable,
    /// How long a value stays.
    pub per: Per,
    source: Source,
}

/// Whose value is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    /// The plan's run.
    pub run: &'a str,
    /// Number of the user.
    pub user: u64,
    /// How many users there are.
    pub users: u64,
    /// Number of the iteration.
    pub iteration: u64,
    /// How often this feed was drawn in this iteration before.
    pub earlier: u64,
    /// Closed model: how often this user has drawn it before in all its iterations.
    pub before: Option<u64>,
}

#[derive(Debug)]
enum Source {
    Number(Number),
    Own(Number),
    Pick { number: Number, count: usize, distinct: bool, join: String },
    Unique(Vec<UniquePart>),
    List { lines: Lines, draw: Draw, begin: u64, columns: Vec<Variable> },
}

#[derive(Clone, Debug)]
struct Number {
    from: i64,
    size: u64,
    before: String,
    after: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum UniquePart {
    Text(String),
    Run,
    User,
    Iteration,
}

impl Feed {
    /// Checks all feeds of a plan for so many users and declares their names.
    ///
    /// # Errors
    /// [`PlanError`] naming the feed.
    pub fn all(feeds: &[plan::Feed], users: u64, names: &mut Names) -> Result<Vec<Self>, PlanError> {
        feeds.iter().map(|feed| Self::new(feed, feeds, users, names)).collect()
    }

    fn new(feed: &plan::Feed, all: &[plan::Feed], users: u64, names: &mut Names) -> Result<Self, PlanError> {
        let place = format!("feed `{}`", feed.name);
        if names.find(&feed.name).is_some() {
            return Err(PlanError::at(place, TWICE));
        }
        let variable = names.declare(&feed.name, true);
        let source = match (&feed.range, &feed.pick, &feed.unique, &feed.list) {
            (Some(range), None, None, None) => Source::number(range, users),
            (None, Some(pick), None, None) => Source::pick(pick, all),
            (None, None, Some(text), None) => unique_parts(text).map(Source::Unique),
            (None, None, None, Some(list)) => Source::list(list, variable, names),
            _ => Err("needs exactly one of `range`, `pick`, `unique` and `list`".into()),
        };
        let source = source.map_err(|problem| PlanError::at(place, problem))?;
        Ok(Self { variable, per: feed.per, source })
    }

    /// The variables it fills.
    pub fn variables(&self) -> impl Iterator<Item = Variable> {
        let further = if let Source::List { columns, .. } = &self.source { columns.as_slice() } else { &[] };
        std::iter::once(self.variable).chain(further.iter().copied())
    }

    /// What the file of a list holds.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        if let Source::List { lines, .. } = &self.source { Some(lines.text()) } else { None }
    }

    /// Draws values of its variables.
    pub fn draw(&self, whose: Whose<'_>, draws: &mut Draws, values: &mut Variables) {
        if let Source::List { lines, draw, begin, .. } = &self.source {
            let number = match draw {
                Draw::Random => draws.below(lines.count()),
                Draw::Sequence => in_sequence(whose, lines.count()).wrapping_add(*begin),
            };
            for (variable, column) in self.variables().zip(lines.columns(number)) {
                values.renew(variable).push_str(column);
            }
        } else {
            self.write(whose, draws, values.renew(self.variable));
        }
    }

    /// Draws a value into `out`, which is empty.
    fn write(&self, whose: Whose<'_>, draws: &mut Draws, out: &mut String) {
        match &self.source {
            // Has several variables.
            Source::List { .. } => {}
            Source::Number(number) => number.write(number.draw(draws), out),
            Source::Own(number) => number.write(number.draw_own(whose, draws), out),
            Source::Pick { number, count, distinct, join } => {
                // Allocates: a step draws a few numbers, and nobody waits for it.
                let mut picked = Vec::with_capacity(*count);
                while picked.len() < *count {
                    let value = number.draw(draws);
                    if *distinct && picked.contains(&value) {
                        continue;
                    }
                    if !picked.is_empty() {
                        out.push_str(join);
                    }
                    number.write(value, out);
                    picked.push(value);
                }
            }
            Source::Unique(parts) => write_unique(parts, whose, out),
        }
    }
}

impl Source {
    fn list(list: &plan::List, first: Variable, names: &mut Names) -> Result<Self, String> {
        let lines = Lines::read(&list.file, 1 + list.columns.len())?;
        if let Some((number, line)) = lines.not_a_path().filter(|_| list.as_path) {
            let file = list.file.display();
            return Err(format!(
                "{file}:{number}: `{line}` cannot stand in a path; write it percent-encoded"
            ));
        }
        let mut columns = Vec::new();
        for column in &list.columns {
            if names.find(column).is_some() {
                return Err(format!("column `{column}`: {TWICE}"));
            }
            columns.push(names.declare(column, true));
        }
        if list.as_path {
            columns.iter().chain([&first]).for_each(|&variable| names.keep_as_path(variable));
        }
        let begin = beginning(list, lines.count())?;
        Ok(Self::List { lines, draw: list.draw, begin, columns })
    }

    fn number(range: &plan::Range, users: u64) -> Result<Self, String> {
        let number = Number::new(range)?;
        if !range.own {
            return Ok(Self::Number(number));
        }
        if number.size < users {
            return Err(format!(
                "has {} numbers for {users} users; for `own` each user needs one: use fewer users or a larger range",
                number.size
            ));
        }
        Ok(Self::Own(number))
    }

    fn pick(pick: &plan::Pick, all: &[plan::Feed]) -> Result<Self, String> {
        let source = all.iter().find(|feed| feed.name == pick.from).and_then(|feed| feed.range.as_ref());
        let source =
            source.ok_or_else(|| format!("picks from `{}`, which is not a `range` feed", pick.from))?;
        if source.own {
            return Err(format!("picks from `{}`, whose numbers are each user's `own`", pick.from));
        }
        let number = Number::new(source)?;
        if pick.count == 0 || pick.count > MAX_PICKS {
            return Err(format!("`count` is {}; it goes from 1 to {MAX_PICKS}", pick.count));
        }
        if pick.distinct && pick.count as u64 > number.size {
            return Err(format!("picks {} distinct values of only {}", pick.count, number.size));
        }
        Ok(Self::Pick { number, count: pick.count, distinct: pick.distinct, join: pick.join.clone() })
    }
}

impl Number {
    fn new(range: &plan::Range) -> Result<Self, String> {
        if range.from >= range.to {
            return Err(format!(
                "range from {} to {} is empty; `from` must be below `to`",
                range.from, range.to
            ));
        }
        let (before, after) = range
            .format
            .split_once("{}")
            .filter(|(_, after)| !after.contains("{}"))
            .ok_or_else(|| format!("format `{}` needs `{{}}` exactly once", range.format))?;
        let (before, after) = (before.into(), after.into());
        Ok(Self { from: range.from, size: range.to.abs_diff(range.from), before, after })
    }

    fn draw(&self, draws: &mut Draws) -> i64 {
        self.from.wrapping_add_unsigned(draws.below(self.size))
    }

    /// Draws one of a user's own numbers: the range is dealt out to the users in turn.
    fn draw_own(&self, whose: Whose<'_>, draws: &mut Draws) -> i64 {
        let count = (self.size - whose.user).div_ceil(whose.users);
        self.from.wrapping_add_unsigned(whose.user + draws.below(count) * whose.users)
    }

    fn write(&self, number: i64, out: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(out, "{}{number}{}", self.before, self.after);
    }
}

/// Splits a text of `{run}`, `{user}` and `{iteration}`.
///
/// All three must be there, with something other than digits between them: else user 1 in iteration 11 and user 11 in
/// iteration 1 had the same text.
fn unique_parts(text: &str) -> Result<Vec<UniquePart>, String> {
    let problem = || {
        format!(
            "`unique` is `{text}`; it must hold {{run}}, {{user}} and {{iteration}} once each, with a text that is not \
             a number between them"
        )
    };
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (name, after) = rest[start + 1..].split_once('}').ok_or_else(problem)?;
        let part = match name {
            "run" => UniquePart::Run,
            "user" => UniquePart::User,
            "iteration" => UniquePart::Iteration,
            _ => return Err(problem()),
        };
        let separator = &rest[..start];
        let separated = separator.contains(|character: char| !character.is_ascii_digit());
        if parts.contains(&part) || !parts.is_empty() && !separated {
            return Err(problem());
        }
        parts.push(UniquePart::Text(separator.into()));
        parts.push(part);
        rest = after;
    }
    parts.push(UniquePart::Text(rest.into()));
    let all = [UniquePart::Run, UniquePart::User, UniquePart::Iteration];
    if all.iter().all(|part| parts.contains(part)) { Ok(parts) } else { Err(problem()) }
}

fn write_unique(parts: &[UniquePart], whose: Whose<'_>, out: &mut String) {
    for part in parts {
        // Writing to a string does not fail.
        let _ = match part {
            UniquePart::Text(text) => write!(out, "{text}"),
            UniquePart::Run => write!(out, "{}", whose.run),
            UniquePart::User => write!(out, "{}", whose.user),
            UniquePart::Iteration => write!(out, "{}", whose.iteration),
        };
    }
    if whose.earlier > 0 {
        let _ = write!(out, "-{}", whose.earlier + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(json: &str) -> Result<Feed, PlanError> {
        let feeds: Vec<plan::Feed> = serde_json::from_str(json).expect("feeds");
        Feed::all(&feeds, 4, &mut Names::default()).map(|mut all| all.remove(all.len() - 1))
    }

    fn drawn(feed: &Feed, iteration: u64) -> String {
        let mut out = String::new();
        let whose = Whose { run: "r1", user: 3, users: 4, iteration, earlier: 0, before: Some(0) };
        feed.write(whose, &mut Draws::new(1, 3, iteration), &mut out);
        out
    }

    const SYMBOL: &str = r#"{"name":"symbol","per":"step","range":{"from":0,"to":6,"format":"s:{}"}}"#;

    #[test]
    fn a_distinct_pick_never_holds_a_value_twice() {
        let pick =
            r#"{"name":"p","per":"step","pick":{"from":"symbol","count":5,"distinct":true,"join":","}}"#;
        let feed = feed(&format!("[{SYMBOL},{pick}]")).expect("a feed");
        for iteration in 0..500 {
            let text = drawn(&feed, iteration);
            let mut values: Vec<&str> = text.split(',').collect();
            values.sort_unstable();
            values.dedup();
            assert_eq!(values.len(), 5, "{text}");
            assert!(values.iter().all(|value| value.starts_with("s:")), "{text}");
        }
    }

    #[test]
    fn a_range_reaches_both_its_ends_and_nothing_beyond() {
        let feed =
            feed(r#"[{"name":"n","per":"step","range":{"from":-2,"to":2,"format":"{}"}}]"#).expect("a feed");
        let mut seen: Vec<String> = (0..200).map(|iteration| drawn(&feed, iteration)).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen, ["-1", "-2", "0", "1"]);
    }

    #[test]
    fn own_numbers_are_one_users_alone_and_together_all() {
        let own = r#"[{"name":"n","per":"step","range":{"from":5,"to":15,"own":true}}]"#;
        let feed = feed(own).expect("a feed");
        let mut owners = vec![Vec::new(); 10];
        for user in 0..4 {
            for iteration in 0..100 {
                let mut out = String::new();
                let whose = Whose { run: "r1", user, users: 4, iteration, earlier: 0, before: Some(0) };
                feed.write(whose, &mut Draws::new(1, user, iteration), &mut out);
                let number: usize = out.parse().expect("a number");
                owners[number - 5].push(user);
            }
        }
        for (number, owners) in owners.iter_mut().enumerate() {
            owners.dedup();
            assert_eq!(*owners, [number as u64 % 4]);
        }
    }

    #[test]
    fn a_unique_text_drawn_again_in_the_same_iteration_is_another_text() {
        let feed =
            feed(r#"[{"name":"u","per":"step","unique":"{run}-{user}-{iteration}"}]"#).expect("a feed");
        assert_eq!(drawn(&feed, 9), "r1-3-9");
        let mut out = String::new();
        let whose = Whose { run: "r1", user: 3, users: 4, iteration: 9, earlier: 1, before: Some(1) };
        feed.write(whose, &mut Draws::new(1, 3, 9), &mut out);
        assert_eq!(out, "r1-3-9-2");
    }

    #[test]
    fn feeds_that_cannot_be_drawn_from_are_refused() {
        for (json, word) in [
            (r#"[{"name":"a","per":"step"}]"#, "exactly one"),
            (r#"[{"name":"a","per":"step","range":{"from":3,"to":3}}]"#, "empty"),
            (r#"[{"name":"a","per":"step","range":{"from":3,"to":6,"own":true}}]"#, "3 numbers for 4 users"),
            (
                r#"[{"name":"b","per":"step","range":{"from":0,"to":9,"own":true}},
                    {"name":"a","per":"step","pick":{"from":"b","count":1}}]"#,
                "each user's `own`",
            ),
            (r#"[{"name":"a","per":"step","range":{"from":0,"to":3,"format":"x"}}]"#, "{}"),
            (r#"[{"name":"a","per":"step","pick":{"from":"b","count":1}}]"#, "`b`"),
            (r#"[{"name":"a","per":"step","unique":"{user}{iteration}{run}"}]"#, "between"),
            (r#"[{"name":"a","per":"step","unique":"{run}-{user}"}]"#, "{iteration}"),
        ] {
            let message = feed(json).expect_err(json).to_string();
            assert!(message.contains(word), "{message}");
        }
        let pick = r#"{"name":"p","per":"step","pick":{"from":"symbol","count":7,"distinct":true}}"#;
        let message = feed(&format!("[{SYMBOL},{pick}]")).expect_err("seven of six").to_string();
        assert!(message.contains("only 6"), "{message}");
    }
}
