//! Any bytes as calls that an application reports.

use std::time::Duration;

use middlemark_driver::workload::calls::{CALL_BYTES, Call, CallReader};

use super::cuts;

/// The calls, and what is wrong with the body.
type Outcome = (Vec<Call>, Option<String>);

/// However the bytes are cut, the calls and what is wrong are the same; the calls follow each other.
pub fn hold(bytes: &[u8]) {
    let whole = outcome([bytes]);
    for pieces in cuts::ways(bytes) {
        assert_eq!(outcome(pieces), whole);
    }
    let (calls, problem) = whole;
    let mut ended = Duration::ZERO;
    for (call, bytes) in calls.iter().zip(bytes.chunks(CALL_BYTES)) {
        assert!(call.begun >= ended, "{call:?} before {ended:?}");
        assert_eq!((call.outcome, call.id.to_be_bytes().as_slice()), (bytes[15], &bytes[16..]));
        ended = call.begun + call.took;
    }
    assert_eq!(problem.is_none(), calls.len() * CALL_BYTES == bytes.len(), "{problem:?}");
}

fn outcome<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (mut reader, mut calls) = (CallReader::default(), Vec::new());
    for piece in pieces {
        if reader.read(piece, |call| calls.push(call)).is_err() {
            break;
        }
    }
    (calls, reader.problem())
}
