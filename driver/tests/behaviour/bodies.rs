//! What requests carry: methods, bytes, files, and servers that answer before they have read everything.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::driver::{Run, plan, run_plan, run_until, step};
use crate::nginx::Nginx;
use crate::server::{Server, page, response};

/// More than the kernel keeps of a connection, on either side.
const LONG: usize = 24 << 20;

/// Bytes of which each piece can be told from the next, and that are not UTF-8.
fn bytes(length: usize) -> Vec<u8> {
    (0_u32..).flat_map(|number| (number | 0x8000_0000).to_be_bytes()).take(length).collect()
}

fn file_of(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("it is written");
    file
}

/// One user who sends a body once and again.
fn sending(target: &str, method: &str, body: Value) -> Value {
    let mut plan = plan(target);
    plan["connections"] = "keep".into();
    plan["steps"] = vec![step("send", "/")].into();
    plan["steps"][0]["method"] = method.into();
    plan["steps"][0]["body"] = body;
    plan["timeouts_ms"]["response"] = 60_000.into();
    plan["phases"]["drain_ms"] = 60_000.into();
    plan["limits"]["body_bytes"] = (2 * LONG).into();
    plan
}

fn enough(run: &Run) -> bool {
    run.valid("send") > 2
}

/// Reads the head of a request; returns it with what came of the body, and how long that is.
fn head(stream: &mut impl Read) -> Option<(String, Vec<u8>, usize)> {
    let mut came = Vec::new();
    let mut piece = vec![0; 4_096];
    loop {
        if let Some(end) = came.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(came[..end].to_vec()).expect("text");
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let length = length.map_or(0, |length| length.parse().expect("a length"));
            return Some((head, came.split_off(end + 4), length));
        }
        match stream.read(&mut piece) {
            Ok(read @ 1..) => came.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

/// Reads requests to their ends and answers each: `fine` if its body is this one.
fn compare(stream: &mut (impl Read + Write), expected: &[u8]) {
    while let Some((_, mut body, length)) = head(stream) {
        let rest = (length - body.len()) as u64;
        if stream.take(rest).read_to_end(&mut body).is_err() {
            return;
        }
        let verdict = if body == expected { "fine" } else { "something else" };
        let _ = stream.write_all(page(verdict).as_bytes()).and_then(|()| stream.flush());
    }
}

#[test]
fn every_method_is_sent_with_its_body_and_a_delete_may_have_none() {
    let server = Server::responding(|request| {
        let length = request.header("Content-Length").unwrap_or("none");
        page(&format!("{} {} {length}", request.method, request.body))
    });
    for (method, body, marker) in [
        ("POST", json!("a=${n}"), "POST a=7 3"),
        ("PUT", json!("a=${n}"), "PUT a=7 3"),
        ("PATCH", json!("a=${n}"), "PATCH a=7 3"),
        ("DELETE", json!("a=${n}"), "DELETE a=7 3"),
        ("PUT", Value::Null, "PUT  0"),
        ("DELETE", Value::Null, "DELETE  none"),
        ("PUT", json!({"base64": "YWJj"}), "PUT abc 3"),
    ] {
        let mut plan = sending(&server.target(), method, body);
        plan["feeds"] = json!([{"name": "n", "per": "step", "range": {"from": 7, "to": 8}}]);
        plan["steps"][0]["expect"]["marker"] = marker.into();
        assert_eq!(run_plan(&plan).errors(), &json!({}), "{marker}");
    }
}

#[test]
fn a_303_is_followed_with_a_get_and_a_302_with_the_same_method_unless_it_was_a_post() {
    for (method, status, then) in
        [("PUT", "303 See Other", "GET"), ("PUT", "302 Found", "PUT"), ("POST", "302 Found", "GET")]
    {
        let server = Server::responding(move |request| match request.path.as_str() {
            "/" => response(status, "Location: /then\r\n", ""),
            _ => page(&format!("{} {}", request.method, request.body)),
        });
        let mut plan = sending(&server.target(), method, json!({"base64": "YWJj"}));
        let body = if then == "GET" { "" } else { "abc" };
        plan["steps"][0]["expect"]["marker"] = format!("{then} {body}").into();
        assert_eq!(run_plan(&plan).errors(), &json!({}), "{method} {status}");
    }
}

#[test]
fn a_long_file_arrives_byte_by_byte_and_keeps_its_connection() {
    let content = Arc::new(bytes(LONG));
    let expected = Arc::clone(&content);
    let server = Server::raw(move |_, mut stream| compare(&mut stream, &expected));
    let file = file_of(&content);
    let mut plan = sending(&server.target(), "PUT", json!({"file": file.path()}));
    plan["steps"][0]["expect"]["marker"] = "fine".into();
    let run = run_until(&plan, || {}, enough);
    assert_eq!(run.errors(), &json!({}));
    let sum = |key: &str| -> u64 {
        run.of("interval").iter().map(|line| line[key].as_u64().expect("a count")).sum()
    };
    assert_eq!(sum("connections"), 1);
    let each = sum("bytes_sent") / run.valid("send");
    assert!((LONG as u64..LONG as u64 + 500).contains(&each), "{each}");
}

#[test]
fn a_long_file_arrives_encrypted_too() {
    let own = generate_simple_self_signed(vec!["127.0.0.1".into()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![own.cert.der().clone()], key).expect("a pair"));
    let content = Arc::new(bytes(4 << 20));
    let expected = Arc::clone(&content);
    let server = Server::raw(move |_, stream| {
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        compare(&mut StreamOwned::new(session, stream), &expected);
    });
    let file = file_of(&content);
    let mut plan = sending(&server.target().replace("http:", "https:"), "POST", json!({"file": file.path()}));
    plan["tls"] = json!({"insecure": true});
    plan["steps"][0]["expect"]["marker"] = "fine".into();
    assert_eq!(run_until(&plan, || {}, enough).errors(), &json!({}));
}

/// Sends back what comes as it comes, and so reads no further while nobody takes it.
fn echo(mut stream: TcpStream) {
    while let Some((_, begun, length)) = head(&mut stream) {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
        let mut back = stream.try_clone().expect("a second handle");
        let rest = (length - begun.len()) as u64;
        let sent = back.write_all(head.as_bytes()).and_then(|()| back.write_all(&begun));
        if sent.and_then(|()| std::io::copy(&mut (&mut stream).take(rest), &mut back)).is_err() {
            return;
        }
    }
}

#[test]
fn an_echo_of_more_than_the_kernel_keeps_does_not_stand_still() {
    let server = Server::raw(|_, stream| echo(stream));
    let mut content = bytes(LONG);
    content.extend_from_slice(b"the end of it");
    let file = file_of(&content);
    let mut plan = sending(&server.target(), "POST", json!({"file": file.path()}));
    plan["steps"][0]["expect"]["marker"] = "the end of it".into();
    let run = run_until(&plan, || {}, enough);
    assert_eq!(run.errors(), &json!({}));
}

#[test]
fn a_response_that_comes_before_everything_was_read_is_the_response() {
    let refusal = response("413 Content Too Large", "", "no");
    let file = file_of(&bytes(LONG));
    for keeps in [false, true] {
        let refusal = refusal.clone();
        let held = Mutex::new(Vec::new());
        let server = Server::raw(move |_, mut stream| {
            if head(&mut stream).is_none() || stream.write_all(refusal.as_bytes()).is_err() {
                return;
            }
            if keeps {
                // It neither reads any further nor closes.
                held.lock().expect("no panic").push(stream);
            } else {
                // As servers do, so that no reset overtakes the response.
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = std::io::copy(&mut stream.take(1 << 20), &mut std::io::sink());
            }
        });
        let mut plan = sending(&server.target(), "POST", json!({"file": file.path()}));
        plan["steps"][0]["expect"] = json!({"status": 413, "marker": "no"});
        let run = run_until(&plan, || {}, enough);
        assert_eq!(run.errors(), &json!({}));
        let opened: u64 =
            run.of("interval").iter().map(|line| line["connections"].as_u64().expect("a count")).sum();
        assert_eq!(opened, run.valid("send"), "nothing else can be sent where a request has no end");
    }
}

#[test]
fn nginx_refuses_a_long_body_before_it_has_come() {
    let nginx =
        Nginx::with("client_max_body_size 1m; error_log /dev/null;", &[("index.html", "<h1>Welcome</h1>")]);
    let file = file_of(&bytes(LONG));
    let mut plan = sending(&nginx.target(), "POST", json!({"file": file.path()}));
    plan["steps"][0]["expect"]["status"] = 413.into();
    assert_eq!(run_until(&plan, || {}, enough).errors(), &json!({}));
}

#[test]
fn a_body_that_cannot_be_read_is_a_wrong_plan() {
    for (body, words) in [
        (json!({"file": "/no/such/file"}), "/no/such/file cannot be read"),
        (json!({"file": "/dev/zero"}), "/dev/zero is not a file"),
        (json!({"base64": "%"}), "is not base64"),
    ] {
        let run = crate::driver::start(
            &sending("http://127.0.0.1:1", "PUT", body),
            &[],
            std::process::Stdio::null(),
        )
        .finish();
        assert_eq!(run.status, Some(2));
        assert!(run.stderr.contains("step `send`: body") && run.stderr.contains(words), "{}", run.stderr);
    }
}
