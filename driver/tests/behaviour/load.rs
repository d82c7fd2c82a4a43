//! The load: users, think times, targets, connections and cookies.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::driver::{Run, decoded, plan, run_plan, run_undisturbed, run_until, step};
use crate::server::{Server, page, response};

/// Users by Little's law, from what the measured window says: throughput times response and think time.
fn users_by_littles_law(run: &Run, think_seconds: f64) -> f64 {
    let intervals = run.intervals("measure");
    let (mut count, mut response_us) = (0.0, 0.0);
    for interval in &intervals {
        let transaction = &interval["transactions"]["home"];
        let valid = transaction["count"].as_f64().expect("a count");
        count += valid;
        response_us += decoded(&transaction["histogram"]).mean() * valid;
    }
    let sum = |key: &str| intervals.iter().filter_map(|line| line[key].as_f64()).sum::<f64>();
    let seconds = (sum("end_ns") - sum("start_ns")) / 1e9;
    count / seconds * (response_us / count / 1e6 + think_seconds)
}

/// How many think times and starts were recorded, and by how much they were late on average.
fn lateness(run: &Run) -> (u64, f64) {
    let mut all = decoded(&run.of("audit")[0]["lateness"]);
    for audit in &run.of("audit")[1..] {
        all.add(decoded(&audit["lateness"])).expect("equal bounds");
    }
    (all.len(), all.mean() / 1e6)
}

#[test]
fn users_are_throughput_times_response_and_think_time() {
    let server = Server::responding(|_| page("fine"));
    for (think, users) in [(json!({"constant_ms": 200}), 120), (json!({"uniform_ms": [100, 300]}), 200)] {
        let mut plan = plan(&server.target());
        plan["load"] = json!({"model": "closed", "users": users, "spread_ms": 200});
        plan["think"] = think;
        plan["threads"] = 2.into();
        plan["phases"] = json!({"ramp_ms": 400, "settle_ms": 0, "measure_ms": 4000, "drain_ms": 1000});
        plan["connections"] = "keep".into();
        let run = run_plan(&plan);
        let users = f64::from(users);
        assert_eq!(run.errors(), &json!({}));
        let (waits, late_seconds) = lateness(&run);
        // Every start, and every think time but the last of each user.
        let counted = run.valid("home");
        assert_eq!(waits, counted);
        // Where other programs take the CPU, think times last longer; the driver says by how much.
        let allowed = users * (0.02 + late_seconds / 0.2);
        let found = users_by_littles_law(&run, 0.2);
        assert!((found - users).abs() < allowed, "{found} users of {users}, late by {late_seconds} s");
    }
}

#[test]
fn coalesced_think_times_are_not_shortened_although_each_ends_near_the_same_place_between_ticks() {
    let server = Server::responding(|_| page("fine"));
    let mut plan = plan(&server.target());
    plan["wake"] = "coalesced".into();
    plan["connections"] = "keep".into();
    plan["phases"]["measure_ms"] = 2000.into();
    let run = run_plan(&plan);
    // Other programs that take the CPU make it less. Responses of up to 0.6 ms would always be rounded down.
    let found = users_by_littles_law(&run, 0.005);
    assert!(found < 1.02, "{found} users of one");
}

#[test]
fn a_loop_with_hardly_anything_to_do_is_not_late_because_it_coalesces() {
    let server = Server::responding(|_| page("fine"));
    let mut plan = plan(&server.target());
    plan["wake"] = "coalesced".into();
    let lag_ms = |run: &Run| run.one("self_audit")["lag_ms"]["p50"].as_f64().expect("a time");
    run_undisturbed(&plan, || {}, |run| lag_ms(run) < 0.3);
}

#[test]
fn a_think_time_over_before_anybody_could_wait_is_late_too_and_none_at_all_is_not() {
    let server = Server::responding(|_| page(""));
    for (think_ms, waits) in [(0.001, true), (0.0, false)] {
        let mut plan = plan(&server.target());
        plan["think"] = json!({"constant_ms": think_ms});
        let run = run_until(&plan, || {}, |run| run.valid("home") > 2);
        let counted = run.valid("home");
        // The start, and every think time but the last.
        assert_eq!(lateness(&run).0, if waits { counted } else { 1 });
    }
}

#[test]
fn an_iteration_without_any_step_is_complete_after_its_think_time() {
    let server = Server::responding(|_| page(""));
    for (think_ms, complete) in [(5, true), (100_000, false)] {
        let mut plan = plan(&server.target());
        plan["think"] = json!({"constant_ms": think_ms});
        plan["steps"][0]["probability"] = json!(1e-12);
        let run = run_plan(&plan);
        let iterations =
            run.intervals("measure").iter().filter_map(|line| line["iterations"].as_u64()).sum::<u64>();
        assert_eq!(iterations > 0, complete, "{iterations} iterations of {think_ms} ms");
        assert_eq!(run.valid("home"), 0);
    }
}

#[test]
fn users_start_spread_evenly() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["load"] = json!({"model": "closed", "users": 10, "spread_ms": 2000});
    plan["think"] = json!({"constant_ms": 60000});
    plan["phases"]["ramp_ms"] = 2100.into();
    let users = |run: &Run| -> Vec<u64> {
        run.intervals("ramp").iter().map(|line| line["users"].as_u64().expect("a count")).collect()
    };
    run_undisturbed(&plan, || server.forget(), |run| users(run) == [5, 10, 10]);
    assert_eq!(server.seen().len(), 10);
}

#[test]
fn each_iteration_goes_to_the_next_target() {
    let servers = [0, 1, 2].map(|_| Server::responding(|_| page("")));
    let mut plan = plan("");
    plan["targets"] = servers.iter().map(Server::target).collect::<Vec<_>>().into();
    plan["load"]["users"] = 4.into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"] = vec![step("one", "/?id=${id}"), step("two", "/?id=${id}")].into();
    let enough = || servers.iter().all(|server| server.seen().len() > 10);
    run_until(&plan, || servers.iter().for_each(Server::forget), |_| enough());
    for (number, server) in servers.iter().enumerate() {
        for request in server.seen() {
            let mut parts = request.path.rsplit('-').map(str::parse::<usize>);
            let (iteration, user) = (parts.next().expect("a part"), parts.next().expect("a part"));
            assert_eq!(
                (user.expect("a number") + iteration.expect("a number")) % 3,
                number,
                "{}",
                request.path
            );
        }
    }
}

/// Connections and cookies by iteration, of one user that visits two pages of a server that sets a cookie.
fn visits(connections: &str, cookies: &str) -> (usize, BTreeMap<String, Vec<Option<String>>>) {
    let server = Server::responding(|_| response("200 OK", "Set-Cookie: a=1\r\n", ""));
    let mut plan = plan(&server.target());
    plan["connections"] = connections.into();
    plan["cookies"] = cookies.into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"] = vec![step("one", "/?id=${id}"), step("two", "/?id=${id}")].into();
    run_until(&plan, || server.forget(), |_| server.seen().len() > 15);
    let mut sent: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for request in server.seen() {
        used.insert(request.connection);
        let cookie = request.header("Cookie").map(str::to_owned);
        sent.entry(request.path).or_default().push(cookie);
    }
    (used.len(), sent)
}

#[test]
fn an_iteration_begins_with_a_new_connection_and_without_cookies() {
    let (connections, sent) = visits("new", "new");
    assert!(sent.len() > 5);
    assert_eq!(connections, sent.len());
    assert!(
        sent.values()
            .filter(|cookies| cookies.len() == 2)
            .all(|cookies| *cookies == [None, Some("a=1".into())])
    );
}

#[test]
fn connections_and_cookies_are_kept_on_request() {
    let (connections, sent) = visits("keep", "keep");
    assert!(sent.len() > 5);
    assert_eq!(connections, 1);
    assert_eq!(
        sent.values().flatten().filter(|cookie| cookie.is_none()).count(),
        1,
        "only the very first has none"
    );
}

#[test]
fn a_cookie_taken_back_is_not_sent_any_more() {
    let server = Server::responding(|request| match request.path.as_str() {
        "/in" => response("200 OK", "Set-Cookie: a=1\r\nSet-Cookie: b=2; Max-Age=60\r\n", ""),
        "/out" => response("200 OK", "Set-Cookie: a=; Expires=Thu, 01-Jan-1970 00:00:10 GMT\r\n", ""),
        _ => page(""),
    });
    let mut plan = plan(&server.target());
    plan["steps"] = vec![step("in", "/in"), step("out", "/out"), step("after", "/after")].into();
    run_plan(&plan);
    let seen = server.seen();
    let cookies: Vec<Option<&str>> = seen.iter().take(3).map(|request| request.header("Cookie")).collect();
    assert_eq!(cookies, [None, Some("a=1; b=2"), Some("b=2")]);
}

#[test]
fn a_step_of_its_own_think_time_waits_that_long() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["steps"] = vec![step("quick", "/quick"), step("slow", "/slow")].into();
    plan["steps"][1]["think"] = json!({"constant_ms": 100_000});
    run_plan(&plan);
    let paths: Vec<String> = server.seen().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/quick", "/slow"]);
}
