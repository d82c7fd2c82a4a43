//! Every kind of error, provoked by a server or by none.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Run, plan, run_plan, run_until};
use crate::server::{Busy, Server, Then, page, response};

/// Runs 300 ms and expects that each step failed like this.
fn fails(plan: &Value, kind: &str) -> Run {
    let run = run_plan(plan);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let errors = run.errors().as_object().expect("kinds");
    assert_eq!(errors.keys().collect::<Vec<_>>(), [kind], "{errors:?}");
    assert_eq!(run.one("end")["transactions"], 0);
    run
}

/// Whether the requests are reported as complete (a check failed) or as unanswered.
fn expect_outcome(run: &Run, complete: bool) {
    let count = run.errors().as_object().expect("kinds").values().next().expect("one kind");
    let zero = Value::from(0);
    let (invalid, unanswered) = if complete { (count, &zero) } else { (&zero, count) };
    assert_eq!(&run.one("confirmed")["transactions"]["home"]["invalid"], invalid);
    assert_eq!(&run.one("end")["unanswered"], unanswered);
    assert_eq!(run.of("unanswered").len() as u64, unanswered.as_u64().expect("a count"));
}

fn failing(server: &Server, kind: &str, complete: bool) {
    expect_outcome(&fails(&plan(&server.target()), kind), complete);
}

#[test]
fn a_refused_connection_is_connect() {
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let mut plan = plan(&format!("http://127.0.0.1:{port}"));
    // Without a think time too, others must have their turn: else this would never end.
    plan["think"] = json!({"constant_ms": 0});
    let run = fails(&plan, "connect");
    assert_eq!(run.one("confirmed")["transactions"]["home"], json!({"valid": 0, "invalid": 0}));
    assert_eq!(run.one("end")["unanswered"], 0);
}

#[test]
fn a_connection_nobody_accepts_is_connect_timeout() {
    let busy = Busy::start();
    let mut plan = plan(&busy.target());
    plan["timeouts_ms"]["connect"] = 50.into();
    let run = fails(&plan, "connect_timeout");
    assert_eq!(run.one("end")["unanswered"], 0);
}

#[test]
fn a_server_that_never_answers_is_response_timeout() {
    let server = Server::talking(|_, _| Then::Keep);
    let mut plan = plan(&server.target());
    plan["timeouts_ms"]["response"] = 50.into();
    expect_outcome(&fails(&plan, "response_timeout"), false);
}

#[test]
fn a_server_that_drips_is_response_timeout_too() {
    let server = Server::talking(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
        while stream.write_all(b".").is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Then::Close
    });
    let mut plan = plan(&server.target());
    plan["timeouts_ms"]["response"] = 50.into();
    expect_outcome(&fails(&plan, "response_timeout"), false);
}

#[test]
fn a_response_cut_short_is_closed() {
    for start in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ] {
        let server = Server::talking(move |_, stream| {
            let _ = stream.write_all(start.as_bytes());
            Then::Close
        });
        failing(&server, "closed", false);
    }
}

#[test]
fn a_connection_reset_in_the_middle_is_closed() {
    let server = Server::raw(|_, mut stream| {
        let _ = stream.peek(&mut [0; 1]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello");
        // Dropped with the request unread: the kernel sends RST.
    });
    failing(&server, "closed", false);
}

#[test]
fn what_is_not_http_is_protocol() {
    for response in [
        "SSH-2.0-server\r\n",
        "HTTP/0.9 200 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        failing(&Server::responding(move |_| response.into()), "protocol", false);
    }
}

#[test]
fn a_header_or_body_beyond_the_limit_is_too_large() {
    let long = "x".repeat(30_000);
    let header = response("200 OK", &format!("Long: {long}\r\n"), "");
    failing(&Server::responding(move |_| header.clone()), "too_large", false);
    let body = page(&long);
    failing(&Server::responding(move |_| body.clone()), "too_large", false);
    let unbounded = format!("HTTP/1.1 200 OK\r\n\r\n{long}");
    failing(&Server::responding(move |_| unbounded.clone()), "too_large", false);
}

#[test]
fn another_status_is_status() {
    failing(&Server::responding(|_| response("404 Not Found", "", "fine")), "status", true);
    failing(
        &Server::responding(|_| "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n".into()),
        "status",
        true,
    );
}

#[test]
fn a_missing_marker_is_marker() {
    let server = Server::responding(|_| page("<h1>Sorry</h1>"));
    let mut plan = plan(&server.target());
    plan["steps"][0]["expect"]["marker"] = "Welcome".into();
    expect_outcome(&fails(&plan, "marker"), true);
}

#[test]
fn the_first_checks_of_a_kind_that_fail_are_shown_with_request_and_response() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/moved?id=r1-0-0" => response("303 See Other", "Location: /away\r\n", ""),
        "/away" => page("<h1>Away</h1>"),
        _ => page(&format!("<h1>Welcome</h1>{}", "ä".repeat(300))),
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 1.into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"][0]["path"] = "/moved?id=${id}".into();
    plan["steps"][0]["expect"]["marker"] = json!(["Welcome", "id ${id}"]);
    plan["steps"][0]["identify"] = json!(["id"]);
    let run = fails(&plan, "marker");
    assert!(run.errors()["marker"].as_u64().expect("a count") > 5);
    let shown = run.of("failed_check");
    assert_eq!(shown.len(), 5);
    let first = &shown[0];
    assert_eq!((&first["step"], &first["kind"]), (&"home".into(), &"marker".into()));
    assert_eq!(first["request"], "GET /moved?id=r1-0-0 → GET /away");
    assert_eq!((&first["expected"], &first["status"]), (&"Welcome".into(), &200.into()));
    assert_eq!(first["body"], "<h1>Away</h1>");
    let second = &shown[1];
    assert_eq!(second["request"], "GET /moved?id=r1-0-1");
    assert_eq!((&second["expected"], &second["variables"]["id"]), (&"id r1-0-1".into(), &"r1-0-1".into()));
    assert_eq!(second["body"], format!("<h1>Welcome</h1>{}", "ä".repeat(184)));
}

#[test]
fn a_failed_check_says_what_was_expected() {
    for (kind, key, value, expected) in [
        ("status", "status", json!(201), "status 201"),
        ("path", "path", json!("/elsewhere"), "path /elsewhere"),
        ("length", "length", json!(7), "7 bytes, not 4"),
    ] {
        let server = Server::responding(|_| page("page"));
        let mut plan = plan(&server.target());
        plan["steps"][0]["expect"][key] = value;
        let run = fails(&plan, kind);
        let shown = run.of("failed_check");
        assert_eq!((&shown[0]["expected"], &shown[0]["body"]), (&expected.into(), &"page".into()));
        assert_eq!(shown[0]["request"], "GET /");
    }
}

#[test]
fn each_of_several_markers_must_be_there() {
    let server = Server::responding(|_| page("<h1>Welcome</h1><p>Goodbye</p>"));
    let mut plan = plan(&server.target());
    plan["steps"][0]["expect"]["marker"] = json!(["Goodbye", "Welcome"]);
    assert_eq!(run_plan(&plan).errors(), &json!({}));
    plan["steps"][0]["expect"]["marker"] = json!(["Goodbye", "Sorry"]);
    expect_outcome(&fails(&plan, "marker"), true);
}

#[test]
fn a_missing_capture_is_capture() {
    for source in [
        json!({"regex": "id=(\\d+)"}),
        json!({"between": ["<", ">"]}),
        json!({"json": "/id"}),
        json!({"header": "X-Id"}),
    ] {
        let server = Server::responding(|_| page("nothing here"));
        let mut plan = plan(&server.target());
        let mut capture = source.clone();
        capture["name"] = "id".into();
        plan["steps"][0]["capture"] = vec![capture].into();
        expect_outcome(&fails(&plan, "capture"), true);
    }
}

#[test]
fn after_a_failure_the_next_iteration_has_a_new_connection_and_no_cookies() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/" => response("200 OK", "Set-Cookie: a=1\r\n", ""),
        _ => response("500 Oops", "", ""),
    });
    let mut plan = plan(&server.target());
    plan["connections"] = "keep".into();
    plan["cookies"] = "keep".into();
    plan["steps"] = vec![crate::driver::step("home", "/"), crate::driver::step("bad", "/bad")].into();
    run_until(&plan, || server.forget(), |_| server.seen().len() > 6);
    let seen = server.seen();
    for pair in seen.chunks(2) {
        assert_eq!((pair[0].path.as_str(), pair[0].header("Cookie")), ("/", None));
        if let Some(bad) = pair.get(1) {
            assert_eq!((bad.connection, bad.header("Cookie")), (pair[0].connection, Some("a=1")));
        }
    }
    assert_ne!(seen[0].connection, seen[2].connection);
}

#[test]
fn a_body_has_the_length_that_the_step_or_the_line_of_a_list_says() {
    let server = Server::responding(|request| match request.path.as_str() {
        // In chunks, so that no header says the length.
        "/chunks" => {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n3\r\n567\r\n0\r\n\r\n".into()
        }
        path => page(&"x".repeat(path.len())),
    });
    let mut list = tempfile::NamedTempFile::new().expect("a file");
    list.write_all(b"a\t2\nbcd\t4\n").expect("lines");
    let errors = |length: Value, path: &str| {
        let mut plan = plan(&server.target());
        plan["feeds"] = json!([{"name": "path", "per": "step", "list": {"file": list.path(), "columns": ["bytes"],
            "as_path": true}}]);
        plan["steps"][0]["path"] = path.into();
        plan["steps"][0]["expect"]["length"] = length;
        let all = |run: &Run| run.valid("home") + run.errors()["length"].as_u64().unwrap_or(0);
        let run = run_until(&plan, || {}, |run| all(run) > 5);
        let errors = run.errors().as_object().expect("an object");
        errors.keys().cloned().collect::<Vec<_>>()
    };
    assert!(errors(json!(7), "/chunks").is_empty());
    assert_eq!(errors(json!(8), "/chunks"), ["length"]);
    assert_eq!(errors(json!(0), "/chunks"), ["length"]);
    assert!(errors(json!("${bytes}"), "/${path}").is_empty());
    assert_eq!(errors(json!("${bytes}"), "/-${path}"), ["length"], "one byte more");
    assert_eq!(errors(json!("${path}"), "/x"), ["length"], "not a number");
}
