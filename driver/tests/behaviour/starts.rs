//! Runs that begin at a given moment, and how long their intervals are.

use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, start};
use crate::merged::{check_windows, moment};
use crate::server::{Server, page};

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// When the first ramp began, by the wall clock of `hello`.
fn begun(run: &Run) -> SystemTime {
    let hello = run.one("hello");
    let wall = humantime::parse_rfc3339(hello["wall_clock"].as_str().expect("a time")).expect("RFC 3339");
    wall + Duration::from_nanos(number(&hello["start_ns"]))
}

/// Runs a plan that begins at a moment, which is returned too; a busy machine needs more time to get there, and to do
/// something.
fn run_ahead(plan: &Value) -> (Run, String) {
    let mut plan = plan.clone();
    for seconds in [2, 8, 32] {
        let text = moment(Duration::from_secs(seconds));
        plan["start"] = text.as_str().into();
        plan["phases"]["measure_ms"] = (150 * seconds).into();
        let run = run_plan(&plan);
        let late = run.status == Some(2) && run.stderr.contains("is past");
        if !late && (run.status != Some(0) || run.valid("home") > 0) {
            return (run, text);
        }
    }
    panic!("this machine never began in time");
}

#[test]
fn a_run_begins_at_the_given_moment_of_the_wall_clock_less_what_that_is_ahead() {
    let server = Server::responding(|_| page(""));
    for offset_ms in [0_i32, -300] {
        let mut plan = plan(&server.target());
        plan["clock_offset_ms"] = offset_ms.into();
        let (run, text) = run_ahead(&plan);
        assert_eq!((run.status, run.errors()), (Some(0), &json!({})), "{}", run.stderr);
        let at = humantime::parse_rfc3339(&text).expect("RFC 3339");
        let wanted = at - Duration::from_millis(u64::from(offset_ms.unsigned_abs()));
        let off = begun(&run).duration_since(wanted).unwrap_or_else(|error| error.duration());
        assert!(off < Duration::from_millis(1), "{off:?}");
        let ramp = run.of("phase")[0];
        assert_eq!(ramp["t_ns"], run.one("hello")["start_ns"]);
        assert_eq!(run.of("interval")[0]["start_ns"], ramp["t_ns"]);
        assert_eq!(run.one("hello")["clock_offset_ms"], json!(f64::from(offset_ms)));
        assert!(run.one("hello")["host"].as_str().is_some_and(|host| !host.is_empty()));
    }
}

#[test]
fn nothing_is_sent_and_nothing_reported_before_the_start() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["start"] = moment(Duration::from_secs(3_600)).into();
    let mut running = start(&plan, &["--lease", "stdin"], Stdio::piped());
    assert_eq!(running.line()["type"], "hello");
    drop(running.child.stdin.take());
    let run = running.finish();
    assert_eq!((run.status, server.seen().len()), (Some(130), 0));
    assert_eq!(run.one("end")["reason"], "lease");
    assert!(run.of("window").is_empty());
    let interval = run.one("interval");
    assert_eq!(interval["start_ns"], interval["end_ns"], "a run that never began has no length");
}

#[test]
fn a_start_that_cannot_be_kept_is_refused() {
    for (text, words) in [
        (moment(Duration::ZERO), "is past, this host's clock says"),
        (moment(Duration::from_secs(90_000)), "is more than 24 h away"),
        ("tomorrow".into(), "write it like 2026-01-31T08:00:00.500Z"),
    ] {
        let mut plan = plan("http://127.0.0.1:1");
        plan["start"] = text.as_str().into();
        let run = start(&plan, &[], Stdio::null()).finish();
        assert_eq!((run.status, run.lines.len()), (Some(2), 0), "{}", run.stderr);
        assert!(run.stderr.contains("start: ") && run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn intervals_are_as_long_as_the_plan_asks_for() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["interval_ms"] = 1_500.into();
    plan["phases"]["measure_ms"] = 1_700.into();
    let run = run_plan(&plan);
    assert_eq!(run.one("hello")["interval_ms"], 1_500.0);
    let lengths: Vec<u64> = run
        .intervals("measure")
        .into_iter()
        .map(|line| (number(&line["end_ns"]) - number(&line["start_ns"])) / 1_000_000)
        .collect();
    assert_eq!(lengths, [1_500, 200]);
    check_windows(&run);
    assert_eq!(run_plan(&crate::driver::plan(&server.target())).one("hello")["interval_ms"], 1_000.0);
}
