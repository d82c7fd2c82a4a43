"""What is to be known beside the answer: how a run ended, what does not count, what was shared, what is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_result import JSON, LOCAL, Made, changed, costing, made
from synthetic_result import ANYWHERE, APART, COMBINATIONS, Shape, write_synthetic

from middlemark.experiment.journal import Journal
from middlemark.experiment.loads import LoadChooser, Loads, not_yet_searched
from middlemark.experiment.resuming import Finished
from middlemark.judge.marks import agree, shared_text, times_not_ranked
from middlemark.judge.result import judge, read_measured
from middlemark.records.findings import Findings, Mark, Measured
from middlemark.records.folder import read_run
from middlemark.records.point import Outcome
from middlemark.records.run import Load, LoadLimits, RunStatus, Searched, SearchedPoint
from middlemark.records.run_parts import Resumption, WarmUp
from middlemark.records.samples import Disturbance
from middlemark.records.side_files import StepWork, Work
from middlemark.records.window import Check, Forbids
from middlemark.search.seen import Seen


def marks(of: Measured) -> dict[str, str]:
    """The texts of marks by their kinds."""
    return {mark.kind: mark.text for mark in judge(of).marks}


def at(failed: dict[tuple[str, Load], str], loads: tuple[Load, ...] = (10, 30, 60), **changes: object) -> Measured:
    """Both combinations at some loads in two rounds, of which a condition failed in all of these."""
    points = [
        (one, load, costing(1.0, 1.1, failed=failed.get((one.path, load), "")))
        for one in (LOCAL, JSON)
        for load in loads
    ]
    return made(points, **changes)


def test_a_run_without_anything_to_know_has_no_mark() -> None:
    assert marks(at({})) == {}


def test_invalid_windows_are_counted_with_the_first_reason() -> None:
    findings = judge(at({(LOCAL.path, 30): "audit"}))
    assert findings.marks == (
        Mark(
            kind="INVALID",
            text="2 of 12 windows are INVALID, the first (local, 30 users, round 1) by audit: 1 % (limit: 0.01 %).",
            concerns=2,
            of=12,
        ),
    )
    assert not findings.run_is_valid


def test_a_broken_audit_is_named_before_errors_of_the_window_and_of_earlier_ones() -> None:
    of = at({(LOCAL.path, 30): "errors"})
    failed = Check(name="audit", outcome=Outcome.FAILED, message="2 of 4 rules broken", requirement="every rule passes")
    invalid = [window for window in of.windows if not window.valid]
    wrong = invalid[1].model_copy(update={"checks": (*invalid[1].checks, failed)})
    both = [wrong if one is invalid[1] else one for one in of.windows]
    assert marks(changed(of, both))["INVALID"] == (
        "2 of 12 windows are INVALID, one (local, 30 users, round 2) "
        "by audit: 2 of 4 rules broken (limit: every rule passes); and by errors: 1 % (limit: 0.01 %)."
    )


def test_combinations_are_compared_at_the_highest_load_inside_the_limits_of_all() -> None:
    findings = judge(at({(JSON.path, 60): "errors"}, outside={JSON.path: 60}))
    assert findings.at == "30 users"
    assert {one.load for one in findings.combinations} == {30}
    assert findings.marks[0].text == "2 of 12 windows are INVALID, each at a load outside the limits."
    assert findings.run_is_valid


def test_an_invalid_window_inside_its_own_limits_decides() -> None:
    # Local at 60 users, which json alone could not serve.
    findings = judge(at({(LOCAL.path, 60): "errors", (JSON.path, 60): "errors"}, outside={JSON.path: 60}))
    assert findings.marks[0].text == (
        "4 of 12 windows are INVALID, the first (local, 60 users, round 1) by errors: 1 % (limit: 0.01 %); "
        "2 of them at a load outside the limits."
    )
    assert not findings.run_is_valid


def test_where_nothing_is_inside_the_limits_the_windows_that_are_compared_decide() -> None:
    outside = {LOCAL.path: 10, JSON.path: 10}
    assert not judge(at({(JSON.path, 10): "errors"}, (10,), outside=outside)).run_is_valid
    assert judge(at({}, (10,), outside=outside)).run_is_valid


def test_who_shared_cpus_is_named_when_others_did_not() -> None:
    mixed = at({}, shared_cpus=True, placement={LOCAL.path: APART, JSON.path: ANYWHERE})
    where, then = "Driver or database ran where the application ran", "; response times are shown, not ranked."
    assert marks(mixed) == {"shared CPUs": f"{where} (shared CPUs: json){then}"}
    assert judge(mixed).shared == "shared CPUs: json"
    every = at({}, shared_cpus=True, placement=dict.fromkeys((LOCAL.path, JSON.path), ANYWHERE))
    assert marks(every) == {"shared CPUs": f"{where} (shared CPUs){then}"}


def test_who_shared_cores_alone_is_named() -> None:
    cores = APART.model_copy(update={"shared_cores": True})
    run = at({}, placement={LOCAL.path: cores, JSON.path: cores}).run
    assert shared_text(run) == "shared cores"
    mixed = run.model_copy(update={"shared_cpus": True, "placement": {LOCAL.path: cores, JSON.path: ANYWHERE}})
    assert shared_text(mixed) == "shared CPUs: json; shared cores: local"


def test_response_times_are_not_ranked_where_they_may_be_waiting_for_the_driver() -> None:
    of = at({})
    assert times_not_ranked(of) == ""
    assert times_not_ranked(changed(of, shared_cpus=True, placement={})) == "shared CPUs"
    shares = APART.model_copy(update={"driver_shares": True})
    assert times_not_ranked(changed(of, placement={LOCAL.path: shares})) == "driver shares CPUs with the database"
    late = (
        of.windows[0]
        .checks[0]
        .model_copy(update={"name": "driver lateness", "outcome": Outcome.FAILED, "forbids": Forbids.RESPONSE_TIMES})
    )
    windows = [one.model_copy(update={"checks": (*one.checks, late)}) if not one.index else one for one in of.windows]
    findings = judge(changed(of, windows))
    assert findings.times_not_ranked == "driver lateness over its limit in 1 of 12 windows"
    assert (findings.run_is_valid, findings.marks) == (True, ())


def test_windows_that_were_disturbed_or_not_proven_are_marked() -> None:
    of = at({})
    stolen = Disturbance(witness="steal", found=0.4, limit=0.01, text="a hypervisor took 40 %")
    disturbed = [one.model_copy(update={"disturbances": (stolen,)} if one.index == 3 else {}) for one in of.windows]
    assert marks(changed(of, disturbed)) == {
        "disturbed": "1 of 12 windows disturbed, the first (local, 30 users, round 2): a hypervisor took 40 %."
    }
    unproven = [one.model_copy(update={"checks": one.checks[:1]}) for one in of.windows]
    assert marks(changed(of, unproven)) == {
        "conformance not checked": "Conformance not checked: "
        "no complete `middlemark verify` of exactly this build was run, or no case after the load."
    }


def test_warm_ups_resumptions_and_unequal_work_are_marked() -> None:
    cold = WarmUp(
        combination=JSON.path,
        start=0,
        seconds=120,
        limit_s=360,
        flat=None,
        compiled=False,
        compiler_share=0.02,
        rho=5.0,
    )
    resumed = Resumption(at="", ended=None, reason="", points=3)
    steps = (
        StepWork(step="buy", transaction="buy", count=9, statements=n, transaction_control=2, rows=2, wal_bytes=wal)
        for n, wal in ((5, 900), (7, 980))
    )
    work = tuple(Work(combination=one.path, steps=[step]) for one, step in zip((LOCAL, JSON), steps, strict=True))
    of = at({}, warm_ups=[cold, cold.model_copy(update={"compiled": True})], resumed=[resumed])
    assert marks(of.model_copy(update={"work": work})) == {
        "warm-ups not warm": "1 of 2 warm-ups reached the limit without being warm, the first: json, start 1, "
        "compiler 2.0 % of the CPU time.",
        "unequal work": "Unequal work in the databases: buy 7 statements on json, 5 on local.",
        "resumed": "The run was resumed 1 time.",
    }


def searched(peak: Load | None, points: tuple[Load, ...] = (), **changes: object) -> Searched:
    """What a search found whose own figure, 999/s, is better than that of any round."""
    known = [SearchedPoint(load=load, throughput_tps=9, mean_ms=4, inside=True, valid=True) for load in points]
    found = Searched(
        limits=LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001), peak=peak, throughput_tps=999.0, peak_known=True,
        inside=peak, outside=None, limit_known=True, points=known,
    )  # fmt: skip
    return found.model_copy(update=changes)


def of_searches(local: Searched, json: Searched, **changes: object) -> Findings:
    found = {LOCAL.path: local, JSON.path: json}
    return judge(at({}, (10,), searched=found, chosen={LOCAL.path: [10], JSON.path: [10]}, **changes))


def test_a_search_that_ended_at_the_edge_or_on_invalid_points_says_so() -> None:
    findings = of_searches(searched(10, at_edge=True), searched(10, at_edge=True, doubtful=[20, 40]))
    assert [mark.text for mark in findings.marks] == [
        "The search of local ended at the edge of its range (10 users); the search of json ended at the edge of its "
        "range (10 users) and on INVALID points (20, 40 users)."
    ]


def test_a_search_that_ran_out_of_points_on_its_highest_load_says_that_the_peak_may_lie_beyond() -> None:
    points: tuple[Load, ...] = (5, 10, 20)
    findings = of_searches(searched(10, points[:2], peak_known=False), searched(10, points, peak_known=False))
    beyond = "at the highest load that it measured (10 users): the peak may lie beyond"
    assert f"The search of local ended {beyond}." in [mark.text for mark in findings.marks]
    assert not any("search of json ended" in mark.text for mark in findings.marks)


def test_a_run_whose_peak_was_not_found_is_not_valid() -> None:
    assert of_searches(searched(10), searched(10)).run_is_valid
    assert not of_searches(searched(10), searched(None)).run_is_valid


def test_a_run_that_ended_while_it_searched_says_so() -> None:
    begun = searched(4, (4,), ended=False, peak_known=False)
    found = {LOCAL.path: begun, JSON.path: searched(None, ended=False)}
    of = made([(LOCAL, 10, []), (JSON, 10, [])], searched=found, chosen={}, repeats=2, status=RunStatus.INTERRUPTED)
    findings = judge(of)
    assert findings.status == "interrupted while searching, after 1 window of the searches"
    assert findings.at == "the peak of each (the search has not ended)"
    assert of.expected_windows == 4


@pytest.mark.parametrize(
    ("seen", "rounds", "agrees"),
    [
        (1000.0, [990.0, 1010.0, 1000.0], True),
        (1040.0, [999.0, 1000.0, 1001.0], True),  # within 5 %
        (2146.0, [1215.0, 1230.0, 1220.0, 1225.0], False),
        (1300.0, [800.0, 1200.0, 1000.0], True),  # rounds that scatter like this might show it
        (2000.0, [1000.0, 1001.0], True),  # too few rounds to tell
    ],
)
def test_a_search_agrees_with_the_rounds_when_one_more_might_have_shown_it(
    seen: float, rounds: list[float], *, agrees: bool
) -> None:
    assert agree(seen, rounds) == agrees


def test_a_search_with_which_the_rounds_do_not_agree_is_marked() -> None:
    points = [(one, 10, [Made(tps, 5.0, cpu_ms=1.0) for tps in (90.0, 100.0, 110.0)]) for one in (LOCAL, JSON)]
    found = {LOCAL.path: searched(10, (10,), peak_known=True), JSON.path: searched(10)}
    assert marks(made(points, searched=found)) == {
        "rounds unlike the search": "The search of local saw 9/s at its peak, the rounds 90 … 110/s there."
    }


def test_a_search_is_in_the_result_as_far_as_it_has_come(tmp_path: Path) -> None:
    of = read_measured(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    loads = Loads.model_validate({"search": "peak"})
    chooser = LoadChooser(loads)
    begun = of.run.model_copy(update={"searched": not_yet_searched(loads, COMBINATIONS)})

    chooser.learn_search(COMBINATIONS[0], [Seen(10, 9.0, 0.1, 0.1)], ended=False)
    Journal(tmp_path, begun, Finished((), (), chooser)).choose(chooser)
    local, json = (read_run(tmp_path).searched[one.path] for one in COMBINATIONS)

    assert [point.load for point in local.points] == [10]
    assert not local.ended
    assert (json.points, json.ended) == ([], False)


def test_the_first_load_outside_the_limits_is_in_the_result(tmp_path: Path) -> None:
    run = read_measured(write_synthetic(tmp_path, Shape(loads=(10, 30), repeats=1))).run
    loads = Loads.model_validate({"users": [10, 30], "until": {"mean": "3s"}})
    chooser = LoadChooser(loads)
    seen = [Seen(10, 9.0, 0.1, 0.1), Seen(30, 9.0, 0.1, 0.1, failing=True)]

    chooser.learn_climb(COMBINATIONS[0], seen)
    Journal(tmp_path, run, Finished((), (), chooser)).choose(chooser)

    assert read_run(tmp_path).outside == {COMBINATIONS[0].path: 30}
