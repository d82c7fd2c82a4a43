//! The lines: their order, and that their figures agree.

use serde_json::Value;

use crate::driver::{Run, decoded, plan, run_plan, step};
use crate::merged::check_windows;
use crate::server::{Server, page, response};

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn two_threads_for_two_and_a_half_seconds() -> Run {
    let server = Server::responding(|request| match request.path.as_str() {
        "/bad" => response("500 Oops", "", ""),
        _ => page("fine"),
    });
    let mut plan = plan(&server.target());
    plan["load"]["users"] = 4.into();
    plan["threads"] = 2.into();
    plan["phases"]["ramp_ms"] = 300.into();
    plan["phases"]["measure_ms"] = 1200.into();
    plan["steps"] = vec![step("home", "/"), step("list", "/list"), step("bad", "/bad")].into();
    run_plan(&plan)
}

#[test]
fn a_run_is_reported_from_hello_to_end_and_all_its_figures_agree() {
    let run = two_threads_for_two_and_a_half_seconds();
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    order_of_lines(&run);
    intervals_follow_each_other(&run);
    counts_sum_up(&run);
    audits_come_with_intervals(&run);
    check_windows(&run);
}

fn order_of_lines(run: &Run) {
    let hello = &run.lines[0];
    assert_eq!(hello["type"], "hello");
    assert_eq!((&hello["t_ns"], &hello["users"], &hello["threads"]), (&0.into(), &4.into(), &2.into()));
    assert_eq!(hello["plan_sha256"].as_str().map(str::len), Some(64));
    assert!(number(&hello["monotonic_ns"]) > 0);
    assert!(hello["wall_clock"].as_str().is_some_and(|time| time.ends_with('Z')));
    let last: Vec<&Value> = run.lines.iter().rev().take(2).map(|line| &line["type"]).collect();
    assert_eq!(last, ["end", "self_audit"]);
    assert_eq!(run.one("end")["reason"], "finished");
    let phases: Vec<&Value> = run.of("phase").into_iter().map(|line| &line["phase"]).collect();
    assert_eq!(phases, ["ramp", "settle", "measure", "drain"]);
    assert!(run.lines.iter().all(|line| line["v"] == 1 && line["t_ns"].is_u64()));
}

fn intervals_follow_each_other(run: &Run) {
    let start_of = |phase: &Value| {
        let line = run.of("phase").into_iter().find(|line| line["phase"] == *phase);
        line.map(|line| number(&line["t_ns"])).expect("a phase")
    };
    let mut phase = Value::Null;
    let mut end = 0;
    for interval in run.of("interval") {
        if interval["phase"] == phase {
            assert_eq!(number(&interval["start_ns"]), end);
        } else {
            phase = interval["phase"].clone();
            assert_eq!(number(&interval["start_ns"]), start_of(&phase));
        }
        end = number(&interval["end_ns"]);
    }
    let lengths = |phase| -> Vec<u64> {
        let intervals = run.intervals(phase).into_iter();
        intervals.map(|line| number(&line["end_ns"]) - number(&line["start_ns"])).collect()
    };
    assert_eq!(lengths("ramp"), [300_000_000]);
    assert_eq!(lengths("measure"), [1_000_000_000, 200_000_000]);
    assert!(lengths("drain")[0] < 900_000_000, "nobody waits, so the drain is over");
}

fn counts_sum_up(run: &Run) {
    let intervals = run.of("interval");
    for name in ["home", "list", "bad"] {
        let lines = intervals.iter().map(|line| &line["transactions"][name]);
        let (mut valid, mut failed) = (0, 0);
        for line in lines {
            let histogram = decoded(&line["histogram"]);
            assert_eq!(histogram.len(), number(&line["count"]));
            valid += number(&line["count"]);
            failed += line["errors"].as_object().expect("kinds").values().map(number).sum::<u64>();
        }
        let confirmed = &run.one("confirmed")["transactions"][name];
        assert_eq!((valid, failed), (number(&confirmed["valid"]), number(&confirmed["invalid"])), "{name}");
    }
    let sum = |key: &str| intervals.iter().map(|line| number(&line[key])).sum::<u64>();
    let bad = number(&run.one("confirmed")["transactions"]["bad"]["invalid"]);
    assert!(bad > 0, "{bad}");
    assert_eq!((sum("failed"), sum("iterations")), (bad, 0), "every iteration ends with a bad response");
    assert!(sum("connections") >= bad && sum("connections") <= bad + 4, "each begins with a new connection");
    assert_eq!(run.errors()["status"], bad);
    let all = run.valid("home") + run.valid("list");
    assert_eq!(number(&run.one("end")["transactions"]), all);
    assert!(sum("bytes_sent") > (all + bad) * 60 && sum("bytes_received") > (all + bad) * 40);
    assert_eq!(sum("responses"), all + bad, "also of those that are not valid");
    assert_eq!(sum("body_bytes"), all * "fine".len() as u64);
    let users: Vec<u64> = intervals.iter().map(|line| number(&line["users"])).collect();
    assert_eq!(users, [4, 4, 4, 0]);
}

fn audits_come_with_intervals(run: &Run) {
    let audits = run.of("audit");
    assert_eq!(audits.len(), run.of("interval").len());
    let mut cpu = 0;
    for audit in &audits {
        assert_eq!(audit["threads"].as_array().map(Vec::len), Some(2));
        assert!(number(&audit["rss_bytes"]) > 100_000);
        let now = number(&audit["cpu_user_ns"]) + number(&audit["cpu_system_ns"]);
        assert!(now >= cpu);
        cpu = now;
        decoded(&audit["lateness"]);
    }
    // Two loops tick 125 times in a second; one that is late may count in the next interval.
    let [before, ticks] = [0, 1].map(|number| decoded(&audits[number]["lag"]));
    let off = 2 + 2 * before.max().max(ticks.max()).div_ceil(8_000);
    assert!(ticks.len().abs_diff(250) <= off, "{} ticks, {off} of them late", ticks.len());
    assert!(number(&run.one("end")["max_rss_bytes"]) > 100_000);
}
