//! What became of each single transaction: the file of records, and the line of the single users.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::server::{Server, page, response};

const RECORD: usize = 32;

/// Three users of two loops who look at two pages, of which one is bad every time.
fn noted() -> (Value, Server) {
    let server = Server::responding(|request| match request.path.as_str() {
        "/bad" => response("500 Oops", "", ""),
        _ => page("fine"),
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 3.into();
    plan["threads"] = 2.into();
    plan["phases"]["ramp_ms"] = 100.into();
    plan["phases"]["measure_ms"] = 1200.into();
    plan["steps"] = vec![step("home", "/"), step("bad", "/bad")].into();
    (plan, server)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn valid_in(run: &Run, phase: &str) -> u64 {
    run.intervals(phase).iter().map(|line| number(&line["transactions"]["home"]["count"])).sum()
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[test]
fn each_transaction_has_its_record() {
    let folder = TempDir::new().expect("a folder");
    let (mut plan, _server) = noted();
    let path = folder.path().join("run.records");
    plan["records"] = path.to_str().into();
    let run = run_until(&plan, || {}, |run| valid_in(run, "measure") > 10);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let bytes = std::fs::read(path).expect("the records");
    let end_of_head = bytes.iter().position(|&byte| byte == b'\n').expect("a head") + 1;
    let head: Value = serde_json::from_slice(&bytes[..end_of_head]).expect("a JSON line");
    assert_eq!((end_of_head % RECORD, number(&head["record_bytes"])), (0, 32));
    assert_eq!(head["transactions"], json!(["home", "bad"]));
    assert_eq!(head["monotonic_ns"], run.one("hello")["monotonic_ns"]);
    let mut counts: BTreeMap<(u64, String, String), u64> = BTreeMap::new();
    for record in bytes[end_of_head..].chunks(RECORD) {
        let transaction = little_endian(&record[28..30]);
        let outcome = head["outcomes"][usize::from(record[30])].as_str().expect("an outcome").to_owned();
        let phase = head["phases"][usize::from(record[31])].as_str().expect("a phase").to_owned();
        *counts.entry((transaction, outcome, phase)).or_default() += 1;
        let [latency, service] = [8, 12].map(|at| little_endian(&record[at..at + 4]));
        assert_eq!(latency, service, "the closed model knows no other time");
        let [user, client] = [16, 24].map(|at| little_endian(&record[at..at + 4]));
        assert!(user == client && user < 3, "{user}");
        assert!(little_endian(&record[..8]) < number(&run.one("end")["t_ns"]));
    }
    let counted = |phase: &str, name: &str| -> (u64, u64) {
        let lines = run.intervals(phase).into_iter().map(|line| &line["transactions"][name]);
        lines.fold((0, 0), |(valid, bad), line| {
            (valid + number(&line["count"]), bad + line["errors"]["status"].as_u64().unwrap_or(0))
        })
    };
    let noted = |transaction, outcome: &str, phase: &str| {
        counts.get(&(transaction, outcome.into(), phase.into())).copied().unwrap_or(0)
    };
    for phase in ["ramp", "measure", "drain"] {
        assert_eq!((noted(0, "valid", phase), noted(0, "status", phase)), counted(phase, "home"));
        assert_eq!((noted(1, "valid", phase), noted(1, "status", phase)), counted(phase, "bad"));
    }
}

#[test]
fn each_user_has_its_counts_and_times() {
    let (mut plan, _server) = noted();
    plan["per_client"] = true.into();
    let run = run_plan(&plan);
    let clients = run.one("clients")["clients"].as_array().expect("a list");
    let users: Vec<u64> = clients.iter().map(|client| number(&client["user"])).collect();
    assert_eq!(users, [0, 1, 2]);
    let sum = |key: &str| clients.iter().map(|client| number(&client[key])).sum::<u64>();
    let audit = run.one("self_audit");
    assert_eq!((sum("transactions"), sum("errors")), (number(&audit["valid"]), number(&audit["failed"])));
    let times = &clients[1]["response_ms"];
    let [p50, p99, max] = ["p50", "p99", "max"].map(|key| times[key].as_f64().expect("a time"));
    // No response over a socket takes less: what lies below was cut off.
    assert!(0.01 < p50 && p50 <= p99 && p99 <= max, "{times}");
}

#[test]
fn nobody_asked_means_no_notes() {
    let (plan, _server) = noted();
    assert_eq!(run_plan(&plan).of("clients").len(), 0);
}

#[test]
fn records_that_cannot_be_written_are_refused_before_anything_is_sent() {
    let (mut plan, server) = noted();
    plan["records"] = "/proc/no/such/folder".into();
    let run = run_plan(&plan);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("records: /proc/no/such/folder cannot be written"), "{}", run.stderr);
    assert_eq!(server.seen().len(), 0);
}
