//! How connections are made and how long they are used, as nginx tells it.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, Then, page};

/// Runs two steps again and again; nginx tells of at least 12 requests.
fn run_with(change: impl Fn(&mut Value)) -> (Run, Vec<Value>) {
    let nginx = Nginx::with_files(&[("index.html", "<h1>Welcome</h1>")]);
    let mut plan = plan(&nginx.target());
    let mut first = step("first", "/?first");
    first["expect"]["marker"] = "Welcome".into();
    plan["steps"] = vec![first, step("second", "/?second")].into();
    plan["phases"]["drain_ms"] = 10_000.into();
    change(&mut plan);
    let enough = |run: &Run| run.valid("first") + run.valid("second") > 12;
    let run = run_until(&plan, || nginx.forget(), enough);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(run.errors(), &json!({}));
    let logged = nginx.end();
    (run, logged)
}

/// How many requests came over each connection.
fn per_connection(logged: &[Value]) -> Vec<u64> {
    let mut counts = HashMap::new();
    for request in logged {
        *counts.entry(request["connection"].as_str().expect("a number")).or_default() += 1;
    }
    counts.into_values().collect()
}

fn all(logged: &[Value], key: &str) -> HashSet<String> {
    logged.iter().map(|request| request[key].as_str().expect("a text").to_owned()).collect()
}

/// Connections opened in the whole run, as the intervals tell.
fn opened(run: &Run) -> u64 {
    run.of("interval").iter().map(|line| line["connections"].as_u64().expect("a count")).sum()
}

#[test]
fn a_connection_is_kept_over_all_iterations() {
    let (run, logged) = run_with(|plan| plan["connections"] = "keep".into());
    assert_eq!(per_connection(&logged).len(), 1);
    assert_eq!(opened(&run), 1);
    assert_eq!(all(&logged, "close"), HashSet::from([String::new()]));
}

#[test]
fn a_connection_per_iteration_carries_its_steps() {
    for name in ["new", "per-iteration"] {
        let (run, logged) = run_with(|plan| plan["connections"] = name.into());
        let mut counts = per_connection(&logged);
        counts.sort_unstable();
        // The last iteration may have been ended by the end of the measured time.
        assert!(counts[1..].iter().all(|&count| count == 2), "{counts:?}");
        assert_eq!(opened(&run), counts.len() as u64);
    }
}

#[test]
fn a_connection_per_request_says_so() {
    let (run, logged) = run_with(|plan| plan["connections"] = "per-request".into());
    assert!(per_connection(&logged).iter().all(|&count| count == 1));
    assert_eq!(opened(&run), logged.len() as u64);
    assert_eq!(all(&logged, "close"), HashSet::from(["close".into()]));
    assert_eq!(all(&logged, "protocol"), HashSet::from(["HTTP/1.1".into()]));
}

#[test]
fn http_1_0_has_a_connection_for_each_request_and_asks_for_nothing_else() {
    let (_, logged) = run_with(|plan| {
        plan["http"] = "1.0".into();
        plan["connections"] = "keep".into();
    });
    assert!(per_connection(&logged).iter().all(|&count| count == 1));
    assert_eq!(all(&logged, "protocol"), HashSet::from(["HTTP/1.0".into()]));
    assert_eq!(all(&logged, "close"), HashSet::from([String::new()]));
}

#[test]
fn a_head_has_no_body_and_keeps_the_connection() {
    let (_, logged) = run_with(|plan| {
        plan["connections"] = "keep".into();
        plan["steps"] = vec![step("first", "/"), step("second", "/")].into();
        plan["steps"][0]["method"] = "HEAD".into();
    });
    assert_eq!(per_connection(&logged).len(), 1);
    assert_eq!(all(&logged, "method"), HashSet::from(["HEAD".into(), "GET".into()]));
}

#[test]
fn a_unix_socket_is_a_target_like_any_other() {
    let nginx = Nginx::with_files(&[("page.html", "<h1>Welcome</h1>")]);
    let mut plan = plan(&format!("unix:{}", nginx.socket().display()));
    plan["steps"] = vec![step("page", "/page.html")].into();
    plan["steps"][0]["expect"]["marker"] = "Welcome".into();
    let run = run_until(&plan, || nginx.forget(), |run| run.valid("page") > 6);
    assert_eq!(run.errors(), &json!({}));
    let logged = nginx.end();
    assert_eq!(run.valid("page"), logged.len() as u64);
    assert_eq!(all(&logged, "from"), HashSet::from(["unix:".into()]));
    assert_eq!(all(&logged, "host"), HashSet::from(["localhost".into()]));
}

#[test]
fn a_unix_socket_that_is_not_there_is_connect() {
    let failed = |run: &Run| run.errors()["connect"].as_u64() > Some(3);
    run_until(&plan("unix:/no/such.sock"), || {}, failed);
}

#[test]
fn users_take_the_sources_in_turn() {
    let (_, logged) = run_with(|plan| {
        plan["load"]["users"] = 5.into();
        plan["sources"] = json!(["127.0.0.1", "127.0.0.2"]);
        plan["connections"] = "keep".into();
    });
    assert_eq!(per_connection(&logged).len(), 5);
    let connections = |from| {
        let logged = logged.iter().filter(|request| request["from"] == from);
        logged.map(|request| request["connection"].to_string()).collect::<HashSet<_>>().len()
    };
    assert_eq!((connections("127.0.0.1"), connections("127.0.0.2")), (3, 2));
}

#[test]
fn a_response_that_does_not_begin_in_time_is_first_byte_timeout() {
    let server = Server::talking(|_, _| Then::Keep);
    let mut plan = plan(&server.target());
    plan["timeouts_ms"]["first_byte"] = 40.into();
    let failed = |run: &Run| run.errors()["first_byte_timeout"].as_u64() > Some(2);
    let run = run_until(&plan, || {}, failed);
    assert_eq!(run.one("end")["unanswered"], run.errors()["first_byte_timeout"], "{}", run.errors());
}

#[test]
fn a_response_that_has_begun_may_take_longer_than_the_first_byte() {
    let server = Server::talking(|_, stream| {
        let page = page("fine");
        let (start, rest) = page.split_at(page.len() - 2);
        let _ = stream.write_all(start.as_bytes());
        // Longer than the limit, not to wait for something.
        std::thread::sleep(Duration::from_millis(900));
        let _ = stream.write_all(rest.as_bytes());
        Then::Keep
    });
    let mut plan = plan(&server.target());
    plan["timeouts_ms"]["first_byte"] = 600.into();
    plan["timeouts_ms"]["response"] = 10_000.into();
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 2_000, "drain_ms": 10_000});
    let run = run_until(&plan, || {}, |run| run.valid("home") >= 2);
    assert_eq!(run.errors(), &json!({}));
}

#[test]
fn a_response_that_ends_with_the_connection_is_complete() {
    let server = Server::talking(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nWelcome, ");
        let _ = stream.write_all(b"everybody");
        Then::Close
    });
    let mut plan = plan(&server.target());
    plan["connections"] = "keep".into();
    plan["steps"][0]["expect"]["marker"] = "Welcome, everybody".into();
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({}));
    assert_eq!(opened(&run), run.valid("home"));
    let sum = |key: &str| -> u64 {
        run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
    };
    assert_eq!(sum("responses"), run.valid("home"));
    assert_eq!(
        sum("body_bytes"),
        sum("responses") * "Welcome, everybody".len() as u64,
        "the body without its header"
    );
}

#[test]
fn a_response_in_gzip_is_checked_inflated_and_counted_as_it_came() {
    let page = "<p>Welcome</p>".repeat(10_000);
    for (gzip, zipped) in [(true, "gzip"), (false, "")] {
        let nginx = Nginx::with("gzip on;", &[("index.html", &page)]);
        let mut plan = plan(&nginx.target());
        plan["gzip"] = gzip.into();
        plan["limits"]["body_bytes"] = page.len().into();
        plan["steps"][0]["expect"]["marker"] = "</p><p>Welcome</p><p>".into();
        let run = run_until(&plan, || {}, |run| run.valid("home") > 0);
        assert_eq!(run.errors(), &json!({}));
        let sum = |key: &str| -> u64 {
            run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
        };
        let bytes = sum("bytes_received") / run.valid("home");
        assert_eq!(bytes < page.len() as u64 / 10, gzip, "{bytes}");
        assert!(sum("body_bytes") < sum("bytes_received"));
        assert_eq!(sum("body_bytes") == sum("responses") * page.len() as u64, !gzip, "as it came");
        plan["limits"]["body_bytes"] = (page.len() - 1).into();
        // A bomb is measured by what it becomes.
        run_until(&plan, || {}, |run| run.errors()["too_large"].as_u64() > Some(2));
        assert_eq!(all(&nginx.end(), "zipped"), HashSet::from([zipped.to_owned()]));
    }
}

#[test]
fn a_body_that_only_claims_to_be_gzip_is_protocol() {
    let server =
        Server::responding(|_| crate::server::response("200 OK", "Content-Encoding: gzip\r\n", "fine"));
    let mut plan = plan(&server.target());
    plan["gzip"] = true.into();
    run_until(&plan, || {}, |run| run.errors()["protocol"].as_u64() > Some(2));
    plan["gzip"] = false.into();
    assert_eq!(run_plan(&plan).errors(), &json!({}), "not asked for, not looked at");
}
