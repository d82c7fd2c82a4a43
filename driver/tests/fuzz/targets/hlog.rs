//! Lines of a run, to be made into an `HdrHistogram` log.

use middlemark_driver::output::hlog;

/// Any bytes as lines: either a log or an error.
pub fn hold(bytes: &[u8]) {
    let mut out = Vec::new();
    match hlog::convert(bytes, &mut out) {
        Ok(()) => assert!(out.starts_with(b"#[Histogram log format version 1.3]\n"), "no head"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
