//! Runs the program on a plan and reads its lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// No machine is so busy that a window of this length does not bring what a quiet one brings in 300 ms.
const LONGEST_WINDOW_MS: f64 = 60_000.0;

/// What a run said.
#[derive(Debug)]
pub struct Run {
    pub status: Option<i32>,
    pub lines: Vec<Value>,
    pub stderr: String,
}

/// A run that is going on.
pub struct Running {
    pub child: Child,
    stdout: BufReader<ChildStdout>,
    read: Vec<Value>,
    _plan: NamedTempFile,
}

/// One user, one GET of `/`, for 300 ms. Tests change what they are about.
pub fn plan(target: &str) -> Value {
    json!({
        "v": 1,
        "name": "test",
        "run": "r1",
        "seed": 42,
        "targets": [target],
        "load": {"model": "closed", "users": 1, "spread_ms": 0},
        "think": {"constant_ms": 5},
        "phases": {"ramp_ms": 0, "settle_ms": 0, "measure_ms": 300, "drain_ms": 1000},
        "connections": "new",
        "cookies": "new",
        "threads": 1,
        "timeouts_ms": {"connect": 2000, "response": 2000},
        "limits": {"header_bytes": 2000, "body_bytes": 20000},
        "feeds": [],
        "steps": [step("home", "/")],
    })
}

/// A GET that expects status 200.
pub fn step(id: &str, path: &str) -> Value {
    json!({
        "id": id, "transaction": id, "method": "GET", "path": path, "form": null, "body": null, "headers": [],
        "expect": {"status": 200, "marker": null, "path": null}, "capture": [], "think": null,
        "probability": 1, "repeat": 1, "identify": [],
    })
}

/// Decodes a histogram as any reader of the lines does.
pub fn decoded(text: &Value) -> Histogram<u64> {
    let text = text.as_str().expect("a text");
    assert!(text.starts_with("HISTFAAA"), "{text}");
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    Deserializer::new().deserialize(&mut bytes.as_slice()).expect("a V2 histogram")
}

/// Runs a plan to its end.
pub fn run_plan(plan: &Value) -> Run {
    start(plan, &[], Stdio::null()).finish()
}

/// Runs a plan until it has brought `enough`: a busy machine may need a longer window than the plan has. Each time is a
/// run of its own, before which those who have seen an earlier one `forget` it.
pub fn run_until(plan: &Value, forget: impl Fn(), enough: impl Fn(&Run) -> bool) -> Run {
    let mut plan = plan.clone();
    loop {
        forget();
        let run = run_plan(&plan);
        let window = plan["phases"]["measure_ms"].as_f64().expect("a window");
        if enough(&run) {
            return run;
        }
        assert!(window < LONGEST_WINDOW_MS, "not enough in {window} ms: {}", run.one("end"));
        plan["phases"]["measure_ms"] = (4.0 * window).into();
    }
}

/// Runs a plan until nothing else on this machine has disturbed its times, as `fits` sees; five times at most.
pub fn run_undisturbed(plan: &Value, forget: impl Fn(), fits: impl Fn(&Run) -> bool) -> Run {
    for _ in 0..5 {
        forget();
        let run = run_plan(plan);
        if fits(&run) {
            return run;
        }
        eprintln!("does not fit: {} {}", run.one("self_audit"), run.one("end"));
    }
    panic!("it never fits");
}

/// Runs a plan, and while its times do not fit, as `fits` sees, all of it more slowly: what other programs take away
/// matters less to longer times.
pub fn run_slower(plan: &Value, fits: impl Fn(&Run) -> bool) -> Run {
    for factor in [1.0, 3.0, 9.0, 27.0] {
        let mut slow = plan.clone();
        slow_down(&mut slow, "", factor);
        let run = run_plan(&slow);
        if fits(&run) {
            return run;
        }
        eprintln!("does not fit {factor} times slower: {}", run.one("self_audit"));
    }
    panic!("it never fits");
}

/// Makes all times longer and all rates lower, so that the same happens.
pub fn slow_down(value: &mut Value, key: &str, factor: f64) {
    match value {
        Value::Object(map) => map.iter_mut().for_each(|(inner, value)| {
            slow_down(value, if key.ends_with("_ms") { key } else { inner }, factor);
        }),
        Value::Array(list) => list.iter_mut().for_each(|value| slow_down(value, key, factor)),
        Value::Number(number) if key.ends_with("_ms") || key == "rate" => {
            let number = number.as_f64().expect("a number");
            *value = json!(if key == "rate" { number / factor } else { number * factor });
        }
        _ => {}
    }
}

/// Starts a run with more arguments.
pub fn start(plan: &Value, arguments: &[&str], stdin: Stdio) -> Running {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(plan.to_string().as_bytes()).expect("a plan");
    let mut child = Command::new(env!("CARGO_BIN_EXE_middlemark-driver"))
        .arg("run")
        .arg(file.path())
        .args(arguments)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let lines = BufReader::new(child.stdout.take().expect("its stdout"));
    Running { child, stdout: lines, read: Vec::new(), _plan: file }
}

impl Running {
    /// The next line.
    pub fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        let line: Value = serde_json::from_str(&line).expect("a JSON line");
        self.read.push(line.clone());
        line
    }

    /// The lines read so far.
    pub fn lines(&self) -> &[Value] {
        &self.read
    }

    /// Reads lines up to one of this type.
    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = self.line();
            if line["type"] == kind {
                return line;
            }
        }
    }

    /// Reads no more lines, for ever.
    pub fn stop_reading(self) -> Child {
        self.child
    }

    /// Waits for the end. The lines read before are among those returned.
    pub fn finish(mut self) -> Run {
        let parse = |line: String| serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        let mut lines = self.read;
        lines.extend(self.stdout.lines().map(|line| parse(line.expect("text"))));
        let mut stderr = String::new();
        let mut pipe = self.child.stderr.take().expect("its stderr");
        pipe.read_to_string(&mut stderr).expect("text");
        let status = self.child.wait().expect("it ends").code();
        Run { status, lines, stderr }
    }
}

impl Run {
    /// All lines of a type.
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        self.lines.iter().filter(|line| line["type"] == kind).collect()
    }

    /// The only line of a type.
    pub fn one(&self, kind: &str) -> &Value {
        let lines = self.of(kind);
        assert_eq!(lines.len(), 1, "{kind}: {lines:?}\n{}", self.stderr);
        lines[0]
    }

    /// The intervals of a phase.
    pub fn intervals(&self, phase: &str) -> Vec<&Value> {
        self.of("interval").into_iter().filter(|line| line["phase"] == phase).collect()
    }

    /// The errors of the whole run, as `end` tells them.
    pub fn errors(&self) -> &Value {
        &self.one("end")["errors"]
    }

    /// Valid transactions of this name over the whole run.
    pub fn valid(&self, transaction: &str) -> u64 {
        self.one("confirmed")["transactions"][transaction]["valid"].as_u64().expect("a count")
    }
}
