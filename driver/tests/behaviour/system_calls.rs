//! What one request costs the kernel: the system calls of the event loop from one request to the next, as strace sees them.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::plan;
use crate::server::{Server, page};

/// Waits for several connections together, so how often depends on how fast the server is.
const WAITING: &str = "epoll_wait";

/// Sets the kernel's timer, for the tick of the event loop: the slower requests are, the more of them see one.
const SETTING: &str = "timerfd_settime";

/// Length of the window, milliseconds.
const WINDOW_MS: f64 = 1_000.0;

/// From one tick of the event loop to the next, milliseconds.
const TICK_MS: f64 = 8.0;

/// A build for tests asks the kernel whether descriptors are open and never block; one for use does not.
const ONLY_IN_DEBUG_BUILDS: &str = "fcntl";

/// A plan of one user who does not think.
fn busy(server: &Server, connections: &str) -> Value {
    let mut plan = plan(&server.target());
    plan["connections"] = connections.into();
    plan["think"] = json!({"constant_ms": 0});
    plan["phases"]["measure_ms"] = WINDOW_MS.into();
    plan
}

/// The names of the calls of each request: from the first one after a request was sent to that which sends the next. A
/// busy machine may need several runs for enough of them.
fn calls_of_requests(plan: &Value) -> Vec<Vec<String>> {
    let requests = std::iter::repeat_with(|| traced(plan)).take(10).find(|requests| requests.len() > 20);
    requests.expect("this machine never sent 20 requests in a window")
}

fn traced(plan: &Value) -> Vec<Vec<String>> {
    let folder = TempDir::new().expect("a temporary folder");
    let [file, trace] = ["plan.json", "trace"].map(|name| folder.path().join(name));
    fs::write(&file, plan.to_string()).expect("a plan");
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(&trace)
        .arg(env!("CARGO_BIN_EXE_middlemark-driver"))
        .arg("run")
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("strace is not installed: apt-get install -y strace");
    assert!(
        output.status.success(),
        "strace may not trace here? {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = fs::read_to_string(&trace).expect("a trace");
    let calls: Vec<_> = text.lines().filter_map(call).collect();
    let (event_loop, _) = *calls.iter().find(|(_, name)| *name == "sendto").expect("a request");
    let names: Vec<_> = calls
        .iter()
        .filter(|(thread, _)| *thread == event_loop)
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let mut requests: Vec<_> =
        names.split_inclusive(|name| name == "sendto").map(<[String]>::to_vec).collect();
    // What was before the first request and after the last one belongs to the run.
    requests.pop();
    requests.drain(..1.min(requests.len()));
    requests
}

/// Thread and name of a call that begins in this line.
fn call(line: &str) -> Option<(&str, &str)> {
    let (thread, rest) = line.split_once(' ')?;
    let (name, _) = rest.trim_start().split_once('(')?;
    if name.starts_with(['<', '+', '-']) || (cfg!(debug_assertions) && name == ONLY_IN_DEBUG_BUILDS) {
        return None;
    }
    Some((thread, name))
}

/// The calls of most requests, but for waiting and the kernel's timer, which is set anew now and then.
fn most_common(requests: &[Vec<String>]) -> Vec<&str> {
    let mut counts: HashMap<Vec<&str>, usize> = HashMap::new();
    for calls in requests {
        *counts
            .entry(
                calls.iter().map(String::as_str).filter(|name| ![WAITING, SETTING].contains(name)).collect(),
            )
            .or_default() += 1;
    }
    let (calls, count) = counts.into_iter().max_by_key(|(_, count)| *count).expect("requests");
    assert!(2 * count > requests.len(), "{calls:?} are those of {count} of {} requests", requests.len());
    calls
}

/// Expects that a request waits less than `most` times and sets no timer, each tick of the window left out: of these a
/// slow request sees many, and a fast one hardly any. A tick sets the timer twice, to the next time-out and back to the
/// next tick.
fn waits_seldom(requests: &[Vec<String>], most: f64) {
    let mean = |name: &str| {
        let count = requests.iter().flatten().filter(|other| *other == name).count();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let mean = count as f64 / requests.len() as f64;
        mean
    };
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    // Half as many more: the window is not all of the run.
    let ticks = 1.5 * WINDOW_MS / TICK_MS / requests.len() as f64;
    let [waits, settings] = [WAITING, SETTING].map(mean);
    assert!(
        waits < most + ticks,
        "{waits} waits and at most {ticks} ticks for each of {} requests",
        requests.len()
    );
    assert!(
        settings < 0.1 + 2.0 * ticks,
        "{settings} settings and at most {ticks} ticks for each of {} requests",
        requests.len()
    );
}

#[test]
fn a_request_over_a_kept_connection_is_sent_and_its_response_received() {
    let server = Server::responding(|_| page("fine"));
    let requests = calls_of_requests(&busy(&server, "keep"));
    assert_eq!(most_common(&requests), ["recvfrom", "sendto"]);
    waits_seldom(&requests, 2.0);
}

#[test]
fn a_request_is_sent_straight_after_connecting_and_before_the_event_loop_hears_of_the_connection() {
    let server = Server::responding(|_| page("fine"));
    for (connections, http) in [("per-request", "1.1"), ("keep", "1.0")] {
        let mut plan = busy(&server, connections);
        plan["http"] = http.into();
        let requests = calls_of_requests(&plan);
        let expected = ["epoll_ctl", "recvfrom", "epoll_ctl", "close", "socket", "connect", "sendto"];
        assert_eq!(most_common(&requests), expected, "HTTP/{http}");
        waits_seldom(&requests, 3.0);
    }
}

#[test]
fn only_a_request_in_pieces_asks_the_kernel_not_to_delay_small_ones() {
    let server = Server::responding(|_| page("fine"));
    let mut plan = busy(&server, "keep");
    plan["steps"][0]["method"] = "POST".into();
    let asks = |plan: &Value| calls_of_requests(plan).iter().flatten().any(|name| name == "setsockopt");
    for (body, expected) in [(json!("short"), false), (json!({"base64": "bG9uZw=="}), true)] {
        plan["steps"][0]["body"] = body;
        assert_eq!(asks(&plan), expected, "{}", plan["steps"][0]["body"]);
    }
}
