//! What one request or reported call costs an event loop: memory that is allocated and readings of the clock, counted and
//! not timed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use allocation_counter::AllocationInfo;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::*;
use crate::pace::clock::readings;
use crate::workload::Plan;

/// So many that what a run costs besides is less than one for each.
const REQUESTS: u64 = 5_000;

/// Calls that one response reports.
const CALLS: u64 = 500_000;

const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nSet-Cookie: session=1; Path=/; HttpOnly\r\n\r\nfine";

/// Costs of a request, rounded down.
#[derive(Debug, PartialEq, Eq)]
struct Costs {
    allocations: u64,
    readings: u64,
}

/// One user who asks for a page again and again, without think time.
fn plan(address: &str, connections: &str) -> Value {
    json!({
        "v": 1, "name": "costs", "run": "costs", "seed": 1, "targets": [format!("http://{address}")],
        "load": {"model": "closed", "users": 1, "spread_ms": 0}, "think": {"constant_ms": 0},
        "phases": {"ramp_ms": 0, "settle_ms": 0, "measure_ms": 600_000, "drain_ms": 1_000},
        "connections": connections, "cookies": "keep", "threads": 1,
        "timeouts_ms": {"connect": 10_000, "response": 10_000},
        "limits": {"header_bytes": 65_536, "body_bytes": 65_536}, "feeds": [],
        "steps": [{"id": "page", "transaction": "page", "method": "GET", "path": "/page?x=1",
            "expect": {"status": 200, "marker": "fine"}}],
    })
}

/// Answers so many requests, one connection after the other.
fn serve(listener: &TcpListener, requests: u64, response: &[u8]) {
    let mut left = requests;
    for mut stream in listener.incoming().map_while(Result::ok) {
        while left > 0 && read_request(&mut stream) {
            left -= 1;
            stream.write_all(response).expect("the driver listens");
        }
        if left == 0 {
            return;
        }
    }
}

/// Whether a request came before the connection ended.
fn read_request(stream: &mut TcpStream) -> bool {
    let (mut buffer, mut filled) = ([0; 4_096], 0);
    loop {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) | Err(_) => return false,
            Ok(more) => filled += more,
        }
        if buffer[..filled].ends_with(b"\r\n\r\n") {
            return true;
        }
    }
}

/// Runs a plan against a server that gives so many of these responses; returns what all of it costs, and how many
/// transactions were valid.
fn run(plan: impl Fn(&str) -> Value, requests: u64, response: Vec<u8>) -> (Costs, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let plan = Plan::read(plan(&address).to_string().as_bytes()).expect("a plan");
    let targets = Target::resolve_all(plan.addresses(), &plan.tls).expect("targets");
    let session = Session::new(plan).expect("a session");
    let clock = Clock::start();
    let timetable = Timetable::new(clock.now() + PREPARATION, &session.levels, session.drain);
    let (reports, received) = sync_channel(WAITING_REPORTS);
    let channels = Channels { reports, empty: channel().1 };
    let recorder = Recorder::new(0, timetable.clone(), session.transactions.len(), channels);
    let (session, targets) = (Arc::new(session), Arc::new(targets));
    let context =
        RunContext { session, targets, timetable, clock, sliced: false, wall_clock: 0, stamps: None };
    let (stop, listen) = watch::channel(None);
    let server = thread::spawn(move || {
        serve(&listener, requests, &response);
        stop.send(Some(StopReason::Signal)).expect("a run that goes on");
    });
    let read_before = readings::of_this_thread();
    let AllocationInfo { count_total, .. } = allocation_counter::measure(|| {
        event_loop::run(context, 0, recorder, Control { stop: listen, slices: None }).expect("a run");
    });
    let readings = readings::of_this_thread() - read_before;
    server.join().expect("a server");
    let valid = |report| match report {
        Report::Interval(record) => record.counts.transactions[0].times.count(),
        Report::End(end) => end.last.counts.transactions[0].times.count(),
        // The server has had enough, and the driver may have sent one more request.
        Report::Unanswered(_) => 0,
        other => panic!("{other:?}"),
    };
    (Costs { allocations: count_total, readings }, received.try_iter().map(valid).sum())
}

fn costs(connections: &str) -> Costs {
    let (all, valid) = run(|address| plan(address, connections), REQUESTS, RESPONSE.into());
    assert!(valid >= REQUESTS - 1, "{valid} responses to {REQUESTS} requests");
    Costs { allocations: all.allocations / REQUESTS, readings: all.readings / REQUESTS }
}

#[test]
fn a_request_over_a_kept_connection_allocates_its_path_and_reads_the_clock_before_and_after() {
    assert_eq!(costs("keep"), Costs { allocations: 1, readings: 2 });
}

#[test]
fn a_new_connection_allocates_what_the_event_loop_knows_of_it_and_reads_the_clock_no_more_often() {
    assert_eq!(costs("per-request"), Costs { allocations: 4, readings: 2 });
}

#[test]
fn a_reported_call_allocates_nothing_and_reads_no_clock() {
    let calls = |address: &str| {
        let mut plan = plan(address, "keep");
        plan["steps"][0]["expect"] = json!({"status": 200});
        plan["steps"][0]["calls"] = json!({"identify": "id"});
        plan
    };
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 24 * CALLS).into_bytes();
    for number in 0..CALLS {
        // One each microsecond, which takes half of it and stores something.
        response.extend([1_000 * number, 500 << 8, number + 1].map(u64::to_be_bytes).concat());
    }
    // The first is read to its end before the second is asked for.
    let (all, valid) = run(calls, 2, response);
    assert!(valid >= CALLS, "{valid} calls of {CALLS}");
    let each_100 =
        Costs { allocations: all.allocations / (CALLS / 100), readings: all.readings / (CALLS / 100) };
    assert_eq!(each_100, Costs { allocations: 0, readings: 0 }, "{all:?}");
}
