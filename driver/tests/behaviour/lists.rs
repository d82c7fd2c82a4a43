//! Feeds whose values are the lines of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::driver::{plan, run_until, step};
use crate::server::{Request, Server, page};

/// A list of so many paths, each with a second column that belongs to it.
fn list(lines: usize) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    for line in 0..lines {
        writeln!(file, "{}/{line}.html?q=%20{line}\t{}", line % 9, 3 * line).expect("a line");
    }
    file
}

fn drawing(server: &Server, list: &NamedTempFile, draw: &str) -> Value {
    let mut plan = plan(&server.target());
    plan["feeds"] = json!([{
        "name": "file",
        "per": "step",
        "list": {"file": list.path(), "draw": draw, "columns": ["size"], "as_path": true},
    }]);
    plan["load"]["users"] = 4.into();
    plan["think"] = json!({"constant_ms": 1});
    plan["connections"] = "keep".into();
    let mut file = step("file", "/files/${file}");
    file["headers"] = json!([["Size", "${size}"]]);
    plan["steps"] = vec![file].into();
    plan
}

/// The line that a request has drawn.
fn line(request: &Request) -> usize {
    let (path, query) = request.path.split_once("?q=%20").expect("as it stands in the list");
    let line: usize = query.parse().expect("a number");
    assert_eq!(path, format!("/files/{}/{line}.html", line % 9));
    assert_eq!(request.header("Size"), Some((3 * line).to_string().as_str()), "of the same line");
    line
}

#[test]
fn a_line_is_drawn_by_chance_and_all_its_columns_belong_together() {
    let (server, list) = (Server::responding(|_| page("")), list(10));
    let plan = drawing(&server, &list, "random");
    let run = run_until(&plan, || server.forget(), |_| server.seen().len() > 300);
    assert_eq!(run.errors(), &json!({}));
    let mut seen = [0; 10];
    server.seen().iter().for_each(|request| seen[line(request)] += 1);
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn in_sequence_each_user_goes_on_from_a_line_of_its_own() {
    in_sequence_from(0.0, [0, 10, 20, 30]);
}

#[test]
fn a_share_of_the_list_is_where_everybody_begins_later() {
    in_sequence_from(0.9, [36, 6, 16, 26]);
}

fn in_sequence_from(begin: f64, lines: [usize; 4]) {
    let (server, list) = (Server::responding(|_| page("")), list(40));
    let mut plan = drawing(&server, &list, "sequence");
    plan["feeds"][0]["list"]["begin"] = begin.into();
    run_until(&plan, || server.forget(), |run| run.valid("file") > 200);
    // A kept connection is one user's.
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for request in server.seen() {
        users.entry(request.connection).or_default().push(line(&request));
    }
    let begins: BTreeSet<usize> = users.values().map(|lines| lines[0]).collect();
    assert_eq!(begins, BTreeSet::from(lines));
    for lines in users.values() {
        assert!(lines.len() > 10, "{lines:?}");
        assert!(lines.windows(2).all(|pair| (pair[0] + 1) % 40 == pair[1]), "{lines:?}");
    }
}

#[test]
fn a_mix_of_steps_is_drawn_by_its_weights() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    let scripts = [("a", 2), ("b", 6), ("c", 17), ("d", 75)];
    let script = |(name, weight): (&str, u64)| json!({"name": name, "weight": weight, "steps": [step(name, &format!("/{name}"))]});
    plan["mix"] = scripts.map(script).to_vec().into();
    plan.as_object_mut().expect("an object").remove("steps");
    plan["load"]["users"] = 8.into();
    plan["think"] = json!({"constant_ms": 0});
    plan["connections"] = "keep".into();
    let total = |run: &crate::driver::Run| -> u64 { scripts.iter().map(|(name, _)| run.valid(name)).sum() };
    let run = run_until(&plan, || server.forget(), |run| total(run) > 5_000);
    for (name, weight) in scripts {
        let share = 10_000 * run.valid(name) / total(&run);
        assert!(share.abs_diff(100 * weight) < 300, "{name}: {share} of 10,000");
    }
}
