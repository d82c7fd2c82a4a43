//! `get`: one address under load, without a plan file.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{Server, Then, page, response};
use std::io::Write as _;

fn get(address: &str, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_middlemark-driver"))
        .args(["get", address])
        .args(options)
        .output()
        .expect("the program runs")
}

fn summary(address: &str, options: &[&str]) -> Value {
    let output = get(address, &[options, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(
        (output.status.code(), output.stderr),
        (Some(0), Vec::new()),
        "no live line where nobody looks"
    );
    serde_json::from_str(&text).expect("JSON")
}

/// The summary of a `get` that lasted until two requests were answered; a busy machine may need longer for them.
fn summary_of_some(address: &str, options: &[&str], forget: impl Fn()) -> Value {
    for duration in ["200ms", "1s", "5s", "20s"] {
        forget();
        let summary = summary(address, &[options, &["-d", duration]].concat());
        if count(&summary["requests"]) + count(&summary["errors"]) > 2 {
            return summary;
        }
    }
    panic!("no responses for 20 s");
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).expect("a number of requests")
}

#[test]
fn every_connection_sends_its_next_request_when_the_last_one_was_answered() {
    let server = Server::responding(|_| page("fine"));
    let address = format!("{}/a?b=${{c}}", server.target());
    let summary = summary(&address, &["--connections", "3", "--duration", "400ms"]);
    let seen = server.seen();
    assert!(seen.iter().all(|request| request.path == "/a?b=${c}"), "{:?}", seen[0]);
    assert_eq!(seen.iter().map(|request| request.connection).max(), Some(2));
    // What is in flight when the time is over is answered, but no longer counts.
    let counted = count(&summary["requests"]);
    assert!((1..=3).contains(&(seen.len() - counted)), "{counted} of {}", seen.len());
    let seconds = summary["seconds"].as_f64().expect("a number");
    assert!((seconds - 0.4).abs() < 1e-9, "{seconds}");
    assert_eq!((&summary["errors"], &summary["errors_by_kind"]), (&json!(0), &json!({})));
    assert!(summary["cpu_us_per_request"].as_f64().expect("a number") > 0.0);
}

#[test]
fn times_are_those_of_the_responses() {
    let server = Server::talking(|request, stream| {
        let slow = request.path == "/slow";
        thread::sleep(Duration::from_millis(if slow { 60 } else { 20 }));
        let _ = stream.write_all(page("").as_bytes());
        Then::Keep
    });
    for (path, at_least) in [("/quick", 20_000), ("/slow", 60_000)] {
        let summary = summary(&format!("{}{path}", server.target()), &["-c", "2", "-d", "500ms"]);
        let times = &summary["latency_us"];
        let names = ["p50", "p90", "p95", "p99", "p999", "max"];
        let values: Vec<u64> = names.iter().filter_map(|name| times[name].as_u64()).collect();
        assert!(values.len() == names.len() && values.is_sorted(), "{times}");
        // Three digits: a value may be rounded by a thousandth.
        assert!(values[0] >= at_least - at_least / 1_000, "{times}");
        assert!(times["mean"].as_f64() >= Some(20_000.0), "{times}");
        assert_eq!(&summary["service_us"], times, "nobody waits for a connection");
    }
}

#[test]
fn a_wrong_response_is_an_error_of_its_kind_and_not_a_request() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/missing" => response("404 Not Found", "", "welcome"),
        _ => page("price: ${5}"),
    });
    for (path, check, kind) in [
        ("/missing", "welcome", Some("status")),
        ("/", "welcome", Some("marker")),
        ("/", "price: ${5}", None),
    ] {
        let address = format!("{}{path}", server.target());
        let summary = summary_of_some(&address, &["-c", "1", "--check", check], || {});
        let (requests, errors) = (count(&summary["requests"]), count(&summary["errors"]));
        match kind {
            Some(kind) => {
                assert!(requests == 0 && errors > 1, "{summary}");
                assert_eq!(summary["errors_by_kind"], json!({ kind: errors }));
                assert_eq!(summary["latency_us"], json!(null), "no time where nothing was valid");
            }
            None => assert!(requests > 1 && errors == 0, "{summary}"),
        }
    }
}

#[test]
fn at_a_rate_a_slow_server_does_not_slow_the_timetable() {
    // 50 a second are due, one connection gets 20 responses a second: each request waits longer than the one before.
    let server = Server::talking(|_, stream| {
        thread::sleep(Duration::from_millis(50));
        let _ = stream.write_all(page("").as_bytes());
        Then::Keep
    });
    let summary = summary(&server.target(), &["-c", "1", "-d", "1s", "--rate", "50"]);
    let (requests, missed) = (count(&summary["requests"]), count(&summary["errors_by_kind"]["missed"]));
    assert_eq!((requests, missed + requests), (server.seen().len(), 50), "{summary}");
    assert_eq!(summary["errors"], missed, "what was never sent is not passed over");
    let longest = |times: &str| summary[times]["max"].as_u64().expect("a time");
    assert!(longest("latency_us") > 2 * longest("service_us"), "{summary}");
    assert!(summary["seconds"].as_f64() > Some(1.0), "until the last response: {summary}");
}

#[test]
fn a_request_has_a_connection_of_its_own_on_request() {
    for (options, version) in [(["--connection", "per-request"], "close"), (["--http1.0", "-t=1"], "")] {
        let server = Server::responding(|_| page(""));
        summary_of_some(&server.target(), &[&["-c", "1"], &options[..]].concat(), || server.forget());
        let seen = server.seen();
        let headers: Vec<&str> = seen.iter().filter_map(|request| request.header("Connection")).collect();
        assert!(
            headers.iter().all(|word| *word == version) && headers.is_empty() == version.is_empty(),
            "{headers:?}"
        );
        let connections: Vec<usize> = seen.iter().map(|request| request.connection).collect();
        assert_eq!(connections, (connections[0]..).take(seen.len()).collect::<Vec<_>>());
    }
}

#[test]
fn a_page_behind_a_unix_socket_is_got() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("server.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 1_000];
            while matches!(std::io::Read::read(&mut stream, &mut request), Ok(1..)) {
                let body = if request.starts_with(b"GET /a?b ") { "right" } else { "wrong" };
                let _ = stream.write_all(page(body).as_bytes());
            }
        }
    });
    let address = format!("unix:{}:/a?b", socket.display());
    let summary = summary(&address, &["-c", "1", "-d", "200ms", "--check", "right"]);
    assert!(count(&summary["requests"]) > 0 && summary["errors"] == 0, "{summary}");
}

#[test]
fn it_says_whether_the_driver_was_the_limit() {
    let server = Server::talking(|_, stream| {
        thread::sleep(Duration::from_millis(20));
        let _ = stream.write_all(page("").as_bytes());
        Then::Keep
    });
    let summary = summary(&server.target(), &["-c", "1", "-d", "500ms"]);
    let reason = &summary["reason"];
    let limited = summary["driver_limited"].as_bool().expect("a driver that knows");
    // Where other programs take the CPU it may be: then it says why.
    assert_eq!(limited, reason.as_str().is_some_and(|reason| !reason.is_empty()), "{summary}");
    assert_eq!(limited, !reason.is_null(), "{summary}");
}

#[test]
fn with_stamps_it_tells_what_was_the_driver_of_a_time_and_what_was_not() {
    let server = Server::talking(|_, stream| {
        thread::sleep(Duration::from_millis(20));
        let _ = stream.write_all(page("").as_bytes());
        Then::Keep
    });
    let without = summary(&server.target(), &["-c", "1", "-d", "200ms"]);
    assert_eq!((&without["receive_lag_us"], &without["server_mean_us"]), (&json!(null), &json!(null)));
    // The kernel may begin to stamp a few responses after it was asked to.
    let durations = || ["300ms", "2s", "10s"].into_iter();
    let reported = durations()
        .map(|duration| summary(&server.target(), &["-c", "1", "-d", duration, "--receive-stamps"]))
        .find(|summary| !summary["server_mean_us"].is_null())
        .expect("stamps");
    let mean = |times: &str| reported[times]["mean"].as_f64().expect("a time");
    let server_mean = reported["server_mean_us"].as_f64().expect("a time");
    assert!((server_mean - (mean("service_us") - mean("receive_lag_us"))).abs() < 1e-6, "{reported}");
    // Three digits: a value may be rounded by a thousandth.
    assert!(server_mean > 19_900.0 && mean("receive_lag_us") > 0.0, "{reported}");
    let table = durations()
        .map(|duration| get(&server.target(), &["-c", "1", "-d", duration, "--receive-stamps"]))
        .map(|output| String::from_utf8(output.stdout).expect("text"))
        .find(|table| table.contains("network and server took"))
        .expect("stamps");
    assert!(table.lines().any(|line| line.starts_with("lag ")), "{table}");
}

#[test]
fn where_some_responses_are_wrong_no_time_is_split() {
    let received = AtomicUsize::new(0);
    let server = Server::responding(move |_| {
        if received.fetch_add(1, Ordering::SeqCst) % 4 == 0 {
            response("404 Not Found", "", "")
        } else {
            page("")
        }
    });
    let reported = summary_of_some(&server.target(), &["-c", "1", "--receive-stamps"], || {});
    assert!(reported["receive_lag_us"].is_object() && reported["server_mean_us"].is_null(), "{reported}");
}

#[test]
fn a_person_reads_a_table() {
    let server = Server::responding(|_| page("fine"));
    let output = get(&server.target(), &["-c", "1", "-d", "200ms"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(words.contains(&vec!["errors", "0"]), "{text}");
    assert!(words.contains(&vec!["mean", "p50", "p90", "p95", "p99", "p99.9", "max"]), "{text}");
    assert_eq!(words.last().map(|line| line[0]), Some("service"), "{text}");
}

#[test]
fn wrong_input_is_one_line_that_says_what() {
    for (arguments, what) in [
        (["ftp://x", "-d", "1s"], "target `ftp://x`"),
        (["http://127.0.0.1:1/", "-t", "11"], "11 event loops for 10 users"),
        (["http://127.0.0.1:1/", "-d", "10"], "write it like"),
        (["http://127.0.0.1:1/", "-r", "0"], "0 is not a number of arrivals per second above 0"),
    ] {
        let output = get(arguments[0], &arguments[1..]);
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.code() == Some(2) && text.contains(what), "{text}");
    }
}

#[test]
fn an_address_where_nobody_listens_is_counted_as_such() {
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let summary = summary(&format!("http://{closed}/"), &["-c", "1", "-d", "100ms"]);
    assert_eq!(summary["requests"], 0);
    assert_eq!(summary["errors_by_kind"], json!({"connect": count(&summary["errors"])}));
}
