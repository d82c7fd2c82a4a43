//! Pages with their images, style sheets and scripts, counted where they arrive.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Run, decoded, plan, run_plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, Then, page, response};

/// A page with ten sub-resources, some of them named twice, and much that is none.
const SHOP: &str = "<!DOCTYPE html><html><head><link rel=stylesheet href='/shop.css'>
    <link rel=icon href=icon.png><script src=shop.js></script><link rel=next href=no1.html></head>
    <body><img src=a.png><img src='b.png'><img src=\"/c.png?x=1&amp;y=2\"><img src=a.png><img src=./d.png>
    <!-- <img src=no2.png> --><img src=e.png><img src=f.png><IMG SRC=G.png><img src=b.png#again>
    <script>var no = \"<img src='no3.png'>\";</script><img src=http://127.0.0.1:1/no4.png></body></html>";

const SUB_RESOURCES: [&str; 10] = [
    "/G.png",
    "/a.png",
    "/b.png",
    "/c.png?x=1&y=2",
    "/d.png",
    "/e.png",
    "/f.png",
    "/icon.png",
    "/shop.css",
    "/shop.js",
];

/// How long nginx says that they last.
const LIFETIMES: &str = "
    location = /a.png { add_header Cache-Control 'public, max-age=600'; }
    location = /b.png { add_header Cache-Control no-cache; }
    location = /d.png { add_header Cache-Control no-store; }
    location = /e.png { expires 10m; }
    location = /f.png { expires -1; }";

fn shop() -> Nginx {
    let mut files =
        vec![("index.html", SHOP), ("list.html", "<img src=a.png><img src=b.png><img src=d.png>")];
    files.extend(
        SUB_RESOURCES.iter().map(|path| (path[1..].split('?').next().expect("a name"), "0123456789")),
    );
    Nginx::with(LIFETIMES, &files)
}

fn shop_plan(target: &str, cache: &str) -> Value {
    let mut plan = plan(target);
    plan["sub_resources"] = json!({"connections": 6, "cache": cache});
    plan["phases"]["measure_ms"] = 600.into();
    plan["steps"][0]["expect"]["marker"] = "no4.png".into();
    plan
}

/// How often each path was requested with each status.
fn requests(nginx: Nginx) -> BTreeMap<(String, String), u64> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut counts = BTreeMap::new();
    for request in nginx.end() {
        *counts.entry((text(&request["uri"]), text(&request["status"]))).or_default() += 1;
    }
    counts
}

fn sum(run: &Run, key: &str) -> u64 {
    run.of("interval").iter().map(|interval| interval[key].as_u64().expect(key)).sum()
}

#[test]
fn each_sub_resource_of_a_page_is_requested_once_over_six_connections() {
    let nginx = shop();
    let plan = shop_plan(&nginx.target(), "none");
    let run = run_until(&plan, || nginx.forget(), |run| run.valid("home") > 0);
    assert_eq!(run.errors(), &json!({}));
    let pages = run.valid("home");
    let expected: BTreeMap<_, _> = SUB_RESOURCES.into_iter().chain(["/"]).map(|path| (path, pages)).collect();
    let logged = nginx.end();
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for request in &logged {
        *seen.entry(request["uri"].as_str().expect("a text")).or_default() += 1;
    }
    assert_eq!(seen, expected);
    let connections: BTreeSet<&str> =
        logged.iter().filter_map(|request| request["connection"].as_str()).collect();
    assert_eq!(connections.len() as u64, 6 * pages, "each iteration opens six");
    assert_eq!(sum(&run, "connections"), 6 * pages);
    assert_eq!(
        [sum(&run, "sub_resources"), sum(&run, "sub_resources_validated"), sum(&run, "sub_resources_cached")],
        [10 * pages, 0, 0]
    );
}

#[test]
fn one_connection_is_enough_when_the_plan_says_so() {
    let nginx = shop();
    let mut plan = shop_plan(&nginx.target(), "none");
    plan["sub_resources"]["connections"] = 1.into();
    plan["connections"] = "keep".into();
    let run = run_plan(&plan);
    assert_eq!((run.errors(), sum(&run, "connections")), (&json!({}), 1));
    assert_eq!(sum(&run, "sub_resources"), 10 * run.valid("home"));
}

#[test]
fn a_cache_of_the_user_asks_for_what_it_has_only_as_far_as_it_must() {
    let nginx = shop();
    let plan = shop_plan(&nginx.target(), "per-user");
    let run = run_until(&plan, || nginx.forget(), |run| run.valid("home") > 1);
    assert_eq!(run.errors(), &json!({}));
    let (pages, later) = (run.valid("home"), run.valid("home") - 1);
    let expected: BTreeMap<(String, String), u64> = [
        ("/", "200", pages),
        // Fresh for long enough, or without a word about it.
        ("/G.png", "200", 1),
        ("/a.png", "200", 1),
        ("/c.png?x=1&y=2", "200", 1),
        ("/e.png", "200", 1),
        ("/icon.png", "200", 1),
        ("/shop.css", "200", 1),
        ("/shop.js", "200", 1),
        // To be asked for each time.
        ("/b.png", "200", 1),
        ("/b.png", "304", later),
        ("/f.png", "200", 1),
        ("/f.png", "304", later),
        // Not to be kept.
        ("/d.png", "200", pages),
    ]
    .map(|(path, status, count)| ((path.to_owned(), status.to_owned()), count))
    .into();
    assert_eq!(requests(nginx), expected);
    assert_eq!(
        [sum(&run, "sub_resources"), sum(&run, "sub_resources_validated"), sum(&run, "sub_resources_cached")],
        [10 + 3 * later, 2 * later, 7 * later]
    );
}

#[test]
fn a_cache_of_the_iteration_begins_empty_each_time() {
    let nginx = shop();
    let mut plan = shop_plan(&nginx.target(), "per-iteration");
    let home = plan["steps"][0].clone();
    plan["steps"] = json!([home, step("list", "/list.html")]);
    let run = run_until(&plan, || nginx.forget(), |run| run.valid("list") > 1);
    assert_eq!(run.errors(), &json!({}));
    let (homes, lists) = (run.valid("home"), run.valid("list"));
    let requests = requests(nginx);
    let count = |path: &str, status: &str| requests.get(&(path.into(), status.into())).copied().unwrap_or(0);
    assert_eq!([count("/a.png", "200"), count("/a.png", "304")], [homes, 0]);
    assert_eq!([count("/b.png", "200"), count("/b.png", "304")], [homes, lists]);
    assert_eq!([count("/d.png", "200"), count("/d.png", "304")], [homes + lists, 0]);
    assert_eq!(count("/shop.css", "200"), homes);
}

#[test]
fn a_transaction_ends_with_its_last_object() {
    let server = Server::responding(|request| {
        if request.path == "/slow.png" {
            thread::sleep(Duration::from_millis(150));
        }
        response(
            "200 OK",
            "Content-Type: text/html; charset=utf-8\r\n",
            "<img src=quick.png><img src=slow.png>",
        )
    });
    let mut plan = plan(&server.target());
    plan["sub_resources"] = json!({"cache": "none"});
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({}));
    for interval in run.of("interval") {
        let times = decoded(&interval["transactions"]["home"]["histogram"]);
        assert!(times.is_empty() || times.min() >= 150_000, "{} µs", times.min());
    }
    assert!(run.valid("home") > 0);
}

#[test]
fn an_object_that_is_missing_lost_or_led_away_fails_its_page() {
    let broken: [fn(&mut dyn Write) -> Then; 4] = [
        |out| put(out, &response("404 Not Found", "", "")),
        |out| put(out, &response("302 Found", "Location: http://127.0.0.1:1/away.png\r\n", "")),
        |out| put(out, &response("304 Not Modified", "", "")),
        |_| Then::Close,
    ];
    for (number, break_it) in broken.into_iter().enumerate() {
        let server = Server::talking(move |request, stream| match request.path.as_str() {
            "/" => put(
                stream,
                &response("200 OK", "Content-Type: text/html\r\n", "<img src=a><img src=b><img src=c>"),
            ),
            "/b" => break_it(stream),
            _ => put(stream, &page("")),
        });
        let mut plan = plan(&server.target());
        plan["sub_resources"] = json!({"cache": "per-user"});
        let failed = |run: &Run| run.errors()["sub_resource"].as_u64() > Some(0);
        let run = run_until(&plan, || {}, failed);
        let errors = run.errors().as_object().expect("kinds");
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["sub_resource"], "case {number}");
        let confirmed = &run.one("confirmed")["transactions"]["home"];
        assert_eq!(
            confirmed,
            &json!({"valid": 0, "invalid": errors["sub_resource"]}),
            "the page itself was answered"
        );
        assert!(run.of("unanswered").is_empty());
    }
}

#[test]
fn sub_resources_have_the_cookies_of_their_user_and_may_be_redirected() {
    let server = Server::responding(|request| {
        let cookie = request.header("Cookie").unwrap_or_default();
        match request.path.as_str() {
            "/" => response("200 OK", "Content-Type: text/html\r\nSet-Cookie: a=1\r\n", "<img src=/old.png>"),
            "/old.png" if cookie == "a=1" => {
                response("301 Moved", "Location: new.png\r\nSet-Cookie: b=2\r\n", "")
            }
            "/new.png" if cookie == "a=1; b=2" => page(""),
            _ => response("403 Forbidden", "", ""),
        }
    });
    let mut plan = plan(&server.target());
    plan["sub_resources"] = json!({"cache": "per-user"});
    plan["steps"][0]["headers"] = json!([["User-Agent", "test"], ["X-Step", "1"]]);
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({}));
    assert!(run.valid("home") > 0);
    let sub_resource =
        server.seen().into_iter().find(|request| request.path == "/new.png").expect("requested");
    assert_eq!((sub_resource.header("User-Agent"), sub_resource.header("X-Step")), (Some("test"), None));
}

#[test]
fn only_pages_are_looked_at_and_only_when_the_plan_asks() {
    let image = "<img src=/a.png>";
    for (content_type, sub_resources, expected) in [
        ("text/html", true, true),
        ("TEXT/HTML;charset=x", true, true),
        ("text/plain", true, false),
        ("text/html", false, false),
    ] {
        let header = format!("Content-Type: {content_type}\r\n");
        let server = Server::responding(move |request| match request.path.as_str() {
            "/" => response("200 OK", &header, image),
            _ => page(""),
        });
        let mut plan = plan(&server.target());
        if sub_resources {
            plan["sub_resources"] = json!({"cache": "none"});
        }
        let run = run_plan(&plan);
        assert_eq!(run.errors(), &json!({}));
        assert_eq!(server.seen().iter().any(|request| request.path == "/a.png"), expected, "{content_type}");
        assert_eq!(run.of("interval")[0].get("sub_resources").is_some(), sub_resources);
    }
}

fn put(out: &mut (impl Write + ?Sized), response: &str) -> Then {
    let _ = out.write_all(response.as_bytes());
    Then::Keep
}
