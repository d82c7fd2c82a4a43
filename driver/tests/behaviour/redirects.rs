//! Redirects, cookies on the way, and responses in all their forms.

use std::io::Write;

use serde_json::json;

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::server::{Server, Then, page, response};

#[test]
fn a_login_is_followed_to_its_page_and_the_response_there_is_checked() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/app/login" => {
            response("302 Found", "Location: home?x=1#top\r\nSet-Cookie: sid=7; Path=/app; HttpOnly\r\n", "")
        }
        "/app/home?x=1" if request.header("Cookie") == Some("sid=7") => page("Welcome"),
        _ => response("403 Forbidden", "", ""),
    });
    let mut plan = plan(&(server.target() + "/app/"));
    plan["steps"][0]["path"] = "/login".into();
    plan["steps"][0]["method"] = "POST".into();
    plan["steps"][0]["form"] = json!([["user", "u"]]);
    plan["steps"][0]["expect"] = json!({"status": 200, "marker": "Welcome", "path": "/home"});
    run_until(&plan, || server.forget(), |run| run.valid("home") > 10);
    let seen = server.seen();
    assert_eq!((seen[1].method.as_str(), seen[1].body.as_str()), ("GET", ""));
    assert_eq!(seen[1].header("Content-Type"), None);
    assert_eq!(seen[0].connection, seen[1].connection, "over the same connection");
    assert_eq!(seen[2].header("Cookie"), None, "every iteration begins without cookies");
}

#[test]
fn method_and_body_are_repeated_after_307_only() {
    for (status, method, body) in [
        ("301 Moved", "GET", ""),
        ("303 See Other", "GET", ""),
        ("307 Temporary", "POST", "a=1"),
        ("308 Permanent", "POST", "a=1"),
    ] {
        let server = Server::responding(move |request| match request.path.as_str() {
            "/" => response(status, "Location: /there\r\n", "moved"),
            _ => page(""),
        });
        let mut plan = plan(&server.target());
        plan["steps"][0]["method"] = "POST".into();
        plan["steps"][0]["form"] = json!([["a", "1"]]);
        run_until(&plan, || server.forget(), |run| run.valid("home") > 5);
        let seen = server.seen();
        assert_eq!(
            (seen[1].path.as_str(), seen[1].method.as_str(), seen[1].body.as_str()),
            ("/there", method, body)
        );
    }
}

#[test]
fn a_redirect_to_elsewhere_to_nowhere_or_without_end_is_redirect() {
    for location in
        ["Location: http://127.0.0.1:1/\r\n", "Location: https://127.0.0.1/\r\n", "", "Location: /again\r\n"]
    {
        let server = Server::responding(move |_| response("302 Found", location, ""));
        let failed = |run: &Run| run.errors()["redirect"].as_u64() > Some(0);
        let run = run_until(&plan(&server.target()), || server.forget(), failed);
        let errors = run.errors().as_object().expect("kinds");
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["redirect"], "{location}");
        assert_eq!(run.one("confirmed")["transactions"]["home"]["invalid"], errors["redirect"]);
        if location.contains("again") {
            let first_step =
                server.seen().iter().skip(1).take_while(|request| request.path == "/again").count();
            assert_eq!(first_step, 5);
        }
    }
}

#[test]
fn an_absolute_location_on_the_same_target_is_followed() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/" => response(
            "302 Found",
            &format!("Location: http://{}/x\r\n", request.header("Host").expect("a host")),
            "",
        ),
        _ => page(""),
    });
    run_until(&plan(&server.target()), || server.forget(), |run| run.valid("home") > 5);
}

#[test]
fn a_redirect_that_is_expected_is_not_followed() {
    let server = Server::responding(|_| response("302 Found", "Location: /elsewhere\r\n", ""));
    let mut plan = plan(&server.target());
    plan["steps"][0]["expect"] = json!({"status": 302, "marker": null, "path": "/"});
    run_until(&plan, || server.forget(), |run| run.valid("home") > 5);
    assert!(server.seen().iter().all(|request| request.path == "/"));
}

#[test]
fn redirects_that_end_at_another_path_are_path() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["steps"][0]["path"] = "/a?b".into();
    plan["steps"][0]["expect"]["path"] = "/b".into();
    let failed = |run: &Run| run.errors()["path"].as_u64() > Some(0);
    let run = run_until(&plan, || server.forget(), failed);
    assert_eq!(run.errors()["path"], run.one("confirmed")["transactions"]["home"]["invalid"]);
}

#[test]
fn the_part_before_a_lost_response_counts_as_one_transaction() {
    let server = Server::talking(|request, stream| {
        if request.path == "/" {
            let _ = stream.write_all(response("302 Found", "Location: /lost\r\n", "").as_bytes());
            return Then::Keep;
        }
        Then::Close
    });
    let run = run_plan(&plan(&server.target()));
    let sent = server.seen().iter().filter(|request| request.path == "/lost").count();
    // Each was sent again over a new connection, and lost again.
    let lost = sent / 2;
    assert_eq!((run.of("unanswered").len(), sent % 2), (lost, 0));
    assert_eq!(run.errors(), &json!({"closed": lost}));
    assert_eq!(run.one("confirmed")["transactions"]["home"]["invalid"], 0);
}

#[test]
fn responses_are_read_in_every_form_and_wherever_they_are_cut() {
    const FORMS: [&str; 6] = [
        "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n<h1>Welcome!</h1>\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n<h1>We\r\n0c\r\nlcome!</h1>\n\r\n0\r\nT: x\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n<h1>Welcome!</h1>\n",
        "HTTP/1.1 200 OK\r\n\r\n<h1>Welcome!</h1>\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 18\r\n\r\n<h1>Welcome!</h1>\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 18\r\n\r\n<h1>Welcome!</h1>\n",
    ];
    let server = Server::talking(|request, stream| {
        let number: usize = request.path.trim_start_matches("/?n=").parse().expect("a number");
        let form = FORMS[number % FORMS.len()];
        let (first, second) = form.split_at(number / FORMS.len() % form.len());
        let _ = stream.write_all(first.as_bytes());
        // Two system calls are two segments, mostly: Nagle is off.
        let _ = stream.write_all(second.as_bytes());
        if number % FORMS.len() < 3 { Then::Keep } else { Then::Close }
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 10.into();
    plan["think"] = json!({"constant_ms": 1});
    plan["phases"]["measure_ms"] = 1_000.into();
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 0, "to": 600}}]);
    let mut page = step("page", "/?n=${n}");
    page["expect"]["marker"] = "Welcome!".into();
    plan["steps"] = vec![page].into();
    let run = run_until(&plan, || server.forget(), |run| run.valid("page") > 500);
    assert_eq!(run.errors(), &json!({}));
}
