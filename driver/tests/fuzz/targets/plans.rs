//! Plans: wrong ones are refused, right ones send whole requests.

use middlemark_driver::pace::{Moment, Timetable};
use middlemark_driver::workload::draw::Draws;
use middlemark_driver::workload::expectation::Expectation;
use middlemark_driver::workload::feed::Whose;
use middlemark_driver::workload::{Load, Plan, Session};

/// Most steps and users for which it is quick to say what to expect.
const FEW: u64 = 64;

/// Any bytes as a plan.
pub fn hold(bytes: &[u8]) {
    let session = match Plan::read(bytes).and_then(Session::new) {
        Ok(session) => session,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    check_times(&session);
    if session.steps.len() as u64 <= FEW {
        let expectation = Expectation::of(&session);
        assert!(expectation.runs.iter().all(|runs| *runs >= 0.0), "{expectation:?}");
    }
    for user in [0, session.users / 2, session.users - 1] {
        check_requests(&session, user);
    }
}

fn check_times(session: &Session) {
    let timetable = Timetable::new(Moment::from_nanos(7), &session.levels, session.drain);
    assert!(timetable.start() <= timetable.last_send() && timetable.last_send() <= timetable.drain_end());
    let first = timetable.first();
    assert!(first.end > first.start, "{first:?}");
    match &session.load {
        Load::Closed(attendance) => {
            for user in [0, session.users - 1] {
                let turns: Vec<_> = attendance.turns(user).collect();
                assert!(turns.is_sorted() && !turns.is_empty(), "{turns:?}");
            }
        }
        Load::Open(open) => {
            let marks: Vec<f64> = open.marks().take(10).collect();
            assert!(marks.is_sorted(), "{marks:?}");
        }
    }
}

/// Whatever the plan holds: a step writes one request, because values cannot end a line.
fn check_requests(session: &Session, user: u64) {
    let mut values = session.names.values();
    let mut draws = Draws::new(session.seed, user, 0);
    let whose =
        Whose { run: &session.run, user, users: session.users, iteration: 0, earlier: 1, before: Some(1) };
    for feed in &session.feeds {
        feed.draw(whose, &mut draws, &mut values);
    }
    for step in &session.steps {
        let mut path = Vec::new();
        step.write_path(&values, &mut path);
        assert!(path.starts_with(b"/") && path.iter().all(u8::is_ascii_graphic), "{path:?}");
        let mut lines = Vec::new();
        step.write_headers(&values, true, &mut lines);
        assert!(lines.ends_with(b"\r\n"), "{lines:?}");
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r\n").expect("a whole line");
            assert!(!line.contains(&b'\r') && !line.contains(&0), "{line:?}");
        }
        if let Some(payload) = step.payload() {
            payload.write(&values, &mut Vec::new());
        }
    }
}
