//! Lines that no one reads any more, or that have no room.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};

use tempfile::NamedTempFile;

use crate::driver::{plan, run_plan};
use crate::server::{Server, page};

/// Where writing is refused as by a pipe that no one reads.
fn unread() -> Stdio {
    let (reader, writer) = UnixStream::pair().expect("two ends");
    drop(reader);
    OwnedFd::from(writer).into()
}

fn full() -> Stdio {
    File::create("/dev/full").expect("Linux has it").into()
}

fn driver(arguments: &[&str], stdout: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_middlemark-driver"));
    let child = command.args(arguments).stdout(stdout).stderr(Stdio::piped()).spawn();
    child.and_then(std::process::Child::wait_with_output).expect("the program runs")
}

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("it is written");
    file
}

/// Each command that writes to stdout does it with these arguments.
fn every_command(then: impl Fn(&[&str])) {
    let server = Server::responding(|_| page("fine"));
    let plan = plan(&server.target());
    let plan_file = file(&plan.to_string());
    let lines = run_plan(&plan).lines.iter().map(|line| line.to_string() + "\n").collect::<String>();
    let lines = file(&lines);
    let path = |file: &NamedTempFile| file.path().display().to_string();
    then(&["run", &path(&plan_file)]);
    then(&["get", &server.target(), "-d", "100ms"]);
    then(&["hlog", &path(&lines)]);
}

#[test]
fn a_full_disk_is_one_line_and_a_failure() {
    every_command(|arguments| {
        let output = driver(arguments, full());
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1), "{arguments:?}: {text}");
        assert!(text.starts_with("stdout cannot be written: No space left"), "{text}");
    });
}

#[test]
fn what_no_one_reads_ends_quietly() {
    every_command(|arguments| {
        let output = driver(arguments, unread());
        assert_eq!((output.status.code(), output.stderr), (Some(130), Vec::new()), "{arguments:?}");
    });
}

#[test]
fn a_message_that_no_one_reads_changes_no_exit_status() {
    for stderr in [unread(), full()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_middlemark-driver"));
        let status = command.args(["run", "/no/such/plan.json"]).stderr(stderr).status();
        assert_eq!(status.expect("the program runs").code(), Some(2));
    }
}
