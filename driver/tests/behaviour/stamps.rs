//! The kernel's stamps of what it received: which part of a response time the driver took itself.

use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::driver::{Run, decoded, plan, run_plan, start};
use crate::nginx::Nginx;
use crate::server::{Server, Then, page};

/// How long one side stands still, and what that is in microseconds, less the width of a histogram's class.
const STILL: Duration = Duration::from_millis(200);
const STILL_US: u64 = 199_000;

/// A run for as long as a test needs it.
fn stamped(target: &str) -> Value {
    let mut plan = plan(target);
    plan["receive_stamps"] = true.into();
    plan["connections"] = "keep".into();
    plan["phases"]["measure_ms"] = 60_000.into();
    plan["timeouts_ms"]["response"] = 30_000.into();
    plan
}

/// All times of one kind over the whole run; `of` takes the histogram out of a line.
fn times(run: &Run, kind: &str, of: impl Fn(&Value) -> &Value) -> Histogram<u64> {
    let mut all = Histogram::new_with_bounds(1, 120_000_000, 3).expect("bounds");
    for line in run.of(kind) {
        all.add(decoded(of(line))).expect("equal bounds");
    }
    all
}

fn receive_lag(run: &Run) -> Histogram<u64> {
    times(run, "audit", |line| &line["receive_lag"])
}

/// How many responses came without a stamp over the whole run, where the plan wants stamps.
fn unstamped(run: &Run) -> u64 {
    run.of("audit").iter().map(|line| line["unstamped"].as_u64().expect("a count")).sum()
}

/// Runs until `enough` comes, then ends the run; `started` is called with the process id of the driver.
fn run_until(plan: &Value, enough: &Receiver<()>, started: impl FnOnce(Pid)) -> Run {
    let mut running = start(plan, &["--lease", "stdin"], Stdio::piped());
    running.until("hello");
    started(Pid::from_raw(running.child.id().try_into().expect("a process id")));
    enough.recv().expect("the server goes on");
    drop(running.child.stdin.take());
    running.finish()
}

fn is_stopped(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it is there");
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
}

#[test]
fn a_response_that_waits_for_a_driver_standing_still_shows_as_receive_lag() {
    let process: Arc<OnceLock<Pid>> = Arc::default();
    let (known, (notify, enough)) = (Arc::clone(&process), channel());
    let (requests, stood_still) = (AtomicUsize::new(0), OnceLock::new());
    let server = Server::talking(move |_, stream| {
        if stood_still.get().is_some() {
            // The driver has handled the response it found, or it would not ask again.
            let _ = notify.send(());
        }
        // The kernel begins to stamp a moment after the first socket has asked for it.
        let soon = requests.fetch_add(1, Ordering::SeqCst) > 20;
        match known.get().filter(|_| soon) {
            Some(&process) if stood_still.set(()).is_ok() => {
                kill(process, Signal::SIGSTOP).expect("it is there");
                while !is_stopped(process) {
                    thread::yield_now();
                }
                let _ = stream.write_all(page("late").as_bytes());
                thread::sleep(STILL);
                kill(process, Signal::SIGCONT).expect("it is there");
            }
            _ => {
                let _ = stream.write_all(page("").as_bytes());
            }
        }
        Then::Keep
    });
    let run = run_until(&stamped(&server.target()), &enough, |started| {
        process.set(started).expect("once");
    });
    let lag = receive_lag(&run);
    assert!(lag.max() >= STILL_US, "{} µs of {}", lag.max(), lag.len());
    let responses = times(&run, "interval", |line| &line["transactions"]["home"]["histogram"]);
    assert!(responses.max() >= STILL_US, "lag is part of the response time: {} µs", responses.max());
    assert!(lag.len() <= server.seen().len() as u64);
}

#[test]
fn what_the_server_takes_is_no_receive_lag() {
    let (requests, (notify, enough)) = (AtomicUsize::new(0), channel());
    let server = Server::talking(move |_, stream| {
        thread::sleep(STILL);
        let _ = stream.write_all(page("").as_bytes());
        if requests.fetch_add(1, Ordering::SeqCst) == 8 {
            let _ = notify.send(());
        }
        Then::Keep
    });
    let run = run_until(&stamped(&server.target()), &enough, |_| {});
    let lag = receive_lag(&run);
    let responses = times(&run, "interval", |line| &line["transactions"]["home"]["histogram"]);
    assert!(responses.min() >= STILL_US, "{} µs", responses.min());
    assert!(!lag.is_empty());
    assert!(lag.value_at_quantile(0.5) < STILL_US / 4, "{} µs", lag.value_at_quantile(0.5));
}

#[test]
fn the_self_audit_judges_receive_lag_when_the_plan_wants_stamps_and_never_else() {
    let server = Server::responding(|_| {
        thread::sleep(STILL);
        page("")
    });
    let mut plan = stamped(&server.target());
    plan["phases"]["measure_ms"] = 1_500.into();
    for wanted in [true, false] {
        plan["receive_stamps"] = wanted.into();
        let run = run_plan(&plan);
        let audit = run.one("self_audit");
        let rules = audit["rules"].as_array().expect("a list");
        let judged = rules.iter().find(|rule| rule["rule"] == "receive_lag_p99");
        assert_eq!(judged.is_some(), wanted);
        assert_eq!(audit["receive_lag_ms"]["count"].is_u64(), wanted, "{audit}");
        assert_eq!(audit["wall_clock_set_ns"].is_i64(), wanted, "{audit}");
        assert!(run.of("audit").iter().all(|line| line["receive_lag"].is_string() == wanted));
        assert!(run.of("audit").iter().all(|line| line["unstamped"].is_u64() == wanted));
        if let Some(rule) = judged {
            // The kernel may begin to stamp a moment after the first socket has asked for it.
            assert_eq!(receive_lag(&run).len() + unstamped(&run), run.valid("home"));
            assert!(rule["limit"].as_f64() >= Some(20.0), "10 % of 200 ms: {rule}");
        }
    }
}

#[test]
fn a_unix_socket_has_no_stamps_and_the_driver_says_so_once() {
    let nginx = Nginx::with_files(&[("index.html", "<h1>Welcome</h1>")]);
    let mut plan = stamped(&format!("unix:{}", nginx.socket().display()));
    plan["connections"] = "per-request".into();
    plan["phases"]["measure_ms"] = 500.into();
    let run = run_plan(&plan);
    assert!(run.valid("home") > 0 && receive_lag(&run).is_empty());
    assert_eq!(unstamped(&run), run.valid("home"));
    assert_eq!(run.stderr.matches("never does for Unix sockets").count(), 1, "{}", run.stderr);
    let rules = run.one("self_audit")["rules"].as_array().expect("a list");
    let rule = rules.iter().find(|rule| rule["rule"] == "receive_lag_p99").expect("the rule");
    assert_eq!(rule["outcome"], "not_checked");
}
