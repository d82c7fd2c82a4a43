//! What a user runs: mixes of sessions, groups of steps, leaving early, pacing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, run_slower, run_until, step};
use crate::server::{Server, page, response};

/// The paths that each iteration asked for, in their order.
fn iterations(server: &Server) -> Vec<String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for request in server.seen() {
        let (path, id) = request.path.split_once("?id=").expect("an id");
        all.entry(id.to_owned()).or_default().push_str(path);
    }
    all.into_values().collect()
}

/// A plan of steps named by letters, which tell the iteration they belong to.
fn lettered(target: &str) -> Value {
    let mut plan = plan(target);
    plan["load"]["users"] = 8.into();
    plan["think"] = json!({"constant_ms": 1});
    plan["phases"]["measure_ms"] = 1000.into();
    plan["connections"] = "keep".into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan
}

fn letter(id: &str) -> Value {
    step(id, &format!("/{id}?id=${{id}}"))
}

fn sum(run: &Run, key: &str) -> u64 {
    run.of("interval").iter().filter_map(|line| line[key].as_u64()).sum()
}

/// How many of `count` draws of this probability may be off: five standard deviations.
fn noise(count: usize, probability: f64) -> f64 {
    5.0 * (f64::from(u32::try_from(count).expect("few")) * probability * (1.0 - probability)).sqrt()
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand iterations")]
fn expect_share(found: usize, count: usize, probability: f64) {
    let off = (found as f64 - count as f64 * probability).abs();
    // And the iterations that the end of the run cut.
    assert!(off <= noise(count, probability) + 8.0, "{found} of {count}, not {probability}");
}

/// The driver reckons from the same plan how often each transaction comes.
fn expect_mix(run: &Run) {
    let rules = run.one("self_audit")["rules"].as_array().expect("a list");
    let mix = rules.iter().find(|rule| rule["rule"] == "mix").expect("the rule");
    assert_eq!(mix["outcome"], "passed", "{mix}");
}

#[test]
fn each_iteration_runs_one_session_of_the_mix_as_often_as_its_weight_says() {
    let server = Server::responding(|_| page(""));
    let mut plan = lettered(&server.target());
    plan.as_object_mut().expect("an object").remove("steps");
    plan["mix"] = json!([
        {"name": "look", "weight": 3, "steps": [letter("a"), letter("b")]},
        {"name": "buy", "weight": 1, "think": {"constant_ms": 2}, "steps": [letter("c")]},
    ]);
    let run = run_until(&plan, || server.forget(), |_| iterations(&server).len() > 100);
    assert_eq!((run.status, run.errors()), (Some(0), &json!({})), "{}", run.stderr);
    let iterations = iterations(&server);
    assert!(iterations.iter().all(|paths| ["/a", "/a/b", "/c"].contains(&paths.as_str())), "{iterations:?}");
    let bought = iterations.iter().filter(|paths| *paths == "/c").count();
    expect_share(bought, iterations.len(), 0.25);
    expect_mix(&run);
}

#[test]
fn a_group_runs_or_is_left_out_as_a_whole_and_repeated_as_a_whole() {
    let server = Server::responding(|_| page(""));
    let mut plan = lettered(&server.target());
    let inner = json!({"group": [letter("c")], "repeat": 2});
    plan["steps"] = json!([
        letter("a"),
        {"group": [letter("b"), inner], "repeat": 3, "probability": 0.4},
        letter("d"),
    ]);
    let run = run_until(&plan, || server.forget(), |_| iterations(&server).len() > 100);
    assert_eq!((run.status, run.errors()), (Some(0), &json!({})), "{}", run.stderr);
    let all = iterations(&server);
    let (with, without) = ("/a/b/c/c/b/c/c/b/c/c/d", "/a/d");
    assert!(all.iter().all(|paths| with.starts_with(paths.as_str()) || paths == without), "{all:?}");
    expect_share(all.iter().filter(|paths| paths.starts_with("/a/b")).count(), all.len(), 0.4);
    expect_mix(&run);
}

#[test]
fn a_user_who_leaves_runs_nothing_more_of_its_iteration_and_that_is_no_error() {
    let server = Server::responding(|_| page(""));
    let mut plan = lettered(&server.target());
    let mut first = letter("a");
    first["abandon"] = 0.3.into();
    plan["steps"] = json!([first, letter("b")]);
    let run = run_until(&plan, || server.forget(), |_| iterations(&server).len() > 100);
    assert_eq!((run.errors(), sum(&run, "failed")), (&json!({}), 0));
    let all = iterations(&server);
    let abandoned = usize::try_from(sum(&run, "abandoned")).expect("few");
    expect_share(abandoned, all.len(), 0.3);
    expect_mix(&run);
    let alone = all.iter().filter(|paths| *paths == "/a").count();
    assert!(
        alone >= abandoned && alone <= abandoned + 8,
        "{alone} iterations of one step, {abandoned} abandoned"
    );
}

#[test]
fn a_pace_says_when_the_next_iteration_begins_unless_the_last_one_took_longer() {
    let server = Server::responding(|_| page(""));
    // Two steps and two think times of 20 ms.
    for (pacing_ms, think_ms, iterations) in [(100, 20, 10), (100, 0, 10), (10, 100, 5)] {
        let mut plan = lettered(&server.target());
        plan["load"]["users"] = 1.into();
        plan["think"] = json!({"constant_ms": think_ms});
        plan["pacing"] = json!({"constant_ms": pacing_ms});
        plan["steps"] = json!([letter("a"), letter("b")]);
        run_slower(&plan, |run| {
            let found = sum(run, "iterations");
            assert!(found <= iterations, "nothing makes them more: {found} of {iterations}");
            found + 3 >= iterations
        });
    }
}

#[test]
fn a_capture_of_one_session_or_of_a_group_left_out_is_unknown_elsewhere() {
    let server = Server::responding(|_| response("200 OK", "X: 7\r\n", ""));
    let mut first = step("first", "/");
    first["capture"] = json!([{"name": "x", "header": "X"}]);
    let second = step("second", "/${x}");
    let runs = |steps: Value, mix: Value| {
        let mut plan = plan(&server.target());
        plan["steps"] = steps;
        plan["mix"] = mix;
        let run = run_plan(&plan);
        assert!(run.status == Some(0) || run.stderr.contains("${x}"), "{}", run.stderr);
        run.status == Some(0)
    };
    let session = |name: &str, step: &Value| json!({"name": name, "weight": 1, "steps": [step]});
    assert!(!runs(Value::Null, json!([session("one", &first), session("two", &second)])));
    assert!(!runs(json!([{"group": [first], "probability": 0.5}, second]), Value::Null));
    assert!(runs(json!([{"group": [first, second], "probability": 0.5}]), Value::Null));
    assert!(runs(json!([{"group": [first], "repeat": 2}, second]), Value::Null));
}
