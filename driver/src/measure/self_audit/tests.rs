use std::time::Duration;

use super::*;
use crate::measure::counts::Took;
use crate::measure::processor::ThreadUsage;
use crate::measure::recorder::Record;
use crate::measure::{Counts, Failure, RequestOutcome};
use crate::pace::deadlines::HALF_A_TICK;
use crate::pace::{Interval, Moment, Phase};

const SECOND: u64 = 1_000_000_000;

/// What a window of 100 s shows in which everything is as it should be. 50 users think 450 ms and wait 50 ms for
/// a response: Little's law expects 10,000 transactions.
struct Shown {
    cpu_share: f64,
    run_queue_share: f64,
    late_ms: u64,
    receive_lag_ms: u64,
    wall_clock_set: Option<i64>,
    counts: [usize; 2],
    failed: u64,
    without_a_port: u64,
    expectation: Expectation,
}

fn shown() -> Shown {
    let expectation = Expectation {
        think_mean: 0.45,
        think_variance: 0.0,
        names: vec!["look".into(), "buy".into()],
        runs: vec![3.0, 1.0],
        runs_variance: vec![0.0, 0.0],
        no_littles_law: None,
        reports_calls: false,
        in_step: 50.0,
        spread: 2.0,
        coalescing: HALF_A_TICK,
    };
    Shown {
        cpu_share: 0.2,
        run_queue_share: 0.0,
        late_ms: 1,
        receive_lag_ms: 4,
        wall_clock_set: Some(0),
        counts: [7_500, 2_500],
        failed: 0,
        without_a_port: 0,
        expectation,
    }
}

impl Shown {
    fn failing(&self) -> Vec<RuleName> {
        let failed = |rule: Rule| (rule.outcome == Outcome::Failed).then_some(rule.rule);
        judge(&self.window(), &self.expectation, self.wall_clock_set).into_iter().filter_map(failed).collect()
    }

    fn window(&self) -> Window {
        let end = Moment::from_nanos(100 * SECOND);
        let (phase, start) = (Phase::Measure, Moment::default());
        let interval = Interval { number: 0, stretch: 0, level: 0, phase, start, end };
        let took = Took { response: Duration::from_millis(50), service: None };
        let mut counts = Counts::new(2);
        for (transaction, &count) in counts.transactions.iter_mut().zip(&self.counts) {
            (0..count).for_each(|_| transaction.valid(took));
        }
        for _ in 0..self.failed {
            counts.transactions[0].failed(Failure::Status, RequestOutcome::Complete);
        }
        for _ in 0..self.without_a_port {
            counts.transactions[0].failed(Failure::LocalPorts, RequestOutcome::NotSent);
        }
        (0..100).for_each(|_| counts.lateness.record(Duration::from_millis(self.late_ms)));
        counts.receive_lag.get_or_insert_default().record(Duration::from_millis(self.receive_lag_ms));
        let share = |share: f64| Duration::from_secs(100).mul_f64(share).as_nanos().try_into().unwrap();
        let usage =
            ThreadUsage { cpu_ns: share(self.cpu_share), run_queue_ns: Some(share(self.run_queue_share)) };
        let mut window = Window::new(1, 2, Moment::default());
        window.read(&Record {
            thread: 0,
            interval,
            counts: Box::new(Counts::new(0)),
            usage,
            handed_over: end,
        });
        window.add(&interval, &counts);
        window.user_seconds = 5_000.0;
        window
    }
}

#[test]
fn a_driver_that_keeps_every_rule_was_not_the_limit() {
    assert_eq!(shown().failing(), []);
    let rules = judge(&shown().window(), &shown().expectation, Some(0));
    assert!(rules.iter().all(|rule| rule.outcome == Outcome::Passed), "{rules:?}");
    assert_eq!(limited_by(&rules), None);
}

#[test]
fn each_rule_fails_on_its_own() {
    let cases = [
        (RuleName::ThreadCpu, Shown { cpu_share: 0.86, ..shown() }),
        (RuleName::ThreadCpu, Shown { cpu_share: 0.45, run_queue_share: 0.5, ..shown() }),
        (RuleName::LatenessP99, Shown { late_ms: 6, ..shown() }),
        (RuleName::ReceiveLagP99, Shown { receive_lag_ms: 6, ..shown() }),
        (RuleName::LittlesLaw, Shown { counts: [7_300, 2_433], ..shown() }),
        (RuleName::Mix, Shown { counts: [7_400, 2_600], ..shown() }),
        (RuleName::LocalPorts, Shown { without_a_port: 1, ..shown() }),
    ];
    for (rule, shown) in cases {
        assert_eq!(shown.failing(), [rule]);
        let reason =
            limited_by(&judge(&shown.window(), &shown.expectation, shown.wall_clock_set)).expect("a reason");
        assert!(reason.contains("limit: "), "{reason}");
    }
}

#[test]
fn half_of_all_think_times_end_at_most_a_twentieth_too_late() {
    let late = |late_ms| Shown { late_ms, ..shown() }.failing().contains(&RuleName::LatenessP50);
    assert_eq!((late(22), late(23)), (false, true), "5 % of 450 ms are 22.5 ms");
}

#[test]
fn users_in_step_and_drawn_think_times_are_allowed_their_noise() {
    let counts = [7_340, 2_446];
    assert_eq!(Shown { counts, ..shown() }.failing(), [RuleName::LittlesLaw]);
    let mut drawn = Shown { counts, ..shown() };
    drawn.expectation.think_variance = 0.45 * 0.45;
    assert_eq!(drawn.failing(), []);
    let mut in_step = Shown { counts, ..shown() };
    in_step.expectation.spread = 0.0;
    assert_eq!(in_step.failing(), []);
}

#[test]
fn failed_transactions_leave_throughput_and_mix_unjudged() {
    let spoiled = Shown { counts: [5_000, 4_000], failed: 1, ..shown() };
    let rules = judge(&spoiled.window(), &spoiled.expectation, None);
    assert!(rules[3..5].iter().all(|rule| rule.outcome == Outcome::NotChecked), "{rules:?}");
}

#[test]
fn a_window_that_never_began_is_not_judged() {
    assert_eq!(judge(&Window::new(1, 2, Moment::default()), &shown().expectation, Some(0)), []);
}

#[test]
fn stamps_of_a_clock_that_was_set_are_not_judged_and_without_stamps_there_is_no_rule() {
    let rule = |wall_clock_set| {
        let shown = Shown { receive_lag_ms: 6, wall_clock_set, ..shown() };
        let rules = judge(&shown.window(), &shown.expectation, shown.wall_clock_set);
        rules.into_iter().find(|rule| rule.rule == RuleName::ReceiveLagP99).map(|rule| rule.outcome)
    };
    let outcomes = [None, Some(0), Some(50_000), Some(-50_001)].map(rule);
    assert_eq!(
        outcomes,
        [None, Some(Outcome::Failed), Some(Outcome::Failed), Some(Outcome::NotChecked)],
        "a clock set by less than what looking at it takes was not set"
    );
}
