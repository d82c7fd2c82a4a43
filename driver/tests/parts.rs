//! The parts of the driver, and which others each may know: never one that knows it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Each part with those it knows. It may only know parts that stand above it.
const PARTS: [(&str, &[&str]); 16] = [
    ("pace", &[]),
    ("workload", &["pace"]),
    ("connect", &["pace", "workload"]),
    ("measure", &["pace", "workload"]),
    ("output", &["pace", "workload", "measure"]),
    ("visitors", &["pace", "workload"]),
    ("context", &["pace", "workload", "connect", "measure", "visitors"]),
    ("exchange", &["pace", "workload", "connect", "measure", "context"]),
    ("sub_resources", &["pace", "workload", "connect", "measure", "context", "exchange"]),
    ("browser", &["pace", "workload", "connect", "measure", "context", "exchange", "sub_resources"]),
    ("transaction", &["pace", "workload", "connect", "measure", "context", "exchange", "browser"]),
    ("user", &["pace", "workload", "measure", "context", "transaction"]),
    ("event_loop", &["pace", "measure", "context", "user"]),
    ("run", &["pace", "workload", "connect", "measure", "output", "context", "event_loop"]),
    ("get", &["pace", "workload", "measure", "output", "run"]),
    ("merge", &["pace", "workload", "measure", "output"]),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files of a part: `name.rs`, and all below `name/`.
fn files(part: &str) -> Vec<PathBuf> {
    let mut found = vec![source().join(format!("{part}.rs"))];
    let mut folders = vec![source().join(part)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.is_file());
    found
}

#[test]
fn a_part_knows_only_those_that_it_may_know() {
    let named = Regex::new(r"\bcrate::(?:([a-z_]+)|\{([^}]*)\})").expect("an expression");
    for (number, (part, known)) in PARTS.iter().enumerate() {
        let above: Vec<_> = PARTS[..number].iter().map(|(name, _)| *name).collect();
        assert!(known.iter().all(|name| above.contains(name)), "{part} may know only what stands above it");
        for file in files(part) {
            let text = fs::read_to_string(&file).expect("text");
            for found in named.captures_iter(&text) {
                assert!(found.get(2).is_none(), "{}: one `use` for each part", file.display());
                let name = &found[1];
                assert!(name == *part || known.contains(&name), "{}: may not know {name}", file.display());
            }
        }
    }
}

#[test]
fn each_module_is_a_part() {
    let library = fs::read_to_string(source().join("lib.rs")).expect("text");
    let modules: BTreeSet<_> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(modules, PARTS.iter().map(|(name, _)| *name).collect());
    assert!(PARTS.iter().all(|(name, _)| !files(name).is_empty()));
}
