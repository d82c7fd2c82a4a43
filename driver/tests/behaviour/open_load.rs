//! The open model: steps begin by a timetable, whatever the server does.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::driver::{Run, decoded, plan, run_plan, run_slower, run_until, start, step};
use crate::nginx::Nginx;
use crate::server::{Server, Then, page, response};

const FREEZE: Duration = Duration::from_secs(2);

/// `rate` arrivals per second, equally far apart, for at most `users` users, over a second.
fn open_plan(target: &str, unit: &str, rate: u64, users: u64) -> Value {
    let mut plan = plan(target);
    plan["load"] =
        json!({"model": "open", "arrivals": "constant", "unit": unit, "rate": rate, "users": users});
    plan["phases"]["measure_ms"] = 1000.into();
    plan["connections"] = "keep".into();
    plan
}

/// All times of `home` in one histogram.
fn times(run: &Run, key: &str) -> Histogram<u64> {
    let mut all = Histogram::new_with_bounds(1, 120_000_000, 3).expect("constant bounds");
    for interval in run.of("interval") {
        all.add(decoded(&interval["transactions"]["home"][key])).expect("equal bounds");
    }
    all
}

fn sum(run: &Run, key: &str) -> u64 {
    run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
}

/// Runs against an nginx that is frozen for two of five seconds.
fn frozen(load: Value) -> Run {
    let nginx = Nginx::start();
    let mut plan = plan(&nginx.target());
    plan["load"] = load;
    plan["think"] = json!({"constant_ms": 0});
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 5000, "drain_ms": 1000});
    plan["timeouts_ms"]["response"] = 10_000.into();
    plan["connections"] = "keep".into();
    let mut running = start(&plan, &[], Stdio::null());
    running.until("interval");
    nginx.freeze(FREEZE);
    let run = running.finish();
    assert_eq!(run.errors(), &json!({}));
    run
}

/// Coordinated omission (Gil Tene): a user of the closed model that waits for a response sends nothing meanwhile, so
/// the worse the server does, the less it is asked. Two seconds in which nobody was served become one slow response for
/// each user among thousands of quick ones: the largest time tells, p99 does not. Under the open model the visitors of
/// these two seconds come all the same, and how long they wait counts from when they came, not from when a user was
/// free.
#[test]
fn two_frozen_seconds_show_under_the_open_model_and_hide_under_the_closed_one() {
    let open = frozen(
        json!({"model": "open", "arrivals": "constant", "unit": "requests", "rate": 200, "users": 20}),
    );
    let response = times(&open, "histogram");
    assert_eq!(response.len() + sum(&open, "missed"), 1000);
    assert!(response.max() > 1_950_000, "max {} µs", response.max());
    assert!(response.value_at_quantile(0.99) > 1_900_000, "p99 {} µs", response.value_at_quantile(0.99));
    // Twenty users are soon all waiting: what the others wait is no service, and only the intended start tells.
    let slow = |times: &Histogram<u64>| times.count_between(500_000, 120_000_000);
    assert!(slow(&response) > 250, "{} of 1000 waited", slow(&response));
    assert!(slow(&times(&open, "service")) <= 20);
    assert!(sum(&open, "waited") > 250, "{}", sum(&open, "waited"));

    // So many are answered in the other three seconds, unless other programs take the CPU.
    let closed = (0..5)
        .map(|_| frozen(json!({"model": "closed", "users": 4, "spread_ms": 0})))
        .find(|closed| closed.valid("home") > 1_000)
        .expect("a thousand responses in three seconds");
    let response = times(&closed, "histogram");
    assert!(response.value_at_quantile(0.99) < 1_000_000, "p99 {} µs", response.value_at_quantile(0.99));
    assert!(response.max() > 1_900_000 && response.count_between(1_000_000, 120_000_000) <= 4);
    assert!(closed.of("interval")[0]["transactions"]["home"].get("service").is_none());
}

#[test]
fn arrivals_come_at_the_rate_of_the_plan_shared_by_all_threads() {
    let server = Server::responding(|_| page(""));
    for unit in ["sessions", "requests"] {
        let mut plan = open_plan(&server.target(), unit, 150, 30);
        plan["threads"] = 3.into();
        let run = run_plan(&plan);
        assert_eq!(run.valid("home") + sum(&run, "missed"), 150, "{unit}");
    }
}

#[test]
fn poisson_arrivals_are_as_many_as_the_rate_promises_and_the_same_for_the_same_seed() {
    let server = Server::responding(|_| page(""));
    let counts = [42, 42, 43].map(|seed| {
        let mut plan = open_plan(&server.target(), "requests", 400, 40);
        plan["load"]["arrivals"] = "poisson".into();
        plan["seed"] = seed.into();
        let run = run_plan(&plan);
        run.valid("home") + sum(&run, "missed")
    });
    // The deviation is √400; five of them.
    assert!(counts.iter().all(|count| count.abs_diff(400) < 100), "{counts:?}");
    assert_eq!(counts[0], counts[1]);
    assert_ne!(counts[0], counts[2]);
}

#[test]
fn the_rate_climbs_over_the_ramp() {
    let server = Server::responding(|_| page(""));
    let mut plan = open_plan(&server.target(), "requests", 100, 10);
    plan["phases"] = json!({"ramp_ms": 2000, "settle_ms": 0, "measure_ms": 500, "drain_ms": 1000});
    // Half the rate on average; an arrival is counted where its response is complete.
    let half = |run: &Run| {
        let ramp = run.intervals("ramp").into_iter();
        let counts = ramp.filter_map(|line| line["transactions"]["home"]["count"].as_u64());
        counts.sum::<u64>().abs_diff(100) <= 20
    };
    let run = run_slower(&plan, half);
    assert_eq!(run.valid("home") + sum(&run, "missed"), 150);
}

#[test]
fn a_session_runs_all_its_steps_and_thinks_between_them() {
    let server = Server::responding(|_| page(""));
    let mut plan = open_plan(&server.target(), "sessions", 20, 20);
    plan["steps"] = vec![step("home", "/"), step("list", "/list")].into();
    plan["think"] = json!({"constant_ms": 100});
    let run = run_plan(&plan);
    assert_eq!(run.valid("home") + sum(&run, "missed"), 20);
    // The last arrivals are due less than a think time before the end.
    assert!((10..20).contains(&run.valid("list")), "{}", run.valid("list"));
    assert_eq!(sum(&run, "failed"), 0);
}

#[test]
fn requests_take_the_next_step_of_a_free_user_without_thinking() {
    let server = Server::responding(|_| page(""));
    let mut plan = open_plan(&server.target(), "requests", 40, 2);
    plan["steps"] = vec![step("home", "/home"), step("list", "/list")].into();
    plan["think"] = json!({"constant_ms": 100_000});
    let run = run_plan(&plan);
    assert_eq!(run.valid("home") + run.valid("list") + sum(&run, "missed"), 40);
    for user in 0..2 {
        let own = server.seen().into_iter().filter(|request| request.connection == user);
        let paths: Vec<String> = own.map(|request| request.path).collect();
        assert!(
            paths.len() > 10 && paths.chunks_exact(2).all(|pair| pair == ["/home", "/list"]),
            "{paths:?}"
        );
    }
}

#[test]
fn arrivals_that_are_never_begun_are_reported() {
    // One user, every response takes longer than the run.
    let server = Server::talking(|_, _| Then::Keep);
    let mut plan = open_plan(&server.target(), "sessions", 50, 1);
    plan["timeouts_ms"]["response"] = 1500.into();
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({"response_timeout": 1}));
    assert_eq!(sum(&run, "missed"), 49);
    // On a busy machine the user is there after the first arrival.
    assert!(sum(&run, "waited") <= 1);
    let users: Vec<&Value> = run.intervals("measure").iter().map(|line| &line["users"]).collect();
    assert_eq!(users, [1]);
}

#[test]
fn a_session_that_fails_frees_its_user() {
    let server = Server::responding(|_| response("500 Oops", "", ""));
    let mut plan = open_plan(&server.target(), "sessions", 30, 3);
    plan["steps"] = vec![step("home", "/"), step("list", "/list")].into();
    let run = run_plan(&plan);
    assert_eq!(run.errors()["status"], sum(&run, "failed"));
    assert_eq!(sum(&run, "failed") + sum(&run, "missed"), 30);
}

/// What each visitor of a run asks for, in its order, byte for byte but for the port.
fn requested(load: &Value, threads: u64, seed: u64) -> BTreeMap<String, Vec<String>> {
    let server = Server::responding(|_| response("200 OK", "Set-Cookie: a=1\r\n", "token=7;"));
    let mut plan = plan(&server.target());
    plan["load"] = load.clone();
    plan["phases"]["measure_ms"] = 1000.into();
    plan["cookies"] = "new".into();
    plan["think"] = json!({"exponential_ms": 5});
    plan["threads"] = threads.into();
    plan["seed"] = seed.into();
    plan["feeds"] = json!([
        {"name": "visitor", "per": "iteration", "unique": "{run}-{user}-{iteration}"},
        {"name": "number", "per": "step", "range": {"from": 0, "to": 1_000_000}},
    ]);
    let mut buy = step("buy", "/buy?visitor=${visitor}");
    buy["method"] = "POST".into();
    buy["form"] = json!([["number", "${number}"], ["token", "${token}"]]);
    buy["probability"] = 0.5.into();
    buy["repeat"] = 2.into();
    let mut home = step("home", "/?visitor=${visitor}&number=${number}");
    home["capture"] = json!([{"name": "token", "between": ["token=", ";"]}]);
    plan["steps"] = vec![home, buy].into();
    run_until(&plan, || server.forget(), |_| server.seen().len() > 75);
    let mut requested: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for request in server.seen() {
        let visitor = request.path.split(['=', '&']).nth(1).expect("a visitor").to_owned();
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let headers = headers.join("\n").replace(server.target().trim_start_matches("http://"), "server");
        let text = format!("{} {}\n{headers}\n{}", request.method, request.path, request.body);
        requested.entry(visitor).or_default().push(text);
    }
    requested
}

/// The end of a run cuts the last sessions where it finds them; up to there all must be equal.
fn assert_same(one: &BTreeMap<String, Vec<String>>, other: &BTreeMap<String, Vec<String>>) {
    let mut compared = 0;
    for (visitor, requests) in one {
        let Some(others) = other.get(visitor) else { continue };
        let both = requests.len().min(others.len());
        assert_eq!(requests[..both], others[..both]);
        compared += both;
    }
    assert!(compared > 50, "only {compared} requests of the same visitors");
}

#[test]
fn the_same_seed_gives_every_visitor_the_same_requests_whichever_user_runs_it() {
    let load = json!({"model": "open", "arrivals": "poisson", "unit": "sessions", "rate": 60, "users": 12});
    let one = requested(&load, 1, 42);
    assert_same(&one, &requested(&load, 1, 42));
    assert_same(&one, &requested(&load, 3, 42));
    assert_ne!(one.values().next(), requested(&load, 1, 43).values().next());
}

#[test]
fn the_same_seed_gives_every_user_of_the_closed_model_the_same_requests() {
    let load = json!({"model": "closed", "users": 4, "spread_ms": 20});
    let one = requested(&load, 1, 42);
    assert_same(&one, &requested(&load, 1, 42));
    assert_same(&one, &requested(&load, 2, 42));
    assert_ne!(one.values().next(), requested(&load, 1, 43).values().next());
}
