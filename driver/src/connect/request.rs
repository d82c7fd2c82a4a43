//! Writes the parts of a request that belong to HTTP, not to the step.

use std::io::Write as _;

use crate::workload::transport::HttpVersion;

/// Request line and `Host`.
pub fn start(out: &mut Vec<u8>, method: &str, path: &str, version: HttpVersion, authority: &str) {
    let version = match version {
        HttpVersion::Http10 => " HTTP/1.0\r\nHost: ",
        HttpVersion::Http11 => " HTTP/1.1\r\nHost: ",
    };
    for part in [method, " ", path, version, authority, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}

/// The end of the header of a request without a payload.
pub fn finish(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\r\n");
}

/// The end of the header of a request with this payload, and the payload. So many `bytes` more follow.
pub fn finish_with(out: &mut Vec<u8>, payload: &[u8], bytes: usize) {
    // Writing to memory does not fail.
    let _ = write!(out, "Content-Length: {}\r\n\r\n", payload.len() + bytes);
    out.extend_from_slice(payload);
}
