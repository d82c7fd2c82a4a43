//! `middlemark-driver`: see `docs/reference/driver.md`.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::Cli::parse().execute() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("middlemark-driver: {error:#}");
            ExitCode::FAILURE
        }
    }
}
