//! Makes the lines of several drivers those of one, as a user does.

use std::io::Write;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::driver::{Run, decoded, start};

/// Time for some programs to begin; on a busy machine they need longer.
const AHEAD: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// The moment that is `ahead` from now, as a plan names it.
pub fn moment(ahead: Duration) -> String {
    humantime::format_rfc3339_millis(SystemTime::now() + ahead).to_string()
}

/// Runs a plan with so many drivers, which begin together.
pub fn run_shared(plan: &Value, of: usize) -> Vec<Run> {
    for ahead in AHEAD {
        let begin = moment(ahead);
        let driver = |index| {
            let mut plan = plan.clone();
            plan["start"] = begin.as_str().into();
            plan["share"] = json!({"index": index, "of": of});
            start(&plan, &[], std::process::Stdio::null())
        };
        let drivers: Vec<_> = (0..of).map(driver).collect();
        let runs: Vec<Run> = drivers.into_iter().map(crate::driver::Running::finish).collect();
        if runs.iter().all(|run| run.status == Some(0)) {
            return runs;
        }
        let late = |run: &&Run| run.stderr.contains("is past");
        assert!(runs.iter().any(|run| late(&run)), "{runs:?}");
    }
    panic!("this machine never began {of} programs in time")
}

/// Runs `merge` on files of these texts.
pub fn merge_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> (Output, Vec<NamedTempFile>) {
    let files: Vec<NamedTempFile> = texts
        .into_iter()
        .map(|text| {
            let mut file = NamedTempFile::new().expect("a temporary file");
            file.write_all(text.as_bytes()).expect("lines");
            file
        })
        .collect();
    let mut driver = Command::new(env!("CARGO_BIN_EXE_middlemark-driver"));
    driver.arg("merge").args(files.iter().map(NamedTempFile::path));
    (driver.output().expect("the program starts"), files)
}

/// The lines as they stand in a file.
pub fn text_of(lines: &[Value]) -> String {
    let texts: Vec<String> = lines.iter().map(Value::to_string).collect();
    texts.join("\n") + "\n"
}

/// The merged lines of these drivers.
pub fn merge<'a>(drivers: impl IntoIterator<Item = &'a Run>) -> Run {
    let texts: Vec<String> = drivers.into_iter().map(|run| text_of(&run.lines)).collect();
    let (output, _files) = merge_texts(texts.iter().map(String::as_str));
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    Run { status: output.status.code(), lines, stderr }
}

/// The sum of the histograms at a JSON pointer of these lines.
pub fn added<'a>(lines: impl IntoIterator<Item = &'a Value>, pointer: &str) -> Histogram<u64> {
    let mut sum = Histogram::new_with_bounds(1, 120_000_000, 3).expect("constant bounds");
    for line in lines {
        sum.add(decoded(line.pointer(pointer).expect("a histogram"))).expect("equal bounds");
    }
    sum
}

/// What a window has as sums of its intervals, where these have it.
const SUMMED: [&str; 14] = [
    "iterations",
    "failed",
    "abandoned",
    "connections",
    "reconnected",
    "requests",
    "bytes_sent",
    "bytes_received",
    "responses",
    "body_bytes",
    "waited",
    "sub_resources",
    "sub_resources_validated",
    "sub_resources_cached",
];

/// Checks that each line `window` is the sum of the intervals of its window, and of their audits.
pub fn check_windows(run: &Run) {
    let windows = run.of("window");
    assert!(!windows.is_empty(), "a window began");
    for window in windows {
        let (intervals, audits): (Vec<&Value>, Vec<&Value>) = run
            .lines
            .windows(2)
            .filter(|pair| pair[0]["type"] == "interval" && pair[0]["level"] == window["level"])
            .filter(|pair| pair[0]["phase"] == "measure")
            .map(|pair| (&pair[0], &pair[1]))
            .unzip();
        assert!(audits.iter().all(|line| line["type"] == "audit"));
        let sum = |lines: &[&Value], pointer: &str| -> u64 {
            lines.iter().filter_map(|line| line.pointer(pointer)?.as_u64()).sum()
        };
        assert_eq!(window["phase"], "measure");
        assert_eq!(window["start_ns"], intervals[0]["start_ns"]);
        assert_eq!(window["end_ns"], intervals[intervals.len() - 1]["end_ns"]);
        assert_eq!(window["users"], intervals[intervals.len() - 1]["users"]);
        for key in SUMMED {
            assert_eq!(window[key].is_null(), intervals[0][key].is_null(), "{key}");
            assert_eq!(window[key].as_u64().unwrap_or(0), sum(&intervals, &format!("/{key}")), "{key}");
        }
        for key in ["lateness", "lag"] {
            let pointer = format!("/{key}");
            assert_eq!(decoded(&window[key]), added(audits.iter().copied(), &pointer), "{key}");
        }
        check_transactions(window, &intervals);
    }
}

/// Checks that the transactions of a window are the sums of those of its intervals.
fn check_transactions(window: &Value, intervals: &[&Value]) {
    let sum =
        |pointer: &str| -> u64 { intervals.iter().filter_map(|line| line.pointer(pointer)?.as_u64()).sum() };
    for (name, transaction) in window["transactions"].as_object().expect("transactions") {
        let at = |key: &str| format!("/transactions/{}/{key}", name.replace('/', "~1"));
        assert_eq!(transaction["count"].as_u64(), Some(sum(&at("count"))));
        for (kind, count) in transaction["errors"].as_object().expect("errors") {
            assert_eq!(count.as_u64(), Some(sum(&at(&format!("errors/{kind}")))), "{kind}");
        }
        for key in ["histogram", "service", "first_byte", "page"] {
            let reported = intervals[0].pointer(&at(key)).is_some();
            assert_eq!(transaction.get(key).is_some(), reported, "{key}");
            if reported {
                let sum = added(intervals.iter().copied(), &at(key));
                assert_eq!(decoded(&transaction[key]), sum, "{name} {key}");
            }
        }
    }
}
