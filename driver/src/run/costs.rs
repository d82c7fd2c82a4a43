//! What one request costs an event loop: memory that is allocated and readings of the clock, counted and not timed.

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

/// Answers requests, one connection after the other, until there were enough.
fn serve(listener: &TcpListener) {
    let mut left = REQUESTS;
    for mut stream in listener.incoming().map_while(Result::ok) {
        while left > 0 && read_request(&mut stream) {
            left -= 1;
            stream.write_all(RESPONSE).expect("the driver listens");
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

fn costs(connections: &str) -> Costs {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let plan = Plan::read(plan(&address, connections).to_string().as_bytes()).expect("a plan");
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
        serve(&listener);
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
    let valid_responses: u64 = received.try_iter().map(valid).sum();
    assert!(valid_responses >= REQUESTS - 1, "{valid_responses} responses to {REQUESTS} requests");
    Costs { allocations: count_total / REQUESTS, readings: readings / REQUESTS }
}

#[test]
fn a_request_over_a_kept_connection_allocates_its_path_and_reads_the_clock_before_and_after() {
    assert_eq!(costs("keep"), Costs { allocations: 1, readings: 2 });
}

#[test]
fn a_new_connection_allocates_what_the_event_loop_knows_of_it_and_reads_the_clock_no_more_often() {
    assert_eq!(costs("per-request"), Costs { allocations: 4, readings: 2 });
}
