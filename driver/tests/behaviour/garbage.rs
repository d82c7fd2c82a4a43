//! Whatever a server sends: the driver runs on, counts every request once, and its memory stays bounded.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::driver::{plan, run_until};
use crate::server::{Server, Then};

const RESPONSES: [&str; 4] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nSet-Cookie: a=b; Path=/; Max-Age=9\r\n\r\n{\"id\": \"one\"}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n6;a=b\r\n{\"id\":\r\n7\r\n \"one\"}\r\n0\r\nT: x\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: ../a/./b?c=d#e\r\nSet-Cookie: c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 200 OK\r\n\r\n{\"id\": \"one\"}",
];

/// Knuth's linear congruential generator, so that a failure comes again.
fn next(state: &AtomicU64) -> usize {
    let step = |state: u64| {
        Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    let drawn = state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step).unwrap_or_default();
    usize::try_from(drawn >> 33).expect("31 bits")
}

fn spoiled(state: &AtomicU64) -> Vec<u8> {
    let mut response = RESPONSES[next(state) % RESPONSES.len()].as_bytes().to_vec();
    for _ in 0..next(state) % 4 {
        let place = next(state) % response.len();
        match next(state) % 4 {
            0 => response[place] = u8::try_from(next(state) % 256).expect("a byte"),
            1 => response.truncate(place + 1),
            2 => response.insert(place, b"\r\n:;=0 \xff"[next(state) % 8]),
            _ => response.extend_from_within(place..),
        }
    }
    response
}

#[test]
fn spoiled_responses_are_counted_and_the_run_goes_on() {
    let state = AtomicU64::new(1);
    let server = Server::talking(move |_, stream| {
        let response = spoiled(&state);
        let (first, second) = response.split_at(next(&state) % response.len());
        let _ = stream.write_all(first);
        let _ = stream.write_all(second);
        if next(&state) % 2 == 0 { Then::Keep } else { Then::Close }
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 20.into();
    plan["think"] = json!({"constant_ms": 1});
    plan["phases"]["measure_ms"] = 2_500.into();
    plan["timeouts_ms"]["response"] = 20.into();
    plan["steps"][0]["capture"] = json!([{"name": "id", "json": "/id"}, {"name": "word", "regex": "(o.e)"}]);
    let run = run_until(&plan, || server.forget(), |_| server.seen().len() > 1_000);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let seen = server.seen().len() as u64;
    let responses = &run.one("confirmed")["transactions"]["home"];
    let number = |value: &Value| value.as_u64().expect("a count");
    let reported =
        number(&responses["valid"]) + number(&responses["invalid"]) + number(&run.one("end")["unanswered"]);
    // A redirect makes one transaction of several requests; nothing else makes fewer or more.
    assert!(reported <= seen && reported > seen / 3, "{reported} of {seen}");
    let kinds = run.errors().as_object().expect("kinds").len();
    assert!(kinds > 3, "{}", run.errors());
}

#[test]
fn endless_responses_do_not_fill_the_memory() {
    let server = Server::talking(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while stream
            .write_all(&b"400\r\n".iter().copied().chain([b'x'; 1024]).chain(*b"\r\n").collect::<Vec<u8>>())
            .is_ok()
        {}
        Then::Close
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 10.into();
    plan["limits"]["body_bytes"] = 1_000_000.into();
    plan["steps"][0]["capture"] = json!([{"name": "id", "regex": "(y)"}]);
    let run = run_until(&plan, || server.forget(), |run| run.errors()["too_large"].as_u64() > Some(10));
    let memory = run.one("end")["max_rss_bytes"].as_u64().expect("bytes");
    assert!(memory < 40_000_000, "ten bodies of 1 MB, each made anew when it doubles: {memory}");
}
