//! Servers that do not come to an end: each is an error of its kind, memory stays bounded, and other users go on.
//!
//! Every user has a case of its own, so that one run shows them all at the same time.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan};
use crate::server::{Request, Server, Then, page, response};

const LARGEST_MEMORY: u64 = 60_000_000;

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// How a response begins, and what then comes for ever.
const ENDLESS: [(&str, &str); 9] = [
    ("HTTP/1.1 200 OK\r\n", "Name: value\r\n"),
    ("HTTP/1.1 200 OK\r\nName: ", "value"),
    ("", "\r\n"),
    ("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
    (CHUNKED, "5\r\nhello\r\n"),
    (CHUNKED, "0"),
    (CHUNKED, "5;extension"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "Trailer: value\r\n"),
    ("HTTP/1.1 200 OK\r\n\r\n", "<p>more</p>"),
];

/// One user for each case and one more, whose responses are fine. What is asked for tells the case.
pub fn cases(target: &str, count: usize) -> Value {
    let mut plan = plan(target);
    plan["load"]["users"] = (count + 1).into();
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 1_000, "drain_ms": 60_000});
    plan["timeouts_ms"] = json!({"connect": 60_000, "response": 60_000});
    plan["limits"] = json!({"header_bytes": 65_536, "body_bytes": 1_000_000});
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 0, "to": count + 1, "own": true}}]);
    plan["steps"][0]["path"] = "/${n}".into();
    plan
}

fn case(request: &Request) -> usize {
    request.path[1..].split(['/', '?']).next().and_then(|number| number.parse().ok()).expect("a case")
}

/// The kind of each user's failures, all of which were without a complete response.
fn kinds(run: &Run) -> BTreeMap<u64, String> {
    let mut kinds = BTreeMap::new();
    for line in run.of("unanswered") {
        let (user, kind) = (line["user"].as_u64().expect("a user"), line["kind"].as_str().expect("a kind"));
        let known = kinds.entry(user).or_insert_with(|| kind.to_owned());
        assert_eq!(known, kind, "user {user}");
    }
    kinds
}

/// The last user's responses were fine, and memory stayed bounded.
pub fn expect_bounded(run: &Run) {
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(run.valid("home") > 0, "the other user went on");
    let memory = run.one("end")["max_rss_bytes"].as_u64().expect("bytes");
    assert!(memory < LARGEST_MEMORY, "{memory}");
}

#[test]
fn what_a_server_sends_without_end_is_too_large() {
    let server = Server::talking(|request, stream| match ENDLESS.get(case(request)) {
        Some((start, more)) => {
            let _ = stream.write_all(start.as_bytes());
            while stream.write_all(more.repeat(1_000).as_bytes()).is_ok() {}
            Then::Close
        }
        None => put(stream, &page("fine")),
    });
    let mut plan = cases(&server.target(), ENDLESS.len());
    plan["steps"][0]["capture"] = json!([{"name": "text", "regex": "(.)"}]);
    let run = run_plan(&plan);
    expect_bounded(&run);
    let expected = (0..ENDLESS.len() as u64).map(|user| (user, "too_large".to_owned()));
    assert_eq!(kinds(&run), expected.collect());
}

#[test]
fn what_becomes_too_much_only_when_it_is_looked_at_fails_too() {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::default());
    zipped.write_all(&vec![b' '; 10_000_000]).expect("memory");
    let bomb = zipped.finish().expect("memory");
    let images = (0..60_000).map(|number| format!("<img src={number}>")).collect::<Vec<_>>().concat();
    let shop = response("200 OK", "Content-Type: text/html\r\n", &images);
    let long = page(&format!("<{}>", "x".repeat(500_000)));
    let server = Server::talking(move |request, stream| match case(request) {
        0 => {
            let length = bomb.len();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {length}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&bomb);
            Then::Keep
        }
        1 => put(stream, &shop),
        2 => put(stream, &long),
        // Each leads to a longer address.
        3 => {
            let location = format!("Location: {}/{}\r\n", request.path, "x".repeat(10_000));
            put(stream, &response("302 Found", &location, ""))
        }
        _ => put(stream, &page("<fine>")),
    });
    let mut plan = cases(&server.target(), 4);
    plan["gzip"] = true.into();
    plan["sub_resources"] = json!({"cache": "per-user"});
    plan["steps"][0]["capture"] = json!([{"name": "text", "between": ["<", ">"]}]);
    let run = run_plan(&plan);
    expect_bounded(&run);
    assert_eq!(kinds(&run), [(0, "too_large".to_owned())].into(), "the others were answered");
    let reported: Vec<&String> = run.errors().as_object().expect("kinds").keys().collect();
    assert_eq!(reported, ["redirect", "sub_resource", "too_large"]);
    let too_large = run.errors()["too_large"].as_u64().expect("a count");
    assert!(too_large > run.of("unanswered").len() as u64, "the long value was answered");
}

#[test]
fn a_server_that_drips_whatever_it_sends_is_response_timeout() {
    const DRIPS: [(&str, &str); 4] = [
        ("HTTP/1.1 200 OK\r\nName: ", "x"),
        ("", "\r\n"),
        ("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
        (CHUNKED, "1\r\nx\r\n"),
    ];
    let server = Server::talking(|request, stream| match DRIPS.get(case(request)) {
        Some((start, more)) => {
            let _ = stream.write_all(start.as_bytes());
            while stream.write_all(more.as_bytes()).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
            Then::Close
        }
        None => put(stream, &page("fine")),
    });
    let mut plan = cases(&server.target(), DRIPS.len());
    plan["timeouts_ms"]["response"] = 200.into();
    plan["think"] = json!({"constant_ms": 20});
    let run = run_plan(&plan);
    let reported = kinds(&run);
    let expected = |user| reported.get(&user).map(String::as_str) == Some("response_timeout");
    assert!((0..DRIPS.len() as u64).all(expected), "{reported:?}");
    expect_bounded(&run);
}

#[test]
fn cookies_that_a_server_sets_without_end_make_room_for_each_other() {
    let server = Server::responding(|request| {
        // Other names each time.
        let number = request.header("Cookie").map_or(0, str::len);
        let cookie = |index| format!("Set-Cookie: c{number}-{index}={}\r\n", "v".repeat(500));
        response("200 OK", &(0..100).map(cookie).collect::<String>(), "")
    });
    let mut plan = cases(&server.target(), 0);
    plan["cookies"] = "keep".into();
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({}));
    let cookies = |request: &Request| request.header("Cookie").map_or(0, |line| line.split("; ").count());
    let most = server.seen().iter().map(cookies).max();
    assert_eq!(most, Some(180), "of one domain");
    expect_bounded(&run);
}

fn put(stream: &mut TcpStream, response: &str) -> Then {
    let _ = stream.write_all(response.as_bytes());
    Then::Keep
}
