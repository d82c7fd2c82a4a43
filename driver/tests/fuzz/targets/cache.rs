//! Header lines that tell how long a response may be kept.

use httparse::{EMPTY_HEADER, Status};
use middlemark_driver::connect::cache::{Cache, Keeping, Known};

const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

/// Any bytes as header lines.
pub fn hold(bytes: &[u8]) {
    let mut room = [EMPTY_HEADER; 16];
    let block = [bytes, b"\r\n\r\n"].concat();
    let Ok(Status::Complete((_, headers))) = httparse::parse_headers(&block, &mut room) else { return };
    let mut cache = Cache::default();
    cache.store(1, "/a", Keeping::read(headers, NOW), NOW);
    assert_eq!((cache.look_up(0, "/a", NOW), cache.look_up(1, "/b", NOW)), (Known::No, Known::No));
    check_ageing(&cache);
    check_conditions(&cache);
    let unchanged = cache.look_up(1, "/a", NOW) != Known::No;
    cache.validated(1, "/a", Keeping::read(headers, NOW + 5), NOW + 5);
    assert!(unchanged || cache.look_up(1, "/a", NOW + 5) == Known::No, "it came from nowhere");
    check_ageing(&cache);
    check_conditions(&cache);
    cache.clear();
    assert_eq!(cache.look_up(1, "/a", NOW), Known::No);
}

/// What is stale stays so.
fn check_ageing(cache: &Cache) {
    let mut before = Known::Fresh;
    for seconds in [0, 1, 60, 86_400, 1 << 40] {
        let known = cache.look_up(1, "/a", NOW + 5 + seconds);
        assert!(known == before || before == Known::Fresh, "{before:?}, later {known:?}");
        before = known;
    }
}

/// What asks for a changed sub-resource is whole header lines.
fn check_conditions(cache: &Cache) {
    let mut out = Vec::new();
    let asks = cache.write_conditions(1, "/a", &mut out);
    assert_eq!(asks, cache.look_up(1, "/a", NOW + 5) != Known::No);
    for line in out.split_inclusive(|&byte| byte == b'\n') {
        let names = [b"If-None-Match: ".as_slice(), b"If-Modified-Since: "];
        let is_whole = line.ends_with(b"\r\n") && !line[..line.len() - 2].contains(&b'\r');
        assert!(is_whole && names.iter().any(|name| line.starts_with(name)), "{line:?}");
    }
}
