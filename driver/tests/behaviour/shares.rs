//! Several drivers run one load: together they send what one driver sends.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::driver::{Run, plan, run_plan, run_until, slow_down, step};
use crate::merged::{check_windows, merge, run_shared};
use crate::server::{Request, Server, page};

/// Two servers, so that it shows which target an iteration went to.
struct Servers([Server; 2]);

impl Servers {
    fn start() -> Self {
        Self([(); 2].map(|()| Server::responding(|_| page("here"))))
    }

    fn targets(&self) -> Value {
        self.0.iter().map(Server::target).collect::<Vec<_>>().into()
    }

    /// How often each request came to each server; forgets them.
    fn take(&self) -> BTreeMap<(usize, String), usize> {
        let mut found = BTreeMap::new();
        for (number, server) in self.0.iter().enumerate() {
            for request in server.seen() {
                *found.entry((number, request.path)).or_default() += 1;
            }
            server.forget();
        }
        found
    }
}

/// Every kind of feed.
fn feeds(list: &NamedTempFile) -> Value {
    json!([
        {"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"},
        {"name": "uid", "per": "iteration", "range": {"from": 0, "to": 500}},
        {"name": "symbol", "per": "step", "range": {"from": 0, "to": 100}},
        {"name": "some", "per": "step", "pick": {"from": "symbol", "count": 3, "distinct": true}},
        {"name": "next", "per": "step", "list": {"file": list.path(), "draw": "sequence"}},
        {"name": "any", "per": "step", "list": {"file": list.path()}},
    ])
}

fn list() -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    let mut lines = String::new();
    (0..70).for_each(|number| writeln!(lines, "line{number}").expect("memory"));
    file.write_all(lines.as_bytes()).expect("lines");
    file
}

fn session(plan: &mut Value, query: &str) {
    let mut maybe = step("maybe", &format!("/maybe?{query}"));
    maybe["probability"] = 0.5.into();
    plan["steps"] = vec![step("home", &format!("/home?{query}")), maybe].into();
}

const QUERY: &str = "id=${id}&u=${uid}&s=${symbol}&p=${some}&n=${next}&a=${any}";

fn counts(run: &Run) -> Vec<(u64, u64)> {
    ["home", "maybe"].map(|name| (run.valid(name), histogram_counts(run, name))).to_vec()
}

fn histogram_counts(run: &Run, name: &str) -> u64 {
    let pointer = format!("/transactions/{name}/histogram");
    crate::merged::added(run.of("interval"), &pointer).len()
}

/// A hundred arrivals in a second, then practically none for so many seconds: those that came late still end in time.
fn open_load(servers: &Servers, list: &NamedTempFile, arrivals: &str, rest: u64) -> Value {
    let mut plan = plan("");
    plan["targets"] = servers.targets();
    plan["load"] = json!({"model": "open", "arrivals": arrivals, "unit": "sessions", "users": 30});
    let level =
        |rate: f64, measure: u64| json!({"rate": rate, "ramp_ms": 0, "settle_ms": 0, "measure_ms": measure});
    plan["levels"] = vec![level(100.0, 1_000), level(0.001, 1_000 * rest)].into();
    plan["phases"] = json!({"drain_ms": 1000});
    plan["think"] = json!({"uniform_ms": [5, 20]});
    plan["feeds"] = feeds(list);
    session(&mut plan, QUERY);
    plan
}

fn sum(run: &Run, key: &str) -> u64 {
    run.of("interval").iter().filter_map(|line| line[key].as_u64()).sum()
}

/// Runs a load with one driver and with two, and compares. False when the machine was too busy to do all of it.
fn is_the_same(servers: &Servers, mut plan: Value) -> bool {
    servers.take();
    let one = run_plan(&plan);
    let whole = servers.take();
    if one.errors() != &json!({}) {
        return false;
    }
    // Drivers may have as many event loops as they like.
    plan["threads"] = 2.into();
    let two = run_shared(&plan, 2);
    let shared = servers.take();
    let merged = merge(&two);
    check_windows(&merged);
    two.iter().for_each(check_windows);
    assert_eq!(merged.one("hello")["users"], 30);
    if sum(&one, "missed") + sum(&merged, "missed") > 0
        || sum(&one, "iterations") != sum(&merged, "iterations")
    {
        return false;
    }
    assert!(whole.len() > 80);
    assert_eq!(shared, whole);
    assert_eq!(counts(&merged), counts(&one));
    assert_eq!(merged.one("end")["transactions"], one.one("end")["transactions"]);
    true
}

#[test]
fn two_drivers_send_the_arrivals_of_one_and_their_merged_lines_count_them() {
    let (servers, list) = (Servers::start(), list());
    for arrivals in ["constant", "poisson"] {
        let mut rests = [1, 5, 25].into_iter();
        assert!(rests.any(|rest| is_the_same(&servers, open_load(&servers, &list, arrivals, rest))));
    }
}

/// Five users who each begin an iteration each 400 ms, three in all.
fn closed_load(servers: &Servers, list: &NamedTempFile) -> Value {
    let mut plan = plan("");
    plan["targets"] = servers.targets();
    plan["load"] = json!({"model": "closed", "users": 5, "spread_ms": 100});
    plan["phases"] = json!({"ramp_ms": 100, "settle_ms": 0, "measure_ms": 1_050, "drain_ms": 1_000});
    plan["pacing"] = json!({"constant_ms": 400});
    plan["feeds"] = feeds(list);
    let own = json!({"name": "own", "per": "step", "range": {"from": 0, "to": 23, "own": true}});
    plan["feeds"].as_array_mut().expect("a list").push(own);
    session(&mut plan, &format!("{QUERY}&o=${{own}}"));
    plan
}

#[test]
fn users_send_what_they_send_in_one_driver_whichever_they_belong_to() {
    let (servers, list) = (Servers::start(), list());
    let mut plan = closed_load(&servers, &list);
    plan["per_client"] = true.into();
    // Three iterations of each user are begun on time, or another program took the machine away.
    for factor in [1.0, 1.0, 3.0, 9.0, 27.0] {
        let mut plan = plan.clone();
        slow_down(&mut plan, "", factor);
        servers.take();
        let one = run_plan(&plan);
        let whole = servers.take();
        let three = run_shared(&plan, 3);
        let shared = servers.take();
        let merged = merge(&three);
        if sum(&one, "iterations") != 15 || sum(&merged, "iterations") != 15 {
            continue;
        }
        assert_eq!(shared, whole);
        assert_eq!(counts(&merged), counts(&one));
        let users: Vec<u64> = three.iter().filter_map(|run| run.one("hello")["users"].as_u64()).collect();
        assert_eq!(users, [2, 2, 1]);
        let clients = merged.one("clients")["clients"].as_array().expect("clients");
        let numbers: Vec<u64> = clients.iter().filter_map(|client| client["user"].as_u64()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        return;
    }
    panic!("this machine never ran fifteen iterations on time");
}

/// The hash of the load of a plan with a list and a body of these files.
fn load_of(list: &NamedTempFile, body: &NamedTempFile) -> Value {
    let mut plan = plan("http://127.0.0.1:9");
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 1, "drain_ms": 0});
    plan["feeds"] = json!([{"name": "line", "per": "step", "list": {"file": list.path()}}]);
    plan["steps"][0]["method"] = "POST".into();
    plan["steps"][0]["body"] = json!({"file": body.path()});
    run_plan(&plan).one("hello")["load_sha256"].clone()
}

#[test]
fn the_load_is_told_by_what_its_files_hold_and_not_by_where_they_lie() {
    let file = |text: &str| {
        let mut file = NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("text");
        file
    };
    let (mut list, mut body) = (file("one\n"), file("body"));
    let load = load_of(&list, &body);
    assert_eq!(load_of(&file("one\n"), &file("body")), load);
    list.write_all(b"two\n").expect("a line");
    let longer = load_of(&list, &body);
    assert_ne!(longer, load, "another list at the same path");
    body.write_all(b"more").expect("text");
    assert_ne!(load_of(&list, &body), longer, "another body at the same path");
}

#[test]
fn what_no_driver_could_tell_from_its_own_users_is_still_theirs() {
    // Which user an unanswered request belongs to is told by its number in the whole load.
    let server = Server::talking(|_, _| crate::server::Then::Close);
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 4.into();
    plan["think"] = json!({"constant_ms": 50});
    plan["share"] = json!({"index": 1, "of": 2});
    let users = |run: &Run| -> std::collections::BTreeSet<u64> {
        run.of("unanswered").iter().filter_map(|line| line["user"].as_u64()).collect()
    };
    let run = run_until(&plan, || server.forget(), |run| users(run).len() > 1);
    assert_eq!(users(&run), [1, 3].into());
    let hello = run.one("hello");
    assert_eq!((&hello["users"], &hello["share"]), (&json!(2), &json!({"index": 1, "of": 2})));
    let paths: Vec<Request> = server.seen();
    assert!(!paths.is_empty());
}
