//! Requests without a response: told at once, and in agreement with what the server saw.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};

use crate::driver::{plan, run_plan, start, step};
use crate::server::{Server, Then, page};

fn order(feed: &str) -> Value {
    let mut order = step("order", "/order?id=${id}");
    order["transaction"] = "buy".into();
    order["method"] = "POST".into();
    order["form"] = json!([["id", format!("${{{feed}}}")]]);
    order["identify"] = json!([feed]);
    order
}

fn id_of(path: &str) -> String {
    path.rsplit('=').next().expect("an id").to_owned()
}

#[test]
fn confirmed_and_unanswered_are_exactly_what_the_server_answered_and_did_not() {
    // Every third request of each user's iterations is swallowed, in one of three ways.
    let server = Server::talking(|request, stream| {
        let iteration: u64 =
            id_of(&request.path).rsplit('-').next().expect("a number").parse().expect("a number");
        match iteration % 6 {
            1 => Then::Close,
            3 => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123");
                Then::Close
            }
            5 => {
                let _ = stream.write_all(b"garbage\r\n\r\n");
                Then::Keep
            }
            _ => {
                let _ = stream.write_all(page("fine").as_bytes());
                Then::Keep
            }
        }
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 5.into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    plan["steps"] = vec![order("id")].into();
    let run = run_plan(&plan);
    let swallowed =
        |id: &str| id.rsplit('-').next().is_some_and(|last| last.parse::<u64>().is_ok_and(|n| n % 2 == 1));
    let seen: Vec<String> = server.seen().iter().map(|request| id_of(&request.path)).collect();
    let (lost, received): (BTreeSet<String>, BTreeSet<String>) =
        seen.iter().cloned().partition(|id| swallowed(id));
    assert_eq!(lost.len() + received.len(), seen.len(), "nothing is sent twice");
    assert_eq!(run.valid("buy"), received.len() as u64);
    let lines = run.of("unanswered");
    let reported: BTreeSet<String> =
        lines.iter().map(|line| line["variables"]["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!((reported, lines.len()), (lost, lines.len()));
    assert_eq!(run.one("end")["unanswered"], lines.len());
    for line in lines {
        assert_eq!((&line["step"], &line["transaction"]), (&"order".into(), &"buy".into()));
        let id = format!("r1-{}-{}", line["user"], line["iteration"]);
        assert_eq!(line["variables"]["id"], id);
        let kind = if line["iteration"].as_u64().expect("a number") % 6 == 5 { "protocol" } else { "closed" };
        assert_eq!(line["kind"], kind);
    }
}

#[test]
fn requests_in_flight_when_the_drain_is_over_are_cut_off() {
    let server = Server::talking(|_, _| Then::Keep);
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 3.into();
    plan["phases"]["drain_ms"] = 100.into();
    let run = run_plan(&plan);
    assert_eq!(run.status, Some(0));
    assert_eq!(run.errors(), &json!({"cut_off": 3}));
    assert_eq!(run.of("unanswered").len(), 3);
    let drain = run.intervals("drain");
    assert_eq!(drain.last().expect("an interval")["transactions"]["home"]["errors"], json!({"cut_off": 3}));
    let length = drain[0]["end_ns"].as_u64().expect("ns") - drain[0]["start_ns"].as_u64().expect("ns");
    assert!(length >= 100_000_000, "{length}");
}

#[test]
fn a_step_that_was_started_may_finish_in_the_drain_and_no_other_begins() {
    let server = Server::talking(|_, stream| {
        std::thread::sleep(std::time::Duration::from_millis(700));
        let _ = stream.write_all(page("fine").as_bytes());
        Then::Keep
    });
    let mut plan = plan(&server.target());
    plan["phases"] = json!({"ramp_ms": 0, "settle_ms": 0, "measure_ms": 1_000, "drain_ms": 10_000});
    let run = run_plan(&plan);
    assert_eq!((run.valid("home"), server.seen().len()), (2, 2));
    let drain = run.intervals("drain");
    assert_eq!((drain.len(), &drain[0]["transactions"]["home"]["count"]), (1, &1.into()));
}

#[test]
fn an_unanswered_request_is_reported_at_once() {
    let server = Server::talking(|_, _| Then::Close);
    let mut plan = plan(&server.target());
    plan["phases"]["measure_ms"] = 60_000.into();
    let mut running = start(&plan, &[], std::process::Stdio::null());
    let line = running.until("unanswered");
    let earlier =
        |other: &Value| other["type"] != "interval" || other["end_ns"].as_u64() <= line["t_ns"].as_u64();
    assert!(running.lines().iter().all(earlier), "before its interval is over: {line}");
    running.child.kill().expect("it runs");
    running.child.wait().expect("it ends");
}

#[test]
fn responses_to_a_step_that_identifies_somebody_are_reported_when_the_plan_asks_for_it() {
    let server = Server::talking(|request, stream| {
        let body = if id_of(&request.path).ends_with('1') { "wrong" } else { "fine" };
        let _ = stream.write_all(page(body).as_bytes());
        Then::Keep
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 2.into();
    plan["feeds"] = json!([{"name": "id", "per": "iteration", "unique": "{run}-{user}-{iteration}"}]);
    let mut order = order("id");
    order["expect"] = json!({"status": 200, "marker": "fine"});
    plan["steps"] = vec![order, step("home", "/home?id=0")].into();
    assert!(run_plan(&plan).of("response").is_empty(), "nobody asked for it");
    plan["report_responses"] = true.into();
    let run = run_plan(&plan);
    let lines = run.of("response");
    let invalid = lines.iter().filter(|line| line["valid"] == false).count() as u64;
    assert!(invalid > 0);
    assert_eq!(lines.len() as u64 - invalid, run.valid("buy"));
    assert_eq!(run.one("confirmed")["transactions"]["buy"]["invalid"], invalid);
    for line in lines {
        let id = format!("r1-{}-{}", line["user"], line["iteration"]);
        assert_eq!((&line["step"], &line["transaction"]), (&"order".into(), &"buy".into()));
        assert_eq!(line["variables"], json!({"id": id}));
        assert_eq!(line["valid"], !id.ends_with('1'), "{line}");
    }
}
