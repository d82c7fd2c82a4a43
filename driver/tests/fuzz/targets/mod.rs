//! What is fuzzed. A target takes any bytes and panics where the driver breaks a promise; the first is not to panic.
//!
//! `fuzz/` lets libFuzzer look for such bytes, the tests beside this folder replay those it has found worth keeping.

pub mod cache;
pub mod calls;
pub mod chunks;
pub mod cookies;
pub mod cuts;
pub mod gzip;
pub mod hlog;
pub mod json;
pub mod locations;
pub mod pages;
pub mod plans;
pub mod responses;
pub mod validations;

/// A name, and what is done with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All of them, by name: that of their folder in `corpus/`.
pub const TARGETS: [Target; 12] = [
    ("cache", cache::hold),
    ("calls", calls::hold),
    ("chunks", chunks::hold),
    ("cookies", cookies::hold),
    ("gzip", gzip::hold),
    ("hlog", hlog::hold),
    ("json", json::hold),
    ("locations", locations::hold),
    ("pages", pages::hold),
    ("plans", plans::hold),
    ("responses", responses::hold),
    ("validations", validations::hold),
];

/// The first line, without its end, and what follows.
pub fn first_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n');
    end.map_or((bytes, &[]), |end| (&bytes[..end], &bytes[end + 1..]))
}
