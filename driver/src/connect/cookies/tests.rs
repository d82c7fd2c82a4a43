//! What is taken, kept, sent and forgotten. The groups are those of the published tests of HTTP state management.

use super::*;

const NOW: i64 = 1_800_000_000; // 2027-01-15 08:00:00

fn at(path: &str) -> Place<'_> {
    Place { host: "shop.example.test", path, secure: false, now: NOW }
}

fn jar_from(lines: &[&str], place: Place<'_>) -> CookieJar {
    let mut jar = CookieJar::default();
    for line in lines {
        jar.set(line.as_bytes(), place);
    }
    jar
}

fn sent_to(jar: &mut CookieJar, place: Place<'_>) -> String {
    let mut out = Vec::new();
    jar.write(place, &mut out);
    let line = String::from_utf8_lossy(&out).into_owned();
    assert!(line.is_empty() || (line.starts_with("Cookie: ") && line.ends_with("\r\n")), "{line:?}");
    line.trim_start_matches("Cookie: ").trim_end_matches("\r\n").to_owned()
}

/// What goes back to the place where these lines were set.
fn sent(lines: &[&str]) -> String {
    sent_to(&mut jar_from(lines, at("/app/login?x=/y/z")), at("/app/login"))
}

#[test]
fn name_and_value_are_what_stands_around_the_first_equals_sign() {
    for (line, expected) in [
        ("a=1", "a=1"),
        (" a\t=  1 ;", "a=1"),
        ("a=1=2=", "a=1=2="),
        ("a=", "a="),
        ("a=\"1; b=2\"", "a=\"1"),
        ("a=\"x y\"", "a=\"x y\""),
        ("a b=c d, e=f", "a b=c d, e=f"),
        ("a=1; b=2", "a=1"),
        ("a=1;;;;", "a=1"),
        ("$Version=1; a=2", "$Version=1"),
        ("path=/x; path=/", "path=/x"),
    ] {
        assert_eq!(sent(&[line]), expected, "{line}");
    }
}

#[test]
fn lines_without_a_name_or_an_equals_sign_and_with_control_characters_set_nothing() {
    for line in [
        "",
        ";",
        "=",
        "=x",
        " =x",
        "novalue",
        "novalue; path=/",
        "; a=1",
        "a=1\u{1}",
        "a=\r\nEvil: 1",
        "a\0=1",
        "a=1\t2",
        "a\tb=1",
        "a=1; Comment=b\tc",
    ] {
        assert_eq!(sent(&[line]), "", "{line:?}");
    }
}

#[test]
fn a_name_that_promises_something_is_taken_only_with_it() {
    for (line, taken) in [
        ("__Secure-a=1; Secure", true),
        ("__Secure-a=1", false),
        ("__secure-a=1", false),
        ("__Host-a=1; Secure; Path=/", true),
        ("__Host-a=1; Path=/", false),
        ("__Host-a=1; Secure", false),
        ("__Host-a=1; Secure; Path=/; Domain=shop.example.test", false),
        ("__Hos=1", true),
    ] {
        let place = Place { secure: true, ..at("/") };
        assert_eq!(!sent_to(&mut jar_from(&[line], place), place).is_empty(), taken, "{line}");
    }
}

#[test]
fn name_and_value_have_a_longest_length_and_so_has_each_attribute() {
    let long = |letter: &str, length| letter.repeat(length);
    for (line, taken) in [
        (format!("a={}; Path=/", long("x", 4_095)), true),
        (format!("a={}", long("x", 4_096)), false),
        (format!("{}=1", long("n", 4_096)), false),
        // Too long to count.
        (format!("a=1; Path=/{}", long("p", 1_024)), true),
        (format!("a=1; Max-Age=0{}", long("0", 1_024)), true),
        (format!("a=1; Max-Age=0{}", long("0", 1_023)), false),
    ] {
        assert_eq!(!sent(&[&line]).is_empty(), taken, "{} bytes", line.len());
    }
}

#[test]
fn bytes_that_are_not_text_go_back_as_they_came() {
    let mut jar = CookieJar::default();
    jar.set(b"a=\xe4\xa0; path=/", at("/"));
    let mut out = Vec::new();
    jar.write(at("/"), &mut out);
    assert_eq!(out, b"Cookie: a=\xe4\xa0\r\n");
}

#[test]
fn a_cookie_goes_back_to_its_path_only() {
    for (set_at, line, requested, goes) in [
        ("/app/login?x=/y/z", "a=1", "/app/home", true),
        ("/app/login", "a=1", "/app", true),
        ("/app/login", "a=1", "/apple", false),
        ("/app/login", "a=1", "/", false),
        ("/login", "a=1", "/anything/else", true),
        ("/app/", "a=1", "/app/x", true),
        ("/x", "a=1; Path=/app", "/app/deep?q=1", true),
        ("/x", "a=1; Path=/app", "/app?q=/", true),
        ("/x", "a=1; Path=/app", "/application", false),
        ("/x", "a=1; Path=/app/", "/app", false),
        ("/x", "a=1; Path=/app/", "/app/x", true),
        ("/x", "a=1; PATH = /app ", "/app", true),
        ("/x", "a=1; Path=/App", "/app", false),
        ("/x", "a=1; Path=/app%2F", "/app/", false),
        ("/x/y", "a=1; Path=app", "/x/z", true),
        ("/x/y", "a=1; Path=", "/x/z", true),
        ("/x/y", "a=1; Path", "/app", false),
        ("/x/y", "a=1; Path=\"/app\"", "/x/z", true),
        ("/x/y", "a=1; Path=/app; Path=/other", "/other", true),
        ("/x/y", "a=1; Path=/app; Path=/other", "/app", false),
        ("/x/y", "a=1; Path=/app; Path=relative", "/x/z", true),
    ] {
        let mut jar = jar_from(&[line], at(set_at));
        assert_eq!(sent_to(&mut jar, at(requested)) == "a=1", goes, "{line} set at {set_at}, to {requested}");
    }
}

#[test]
fn a_cookie_goes_back_to_its_host_and_with_a_domain_to_the_hosts_below() {
    for (set_by, line, requested, goes) in [
        ("shop.example.test", "a=1", "shop.example.test", true),
        ("shop.example.test", "a=1", "www.shop.example.test", false),
        ("shop.example.test", "a=1", "example.test", false),
        ("shop.example.test", "a=1; Domain=example.test", "shop.example.test", true),
        ("shop.example.test", "a=1; Domain=example.test", "example.test", true),
        ("shop.example.test", "a=1; Domain=.Example.TEST", "deep.down.example.test", true),
        ("shop.example.test", "a=1; Domain=example.test", "badexample.test", false),
        ("shop.example.test", "a=1; Domain=shop.example.test", "www.shop.example.test", true),
        ("shop.example.test", "a=1; Domain=www.shop.example.test", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=www.shop.example.test", "www.shop.example.test", false),
        ("shop.example.test", "a=1; Domain=other.test", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=op.example.test", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=..example.test", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=test", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=", "shop.example.test", true),
        ("shop.example.test", "a=1; Domain=", "www.shop.example.test", false),
        ("shop.example.test", "a=1; Domain=.", "shop.example.test", false),
        ("shop.example.test", "a=1; Domain=other.test; Domain=example.test", "example.test", true),
        ("shop.example.test", "a=1; Domain=example.test; Domain=other.test", "example.test", false),
        ("localhost", "a=1; Domain=localhost", "localhost", true),
        ("localhost", "a=1; Domain=localhost", "www.localhost", false),
        ("127.0.0.1", "a=1; Domain=127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "a=1; Domain=0.0.1", "127.0.0.1", false),
        ("127.0.0.1", "a=1", "127.0.0.2", false),
        ("[::1]", "a=1", "[::1]", true),
    ] {
        let mut jar = jar_from(&[line], Place { host: set_by, ..at("/") });
        let went = sent_to(&mut jar, Place { host: requested, ..at("/") }) == "a=1";
        assert_eq!(went, goes, "{line} set by {set_by}, to {requested}");
    }
}

#[test]
fn a_secure_cookie_is_set_and_goes_over_encrypted_connections_only() {
    let lines = ["a=1; Secure", "b=2; secure=no", "c=3; insecure"];
    assert_eq!(sent_to(&mut jar_from(&lines, at("/")), Place { secure: true, ..at("/") }), "c=3");
    let mut jar = jar_from(&lines, Place { secure: true, ..at("/") });
    assert_eq!(sent_to(&mut jar, at("/")), "c=3");
    assert_eq!(sent_to(&mut jar, Place { secure: true, ..at("/") }), "a=1; b=2; c=3");
}

#[test]
fn a_secure_cookie_goes_to_this_machine_without_encryption_as_from_browsers() {
    for (host, goes) in [
        ("localhost", true),
        ("app.localhost", true),
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("::1", true),
        ("[::1]", true),
        ("localhost.example.test", false),
        ("10.0.0.1", false),
        ("notlocalhost", false),
    ] {
        let place = Place { host, ..at("/") };
        let mut jar = jar_from(&["a=1; Secure"], place);
        assert_eq!(sent_to(&mut jar, place) == "a=1", goes, "{host}");
    }
}

#[test]
fn the_value_of_a_cookie_is_that_which_would_be_sent() {
    let lines = ["a=1; Path=/", "a=2; Path=/app", "b=3; Secure"];
    let jar = jar_from(&lines, Place { secure: true, ..at("/") });
    assert_eq!(jar.value(b"a", at("/app/x")), Some(&b"2"[..]));
    assert_eq!(jar.value(b"a", at("/")), Some(&b"1"[..]));
    assert_eq!((jar.value(b"b", at("/")), jar.value(b"c", at("/"))), (None, None));
}

#[test]
fn a_cookie_lasts_until_its_max_age_or_else_its_date() {
    for (attributes, later, goes) in [
        ("", i64::MAX - NOW, true),
        ("; Max-Age=60", 59, true),
        ("; Max-Age=60", 60, false),
        ("; Max-Age=0", 0, false),
        ("; Max-Age=-1", 0, false),
        ("; Max-Age=-99999999999999999999", 0, false),
        ("; Max-Age=99999999999999999999", i64::MAX - NOW - 1, true),
        ("; Max-Age=", 999, true),
        ("; Max-Age=1e1", 999, true),
        ("; Max-Age=+1", 0, true),
        ("; Max-Age=+1", 1, false),
        ("; Max-Age=\"1\"", 999, true),
        ("; Max-Age=-", 999, true),
        ("; Max-Age=60; Max-Age=5", 10, false),
        ("; Max-Age=5; Max-Age=soon", 10, false),
        ("; Expires=Fri, 15 Jan 2027 08:01:00 GMT", 59, true),
        ("; Expires=Fri, 15 Jan 2027 08:01:00 GMT", 60, false),
        ("; expires=Thu, 01-Jan-1970 00:00:00 GMT", 0, false),
        ("; Expires=never", 999, true),
        ("; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=never", 0, false),
        ("; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", 59, true),
        ("; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 59, true),
        ("; Max-Age=0; Expires=Fri, 15 Jan 2037 08:00:00 GMT", 0, false),
    ] {
        let mut jar = jar_from(&[&format!("a=1{attributes}")], at("/"));
        let went = sent_to(&mut jar, Place { now: NOW + later, ..at("/") }) == "a=1";
        assert_eq!(went, goes, "a=1{attributes} after {later} s");
    }
}

#[test]
fn a_cookie_is_replaced_by_one_of_the_same_name_domain_and_path() {
    for (lines, expected) in [
        (&["a=1", "a=2"][..], "a=2"),
        (&["a=1", "b=2", "a=3"], "a=3; b=2"),
        (&["a=1; Path=/", "a=2"], "a=2; a=1"),
        (&["a=1", "A=2"], "a=1; A=2"),
        (&["a=1; Domain=shop.example.test", "a=2"], "a=2"),
        (&["a=1; Domain=example.test", "a=2"], "a=1; a=2"),
        (&["a=1", "a=2; Secure"], "a=1"),
        (&["a=1", "a=; Max-Age=0"], ""),
        (&["a=1", "a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], ""),
        (&["a=1; Path=/", "a=x; Max-Age=0"], "a=1"),
        (&["a=1; Max-Age=0", "a=2"], "a=2"),
    ] {
        assert_eq!(sent(lines), expected, "{lines:?}");
    }
}

#[test]
fn longer_paths_come_first_then_older_cookies() {
    let lines = [
        "a=1; Path=/",
        "b=2; Path=/app/deep",
        "c=3; Path=/app",
        "d=4; Path=/",
        "e=5; Path=/app",
        "a=6; Path=/",
    ];
    let mut jar = jar_from(&lines, at("/"));
    assert_eq!(sent_to(&mut jar, at("/app/deep/x")), "b=2; c=3; e=5; a=6; d=4");
}

#[test]
fn a_domain_keeps_so_many_cookies_and_the_least_recently_used_makes_room() {
    let mut jar = CookieJar::default();
    for number in 0..MAX_PER_DOMAIN {
        jar.set(format!("c{number}=x; Path=/{number}").as_bytes(), at("/"));
    }
    for number in (0..MAX_PER_DOMAIN).filter(|&number| number != 7) {
        let path = format!("/{number}");
        assert_eq!(sent_to(&mut jar, Place { now: NOW + 1, ..at(&path) }), format!("c{number}=x"));
    }
    jar.set(b"new=1; Path=/", Place { now: NOW + 2, ..at("/") });
    assert_eq!(jar.0.len(), MAX_PER_DOMAIN);
    assert_eq!(sent_to(&mut jar, at("/7")), "new=1");
    assert_eq!(sent_to(&mut jar, at("/8")), "c8=x; new=1");
}

#[test]
fn cookies_that_are_over_make_room_before_others() {
    let mut jar = CookieJar::default();
    jar.set(b"old=1", at("/"));
    for number in 1..MAX_PER_DOMAIN {
        jar.set(format!("c{number}=x; Max-Age=5").as_bytes(), Place { now: NOW + 1, ..at("/") });
    }
    jar.set(b"new=1", Place { now: NOW + 6, ..at("/") });
    assert_eq!(sent_to(&mut jar, Place { now: NOW + 6, ..at("/") }), "old=1; new=1");
    assert_eq!(jar.0.len(), 2);
}

#[test]
fn a_server_cannot_fill_the_memory() {
    let mut jar = CookieJar::default();
    for number in 0..1_000 {
        let host = format!("h{}.example.test", number % 20);
        jar.set(format!("c{number}=x").as_bytes(), Place { host: &host, ..at("/") });
    }
    assert_eq!(jar.0.len(), MAX_PER_USER);
}
