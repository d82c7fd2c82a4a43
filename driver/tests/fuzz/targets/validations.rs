//! What a step expects of a body and captures from it: the marker on the first line, then the body.

use std::rc::Rc;

use std::sync::OnceLock;

use middlemark_driver::workload::validation::Mismatch;
use middlemark_driver::workload::variables::Variables;
use middlemark_driver::workload::{Plan, Session, Step, Validation};
use serde_json::json;

use super::{cuts, first_line};

/// What the validation of one response came to, with all values afterwards.
type Outcome = (Result<(), Mismatch>, Vec<String>);

/// The first step captures the marker, as a server may decide it; the others look at the body.
fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    let step = |id, marker, capture| {
        json!({"id": id, "transaction": id, "method": "GET", "path": "/",
            "expect": {"status": 200, "marker": marker}, "capture": [capture]})
    };
    SESSION.get_or_init(|| {
        let plan = json!({"v": 1, "name": "n", "run": "r", "seed": 1, "targets": ["http://127.0.0.1:1"], "think": {"constant_ms": 0},
            "load": {"model": "closed", "users": 1, "spread_ms": 0}, "connections": "new", "cookies": "new",
            "phases": {"ramp_ms": 0, "settle_ms": 0, "measure_ms": 1, "drain_ms": 1}, "threads": 1,
            "timeouts_ms": {"connect": 1, "response": 1}, "limits": {"header_bytes": 1, "body_bytes": 1},
            "steps": [step("mark", None, json!({"name": "mark", "header": "M"})),
                step("between", Some("${mark}"), json!({"name": "a", "between": ["<", ">"]})),
                step("regex", Some("${mark}"), json!({"name": "b", "regex": "(?s-u)<(.*?)>"})),
                step("json", Some("${mark}"), json!({"name": "c", "json": "/a"}))]});
        let plan = Plan::read(plan.to_string().as_bytes()).expect("a plan");
        Session::new(plan).expect("a session")
    })
}

/// Any marker in any body.
pub fn hold(bytes: &[u8]) {
    let (marker, body) = first_line(bytes);
    let text = String::from_utf8_lossy(marker);
    let holds_marker = text.is_empty() || body.windows(text.len()).any(|window| window == text.as_bytes());
    let between = between(body);
    for (number, step) in session().steps[1..].iter().enumerate() {
        let (verdict, values) = outcome(step, marker, [body]);
        for pieces in cuts::ways(body) {
            assert_eq!(outcome(step, marker, pieces), (verdict, values.clone()));
        }
        assert_eq!(verdict == Err(Mismatch::Marker), !holds_marker);
        assert_eq!(values[0], text);
        // The expression finds what stands between too; it is of bytes, not of characters.
        if number < 2 && holds_marker {
            assert_eq!(verdict.ok().map(|()| &values[number + 1]), between.as_ref(), "{}", step.id);
        }
    }
}

fn between(body: &[u8]) -> Option<String> {
    let start = body.iter().position(|&byte| byte == b'<')? + 1;
    let end = body[start..].iter().position(|&byte| byte == b'>')? + start;
    Some(String::from_utf8_lossy(&body[start..end]).into_owned())
}

fn outcome<'a>(step: &Step, marker: &[u8], pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let session = session();
    let (mut values, mut validation) =
        (session.names.values(), Validation::new(Rc::default(), Rc::default()));
    let first = &session.steps[0];
    validation.begin(first, &values);
    validation.head(200, first, &mut values, |_| Some(marker), |_| None);
    assert_eq!(validation.verdict(first, "/", &mut values), Ok(()));
    validation.begin(step, &values);
    validation.head(200, step, &mut values, |_| None, |_| None);
    for piece in pieces {
        validation.piece(step, piece);
    }
    let verdict = validation.verdict(step, "/", &mut values);
    (verdict, all(&values))
}

fn all(values: &Variables) -> Vec<String> {
    let variable = |name| session().names.find(name).expect("declared");
    ["mark", "a", "b", "c"].map(|name| values.get(variable(name)).to_owned()).into()
}
