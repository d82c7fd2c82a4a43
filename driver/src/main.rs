//! `middlemark-driver`: see `docs/reference/driver.md`.

// They panic where nobody reads any more.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cli;

use std::io::{self, Write as _};
use std::panic;
use std::process::{self, ExitCode};

use clap::Parser;

fn main() -> ExitCode {
    end_at_a_panic();
    match cli::Cli::parse().execute() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "middlemark-driver: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Let the process end at any panic: a run must never go on half alive. That `end` is missing tells the reader.
///
/// The profile's `panic = "abort"` would do the same, but tests unwind, so every crate would be compiled twice for them.
fn end_at_a_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        report(what);
        process::abort();
    }));
}
