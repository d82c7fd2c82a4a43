//! The driver's judgement of itself: it says when it was the limit, and why.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, run_undisturbed, start, step};
use crate::server::{Busy, Server, page};

fn rule<'a>(run: &'a Run, name: &str) -> &'a Value {
    let rules = run.one("self_audit")["rules"].as_array().expect("a list");
    rules.iter().find(|rule| rule["rule"] == name).unwrap_or_else(|| panic!("no rule {name}: {rules:?}"))
}

/// A program that takes all the CPU time it can get, until it is dropped.
struct Hog(Child);

impl Hog {
    fn start() -> Self {
        let mut shell = Command::new("sh");
        Self(shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("a shell"))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Lets what `work` starts run on one CPU only; the programs it has started stay there.
fn on_one_cpu<T>(work: impl FnOnce() -> T) -> T {
    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread).expect("a set of CPUs");
    let first = (0..CpuSet::count()).find(|&cpu| allowed.is_set(cpu).unwrap_or(false)).expect("a CPU");
    let mut one = CpuSet::new();
    one.set(first).expect("a CPU");
    sched_setaffinity(this_thread, &one).expect("one CPU");
    let result = work();
    sched_setaffinity(this_thread, &allowed).expect("all CPUs again");
    result
}

/// Runs a plan beside a hog until it does something in its window: where others want the CPU too, that takes longer.
fn beside_a_hog(mut plan: Value) -> Run {
    for seconds in [2, 8, 32] {
        plan["phases"]["measure_ms"] = (1_000 * seconds).into();
        let (running, _hog) = on_one_cpu(|| (start(&plan, &[], Stdio::null()), Hog::start()));
        let run = running.finish();
        if run.one("self_audit")["valid"].as_u64() > Some(10) {
            return run;
        }
    }
    panic!("this machine never did ten transactions");
}

#[test]
fn a_driver_beside_a_cpu_hog_says_that_it_was_the_limit_and_why() {
    // What it searches in each page costs the driver far more than the page costs the server.
    let body = format!("{}<b>found</b>", "ab ".repeat(100_000));
    let server = Server::responding(move |_| page(&body));
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 4.into();
    plan["think"] = json!({"constant_ms": 0});
    plan["connections"] = "keep".into();
    plan["limits"]["body_bytes"] = 1_000_000.into();
    plan["phases"] = json!({"ramp_ms": 300, "settle_ms": 0, "measure_ms": 2000, "drain_ms": 60_000});
    plan["timeouts_ms"] = json!({"connect": 60_000, "response": 60_000});
    plan["steps"][0]["capture"] = json!([{"name": "found", "regex": "(?:a[a-z]* )*<b>([a-z]+)</b>"}]);
    let run = beside_a_hog(plan);
    assert_eq!(run.errors(), &json!({}));
    let end = run.one("end");
    assert_eq!(end["driver_limited"], true, "{}", run.one("self_audit"));
    assert_eq!(rule(&run, "thread_cpu")["outcome"], "failed");
    let reason = end["limited_by"].as_str().expect("a reason");
    assert!(reason.contains("of the CPU time it could get, and waited for a CPU for "), "{reason}");
    let thread = &run.one("self_audit")["threads"][0];
    let [wall, cpu, waited] =
        ["wall_ns", "cpu_ns", "run_queue_ns"].map(|key| thread[key].as_f64().expect("ns"));
    assert!(waited > 0.2 * wall, "the hog had its share: {thread}");
    assert!(cpu < 0.8 * wall, "by its CPU time alone it would not have been noticed: {thread}");
}

#[test]
fn an_undisturbed_driver_says_that_it_was_not_the_limit() {
    // Slow responses and long think times, so that other programs on this machine hardly matter.
    let server = Server::responding(|_| {
        thread::sleep(Duration::from_millis(500));
        page("")
    });
    let mut plan = plan(&server.target());
    plan["load"] = json!({"model": "closed", "users": 8, "spread_ms": 1500});
    plan["think"] = json!({"constant_ms": 1000});
    plan["phases"] = json!({"ramp_ms": 1500, "settle_ms": 0, "measure_ms": 3000, "drain_ms": 2000});
    plan["steps"] = vec![step("one", "/one"), step("two", "/two")].into();
    let names = ["thread_cpu", "lateness_p50", "lateness_p99", "littles_law", "mix", "local_ports"];
    let undisturbed = |run: &Run| names.iter().all(|name| rule(run, name)["outcome"] == "passed");
    let run = run_undisturbed(&plan, || {}, undisturbed);
    let end = run.one("end");
    assert_eq!((&end["driver_limited"], &end["limited_by"]), (&false.into(), &Value::Null), "{end}");
    let audit = run.one("self_audit");
    assert_eq!((&audit["window_ns"], &audit["users"]), (&3_000_000_000_u64.into(), &8.0.into()));
    assert_eq!(audit["think_mean_ms"], 1000.0);
}

#[test]
fn every_audit_says_how_long_each_loop_has_waited_for_a_cpu() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 2.into();
    plan["threads"] = 2.into();
    plan["phases"]["measure_ms"] = 1500.into();
    let run = run_plan(&plan);
    for thread in 0..2 {
        let waited = run.of("audit").into_iter().map(|audit| &audit["threads"][thread]["run_queue_ns"]);
        let waited: Vec<u64> = waited.map(|waited| waited.as_u64().expect("this kernel tells")).collect();
        assert!(waited.is_sorted() && waited[0] > 0, "{waited:?}");
    }
}

#[test]
fn a_run_that_ends_before_the_window_is_not_judged() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["phases"] = json!({"ramp_ms": 60_000, "settle_ms": 0, "measure_ms": 1000, "drain_ms": 1000});
    let mut running = start(&plan, &["--lease", "stdin"], Stdio::piped());
    running.until("phase");
    drop(running.child.stdin.take());
    let run = running.finish();
    assert_eq!(run.one("end")["reason"], "lease");
    assert_eq!(run.one("end")["driver_limited"], Value::Null);
    assert_eq!(run.one("self_audit")["rules"], json!([]));
}

#[test]
fn in_the_open_model_the_users_tell_nothing_and_the_mix_does() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    let model = json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 50, "users": 4});
    plan["load"] = model;
    plan["phases"]["measure_ms"] = 1000.into();
    plan["steps"] = vec![step("one", "/one"), step("two", "/two")].into();
    let run = run_plan(&plan);
    let outcomes = ["lateness_p50", "littles_law", "mix"].map(|name| &rule(&run, name)["outcome"]);
    assert_eq!(outcomes, ["not_checked", "not_checked", "passed"]);
    assert!(rule(&run, "littles_law")["message"].as_str().expect("a text").starts_with("open model: "));
    assert_eq!(run.one("self_audit")["think_mean_ms"], 0.0);
}

#[test]
fn what_tcp_had_to_send_again_is_reported_of_the_whole_namespace() {
    // The kernel asks for the connection again after a second.
    let busy = Busy::start();
    let mut plan = plan(&busy.target());
    plan["phases"]["measure_ms"] = 3_000.into();
    plan["timeouts_ms"]["connect"] = 10_000.into();
    let run = run_plan(&plan);
    let network = &run.one("self_audit")["network_namespace"];
    for counter in ["retransmitted_segments", "syn_retransmissions", "listen_overflows"] {
        assert!(network[counter].as_u64() >= Some(1), "{counter}: {network}");
    }
    assert!(network["retransmission_timeouts"].is_u64(), "{network}");
}

#[test]
fn the_memory_of_the_program_that_started_the_driver_is_not_reported_as_the_drivers() {
    let ballast = std::hint::black_box(vec![1_u8; 150_000_000]);
    let server = Server::responding(|_| page(""));
    let run = run_plan(&plan(&server.target()));
    let most = run.one("end")["max_rss_bytes"].as_u64().expect("bytes");
    drop(ballast);
    let reported = run.of("audit").into_iter().map(|audit| audit["rss_bytes"].as_u64().expect("bytes"));
    assert!(most >= reported.max().expect("an audit") / 2, "{most}");
    assert!(most < 75_000_000, "{most}");
}

#[test]
fn with_pacing_the_iterations_are_not_response_and_think_time_alone() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["pacing"] = json!({"constant_ms": 100});
    plan["think"] = json!({"constant_ms": 10});
    plan["phases"]["measure_ms"] = 500.into();
    let run = run_plan(&plan);
    let law = rule(&run, "littles_law");
    assert_eq!(law["outcome"], "not_checked");
    assert!(law["message"].as_str().expect("a text").starts_with("pacing: "), "{law}");
}
