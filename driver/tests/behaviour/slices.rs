//! A run whose users work in slices, as lines on stdin say.

use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Running, plan, run_plan, start};
use crate::server::{Server, Then, page};

/// Longer than any machine needs to hand a request over.
const PAUSE: Duration = Duration::from_millis(200);

fn sliced(server: &Server, users: u64) -> Value {
    let mut plan = plan(&server.target());
    plan["load"]["users"] = users.into();
    plan["think"] = json!({"constant_ms": 0});
    plan["connections"] = "keep".into();
    plan["phases"]["measure_ms"] = 60_000.into();
    plan["interval_ms"] = 60_000.into();
    plan
}

fn started(plan: &Value) -> Running {
    let mut running = start(plan, &["--slices", "stdin"], Stdio::piped());
    running.until("phase");
    running
}

fn send(running: &mut Running, line: &str) {
    writeln!(running.child.stdin.as_mut().expect("a pipe"), "{line}").expect("it reads");
}

/// The counts and the line of a slice.
fn slice(running: &mut Running) -> (Value, Value) {
    send(running, "go");
    thread::sleep(PAUSE);
    send(running, "hold");
    let interval = running.until("interval");
    (interval, running.until("slice"))
}

#[test]
fn nothing_is_sent_but_between_go_and_the_end_of_a_slice() {
    let server = Server::responding(|_| page(""));
    let mut running = started(&sliced(&server, 3));
    thread::sleep(PAUSE);
    assert_eq!(server.seen().len(), 0, "held at first");
    let mut counted = 0;
    for number in 0..3 {
        let (interval, line) = slice(&mut running);
        counted += interval["responses"].as_u64().expect("a count");
        let after = server.seen().len();
        assert_eq!(line["slice"], number);
        assert_eq!(interval["end_ns"], line["t_ns"], "the interval ends with the slice");
        assert!(
            line["go_ns"].as_u64() < line["hold_ns"].as_u64()
                && line["hold_ns"].as_u64() <= line["t_ns"].as_u64()
        );
        assert_eq!(u64::try_from(after).expect("a number"), counted, "what was sent is counted in its slice");
        thread::sleep(PAUSE);
        assert_eq!(server.seen().len(), after, "nothing is sent while the users are held");
    }
    drop(running.child.stdin.take());
    let run = running.finish();
    assert_eq!((run.status, &run.one("end")["reason"]), (Some(130), &"lease".into()));
    assert_eq!(run.valid("home"), counted);
    assert_eq!(run.one("end")["errors"], json!({}));
}

#[test]
fn a_slice_is_over_only_when_no_response_is_missing() {
    let slow = Duration::from_millis(600);
    let server = Server::responding(move |_| {
        thread::sleep(slow);
        page("")
    });
    let mut running = started(&sliced(&server, 2));
    let (interval, line) = slice(&mut running);
    let (hold, end) = (line["hold_ns"].as_u64().expect("a moment"), line["t_ns"].as_u64().expect("a moment"));
    assert_eq!(interval["responses"], 2);
    assert!(end - hold > 200_000_000, "held after 0.2 s, answered after 0.6 s: {line}");
}

#[test]
fn each_user_has_a_turn_in_a_slice_however_short() {
    let server = Server::responding(|_| page(""));
    let mut running = started(&sliced(&server, 3));
    for _ in 0..5 {
        send(&mut running, "go\nhold");
        assert!(running.until("interval")["responses"].as_u64() >= Some(3));
        running.until("slice");
    }
}

#[test]
fn connections_are_kept_while_the_users_are_held() {
    let server = Server::responding(|_| page(""));
    let mut running = started(&sliced(&server, 2));
    let (first, _) = slice(&mut running);
    let (second, _) = slice(&mut running);
    assert_eq!((&first["connections"], &second["connections"]), (&2.into(), &0.into()));
}

#[test]
fn a_think_time_that_ends_while_the_users_are_held_waits_for_the_next_slice() {
    let server = Server::responding(|_| page(""));
    let mut plan = sliced(&server, 1);
    plan["think"] = json!({"constant_ms": 100});
    let mut running = started(&plan);
    slice(&mut running);
    let seen = server.seen().len();
    thread::sleep(PAUSE);
    assert_eq!(server.seen().len(), seen);
    slice(&mut running);
    assert!(server.seen().len() > seen);
}

#[test]
fn commands_that_change_nothing_are_passed_over() {
    let server = Server::responding(|_| page(""));
    let mut running = started(&sliced(&server, 1));
    for line in ["hold", "go", "go", "what"] {
        send(&mut running, line);
    }
    let (_, line) = slice(&mut running);
    assert_eq!(line["slice"], 0);
    drop(running.child.stdin.take());
    let run = running.finish();
    assert_eq!(run.of("slice").len(), 1);
    assert_eq!(run.stderr, "stdin: 'what' is neither go nor hold\n");
}

#[test]
fn a_run_ends_when_its_users_are_held_and_when_a_response_is_missing() {
    let silent = Server::talking(|_, _| Then::Keep);
    let mut running = started(&sliced(&silent, 2));
    send(&mut running, "go");
    thread::sleep(PAUSE);
    send(&mut running, "hold");
    drop(running.child.stdin.take());
    let run = running.finish();
    assert_eq!((run.status, &run.one("end")["unanswered"]), (Some(130), &2.into()));
    assert_eq!(run.of("slice").len(), 0, "it was not over");
    let mut short = sliced(&Server::responding(|_| page("")), 1);
    short["phases"]["measure_ms"] = 300.into();
    let run = started(&short).finish();
    assert_eq!((run.status, &run.one("end")["reason"]), (Some(0), &"finished".into()));
}

#[test]
fn what_has_no_slices_is_refused() {
    let server = Server::responding(|_| page(""));
    let mut threads = sliced(&server, 2);
    threads["threads"] = 2.into();
    let mut open = sliced(&server, 2);
    open["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 10, "users": 2});
    for (plan, words) in [(threads, "one event loop"), (open, "open model")] {
        let run = start(&plan, &["--slices", "stdin"], Stdio::piped()).finish();
        assert_eq!(run.status, Some(2));
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = run_plan(&{
        let mut plan = sliced(&server, 1);
        plan["phases"]["measure_ms"] = 200.into();
        plan
    });
    assert_eq!(run.of("slice").len(), 0, "without slices nobody is held");
    assert!(run.valid("home") > 0);
}
