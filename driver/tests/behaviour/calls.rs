//! Calls that an application makes itself and reports in the body of a response: each of them is a transaction.

use std::io::Write;
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::{Run, decoded, plan, run_plan, start, step};
use crate::merged::{merge, run_shared};
use crate::server::{Request, Server, Then, response};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nX-Loop: l7\r\nTransfer-Encoding: chunked\r\n\r\n";

/// More calls than the plan lets a body have bytes.
const MANY: u64 = 3_000;

/// A call that begins and takes so many microseconds, and what it stored.
fn call(begun_us: u64, took_us: u64, outcome: u8, id: u64) -> Vec<u8> {
    let took_and_outcome = ((1_000 * took_us) << 8) | u64::from(outcome);
    [1_000 * begun_us, took_and_outcome, id].map(u64::to_be_bytes).concat()
}

/// Calls of 400 µs, one each millisecond, with these outcomes and ids in turn.
fn stored(calls: &[(u8, u64)]) -> Vec<u8> {
    (0..).zip(calls).flat_map(|(number, &(outcome, id))| call(1_000 * number, 400, outcome, id)).collect()
}

/// Calls that stored nothing, with these outcomes in turn.
fn calls(outcomes: &[u8]) -> Vec<u8> {
    stored(&outcomes.iter().map(|&outcome| (outcome, 0)).collect::<Vec<_>>())
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn whole(bytes: &[u8]) -> Vec<u8> {
    [CHUNKED.as_bytes(), &chunk(bytes), b"0\r\n\r\n"].concat()
}

/// One user who asks once for calls, over and over.
fn reporting(target: &str) -> Value {
    let mut plan = plan(target);
    plan["steps"] = vec![step("run", "/calls")].into();
    plan["steps"][0]["transaction"] = "call".into();
    plan["steps"][0]["calls"] = json!({"outcomes": ["different", "unavailable"]});
    plan["connections"] = "keep".into();
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 0, "to": 1}}]);
    plan
}

fn sum(run: &Run, pointer: &str) -> u64 {
    run.of("interval").iter().filter_map(|line| line.pointer(pointer)?.as_u64()).sum()
}

/// Writes a piece at a time, and sleeps in between.
fn trickle(stream: &mut TcpStream, pieces: impl IntoIterator<Item = Vec<u8>>, pause: Duration) -> Then {
    let mut sent = stream.write_all(CHUNKED.as_bytes());
    for piece in pieces {
        sent = sent.and_then(|()| stream.write_all(&chunk(&piece)));
        thread::sleep(pause);
    }
    let _ = sent.and_then(|()| stream.write_all(b"0\r\n\r\n"));
    Then::Keep
}

#[test]
fn each_call_is_a_transaction_and_the_request_that_reports_them_is_none() {
    let mut outcomes = vec![0; usize::try_from(MANY).expect("small")];
    outcomes.extend([1, 2, 2, 3, 255]);
    let server = Server::talking(move |request, stream| {
        let sent = match request.path.as_str() {
            "/start" => stream.write_all(response("302 Found", "Location: /calls\r\n", "").as_bytes()),
            "/after/l7" => stream.write_all(crate::server::page("fine").as_bytes()),
            _ => stream.write_all(&whole(&calls(&outcomes))),
        };
        sent.map_or(Then::Close, |()| Then::Keep)
    });
    let mut plan = reporting(&server.target());
    plan["steps"][0]["path"] = "/start".into();
    plan["steps"][0]["capture"] = json!([{"name": "loop", "header": "X-Loop"}]);
    plan["steps"].as_array_mut().expect("steps").push(step("after", "/after/${loop}"));
    let run = run_plan(&plan);
    let streams = run.errors()["different"].as_u64().expect("a count");
    assert!(streams > 2, "{}", run.stderr);
    assert_eq!(
        run.one("confirmed")["transactions"]["call"],
        json!({"valid": MANY * streams, "invalid": 5 * streams})
    );
    let errors = json!({"different": streams, "unavailable": 2 * streams, "unknown_outcome": 2 * streams});
    assert_eq!(run.errors(), &errors);
    assert_eq!(sum(&run, "/failed"), 0, "a call with an error ends no iteration");
    let complete = 2 * streams + run.valid("after");
    assert_eq!((sum(&run, "/requests"), sum(&run, "/responses")), (complete, complete));
    let line = run.one("window");
    let times = decoded(&line["transactions"]["call"]["histogram"]);
    assert_eq!(
        (times.min(), times.max(), times.len()),
        (400, 400, line["transactions"]["call"]["count"].as_u64().expect("a count"))
    );
    for rule in run.one("self_audit")["rules"].as_array().expect("rules") {
        let silent = ["lateness_p99", "littles_law", "mix"].contains(&rule["rule"].as_str().expect("a name"));
        assert_eq!(rule["outcome"] == "not_checked", silent, "{rule}");
        assert!(!silent || rule["message"].as_str().expect("text").starts_with("calls: "), "{rule}");
    }
}

#[test]
fn calls_count_when_they_come_and_the_drain_waits_for_their_end() {
    let server = Server::talking(|_, stream| {
        let all: Vec<_> = calls(&[0; 30]).chunks(24).map(<[u8]>::to_vec).collect();
        trickle(stream, all, Duration::from_millis(100))
    });
    let mut plan = reporting(&server.target());
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 2_000, "drain_ms": 30_000});
    // Each piece comes in time, all of them do not.
    plan["timeouts_ms"]["response"] = 1_500.into();
    let run = run_plan(&plan);
    assert_eq!((run.errors(), run.valid("call")), (&json!({}), 30), "{}", run.stderr);
    let counted = |line: &&Value| line["transactions"]["call"]["count"].as_u64().expect("a count");
    let measured: Vec<u64> = run.intervals("measure").iter().map(counted).collect();
    assert!(measured.len() >= 2 && measured.iter().all(|count| (1..30).contains(count)), "{measured:?}");
    assert_eq!(sum(&run, "/responses"), 1);
}

#[test]
fn a_pause_longer_than_the_limit_is_a_time_out() {
    let server = Server::talking(|_, stream| trickle(stream, [calls(&[0, 0])], Duration::from_secs(60)));
    let mut plan = reporting(&server.target());
    plan["timeouts_ms"]["response"] = 200.into();
    let run = run_plan(&plan);
    let times_out = run.errors()["response_timeout"].as_u64().expect("a count");
    assert_eq!(run.valid("call"), 2 * times_out, "{}", run.stderr);
}

/// One way in which a response does not report calls as it should.
struct Broken {
    response: Vec<u8>,
    /// Calls that are counted all the same.
    valid: u64,
    kind: &'static str,
    /// Whether it is incomplete.
    unanswered: bool,
    expected: &'static str,
}

fn broken() -> [Broken; 6] {
    let some = calls(&[0, 0, 0]);
    let cut = |length| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
    let after = |call: Vec<u8>| whole(&[some.as_slice(), &call, &calls(&[0])].concat());
    let overlaps = "calls one after the other: number 4 began at 2399000 ns and took 1000 ns, the one before it ended at \
                    2400000 ns";
    let of =
        |response, valid, kind, unanswered, expected| Broken { response, valid, kind, unanswered, expected };
    [
        of(response("503 Busy", "", "later").into_bytes(), 0, "status", false, "status 200"),
        of([cut(96), some.clone()].concat(), 3, "closed", true, ""),
        of([CHUNKED.as_bytes(), &chunk(&some), b"x"].concat(), 3, "protocol", true, ""),
        of(
            [cut(57), some[..57].to_vec()].concat(),
            2,
            "calls",
            false,
            "whole calls of 24 bytes, not 9 bytes behind 2",
        ),
        of(after(call(2_399, 1, 0, 0)), 3, "calls", true, overlaps),
        of(
            after(vec![255; 24]),
            3,
            "calls",
            true,
            "calls one after the other: number 4 began at 18446744073709551615 ns",
        ),
    ]
}

#[test]
fn a_response_that_ends_badly_is_one_failed_transaction_behind_the_calls_it_has_reported() {
    for Broken { response, valid, kind, unanswered, expected } in broken() {
        let server = Server::talking(move |_, stream| {
            let _ = stream.write_all(&response);
            Then::Close
        });
        let run = run_plan(&reporting(&server.target()));
        let failed = run.errors()[kind].as_u64().unwrap_or_else(|| panic!("{kind}: {}", run.errors()));
        assert_eq!(run.errors(), &json!({kind: failed}));
        assert_eq!((run.valid("call"), sum(&run, "/failed")), (valid * failed, failed), "{kind}");
        let lines = run.of("unanswered");
        assert_eq!(lines.len() as u64, if unanswered { failed } else { 0 }, "{kind}");
        assert!(lines.iter().all(|line| line["calls"] == true && line["transaction"] == "call"));
        if !expected.is_empty() {
            let shown = run.of("failed_check")[0];
            assert!(shown["expected"].as_str().expect("text").starts_with(expected), "{shown}");
        }
    }
}

#[test]
fn each_call_has_its_record_and_those_of_a_user_do_not_overlap() {
    // They come later than they were made, and not evenly.
    let pieces = [calls(&[0, 1, 0])[..35].to_vec(), calls(&[0, 1, 0])[35..].to_vec()];
    let server = Server::talking(move |_, stream| trickle(stream, pieces.clone(), Duration::from_millis(20)));
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("records");
    let mut plan = reporting(&server.target());
    plan["records"] = path.to_str().into();
    plan["per_client"] = true.into();
    let run = run_plan(&plan);
    let bytes = std::fs::read(path).expect("records");
    let end_of_head = bytes.iter().position(|&byte| byte == b'\n').expect("a head") + 1;
    let head: Value = serde_json::from_slice(&bytes[..end_of_head]).expect("a JSON line");
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let records: Vec<_> = bytes[end_of_head..].chunks(32).collect();
    assert_eq!(
        records.len() as u64,
        run.valid("call") + run.errors()["different"].as_u64().expect("a count")
    );
    for three in records.chunks(3) {
        let begun: Vec<u64> = three.iter().map(|record| number(&record[..8])).collect();
        assert_eq!(
            (begun[1] - begun[0], begun[2] - begun[1]),
            (1_000_000, 1_000_000),
            "as the application said"
        );
        let outcomes = three.iter().map(|record| &head["outcomes"][usize::from(record[30])]);
        assert_eq!(outcomes.collect::<Vec<_>>(), ["valid", "different", "valid"]);
        assert!(three.iter().all(|record| number(&record[8..12]) == 400 && number(&record[12..16]) == 400));
    }
    let client = &run.one("clients")["clients"][0];
    let audit = run.one("self_audit");
    assert_eq!((&client["transactions"], &client["errors"]), (&audit["valid"], &audit["failed"]));
}

#[test]
fn each_call_with_an_id_is_a_response_of_that_name_where_the_plan_asks_for_them() {
    // Answered, without an id, answered otherwise, without an answer.
    let sent = whole(&stored(&[(0, 7), (0, 0), (1, u64::MAX), (2, 0)]));
    let server =
        Server::talking(move |_, stream| stream.write_all(&sent).map_or(Then::Close, |()| Then::Keep));
    let mut plan = reporting(&server.target());
    plan["report_responses"] = true.into();
    plan["steps"][0]["calls"]["identify"] = "order_id".into();
    let run = run_plan(&plan);
    let (reports, lines) = (run.errors()["different"].as_u64().expect("a count"), run.of("response"));
    assert_eq!(lines.len() as u64, 2 * reports);
    for (number, line) in lines.iter().enumerate() {
        let (valid, id) = [(true, "7"), (false, "18446744073709551615")][number % 2];
        assert_eq!((&line["valid"], &line["variables"]), (&json!(valid), &json!({"order_id": id})), "{line}");
        assert_eq!(
            (&line["step"], &line["transaction"], &line["iteration"]),
            (&json!("run"), &json!("call"), &json!(number / 2))
        );
    }
    for (key, without) in [
        ("/report_responses", json!(false)),
        ("/steps/0/calls", json!({"outcomes": ["different", "unavailable"]})),
    ] {
        let mut plan = plan.clone();
        *plan.pointer_mut(key).expect("a key") = without;
        let run = run_plan(&plan);
        assert!(run.valid("call") > 0 && run.of("response").is_empty(), "{key}");
    }
}

#[test]
fn in_the_open_model_a_call_takes_as_long_as_the_application_says() {
    let server = Server::talking(|_, stream| {
        let _ = stream.write_all(&whole(&calls(&[0; 10])));
        Then::Keep
    });
    let mut plan = reporting(&server.target());
    plan["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": "sessions", "rate": 50.0, "users": 2});
    let run = run_plan(&plan);
    let line = &run.one("window")["transactions"]["call"];
    for times in [&line["histogram"], &line["service"]] {
        let times = decoded(times);
        assert!(times.len() >= 10 && (times.min(), times.max()) == (400, 400), "{line}");
    }
}

#[test]
fn merged_lines_name_the_outcomes_of_all_drivers() {
    let server = Server::talking(|_: &Request, stream| {
        let _ = stream.write_all(&whole(&calls(&[0, 2, 2])));
        Then::Keep
    });
    let mut plan = reporting(&server.target());
    plan["load"]["users"] = 2.into();
    let both = run_shared(&plan, 2);
    let merged = merge([&both[0], &both[1]]);
    let failed: u64 = both.iter().filter_map(|run| run.errors()["unavailable"].as_u64()).sum();
    assert_eq!((merged.errors(), merged.valid("call")), (&json!({"unavailable": failed}), failed / 2));
}

#[test]
fn what_cannot_be_meant_of_calls_is_refused() {
    let wrong = |pointer: &str, value: Value, words: &[&str]| {
        let mut plan = reporting("http://127.0.0.1:1");
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        plan.pointer_mut(parent).expect("a parent")[key] = value;
        let run = start(&plan, &[], Stdio::null()).finish();
        assert!(
            run.status == Some(2) && words.iter().all(|word| run.stderr.contains(word)),
            "{}",
            run.stderr
        );
    };
    wrong("/steps/0/method", json!("POST"), &["step `run`: method", "GET"]);
    wrong("/steps/0/expect/marker", json!("fine"), &["step `run`: expect.marker", "remove it"]);
    wrong("/steps/0/expect/length", json!(24), &["step `run`: expect.length", "remove it"]);
    wrong(
        "/steps/0/capture",
        json!([{"name": "id", "json": "/id"}]),
        &["step `run`: capture", "headers and cookies"],
    );
    wrong("/steps/0/identify", json!(["n"]), &["step `run`: identify", "`calls.identify`"]);
    wrong("/steps/0/calls", json!({"outcomes": ["closed"]}), &["calls.outcomes", "`closed`", "rename it"]);
    wrong("/steps/0/calls", json!({"outcomes": ["a", "a"]}), &["step `run`: calls.outcomes", "`a` twice"]);
    wrong(
        "/steps/0/calls",
        json!({"outcomes": ["Not found"]}),
        &["step `run`: calls.outcomes", "`Not found`"],
    );
    let names: Vec<String> = (0..33).map(|number| format!("n{number}")).collect();
    wrong("/steps/0/calls", json!({"outcomes": names}), &["step `run`: calls.outcomes", "33", "at most 32"]);
    wrong("/receive_stamps", json!(true), &["receive_stamps", "step `run`", "remove one"]);
    wrong("/split_times", json!(true), &["split_times", "step `run`"]);
    wrong("/sub_resources", json!({"cache": "none"}), &["sub_resources", "step `run`"]);
}
