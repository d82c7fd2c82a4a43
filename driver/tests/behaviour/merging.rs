//! `merge`: what it adds up, and files that do not belong together.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Run, Running, plan, start, step};
use crate::merged::{added, check_windows, merge, merge_texts, run_shared, text_of};
use crate::server::{Server, page, response};

/// Three drivers that share a load of users whose second page fails, for a little more than an interval.
fn three() -> Vec<Run> {
    let server = Server::responding(|request| match request.path.as_str() {
        "/bad" => response("500 Oops", "", ""),
        _ => page("fine"),
    });
    let mut plan = plan(&server.target());
    plan["load"] = json!({"model": "closed", "users": 7, "spread_ms": 50});
    plan["phases"] = json!({"ramp_ms": 100, "settle_ms": 0, "measure_ms": 1_200, "drain_ms": 500});
    plan["split_times"] = true.into();
    plan["steps"] = vec![step("home", "/"), step("bad", "/bad")].into();
    run_shared(&plan, 3)
}

#[test]
fn merged_lines_are_those_of_one_driver_and_nothing_is_averaged() {
    let three = three();
    // In whatever order they are given.
    let merged = merge([&three[2], &three[0], &three[1]]);
    for name in ["home", "bad"] {
        for phase in ["ramp", "measure", "drain"] {
            let pointer = format!("/transactions/{name}/histogram");
            let parts = three.iter().flat_map(|run| run.intervals(phase));
            assert_eq!(added(merged.intervals(phase), &pointer), added(parts, &pointer), "{name} {phase}");
        }
        let valid: u64 = three.iter().map(|run| run.valid(name)).sum();
        assert_eq!(merged.valid(name), valid);
    }
    let sum = |key: &str| -> u64 { three.iter().filter_map(|run| run.one("end")[key].as_u64()).sum() };
    for key in ["transactions", "unanswered", "cpu_user_ns", "max_rss_bytes"] {
        assert_eq!(merged.one("end")[key], sum(key), "{key}");
    }
    let failed: u64 = three.iter().filter_map(|run| run.errors()["status"].as_u64()).sum();
    assert_eq!(merged.errors()["status"], failed);
    check_windows(&merged);
    let first = &three[0];
    let of = |run: &Run, kind: &str, key: &str| -> Vec<Value> {
        run.of(kind).into_iter().map(|line| line[key].clone()).collect()
    };
    assert_eq!(of(&merged, "phase", "phase"), of(first, "phase", "phase"));
    assert_eq!(of(&merged, "interval", "start_ns"), of(first, "interval", "start_ns"));
    assert_eq!(merged.of("audit").last().expect("an audit")["threads"].as_array().map(Vec::len), Some(3));
    audit_of_all(&merged, &three);
    let hello = merged.one("hello");
    assert_eq!((&hello["users"], &hello["threads"], &hello["pid"]), (&json!(7), &json!(3), &json!(0)));
    assert!(hello.get("share").is_none());
    let shares: Vec<&Value> =
        hello["merged"].as_array().expect("drivers").iter().map(|driver| &driver["share"]["index"]).collect();
    assert_eq!(shares, [0, 1, 2]);
    // Each began at the given moment by its own clock: whatever clocks show, this is what comes of it.
    let behind =
        hello["merged"].as_array().expect("drivers").iter().map(|driver| driver["behind_ms"].as_f64());
    assert!(behind.flatten().all(|behind| behind.abs() < 1.0));
    assert!(merged.lines.iter().all(|line| line["v"] == 1 && line["t_ns"].is_u64()));
}

/// The merged self-audit has the figures of all, and each rule as the driver that passed it least.
fn audit_of_all(merged: &Run, three: &[Run]) {
    let audit = merged.one("self_audit");
    let response = added(merged.of("window"), "/transactions/home/histogram").len();
    assert_eq!(audit["response_ms"]["count"], response, "`bad` was never valid");
    let rule = |run: &Run, name: &str| -> Value {
        let rules = run.one("self_audit")["rules"].as_array().expect("rules");
        rules.iter().find(|rule| rule["rule"] == name).expect("the rule").clone()
    };
    let found = |run: &Run| rule(run, "thread_cpu")["found"].as_f64().expect("a number");
    let most = three.iter().map(found).fold(0.0, f64::max);
    assert!((found(merged) - most).abs() < 1e-12);
    let message = rule(merged, "thread_cpu")["message"].as_str().expect("text").to_owned();
    assert!(message.starts_with("share ") && message.contains("(limit: "), "{message}");
    assert_eq!(rule(merged, "mix")["outcome"], "not_checked", "too much failed");
    let limited = three.iter().any(|run| run.one("end")["driver_limited"] == true);
    assert_eq!(merged.one("end")["driver_limited"], limited);
}

/// Two files of a load that two drivers shared, of which the second was `changed`.
fn two(changed: impl Fn(&mut Vec<Value>)) -> [String; 2] {
    let hello = |index: u64| {
        json!({
            "v": 1, "t_ns": 0, "type": "hello", "driver": "0.1.0", "wall_clock": "2026-01-31T08:00:00.000Z",
            "monotonic_ns": 0, "seed": 1, "plan_sha256": "p", "load_sha256": "l", "name": "n", "run": "r",
            "users": 1, "threads": 1, "pid": 9, "host": "h", "start_ns": 20_000_000, "interval_ms": 1000.0,
            "share": {"index": index, "of": 2},
        })
    };
    let end = json!({
        "v": 1, "t_ns": 9, "type": "end", "reason": "finished", "transactions": 0, "errors": {}, "unanswered": 0,
        "cpu_user_ns": 0, "cpu_system_ns": 0, "max_rss_bytes": 0, "driver_limited": null, "limited_by": null,
    });
    let confirmed = json!({"v": 1, "t_ns": 9, "type": "confirmed", "transactions": {}});
    let audit = json!({
        "v": 1, "t_ns": 9, "type": "self_audit", "window_ns": 0, "users": 0.0, "think_mean_ms": 0.0, "valid": 0,
        "failed": 0, "response_ms": times(), "lateness_ms": times(), "lag_ms": times(), "threads": [], "rules": [],
        "network_namespace": {"retransmitted_segments": 3, "syn_retransmissions": 1},
    });
    let file = |index| vec![hello(index), confirmed.clone(), audit.clone(), end.clone()];
    let mut second = file(1);
    changed(&mut second);
    [text_of(&file(0)), text_of(&second)]
}

/// The message of the merge of [`two`] files.
fn refused(changed: impl Fn(&mut Vec<Value>)) -> String {
    let (output, files) = merge_texts(two(changed).iter().map(String::as_str));
    let stderr = String::from_utf8(output.stderr).expect("text");
    let status = output.status.code();
    if status == Some(0) {
        return "merged".into();
    }
    assert_eq!((status, stderr.lines().count()), (Some(2), 1), "{stderr}");
    let of = |file: &tempfile::NamedTempFile| file.path().display().to_string();
    stderr.replace(&of(&files[0]), "FIRST").replace(&of(&files[1]), "SECOND")
}

fn times() -> Value {
    json!({"count": 0, "mean": 0.0, "p50": 0.0, "p99": 0.0, "max": 0.0})
}

#[test]
fn files_that_do_not_belong_together_are_refused_by_name_and_reason() {
    let hello = |key: &'static str, value: Value| refused(move |lines| lines[0][key] = value.clone());
    assert_eq!(refused(|_| {}), "merged");
    for (message, words) in [
        (hello("load_sha256", json!("x")), "merge: SECOND: is of another plan than FIRST"),
        (hello("seed", json!(2)), "merge: SECOND: has the seed 2 and FIRST has 1"),
        (hello("interval_ms", json!(5000)), "SECOND: has intervals of 5000 ms and FIRST has some of 1000 ms"),
        (hello("share", json!({"index": 0, "of": 2})), "SECOND: has the share 0 of 2, and so has FIRST"),
        (
            hello("share", json!({"index": 2, "of": 3})),
            "SECOND: is of a load that 3 drivers shared, and FIRST",
        ),
        (hello("share", json!(null)), "SECOND: its driver did not share a load"),
        (hello("wall_clock", json!("2026-01-31T08:00:00.200Z")), "SECOND: its load began 200 ms after"),
        (hello("start_ns", json!(400_000_000)), "SECOND: its load began 380 ms after"),
        (refused(|lines| drop(lines.pop())), "SECOND: has no `end`"),
        (refused(|lines| lines[3]["reason"] = "signal".into()), "SECOND: its driver was ended early"),
        (refused(|lines| drop(lines.remove(2))), "SECOND: lacks a line `self_audit`"),
        (
            refused(|lines| lines.insert(1, json!({"v": 1, "t_ns": 9, "type": "clients", "clients": []}))),
            "FIRST: lacks a line `clients`",
        ),
        (refused(|lines| drop(lines.remove(0))), "SECOND: does not begin with `hello`"),
        (refused(|lines| lines[1] = json!("nonsense")), "SECOND: line 2 is not a line of the driver"),
        (
            refused(|lines| lines.insert(1, interval("measure"))),
            "SECOND: line 3 is not a line of the driver: an `audit`",
        ),
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    // A clock that is known to be ahead is no difference.
    let ahead = refused(|lines| {
        lines[0]["wall_clock"] = "2026-01-31T08:00:00.200Z".into();
        lines[0]["clock_offset_ms"] = json!(190.0);
    });
    assert_eq!(ahead, "merged");
}

fn interval(phase: &str) -> Value {
    json!({
        "v": 1, "t_ns": 9, "type": "interval", "phase": phase, "start_ns": 0, "end_ns": 9, "users": 1, "iterations": 0,
        "failed": 0, "connections": 0, "bytes_sent": 0, "bytes_received": 0, "transactions": {},
    })
}

/// What the merged lines of [`two`] files say of the network.
fn network(changed: impl Fn(&mut Vec<Value>)) -> Value {
    let (output, _files) = merge_texts(two(changed).iter().map(String::as_str));
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let audit = lines.iter().find(|line| line["type"] == "self_audit").expect("an audit");
    audit["network_namespace"].clone()
}

#[test]
fn what_hosts_had_to_send_again_is_added_and_drivers_of_one_host_count_it_once() {
    let counted = json!({"retransmitted_segments": 5, "syn_retransmissions": 0});
    let of_one_host = network(|lines| lines[2]["network_namespace"] = counted.clone());
    assert_eq!(of_one_host, json!({"retransmitted_segments": 5, "syn_retransmissions": 1}));
    let of_two = network(|lines| {
        lines[0]["host"] = "other".into();
        lines[2]["network_namespace"] = counted.clone();
    });
    assert_eq!(of_two, json!({"retransmitted_segments": 8, "syn_retransmissions": 1}));
    let unknown = network(|lines| lines[2]["network_namespace"] = Value::Null);
    assert_eq!(unknown, Value::Null, "a part of them is not all");
}

#[test]
fn a_missing_share_is_named() {
    let three = three();
    let (output, _files) = merge_texts([&*text_of(&three[0].lines), &*text_of(&three[2].lines)]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("3 drivers shared, and no file has the share 1; give all of them"), "{stderr}");
    assert!(output.stdout.is_empty(), "nothing is written before all belongs together");
}

#[test]
fn intervals_of_another_course_are_refused_with_their_line() {
    let mut three = three();
    let second = three[1].lines.iter_mut().find(|line| line["type"] == "interval").expect("an interval");
    second["phase"] = "settle".into();
    let texts: Vec<String> = three.iter().map(|run| text_of(&run.lines)).collect();
    let (output, files) = merge_texts(texts.iter().map(String::as_str));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    let file = files[1].path().display().to_string();
    assert!(
        stderr.contains(&file) && stderr.contains("not the one that the other files have next"),
        "{stderr}"
    );
}

#[test]
fn a_load_that_is_ended_early_everywhere_is_merged_as_ended_early() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 2.into();
    plan["phases"]["measure_ms"] = 600_000.into();
    // One interval, in which all is over: they need not end in the same moment.
    plan["interval_ms"] = 60_000.into();
    let run = |ahead| -> Vec<Run> {
        plan["start"] = crate::merged::moment(ahead).into();
        server.forget();
        let mut drivers: Vec<_> = (0..2)
            .map(|index| {
                plan["share"] = json!({"index": index, "of": 2});
                start(&plan, &["--lease", "stdin"], Stdio::piped())
            })
            .collect();
        // Whoever has come too late has ended.
        let ended = |driver: &mut Running| driver.child.try_wait().expect("a process").is_some();
        while server.seen().len() < 10 && !drivers.iter_mut().any(ended) {
            std::thread::sleep(Duration::from_millis(5));
        }
        for driver in &mut drivers {
            drop(driver.child.stdin.take());
        }
        drivers.into_iter().map(Running::finish).collect()
    };
    let mut runs = [2, 8, 32].map(Duration::from_secs).into_iter().map(run);
    let began = |runs: &Vec<Run>| runs.iter().all(|run| run.status == Some(130));
    let both = runs.find(began).expect("this machine begins two programs in half a minute");
    let merged = merge(&both);
    assert_eq!(merged.one("end")["reason"], "lease");
    assert_eq!(merged.valid("home"), both.iter().map(|run| run.valid("home")).sum::<u64>());
}
