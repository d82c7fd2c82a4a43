//! The `HdrHistogram` log of a run, read by the format's own library.

use std::io::Write;
use std::process::{Command, Output};
use std::time::Duration;

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::driver::{Run, plan, run_until, step};
use crate::server::{Server, page};

fn hlog_of(lines: &str) -> Output {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(lines.as_bytes()).expect("lines");
    let mut driver = Command::new(env!("CARGO_BIN_EXE_middlemark-driver"));
    driver.arg("hlog").arg(file.path()).output().expect("the program starts")
}

fn text_of(run: &Run) -> String {
    run.lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_log_holds_the_window_by_transaction() {
    let server = Server::responding(|_| page(""));
    let mut plan = plan(&server.target());
    plan["phases"]["ramp_ms"] = 200.into();
    plan["phases"]["measure_ms"] = 1300.into();
    plan["steps"] = vec![step("home", "/"), step("a list, long", "/list")].into();
    let run = run_until(&plan, || {}, |run| run.valid("home") > 20);
    let killed = text_of(&run) + "\n{\"v\":1,\"t_ns\":17";
    let output = hlog_of(&killed);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut counts = [0; 2];
    let mut bases = 0;
    for entry in IntervalLogIterator::new(&output.stdout) {
        match entry.expect("an entry") {
            LogEntry::BaseTime(_) => bases += 1,
            LogEntry::StartTime(_) => {}
            LogEntry::Interval(entry) => {
                let number = match entry.tag().expect("a tag").as_str() {
                    "home" => 0,
                    "a_list__long" => 1,
                    other => panic!("{other}"),
                };
                let bytes = base64::engine::general_purpose::STANDARD.decode(entry.encoded_histogram());
                let histogram: Histogram<u64> =
                    Deserializer::new().deserialize(&mut bytes.expect("base64").as_slice()).expect("V2");
                counts[number] += histogram.len();
                let max_ms = Duration::from_micros(histogram.max()).as_secs_f64() * 1_000.0;
                assert!((entry.max() - max_ms).abs() < 0.001);
            }
        }
    }
    assert_eq!(bases, 1);
    let counted = |name: &str| {
        let intervals = run.intervals("measure").into_iter();
        intervals.filter_map(|line| line["transactions"][name]["count"].as_u64()).sum::<u64>()
    };
    assert_eq!(counts, [counted("home"), counted("a list, long")]);
    assert!(counts[0] > 0);
}

#[test]
fn what_is_no_run_is_refused_with_the_line() {
    let hello = json!({
        "v": 1, "t_ns": 0, "type": "hello", "driver": "0.1.0", "wall_clock": "2026-01-31T08:00:00Z", "monotonic_ns": 0,
        "seed": 1, "plan_sha256": "", "name": "n", "run": "r", "users": 1, "threads": 1, "pid": 1,
    })
    .to_string()
        + "\n";
    for (lines, message) in [
        ("", "does not begin with `hello`"),
        ("{\"v\":1,\"t_ns\":0,\"type\":\"phase\",\"phase\":\"ramp\"}\n", "does not begin with `hello`"),
        (&format!("{hello}nonsense\n"), "line 2 is not a line of the driver"),
    ] {
        let output = hlog_of(lines);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(message), "{stderr}");
    }
}
