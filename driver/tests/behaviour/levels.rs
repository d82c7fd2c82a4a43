//! Levels: several loads in one run, users added and removed smoothly.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, run_slower, run_undisturbed, step};
use crate::server::{Server, page};

/// Levels of so many users or arrivals, each with a second of ramp and one of measuring.
fn leveled(target: &str, key: &str, sizes: &[u64]) -> Value {
    let mut plan = plan(target);
    let level = |size: &u64| json!({key: size, "ramp_ms": 1000, "settle_ms": 0, "measure_ms": 1000});
    plan["levels"] = sizes.iter().map(level).collect::<Vec<_>>().into();
    plan["phases"] = json!({"drain_ms": 1000});
    plan["load"] = json!({"model": "closed"});
    plan
}

/// Level, phase and a figure of each interval.
fn reported<'a>(run: &'a Run, figure: impl Fn(&'a Value) -> u64) -> Vec<(u64, &'a str, u64)> {
    let line = |line: &'a Value| {
        (line["level"].as_u64().expect("a level"), line["phase"].as_str().expect("a phase"), figure(line))
    };
    run.of("interval").into_iter().map(line).collect()
}

#[test]
fn users_come_and_go_between_the_levels_of_one_run() {
    let server = Server::responding(|_| page(""));
    let mut plan = leveled(&server.target(), "users", &[4, 10, 2]);
    plan["threads"] = 2.into();
    let users = [
        (0, "ramp", 4),
        (0, "measure", 4),
        (1, "ramp", 10),
        (1, "measure", 10),
        (2, "ramp", 2),
        (2, "measure", 2),
        (2, "drain", 0),
    ];
    let fits = |run: &Run| reported(run, |line| line["users"].as_u64().expect("a number")) == users;
    let run = run_undisturbed(&plan, || {}, fits);
    assert_eq!((run.status, run.errors()), (Some(0), &json!({})), "{}", run.stderr);
    let phases: Vec<(u64, &str)> = run
        .of("phase")
        .into_iter()
        .map(|line| (line["level"].as_u64().expect("a level"), line["phase"].as_str().expect("a phase")))
        .collect();
    let of_level = |level| [(level, "ramp"), (level, "settle"), (level, "measure")];
    let mut expected: Vec<(u64, &str)> = (0..3).flat_map(of_level).collect();
    expected.push((2, "drain"));
    assert_eq!(phases, expected);
    assert_eq!(run.one("hello")["users"], 10);
}

#[test]
fn who_goes_finishes_the_iteration_and_who_comes_back_begins_the_next_one() {
    let server = Server::responding(|_| page(""));
    let mut plan = leveled(&server.target(), "users", &[6, 1, 6]);
    plan["think"] = json!({"constant_ms": 40});
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"] = ["a", "b", "c"].map(|id| step(id, &format!("/{id}?id=${{id}}"))).to_vec().into();
    let run = run_plan(&plan);
    let sum = |key: &str| -> u64 { run.of("interval").iter().filter_map(|line| line[key].as_u64()).sum() };
    assert_eq!(sum("failed"), 0);
    let mut pages: BTreeMap<(u64, u64), String> = BTreeMap::new();
    for request in server.seen() {
        let (page, id) = request.path.split_once("?id=r1-").expect("an id");
        let (user, iteration) = id.split_once('-').expect("a user");
        let key = (user.parse().expect("a number"), iteration.parse().expect("a number"));
        pages.entry(key).or_default().push_str(page);
    }
    for user in 0..6 {
        let iterations: Vec<u64> =
            pages.keys().filter(|(other, _)| *other == user).map(|key| key.1).collect();
        assert_eq!(iterations, (0..iterations.len() as u64).collect::<Vec<_>>(), "none twice, none left out");
    }
    // Only the end of the run cuts an iteration, so each user has at most one that is cut.
    let cut: Vec<u64> = pages.iter().filter(|(_, pages)| *pages != "/a/b/c").map(|(key, _)| key.0).collect();
    assert!(pages.len() > 6 && cut.len() == cut.iter().collect::<BTreeSet<_>>().len(), "{cut:?}");
    assert!(pages.keys().any(|key| key.0 == 5), "the last user was there");
}

#[test]
fn the_rate_goes_evenly_from_level_to_level() {
    let server = Server::responding(|_| page(""));
    let mut plan = leveled(&server.target(), "rate", &[40, 120, 20]);
    plan["load"] = json!({"model": "open", "arrivals": "constant", "unit": "requests", "users": 20});
    let expected = [20_u64, 40, 80, 120, 70, 20];
    let near = |run: &Run| {
        let mut counts: BTreeMap<(u64, bool), u64> = BTreeMap::new();
        for (level, phase, count) in
            reported(run, |line| line["transactions"]["home"]["count"].as_u64().expect("a count"))
        {
            *counts.entry((level, phase != "ramp")).or_default() += count;
        }
        counts.values().zip(expected).all(|(count, expected)| count.abs_diff(expected) <= 12)
    };
    let run = run_slower(&plan, near);
    let missed: u64 = run.of("interval").iter().filter_map(|line| line["missed"].as_u64()).sum();
    assert_eq!(run.valid("home") + missed, expected.iter().sum::<u64>());
}

#[test]
fn lines_of_a_plan_without_levels_tell_none() {
    let server = Server::responding(|_| page(""));
    let run = run_plan(&plan(&server.target()));
    assert!(run.lines.iter().all(|line| line.get("level").is_none()));
}
