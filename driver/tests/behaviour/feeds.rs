//! What is sent: feeds, templates, captures, and that the same seed sends the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::driver::{plan, run_until, step};
use crate::server::{Request, Server, page, response};

fn feeds() -> Value {
    json!([
        {"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"},
        {"name": "uid", "per": "iteration", "range": {"from": 0, "to": 500, "format": "uid:{}"}},
        {"name": "symbol", "per": "step", "range": {"from": 0, "to": 100, "format": "s:{}"}},
        {"name": "symbols", "per": "step", "pick": {"from": "symbol", "count": 4, "distinct": true, "join": ","}},
    ])
}

fn trading(server: &Server, seed: u64) -> Value {
    let mut plan = plan(&server.target());
    plan["seed"] = seed.into();
    plan["load"]["users"] = 4.into();
    plan["feeds"] = feeds();
    let mut quote = step("quote", "/quote?id=${id}&u=${uid}&s=${symbol}&again=${symbol}");
    quote["repeat"] = 2.into();
    let mut maybe = step("maybe", "/maybe?id=${id}&u=${uid}&s=${symbols}");
    maybe["probability"] = 0.5.into();
    plan["steps"] = vec![quote, maybe].into();
    plan
}

fn query(path: &str) -> BTreeMap<&str, &str> {
    let (_, query) = path.split_once('?').expect("a query");
    query.split('&').filter_map(|pair| pair.split_once('=')).collect()
}

/// The paths each user asked for, in order.
fn by_user(seen: &[Request]) -> BTreeMap<String, Vec<String>> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for request in seen {
        let user = query(&request.path)["id"].split('-').nth(1).expect("a user").to_owned();
        users.entry(user).or_default().push(request.path.clone());
    }
    users
}

/// The longest beginning that both runs came to.
fn common(one: &[String], other: &[String]) -> (Vec<String>, Vec<String>) {
    let length = one.len().min(other.len());
    (one[..length].to_vec(), other[..length].to_vec())
}

#[test]
fn the_same_seed_sends_the_same_requests_and_another_seed_does_not() {
    let sequence = |seed| {
        let server = Server::responding(|_| page(""));
        let enough = || by_user(&server.seen()).values().filter(|paths| paths.len() > 10).count() == 4;
        run_until(&trading(&server, seed), || server.forget(), |_| enough());
        by_user(&server.seen())
    };
    let (one, two, other) = (sequence(7), sequence(7), sequence(8));
    assert_eq!(one.len(), 4);
    for (user, paths) in &one {
        let (first, second) = common(paths, &two[user]);
        assert!(first.len() > 10);
        assert_eq!(first, second);
        assert_ne!(paths[..10], other[user][..10]);
    }
}

#[test]
fn what_a_server_answers_does_not_change_what_the_next_iterations_send() {
    let iterations = |fails: bool| {
        let server = Server::responding(move |request| {
            let bad = fails && request.path.starts_with("/quote") && query(&request.path)["s"] < "s%3A5";
            if bad { response("500 Oops", "", "") } else { page("") }
        });
        run_until(&trading(&server, 7), || server.forget(), |_| server.seen().len() > 100);
        let mut first_of: BTreeMap<String, String> = BTreeMap::new();
        for request in server.seen() {
            let id = query(&request.path)["id"].to_owned();
            first_of.entry(id).or_insert(request.path);
        }
        first_of
    };
    let (healthy, ill) = (iterations(false), iterations(true));
    let both: Vec<&String> = healthy.keys().filter(|id| ill.contains_key(*id)).collect();
    assert!(both.len() > 20);
    assert!(both.iter().all(|id| healthy[*id] == ill[*id]));
}

#[test]
fn each_feed_keeps_its_value_as_long_as_it_says() {
    let server = Server::responding(|_| page(""));
    run_until(&trading(&server, 3), || server.forget(), |_| server.seen().len() > 150);
    let seen = server.seen();
    let queries: Vec<BTreeMap<&str, &str>> = seen.iter().map(|request| query(&request.path)).collect();
    let mut uids: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for query in &queries {
        uids.entry(query["id"]).or_default().insert(query["u"]);
        assert_eq!(query.get("again"), query.get("again").and(query.get("s")), "one step sees one value");
        assert!(query["u"].starts_with("uid%3A"));
        if !query.contains_key("again") {
            let symbols: BTreeSet<&str> = query["s"].split("%2C").collect();
            assert_eq!(symbols.len(), 4, "{query:?}");
        }
    }
    assert!(uids.values().all(|values| values.len() == 1), "one value in an iteration");
    assert!(uids.values().flatten().collect::<BTreeSet<_>>().len() > 10, "others in others");
    let quotes: Vec<&str> =
        queries.iter().filter(|query| query.contains_key("again")).map(|query| query["s"]).collect();
    assert!(quotes.chunks(2).filter(|pair| pair[0] != *pair.last().expect("two")).count() > 5, "drawn anew");
    let maybe = seen.iter().filter(|request| request.path.starts_with("/maybe")).count();
    let percent = maybe * 100 / uids.len();
    assert!((30..70).contains(&percent), "{percent} %");
}

#[test]
fn a_unique_text_never_comes_twice() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 11.into();
    plan["feeds"] = json!([{"name": "new", "per": "step", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"][0]["path"] = "/?new=${new}".into();
    plan["steps"][0]["repeat"] = 3.into();
    run_until(&plan, || server.forget(), |_| server.seen().len() > 100);
    let paths: Vec<String> = server.seen().into_iter().map(|request| request.path).collect();
    let distinct: BTreeSet<&String> = paths.iter().collect();
    assert_eq!(distinct.len(), paths.len());
}

#[test]
fn a_form_a_body_and_headers_are_sent_as_they_should_be() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 7, "to": 8, "format": "a b&{}"}}]);
    let mut form = step("form", "/form/${n}");
    form["method"] = "POST".into();
    form["form"] = json!([["the name", "x=${n}"], ["empty", ""]]);
    let mut body = step("body", "/body");
    body["method"] = "POST".into();
    body["body"] = "<n>${n}</n>$${".into();
    body["headers"] = json!([["SOAPAction", "\"${n}\""], ["content-type", "text/xml"]]);
    plan["steps"] = vec![form, body].into();
    run_until(&plan, || server.forget(), |_| server.seen().len() > 1);
    let seen = server.seen();
    let (form, body) = (&seen[0], &seen[1]);
    assert_eq!((form.method.as_str(), form.path.as_str()), ("POST", "/form/a%20b%267"));
    assert_eq!(form.body, "the+name=x%3Da+b%267&empty=");
    assert_eq!(form.header("Content-Type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(body.body, "<n>a b&7</n>${");
    assert_eq!(
        (body.header("SOAPAction"), body.header("Content-Type")),
        (Some("\"a b&7\""), Some("text/xml"))
    );
    assert_eq!(body.header("Host").map(|host| format!("http://{host}")), Some(server.target()));
}

#[test]
fn a_captured_value_goes_into_later_steps() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/" => response("200 OK", "X-Token: t/1\r\n", r#"{"id": 17, "name": "<b>Ann</b>"}"#),
        _ => page("Hello Ann, number 17"),
    });
    let mut plan = plan(&server.target());
    let mut first = step("first", "/");
    first["capture"] = json!([
        {"name": "id", "json": "/id"},
        {"name": "name", "between": ["<b>", "</b>"]},
        {"name": "digits", "regex": "\"id\": (\\d)"},
        {"name": "token", "header": "x-token"},
    ]);
    let mut second = step("second", "/${id}/${name}/${digits}?t=${token}");
    second["expect"]["marker"] = "${name}, number ${id}".into();
    plan["steps"] = vec![first, second].into();
    run_until(&plan, || server.forget(), |run| run.valid("second") > 10);
    assert!(server.seen().iter().skip(1).step_by(2).all(|request| request.path == "/17/Ann/1?t=t%2F1"));
}

#[test]
fn a_cookie_is_captured_also_one_that_was_set_before_or_by_a_redirect() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/" => response("302 Found", "Location: /in\r\nSet-Cookie: XSRF-TOKEN=t=1; Path=/\r\n", ""),
        _ => page(""),
    });
    for method in ["GET", "HEAD"] {
        let mut plan = plan(&server.target());
        let (mut first, mut second) = (step("first", "/"), step("second", "/next"));
        first["method"] = method.into();
        first["capture"] = json!([{"name": "token", "cookie": "XSRF-TOKEN"}]);
        second["headers"] = json!([["X-XSRF-TOKEN", "${token}"]]);
        second["capture"] = json!([{"name": "again", "cookie": "XSRF-TOKEN"}]);
        plan["steps"] = vec![first, second].into();
        run_until(&plan, || server.forget(), |run| run.valid("second") > 10);
        let seen = server.seen();
        let next: Vec<_> = seen.iter().filter(|request| request.path == "/next").collect();
        assert!(!next.is_empty() && next.iter().all(|request| request.header("X-XSRF-TOKEN") == Some("t=1")));
    }
}
