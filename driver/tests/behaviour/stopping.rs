//! What ends a run early, and what does not.

use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::driver::{Run, Running, plan, run_plan, start};
use crate::server::{Server, Then, page};

/// The five seconds that the driver promises, and as many again for a machine that others keep busy.
const LIMIT: Duration = Duration::from_secs(10);

fn a_minute_of(server: &Server) -> Value {
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 5.into();
    plan["phases"]["measure_ms"] = 60_000.into();
    plan
}

fn expect_early_end(run: &Run, reason: &str) {
    assert_eq!(run.status, Some(130));
    assert_eq!(run.one("end")["reason"], reason);
    let last: Vec<&Value> = run.lines.iter().rev().take(2).map(|line| &line["type"]).collect();
    assert_eq!(last, ["end", "self_audit"]);
    let counts = run.of("interval").iter().map(|line| line["transactions"]["home"]["count"].as_u64()).sum();
    assert_eq!(Some(run.valid("home")), counts, "also the interval that was cut");
}

#[test]
fn the_end_of_the_lease_ends_the_run() {
    let server = Server::responding(|_| page(""));
    let mut running = start(&a_minute_of(&server), &["--lease", "stdin"], Stdio::piped());
    running.until("interval");
    let ended = Instant::now();
    drop(running.child.stdin.take());
    let run = running.finish();
    assert!(ended.elapsed() < LIMIT, "{:?}", ended.elapsed());
    expect_early_end(&run, "lease");
}

fn signalled(signal: Signal, running: Running) -> Run {
    let pid = Pid::from_raw(running.child.id().try_into().expect("a process id"));
    kill(pid, signal).expect("it runs");
    let sent = Instant::now();
    let run = running.finish();
    assert!(sent.elapsed() < LIMIT, "{:?}", sent.elapsed());
    run
}

#[test]
fn sigterm_ends_the_run_and_so_does_sigint() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let server = Server::responding(|_| page(""));
        let mut running = start(&a_minute_of(&server), &[], Stdio::null());
        running.until("interval");
        expect_early_end(&signalled(signal, running), "signal");
    }
}

#[test]
fn a_signal_as_soon_as_hello_is_there_ends_the_run_too() {
    let server = Server::responding(|_| page(""));
    let mut running = start(&a_minute_of(&server), &[], Stdio::null());
    assert_eq!(running.line()["type"], "hello");
    let run = signalled(Signal::SIGTERM, running);
    assert_eq!((run.status, &run.one("end")["reason"]), (Some(130), &"signal".into()));
}

#[test]
fn requests_in_flight_when_a_signal_comes_are_reported_as_unanswered() {
    let server = Server::talking(|_, _| Then::Keep);
    let mut running = start(&a_minute_of(&server), &[], Stdio::null());
    running.until("interval");
    let run = signalled(Signal::SIGTERM, running);
    let lines = run.of("unanswered");
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|line| line["kind"] == "cut_off"));
    assert_eq!((run.status, &run.one("end")["unanswered"]), (Some(130), &5.into()));
}

#[test]
fn without_the_lease_nobody_reads_stdin() {
    let server = Server::responding(|_| page(""));
    let run = run_plan(&plan(&server.target()));
    assert_eq!((run.status, &run.one("end")["reason"]), (Some(0), &"finished".into()));
    let mut running = start(&plan(&server.target()), &[], Stdio::piped());
    drop(running.child.stdin.take());
    assert_eq!(running.finish().status, Some(0));
}

#[test]
fn a_run_whose_lines_nobody_reads_any_longer_ends_quietly() {
    let server = Server::responding(|_| page(""));
    let mut running = start(&a_minute_of(&server), &[], Stdio::null());
    running.until("phase");
    let mut child = running.stop_reading();
    let closed = Instant::now();
    let status = child.wait().expect("it ends");
    assert!(closed.elapsed() < LIMIT, "{:?}", closed.elapsed());
    assert_eq!(status.code(), Some(130));
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("stderr"), &mut printed).expect("text");
    assert_eq!(printed, "");
}

#[test]
fn a_reader_that_does_not_read_cannot_keep_an_ended_run_alive() {
    // Every request is lost, so that the pipe is soon full of lines.
    let server = Server::talking(|_, _| Then::Close);
    let mut plan = a_minute_of(&server);
    plan["think"] = serde_json::json!({"constant_ms": 0});
    let mut running = start(&plan, &["--lease", "stdin"], Stdio::piped());
    // The server is asked no more when the driver cannot say what became of its requests.
    let mut seen = 0;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = server.seen().len();
        if now > 0 && now == seen {
            break;
        }
        seen = now;
    }
    let ended = Instant::now();
    drop(running.child.stdin.take());
    assert_eq!(running.child.wait().expect("it ends").code(), Some(130));
    assert!(ended.elapsed() < LIMIT, "{:?}", ended.elapsed());
}
