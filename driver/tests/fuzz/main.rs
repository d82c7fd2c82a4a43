//! Replays the corpus: bytes that a fuzzer found worth keeping (`driver/fuzz/`), and some written by hand.

mod targets;

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use targets::{TARGETS, responses};

/// Most bytes of all files.
const MAX_BYTES: usize = 512 * 1_024;

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("a file"));
    files.map(|file| read(file.expect("an entry").path())).collect()
}

/// Runs `hold` on each file; returns those on which it panicked.
fn broken(files: &[(PathBuf, Vec<u8>)], hold: fn(&[u8])) -> Vec<String> {
    let breaks = |bytes: &[u8]| panic::catch_unwind(|| hold(bytes)).is_err();
    let broken = files.iter().filter(|(_, bytes)| breaks(bytes));
    broken.map(|(path, _)| path.display().to_string()).collect()
}

#[test]
fn every_promise_holds_on_the_whole_corpus() {
    for (target, hold) in TARGETS {
        let files = corpus(target);
        assert!(!files.is_empty(), "{target} has no corpus");
        assert_eq!(broken(&files, hold), [""; 0], "{target}");
    }
}

#[test]
fn a_response_is_the_same_wherever_it_is_cut_in_two() {
    assert_eq!(broken(&corpus("responses"), responses::hold_at_every_cut), [""; 0]);
}

#[test]
fn a_broken_promise_is_reported_with_its_file() {
    let files = [(PathBuf::from("good"), b"a".to_vec()), (PathBuf::from("bad"), b"b".to_vec())];
    assert_eq!(broken(&files, |bytes| assert_eq!(bytes, b"a")), ["bad"]);
}

#[test]
fn the_corpus_is_small() {
    let all = TARGETS.iter().flat_map(|(target, _)| corpus(target));
    let bytes: usize = all.map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes < MAX_BYTES, "{bytes} bytes");
}
