//! Lines of `Set-Cookie` with their dates. A line `@host/path` says who sets those that follow.

use middlemark_driver::connect::CookieJar;
use middlemark_driver::connect::cookie_date;
use middlemark_driver::connect::cookies::Place;

const NOW: i64 = 1_700_000_000;

/// Most bytes of a line, and cookies of a user, by the reference.
const LONGEST: usize = 4_096;
const MAX_COOKIES: usize = 200;

/// Any lines.
pub fn hold(bytes: &[u8]) {
    let mut jar = CookieJar::default();
    let mut place = Place { host: "shop.example.org", path: "/a/b?c", secure: false, now: NOW };
    let mut hosts = vec![place.host];
    for line in bytes.split(|&byte| byte == b'\n') {
        check_date(line);
        if let Some((host, path)) = line.strip_prefix(b"@").and_then(read_place) {
            place = Place { host, path, secure: path.len() % 2 == 0, now: place.now + 1 };
            hosts.push(host);
            continue;
        }
        jar.set(line, place);
        check_sent(&mut jar, place);
        let once = sent(&mut jar, place);
        jar.set(line, place);
        assert_eq!(sent(&mut jar, place), once, "set twice");
    }
    for host in [place.host, "127.0.0.1", "localhost", "org"] {
        check_sent(&mut jar, Place { host, path: "/", secure: true, now: NOW + 1_000 });
    }
    let stranger = "shop.example.net";
    if hosts.iter().all(|host| !host.ends_with("net")) {
        let place = Place { host: stranger, path: "/", secure: true, now: NOW };
        assert!(sent(&mut jar, place).is_empty(), "cookies went to a stranger");
    }
    jar.clear();
    assert!(jar.is_empty() && sent(&mut jar, place).is_empty());
}

/// A host in lower case and a path, as a target and a request have them.
fn read_place(text: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    let is_fit = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    text.bytes().all(is_fit).then_some(())?;
    let (host, path) = text.split_at(text.find('/')?);
    (!host.is_empty()).then_some((host, path))
}

fn sent(jar: &mut CookieJar, place: Place<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    jar.write(place, &mut out);
    out
}

/// What is sent is nothing, or one header line.
fn check_sent(jar: &mut CookieJar, place: Place<'_>) {
    let out = sent(jar, place);
    if out.is_empty() {
        return;
    }
    let cookies =
        out.strip_prefix(b"Cookie: ").and_then(|line| line.strip_suffix(b"\r\n")).expect("one line");
    assert!(cookies.iter().all(|byte| !byte.is_ascii_control() || *byte == b'\t'), "{cookies:?}");
    let pairs = cookies.split(|&byte| byte == b';').count();
    assert!(
        pairs <= MAX_COOKIES && out.len() <= MAX_COOKIES * (LONGEST + 2),
        "{pairs} cookies, {} bytes",
        out.len()
    );
}

fn check_date(text: &[u8]) {
    let date = cookie_date::parse(text);
    // From 1601 to 9999.
    assert!(date.is_none_or(|date| (-11_644_473_600..253_402_300_800).contains(&date)), "{date:?}");
    assert_eq!(cookie_date::parse(&text.to_ascii_uppercase()), date);
}
