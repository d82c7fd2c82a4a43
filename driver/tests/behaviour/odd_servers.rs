//! Servers that do not quite speak HTTP, read as curl and Chromium read them.
//!
//! `docs/reference/odd-servers.md` has the same kinds.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::driver::{Run, plan, run_until, step};
use crate::server::{Request, Server, Then, page};

/// A response that is `hello` where it is accepted.
struct Case {
    name: &'static str,
    /// Whether Chromium 156 accepts it.
    chromium: bool,
    /// The error of the driver; nothing when it accepts it.
    error: Option<&'static str>,
    response: Vec<u8>,
}

/// Whether Chromium accepts it, and the error of the driver.
type Verdict = (bool, Option<&'static str>);

const YES: Verdict = (true, None);
const CHROMIUM_ALONE: Verdict = (true, Some("protocol"));
const NO: Verdict = (false, Some("protocol"));

/// Header lines before the length.
const LINES: [(&str, Verdict, &str); 11] = [
    ("folded", YES, "X: a\r\n b\r\n"),
    ("folded-first", YES, " X: a\r\n"),
    ("quoted-name", YES, "\"X\": a\r\n"),
    ("no-colon", YES, "no colon\r\n"),
    ("blank-before-colon", YES, "X : a\r\n"),
    ("tab-before-colon", YES, "X\t: a\r\n"),
    ("control-in-value", YES, "X: a\u{1}b\r\n"),
    ("carriage-return-in-value", YES, "X: a\rb\r\n"),
    ("two-carriage-returns", YES, "X: a\r\r\n"),
    ("bare-line-feed", YES, "X: a\n"),
    ("nul-in-value", NO, "X: a\0b\r\n"),
];

const STATUS_LINES: [(&str, Verdict, &str); 13] = [
    ("no-reason", YES, "HTTP/1.1 200"),
    ("control-in-reason", YES, "HTTP/1.1 200 O\u{1}K"),
    ("lower-case", YES, "http/1.1 200 OK"),
    ("version-2.0", YES, "HTTP/2.0 200 OK"),
    ("version-2", YES, "HTTP/2 200 OK"),
    ("version-1.2", YES, "HTTP/1.2 200 OK"),
    ("no-blank-before-reason", YES, "HTTP/1.1 200OK"),
    ("version-0.9", CHROMIUM_ALONE, "HTTP/0.9 200 OK"),
    ("no-version", CHROMIUM_ALONE, "HTTP 200 OK"),
    ("blank-in-front", CHROMIUM_ALONE, " HTTP/1.1 200 OK"),
    ("icy", CHROMIUM_ALONE, "ICY 200 OK"),
    ("status-of-two-digits", CHROMIUM_ALONE, "HTTP/1.1 20 OK"),
    ("status-word", CHROMIUM_ALONE, "HTTP/1.1 OK"),
];

/// The lines that say where the body ends, and the body.
const FRAMINGS: [(&str, Verdict, &str); 20] = [
    ("length-plus", YES, "Content-Length: +5\r\n\r\nhello"),
    ("length-list", YES, "Content-Length: 5, 5\r\n\r\nhello"),
    ("length-fraction", YES, "Content-Length: 5.0\r\n\r\nhello"),
    ("length-twice", YES, "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    ("length-beyond-numbers", YES, "Content-Length: 99999999999999999999\r\n\r\nhello"),
    ("lengths-differ", NO, "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    ("length-negative", CHROMIUM_ALONE, "Content-Length: -5\r\n\r\nhello"),
    ("length-too-large", (false, Some("closed")), "Content-Length: 9\r\n\r\nhello"),
    ("bytes-behind", YES, "Content-Length: 5\r\n\r\nhellomore"),
    ("identity", YES, "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello"),
    ("chunked-identity", YES, "Transfer-Encoding: chunked, identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    (
        "chunked-and-length",
        YES,
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ),
    ("chunk-extension", YES, "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n"),
    ("chunk-zeros", YES, "Transfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n000\r\n\r\n"),
    ("chunk-blank", YES, "Transfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\r\n\r\n"),
    ("chunk-trailer", YES, "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n"),
    ("chunk-bytes-behind", YES, "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nmore"),
    ("chunk-plus", NO, "Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n"),
    ("chunk-line-missing", NO, "Transfer-Encoding: chunked\r\n\r\n5\r\nhello0\r\n\r\n"),
    ("chunk-last-missing", (false, Some("closed")), "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
];

fn zipped() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"hello").expect("memory");
    encoder.finish().expect("memory")
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn cases() -> Vec<Case> {
    let text = |(name, (chromium, error), response): (&'static str, _, String)| Case {
        name,
        chromium,
        error,
        response: response.into_bytes(),
    };
    let lines = LINES.map(|(name, verdict, lines)| {
        (name, verdict, format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 5\r\n\r\nhello"))
    });
    let statuses = STATUS_LINES
        .map(|(name, verdict, line)| (name, verdict, format!("{line}\r\nContent-Length: 5\r\n\r\nhello")));
    let framings =
        FRAMINGS.map(|(name, verdict, rest)| (name, verdict, format!("HTTP/1.1 200 OK\r\n{rest}")));
    let many = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 5\r\n\r\nhello", "X: y\r\n".repeat(1_500));
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 5\r\n\r\nhello", "y".repeat(99_000));
    let mut cases: Vec<Case> = lines.into_iter().chain(statuses).chain(framings).map(text).collect();
    cases.extend([("many-lines", YES, many), ("long-line", YES, long)].map(text));
    let mut wrong_sum = zipped();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    for (name, (chromium, error), body) in [
        ("gzip", YES, zipped()),
        ("gzip-without-end", YES, zipped()[..zipped().len() - 8].to_vec()),
        ("gzip-wrong-sum", CHROMIUM_ALONE, wrong_sum),
        ("gzip-bytes-behind", CHROMIUM_ALONE, [zipped(), b"more".to_vec()].concat()),
        ("gzip-claimed", NO, b"hello".to_vec()),
    ] {
        cases.push(Case { name, chromium, error, response: gzip(&body) });
    }
    cases
}

fn serve() -> Server {
    Server::talking(|request, stream| {
        let case = cases().into_iter().find(|case| request.path == format!("/{}", case.name));
        let _ = stream.write_all(&case.expect("a case").response);
        Then::Close
    })
}

#[test]
fn what_is_not_quite_http_is_read_or_an_error_of_its_kind() {
    let server = serve();
    let cases = cases();
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 5.into();
    plan["think"] = json!({"constant_ms": 1});
    plan["gzip"] = true.into();
    plan["limits"]["header_bytes"] = 262_144.into();
    plan["phases"]["measure_ms"] = 2_000.into();
    plan["phases"]["drain_ms"] = 20_000.into();
    plan["timeouts_ms"] = json!({"connect": 20_000, "response": 20_000});
    plan.as_object_mut().expect("a plan").remove("steps");
    let session = |case: &Case| {
        let mut step = step(case.name, &format!("/{}", case.name));
        step["expect"]["marker"] = "hello".into();
        step["expect"]["length"] = 5.into();
        json!({"name": case.name, "weight": 1, "steps": [step]})
    };
    plan["mix"] = cases.iter().map(session).collect();
    let kinds = |run: &Run, case: &Case| -> BTreeSet<String> {
        let lines = run.of("interval");
        let counted = lines.iter().map(|line| &line["transactions"][case.name]);
        let of = |counted: &Value| {
            let errors = counted["errors"].as_object().into_iter().flat_map(|errors| errors.keys().cloned());
            let valid = (counted["count"].as_u64() > Some(0)).then(|| "valid".to_owned());
            errors.chain(valid).collect::<Vec<_>>()
        };
        counted.flat_map(of).collect()
    };
    let run = run_until(&plan, || {}, |run| cases.iter().all(|case| !kinds(run, case).is_empty()));
    for case in &cases {
        let expected = BTreeSet::from([case.error.unwrap_or("valid").to_owned()]);
        assert_eq!(kinds(&run, case), expected, "{}", case.name);
    }
}

#[test]
fn what_curl_and_chromium_accept_the_driver_accepts() {
    if Command::new("curl").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "skipped: curl is not installed");
        return;
    }
    let server = serve();
    let mut accepted = 0;
    for case in cases() {
        let address = format!("{}/{}", server.target(), case.name);
        let output = Command::new("curl").args(["-s", "--compressed", "-m", "20", &address]).output();
        let output = output.expect("curl runs");
        if output.status.success() && output.stdout == b"hello" && case.chromium {
            accepted += 1;
            assert_eq!(case.error, None, "{}", case.name);
        }
    }
    assert!(accepted > 20, "curl accepts {accepted} of them");
}

fn odd_responses(run: &Run) -> u64 {
    run.of("interval").iter().filter_map(|line| line["odd_responses"].as_u64()).sum()
}

fn reconnected(run: &Run) -> u64 {
    run.of("interval").iter().filter_map(|line| line["reconnected"].as_u64()).sum()
}

/// The connections of one user over which these requests came.
fn connections(requests: &[Request]) -> BTreeSet<usize> {
    requests.iter().map(|request| request.connection).collect()
}

#[test]
fn bytes_behind_a_response_cost_its_connection_and_are_counted() {
    let server = Server::responding(|_| page("fine") + "more");
    let mut plan = plan(&server.target());
    plan["connections"] = "keep".into();
    let run = run_until(&plan, || server.forget(), |run| run.valid("home") > 2);
    assert_eq!((run.errors(), odd_responses(&run)), (&json!({}), run.valid("home")));
    let seen = server.seen();
    assert_eq!(connections(&seen).len(), seen.len());
}

#[test]
fn what_comes_on_an_idle_connection_costs_it_and_no_request() {
    let server = Server::talking(|_, stream| {
        let _ = stream.write_all(page("fine").as_bytes());
        // Not to wait for something: later than the response is read.
        std::thread::sleep(Duration::from_millis(50));
        let _ = stream.write_all(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
        Then::Keep
    });
    for method in ["GET", "POST"] {
        let mut plan = plan(&server.target());
        plan["connections"] = "keep".into();
        plan["think"] = json!({"constant_ms": 700});
        plan["phases"]["measure_ms"] = 3_000.into();
        plan["steps"][0]["method"] = method.into();
        let run = run_until(&plan, || server.forget(), |run| run.valid("home") > 2);
        assert_eq!(run.errors(), &json!({}), "{method}");
        assert_eq!(connections(&server.seen()).len(), server.seen().len(), "{method}");
        assert!(reconnected(&run) >= 2, "{method}");
    }
}
