//! libFuzzer on one of the targets of `driver/tests/fuzz/targets/`: that whose name the variable `FUZZ_TARGET` holds.
#![no_main]

#[allow(dead_code, reason = "to cut at every place takes too long here; the replay does")]
#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

use std::env;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fn chosen() -> fn(&[u8]) {
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    let found = targets::TARGETS.iter().find(|(target, _)| *target == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET is `{name}`; set it to the name of a target")).1
}

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();
    TARGET.get_or_init(chosen)(bytes);
});
