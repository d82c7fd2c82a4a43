//! Wrong input: exit status 2 and one line that says where, what and what to do.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::driver::{plan, start, step};

/// The plan's error, which must be one line and name the file.
fn refused(plan: &Value) -> String {
    let run = start(plan, &[], Stdio::null()).finish();
    assert_eq!(run.status, Some(2), "{plan}\n{}", run.stderr);
    assert!(run.lines.is_empty());
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let (file, message) = run.stderr.trim_end().split_once(": ").expect("a file");
    assert!(std::path::Path::new(file).is_absolute(), "{file}");
    message.to_owned()
}

/// Changes the plan at a JSON pointer and expects a message with these words.
fn wrong(pointer: &str, value: Value, words: &[&str]) {
    let mut plan = plan("http://127.0.0.1:1");
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match plan.pointer_mut(parent).expect("a parent") {
        Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value,
        parent => parent[key] = value,
    }
    let message = refused(&plan);
    assert!(words.iter().all(|word| message.contains(word)), "{pointer}: {message}");
}

#[test]
fn unknown_keys_and_wrong_types_are_refused_with_their_place() {
    wrong("/speed", json!(1), &["unknown field `speed`", "line 1 column"]);
    wrong("/load/user", json!(1), &["load", "unknown field `user`", "line 1 column"]);
    wrong("/steps/0/method", json!("TRACE"), &["steps[0]: method", "`TRACE`", "`POST`"]);
    wrong("/steps/0/expect/status", json!("200"), &["steps[0]: expect.status"]);
    wrong("/think", json!({"constant": 1}), &["think", "`constant`", "`constant_ms`"]);
    wrong("/phases/ramp_ms", json!(-1), &["phases.ramp_ms", "-1"]);
    wrong("/threads", json!(0), &["threads"]);
    wrong("/seed", json!(-1), &["seed"]);
}

#[test]
fn what_this_version_cannot_do_is_refused_by_name() {
    wrong("/v", json!(2), &["version 1", "2"]);
    wrong("/load", json!({"model": "spiral"}), &["load.model", "spiral", "`closed` and `open`"]);
}

#[test]
fn values_that_make_no_sense_are_refused() {
    wrong("/targets", json!([]), &["targets", "at least one"]);
    wrong("/targets", json!(["localhost:80"]), &["localhost:80", "http://host:port"]);
    wrong("/targets", json!(["http://no-such-host.invalid"]), &["no-such-host.invalid", "resolved"]);
    wrong("/named_targets", json!({"https": []}), &["named_targets.https", "at least one"]);
    wrong("/steps/0/target", json!("https"), &["step `home`: target", "`https`", "named_targets"]);
    wrong("/targets", json!(["unix:x.sock"]), &["unix:x.sock", "unix:/path"]);
    wrong("/share", json!({"index": 2, "of": 2}), &["share.index", "from 0 to 1"]);
    wrong("/share", json!({"index": 1, "of": 2}), &["share.of", "2 drivers for 1 users"]);
    wrong("/interval_ms", json!(999), &["interval_ms", "999", "from 1000 to 60000"]);
    wrong("/interval_ms", json!(60_001), &["interval_ms", "from 1000 to 60000"]);
    wrong("/clock_offset_ms", json!(-9e9), &["clock_offset_ms", "more than a day"]);
    wrong("/sources", json!(["192.0.2.1"]), &["sources", "192.0.2.1", "not an address of this machine"]);
    wrong("/sources", json!(["::1"]), &["sources", "127.0.0.1:1", "IPv4 with IPv4"]);
    wrong("/connections", json!("sometimes"), &["connections", "`per-request`"]);
    wrong("/http", json!("2"), &["http", "`1.0`"]);
    wrong("/timeouts_ms/first_byte", json!(0), &["timeouts_ms.first_byte"]);
    wrong("/load/users", json!(0), &["load.users", "at least one"]);
    wrong("/threads", json!(2), &["threads", "2 event loops for 1 users"]);
    wrong("/timeouts_ms/response", json!(0), &["timeouts_ms.response"]);
    wrong("/think", json!({"uniform_ms": [2, 1]}), &["think.uniform_ms", "swap"]);
    wrong("/steps", json!([]), &["steps", "no step"]);
    wrong("/steps", json!([step("a", "/"), step("a", "/")]), &["step `a`", "two steps"]);
    wrong("/steps/0/path", json!("home"), &["step `home`", "path", "`/`"]);
    wrong("/steps/0/path", json!("/a b"), &["path", "percent-encoded"]);
    wrong("/steps/0/body", json!("x"), &["POST"]);
    let mut head = step("a", "/");
    head["method"] = "HEAD".into();
    head["expect"]["marker"] = "Welcome".into();
    wrong("/steps", json!([head]), &["step `a`", "HEAD", "use GET"]);
    wrong("/steps/0/headers", json!([["Host", "x"]]), &["`Host`", "itself"]);
    wrong("/steps/0/headers", json!([["A b", "x"]]), &["`A b`", "name"]);
    wrong("/steps/0/headers", json!([["A", "x\r\nB: y"]]), &["`A`", "control character"]);
    wrong("/steps/0/capture", json!([{"name": "x"}]), &["capture `x`", "exactly one"]);
    wrong("/feeds", json!([{"name": "x", "per": "step"}]), &["feed `x`", "exactly one"]);
    let list = json!([{"name": "x", "per": "step", "list": {"file": "/no/such/list"}}]);
    wrong("/feeds", list, &["feed `x`", "/no/such/list cannot be read"]);
    wrong("/steps/0/expect/length", json!("6 KB"), &["step `home`: expect.length", "`6 KB`", "`${name}`"]);
}

#[test]
fn numbers_of_ones_own_belong_to_the_closed_model() {
    let mut plan = plan("http://127.0.0.1:1");
    plan["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "sessions", "rate": 9, "users": 3});
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 0, "to": 5, "own": true}}]);
    let message = refused(&plan);
    assert!(message.contains("feed `n`: `own` numbers belong to the users of the closed model"), "{message}");
}

#[test]
fn keys_of_the_other_load_model_and_missing_ones_are_refused() {
    let open = |key: &str, value: Value, words: &[&str]| {
        let mut load =
            json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 5, "users": 1});
        load[key] = value;
        wrong("/load", load, words);
    };
    open("spread_ms", json!(5), &["load.spread_ms", "closed model"]);
    open("rate", Value::Null, &["load.rate", "missing", "per second"]);
    open("unit", Value::Null, &["load.unit", "`sessions` or `requests`"]);
    open("arrivals", Value::Null, &["load.arrivals", "`poisson`"]);
    open("rate", json!(0), &["load.rate", "above 0"]);
    open("rate", json!(2e6), &["load.rate", "1000000"]);
    wrong("/load/rate", json!(5), &["load.rate", "open model"]);
    wrong("/load/spread_ms", Value::Null, &["load.spread_ms", "missing"]);
    wrong("/wake", json!("early"), &["wake", "`early`", "`exact`"]);
}

#[test]
fn mixes_groups_and_paces_that_make_no_sense_are_refused() {
    let session = |name: &str| json!({"name": name, "weight": 1, "steps": [step(name, "/")]});
    let mixed = |mix: Value, words: &[&str]| {
        let mut plan = plan("http://127.0.0.1:1");
        plan["steps"] = Value::Null;
        plan["mix"] = mix;
        let message = refused(&plan);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    mixed(json!([]), &["mix", "at least one"]);
    mixed(json!([session("a"), session("a")]), &["mix `a`", "two sessions"]);
    mixed(json!([{"name": "a", "weight": 0, "steps": []}]), &["mix[0].weight", "above 0"]);
    mixed(json!([{"name": "a", "weight": 1, "steps": []}]), &["mix `a`", "no step"]);
    let mut twice = session("b");
    twice["steps"][0]["id"] = "a".into();
    mixed(json!([session("a"), twice]), &["step `a`", "two steps"]);
    wrong("/mix", json!([session("a")]), &["mix", "`steps`"]);
    wrong("/steps/0", json!({"group": [step("a", "/")], "think": 1}), &["steps[0]", "`think`"]);
    wrong("/steps/0", json!({"group": []}), &["group", "empty"]);
    wrong("/steps/0/abandon", json!(2), &["steps[0]: abandon", "probability"]);
    let mut deep = step("a", "/");
    (0..17).for_each(|_| deep = json!({"group": [deep.clone()]}));
    wrong("/steps/0", deep, &["nested deeper than 16"]);
    let mut open = plan("http://127.0.0.1:1");
    open["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "sessions", "rate": 1, "users": 1});
    open["pacing"] = json!({"constant_ms": 1});
    assert!(refused(&open).contains("pacing: the timetable"), "{}", refused(&open));
}

#[test]
fn levels_say_how_high_each_is_and_nothing_else_does() {
    let level = json!({"users": 2, "ramp_ms": 0, "settle_ms": 0, "measure_ms": 100});
    let leveled = |key: &str, value: Value, words: &[&str]| {
        let mut plan = plan("http://127.0.0.1:1");
        plan["levels"] = json!([level]);
        plan["phases"] = json!({"drain_ms": 0});
        plan["load"] = json!({"model": "closed"});
        plan[key] = value;
        let message = refused(&plan);
        assert!(words.iter().all(|word| message.contains(word)), "{key}: {message}");
    };
    leveled("levels", json!([]), &["levels", "at least one"]);
    leveled("levels", Value::Null, &["phases.ramp_ms", "missing"]);
    leveled("phases", json!({"drain_ms": 0, "settle_ms": 0}), &["phases.settle_ms", "each of the `levels`"]);
    leveled("load", json!({"model": "closed", "users": 2}), &["load.users", "each of the `levels`"]);
    leveled("load", json!({"model": "closed", "spread_ms": 2}), &["load.spread_ms", "ramp"]);
    let open = json!({"model": "open", "arrivals": "constant", "unit": "requests", "users": 2});
    leveled("load", open, &["levels[0].users", "`load`"]);
    let without = json!([{"rate": 2, "ramp_ms": 0, "settle_ms": 0, "measure_ms": 100}]);
    leveled("levels", without, &["levels[0].rate", "open model"]);
    let none = json!([{"users": 0, "ramp_ms": 0, "settle_ms": 0, "measure_ms": 100}]);
    leveled("levels", none, &["levels[0].users", "is 0"]);
}

#[test]
fn tls_that_cannot_be_spoken_is_refused() {
    let refuse = |tls: Value, words: &[&str]| {
        let mut plan = plan("https://127.0.0.1:1");
        plan["tls"] = tls;
        let message = refused(&plan);
        assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    };
    refuse(json!({"ca": "/no/such.pem"}), &["tls.ca", "/no/such.pem", "certificate"]);
    refuse(json!({"insecure": true, "key": "x"}), &["`certificate` and `key`"]);
    refuse(json!({"insecure": true, "minimum": "1.3", "maximum": "1.2"}), &["`minimum`", "swap"]);
    refuse(json!({"insecure": true, "minimum": "1.1"}), &["tls.minimum", "`1.2`"]);
    refuse(json!({"certificates": "x"}), &["tls", "unknown field `certificates`"]);
}

#[test]
fn an_undefined_name_is_refused_wherever_it_stands() {
    for (pointer, value) in [
        ("/steps/0/path", json!("/${who}")),
        ("/steps/0/headers", json!([["X", "${who}"]])),
        ("/steps/0/expect/marker", json!("${who}")),
        ("/steps/0/expect/path", json!("/${who}")),
        ("/steps/0/identify", json!(["who"])),
    ] {
        wrong(pointer, value, &["step `home`", "who", "neither a feed nor captured"]);
    }
}

#[test]
fn a_capture_is_known_to_later_steps_only_and_only_if_it_always_runs() {
    let capture = json!([{"name": "id", "header": "X"}]);
    let mut itself = step("a", "/${id}");
    itself["capture"] = capture.clone();
    wrong("/steps", json!([itself]), &["step `a`", "${id}"]);
    let mut maybe = step("a", "/");
    maybe["capture"] = capture;
    maybe["probability"] = 0.5.into();
    wrong("/steps", json!([maybe, step("b", "/${id}")]), &["step `b`", "always runs"]);
}

#[test]
fn a_plan_that_is_not_there_or_not_json_is_refused() {
    let run = |path: &str| {
        let program = Command::new(env!("CARGO_BIN_EXE_middlemark-driver")).args(["run", path]).output();
        let output = program.expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(run("/no/such/plan.json").starts_with("/no/such/plan.json: cannot be read"));
    assert!(run("Cargo.toml").contains("line 1 column"));
}

#[test]
fn more_users_than_open_files_are_refused_with_the_command_that_helps() {
    let mut plan = plan("http://127.0.0.1:1");
    plan["load"]["users"] = 4_000_000_000_u64.into();
    let message = refused(&plan);
    assert!(message.contains("RLIMIT_NOFILE") && message.contains("ulimit -n 4000000064"), "{message}");
}
