//! Servers that close connections: where a browser shows nothing, nothing fails, and each connection made anew is counted.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use socket2::SockRef;

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, Then, page, response};

/// How a server ends a connection.
#[derive(Clone, Copy, Debug)]
enum Close {
    Fin,
    Reset,
}

impl Close {
    fn end(self, stream: &TcpStream) {
        if matches!(self, Self::Reset) {
            SockRef::from(stream).set_linger(Some(Duration::ZERO)).expect("a socket");
        } else {
            stream.shutdown(std::net::Shutdown::Both).expect("a connection");
        }
    }
}

/// One user who thinks for 60 ms on kept connections, between a GET of `/first` and a request for `/second`.
fn two_steps(server: &Server, method: &str) -> Value {
    let mut plan = plan(&server.target());
    plan["connections"] = "keep".into();
    plan["think"] = json!({"constant_ms": 60});
    plan["phases"]["measure_ms"] = 600.into();
    let mut second = step("second", "/second");
    second["method"] = method.into();
    plan["steps"] = vec![step("first", "/first"), second].into();
    plan
}

fn sum(run: &Run, key: &str) -> u64 {
    run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
}

/// Expects that nothing failed and that each connection but the first was made anew after the server had ended it.
fn nothing_failed(run: &Run) {
    assert_eq!(run.errors(), &json!({}));
    assert_eq!(run.one("end")["unanswered"], 0);
    assert_eq!(sum(run, "reconnected"), sum(run, "connections") - 1);
}

fn many(run: &Run) -> bool {
    run.valid("second") > 3
}

#[test]
fn a_connection_closed_while_the_user_thinks_is_made_anew_for_every_method() {
    for (method, close) in
        [("GET", Close::Fin), ("POST", Close::Fin), ("GET", Close::Reset), ("POST", Close::Reset)]
    {
        let server = Server::talking(move |_, stream| {
            let _ = stream.write_all(page("fine").as_bytes());
            close.end(stream);
            Then::Close
        });
        let run = run_until(&two_steps(&server, method), || server.forget(), many);
        nothing_failed(&run);
        assert_eq!(sum(&run, "connections"), server.seen().len() as u64, "{method} {close:?}");
    }
}

#[test]
fn nginx_that_keeps_connections_for_less_than_a_think_time_fails_nothing() {
    let nginx = Nginx::with("keepalive_timeout 1s;", &[("index.html", "<h1>Welcome</h1>")]);
    let mut plan = plan(&nginx.target());
    plan["connections"] = "keep".into();
    plan["load"]["users"] = 20.into();
    plan["think"] = json!({"uniform_ms": [900, 2_000]});
    plan["phases"]["measure_ms"] = 6_000.into();
    plan["phases"]["drain_ms"] = 10_000.into();
    let run = run_plan(&plan);
    assert_eq!(run.errors(), &json!({}));
    assert_eq!(sum(&run, "reconnected"), sum(&run, "connections") - 20);
    assert!(sum(&run, "reconnected") > 10);
    assert_eq!(nginx.end().len() as u64, run.valid("home"), "each was sent once");
}

/// Answers `/first`, and ends the kept connection as soon as something of the second request has come.
fn ending_at_the_second(close: Close) -> Server {
    Server::raw(move |_, mut stream| {
        let mut buffer = vec![0; 64 * 1_024];
        let read = stream.read(&mut buffer).unwrap_or(0);
        if read == 0 {
            return;
        }
        let _ = stream.write_all(page("").as_bytes());
        // Left unread: the kernel answers with RST, or the test asks for it.
        let _ = stream.peek(&mut [0; 1]);
        close.end(&stream);
    })
}

#[test]
fn a_get_or_head_of_which_nothing_came_back_on_a_kept_connection_is_repeated() {
    for close in [Close::Fin, Close::Reset] {
        for method in ["GET", "HEAD"] {
            let server = ending_at_the_second(close);
            nothing_failed(&run_until(&two_steps(&server, method), || {}, many));
        }
    }
}

#[test]
fn a_post_that_was_sent_is_never_repeated() {
    for close in [Close::Fin, Close::Reset] {
        let server = ending_at_the_second(close);
        let failed = |run: &Run| run.errors()["closed"].as_u64() > Some(3);
        let run = run_until(&two_steps(&server, "POST"), || {}, failed);
        assert_eq!(run.valid("second"), 0);
        assert_eq!(run.one("end")["unanswered"], run.errors()["closed"]);
        assert_eq!(sum(&run, "reconnected"), 0);
    }
}

#[test]
fn a_long_post_whose_connection_ends_while_it_is_written_fails_once() {
    for close in [Close::Fin, Close::Reset] {
        let server = ending_at_the_second(close);
        let mut plan = two_steps(&server, "POST");
        plan["steps"][1]["body"] = "x".repeat(8 << 20).into();
        let failed = |run: &Run| run.errors()["closed"].as_u64() > Some(2);
        let run = run_until(&plan, || {}, failed);
        assert_eq!((run.valid("second"), sum(&run, "reconnected")), (0, 0), "{close:?}");
        assert_eq!(run.one("end")["unanswered"], run.errors()["closed"], "{close:?}");
    }
}

#[test]
fn a_connection_that_ends_as_soon_as_it_is_made_was_made() {
    for close in [Close::Fin, Close::Reset] {
        let server = Server::raw(move |_, stream| close.end(&stream));
        let failed = |run: &Run| run.errors()["closed"].as_u64() > Some(3);
        let run = run_until(&two_steps(&server, "GET"), || {}, failed);
        assert_eq!(run.errors().as_object().expect("kinds").len(), 1, "{close:?}: {}", run.errors());
        assert_eq!(sum(&run, "reconnected"), 0, "{close:?}");
    }
}

#[test]
fn a_response_without_a_body_is_complete_when_the_connection_ends_behind_its_header() {
    for close in [Close::Fin, Close::Reset] {
        let server = Server::talking(move |request, stream| {
            let whole = if request.method == "HEAD" {
                "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n".to_owned()
            } else {
                page("fine")
            };
            let _ = stream.write_all(whole.as_bytes());
            if request.method == "HEAD" {
                close.end(stream);
                return Then::Close;
            }
            Then::Keep
        });
        let run = run_until(&two_steps(&server, "HEAD"), || server.forget(), many);
        nothing_failed(&run);
    }
}

#[test]
fn a_request_is_repeated_once_and_not_on_a_new_connection() {
    let server = Server::talking(|request, stream| {
        if request.path == "/first" {
            let _ = stream.write_all(page("fine").as_bytes());
            return Then::Keep;
        }
        Then::Close
    });
    let failed = |run: &Run| run.errors()["closed"].as_u64() > Some(3);
    let run = run_until(&two_steps(&server, "GET"), || server.forget(), failed);
    let closed = run.errors()["closed"].as_u64().expect("a count");
    let seconds = server.seen().iter().filter(|request| request.path == "/second").count() as u64;
    assert_eq!(seconds, 2 * closed, "over the kept connection and over a new one");
    assert_eq!((sum(&run, "reconnected"), run.valid("second")), (closed, 0));
    assert_eq!(run.one("end")["unanswered"], closed, "one transaction, though two requests were sent");
}

/// Waits until the other program has read all that was written, as the kernel tells of both ends of a connection.
fn wait_until_read(stream: &TcpStream) {
    let [own, other] =
        [stream.local_addr(), stream.peer_addr()].map(|address| address.expect("a connection"));
    let address = |address: SocketAddr| match address {
        SocketAddr::V4(address) => {
            format!("{:08X}:{:04X}", u32::from(*address.ip()).swap_bytes(), address.port())
        }
        SocketAddr::V6(_) => panic!("servers of tests are at 127.0.0.1"),
    };
    let (own, other) = (address(own), address(other));
    // Linux, Documentation/networking/proc_net_tcp.rst: after both addresses and the state bytes to send and to read.
    let queues = |from: &str, to: &str| -> Option<(bool, bool)> {
        let table = std::fs::read_to_string("/proc/net/tcp").expect("the connections");
        let row = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row = row.into_iter().find(|row| row.get(1..3) == Some(&[from, to][..]))?;
        let (to_send, to_read) = row.get(4)?.split_once(':')?;
        Some((to_send == "00000000", to_read == "00000000"))
    };
    for _ in 0..30_000 {
        let sent = queues(&own, &other).is_none_or(|(sent, _)| sent);
        if sent && queues(&other, &own).is_none_or(|(_, read)| read) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the driver never read what was sent");
}

#[test]
fn a_response_that_has_begun_is_not_asked_for_again() {
    let header = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
    let begun = ["H", "HTTP/1.1 100 Continue\r\n\r\n", header, &format!("{header}fi")].map(str::to_owned);
    for (begun, close) in
        begun.into_iter().flat_map(|begun| [Close::Fin, Close::Reset].map(|close| (begun.clone(), close)))
    {
        let server = Server::talking(move |request, stream| {
            if request.path == "/first" {
                let _ = stream.write_all(page("fine").as_bytes());
                return Then::Keep;
            }
            let _ = stream.write_all(begun.as_bytes());
            // RST overtakes what was not read yet.
            wait_until_read(stream);
            close.end(stream);
            Then::Close
        });
        let failed = |run: &Run| run.errors()["closed"].as_u64() > Some(3);
        let mut plan = two_steps(&server, "GET");
        // However busy the machine is, nothing but the server ends a response.
        plan["timeouts_ms"] = json!({"connect": 60_000, "response": 60_000});
        plan["phases"]["drain_ms"] = 60_000.into();
        let run = run_until(&plan, || server.forget(), failed);
        let seconds = server.seen().iter().filter(|request| request.path == "/second").count();
        assert_eq!(run.errors(), &json!({"closed": seconds}));
        assert_eq!(sum(&run, "reconnected"), 0);
    }
}

#[test]
fn connections_of_sub_resources_are_made_anew_and_counted_too() {
    let server = Server::talking(|request, stream| {
        let page = response("200 OK", "Content-Type: text/html\r\n", "<img src=/a><img src=/b><img src=/c>");
        let _ = stream.write_all(page.as_bytes());
        if request.path == "/b" { Then::Close } else { Then::Keep }
    });
    let mut plan = plan(&server.target());
    plan["connections"] = "keep".into();
    plan["think"] = json!({"constant_ms": 60});
    plan["phases"]["measure_ms"] = 600.into();
    plan["sub_resources"] = json!({"connections": 2, "cache": "none"});
    let run = run_until(&plan, || server.forget(), |run| run.valid("home") > 3);
    assert_eq!(run.errors(), &json!({}));
    assert_eq!(sum(&run, "reconnected"), sum(&run, "connections") - 2);
    assert!(sum(&run, "reconnected") > 2);
}
