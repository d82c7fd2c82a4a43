"""Users supported at a limit: what judging makes of the rounds around it, and what answers and reports show."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_result import JSON, LIMITS, LOCAL, Made, made

from middlemark.judge.result import judge
from middlemark.records.findings import Findings
from middlemark.records.run import Combination, Load, RunStatus, Searched
from middlemark.show.lead import quantities, ranking
from middlemark.show.tables import Fold, Heading, Picture, Table
from middlemark.show.terminal import answer_lines

LEADS = ("users_at_limit", "cpu_ms_per_transaction")
# Around 3 s: windows of four rounds at the lower load and at the higher one.
LOW, HIGH = (2700.0, 2760.0, 2640.0, 2700.0), (3300.0, 3360.0, 3240.0, 3300.0)


def of_limit(low: Load, high: Load | None, **changes: object) -> Searched:
    """What a search for the limit found."""
    found = Searched(
        goal="limit", limits=LIMITS, peak=low, throughput_tps=99.0, peak_known=False, inside=low, outside=high,
        limit_known=True, points=[],
    )  # fmt: skip
    return found.model_copy(update=changes)


def windows(mean_ms: tuple[float, ...], failed: str = "") -> list[Made]:
    """The windows of a load, which differ in their mean response alone."""
    return [Made(100.0, one, failed=failed, cpu_ms=1.0) for one in mean_ms]


def judged(
    *sides: tuple[Combination, Searched, dict[Load, list[Made]]], status: RunStatus = RunStatus.FINISHED
) -> Findings:
    """The findings of a search for the limit in one start, of combinations with the windows of their loads."""
    points = [(one, load, rounds) for one, _, loads in sides for load, rounds in (loads or {1: []}).items()]
    chosen = {one.path: list(loads) if found.ended else [] for one, found, loads in sides}
    run = made(points).run
    changes: dict[str, object] = {
        "searched": {one.path: found for one, found, _ in sides},
        "chosen": {path: loads for path, loads in chosen.items() if loads or status is RunStatus.FINISHED},
        "outside": {path: loads[-1] for path, loads in chosen.items() if len(loads) > 1},
        "limits": LIMITS,
        "rounds": run.repeats,
        "status": status,
        "specification": run.specification.model_copy(update={"leads_with": LEADS}),
    }
    return judge(made(points, **changes))


def local(high: tuple[float, ...] = HIGH, failed: str = "") -> Findings:
    """One combination around its limit."""
    return judged((LOCAL, of_limit(95, 110), {98: windows(LOW), 108: windows(high, failed)}))


def test_the_users_supported_are_where_the_rounds_cross_the_limit_with_an_interval() -> None:
    findings = local()
    found = findings.combinations[0]
    users = found.at.figures["users_at_limit"]
    assert users.mean == pytest.approx(103)
    assert (found.load, users.rounds) == (98, 4)
    assert [users.low, users.high] == pytest.approx([101.7, 104.3], abs=0.1)
    assert findings.answer == "Go local supports 103 users (102 … 104) up to a mean response of 3 s."
    assert findings.basis.startswith("Measured at a load just inside the limit of each")
    assert findings.run_is_valid


def test_the_lower_window_of_each_round_has_the_load_at_which_the_round_crosses() -> None:
    by_load = {(one.load, one.repeat): one.users_at_limit for one in local().rounds}
    assert [by_load[98, repeat] for repeat in range(4)] == pytest.approx([103, 102, 104, 103])
    assert [by_load[108, repeat] for repeat in range(4)] == [None] * 4


def test_a_round_without_its_window_outside_the_limit_has_no_number_of_users() -> None:
    rounds = [*windows(HIGH[:2]), *windows(HIGH[2:3], "driver CPU"), *windows(HIGH[3:])]
    findings = judged((LOCAL, of_limit(95, 110), {98: windows(LOW), 108: rounds}))
    assert findings.combinations[0].at.figures["users_at_limit"].rounds == 3
    assert len(findings.combinations[0].at.repeats) == 4
    assert findings.run_is_valid


def test_combinations_are_compared_by_the_users_they_support_each_at_its_own_loads() -> None:
    double: dict[Load, list[Made]] = {load: windows(rounds) for load, rounds in ((196, LOW), (216, HIGH))}
    findings = judged(
        (LOCAL, of_limit(95, 110), {98: windows(LOW), 108: windows(HIGH)}), (JSON, of_limit(190, 220), double)
    )
    (pair,) = findings.compared_by("users_at_limit")
    assert pair.ratio == pytest.approx(2.0)
    assert (pair.word, pair.decided) == ("faster", True)
    assert findings.answer == "Json supports 1.90 to 2.10 times the users of local."
    assert findings.metric == "users_at_limit"
    assert [findings.by_path[one.path].rank for one in (JSON, LOCAL)] == [1, 2]


def test_equal_sides_get_no_word_of_a_direction() -> None:
    same: dict[Load, list[Made]] = {98: windows(LOW), 108: windows(HIGH)}
    findings = judged((LOCAL, of_limit(95, 110), same), (JSON, of_limit(95, 110), same))
    (pair,) = findings.compared_by("users_at_limit")
    assert not pair.decided
    assert findings.answer.startswith(("Cannot tell whether json supports more users than local", "Json supports as "))


@pytest.mark.parametrize(
    ("found", "loads", "why", "valid"),
    [
        (
            of_limit(500, None), {500: windows(LOW)},
            "every load up to 500 users is inside the limits", True,
        ),
        (
            of_limit(500, None, limit_known=False), {500: windows(LOW)},
            "every load up to 500 users is inside the limits before its points ran out", True,
        ),
        (
            of_limit(95, 110, failing=True), {95: windows(LOW)},
            "responses fail from 110 users on, and their mean crosses no limit", True,
        ),
        (
            of_limit(95, 110), {98: windows(LOW), 108: windows(LOW)},
            "the rounds show no crossing of the limit near their loads", True,
        ),
        (
            of_limit(95, 110), {98: windows(LOW), 108: windows(HIGH, "driver CPU")},
            "no round counts at both loads around the limit", True,
        ),
        (
            of_limit(1, 1, inside=None), {},
            "no load is inside the limits, which 1 user already reached", False,
        ),
    ],
)  # fmt: skip
def test_why_users_supported_are_not_known(
    found: Searched, loads: dict[Load, list[Made]], why: str, *, valid: bool
) -> None:
    findings = (
        judged((LOCAL, found, loads or {1: []}))
        if loads
        else judged(
            (LOCAL, found, {}),
        )
    )
    assert findings.answer == f"Go local has no known number of users supported: {why}."
    assert findings.run_is_valid is valid
    assert any(why in mark.text for mark in findings.marks)


def test_points_that_ran_out_are_marked_beside_the_users_that_are_known() -> None:
    findings = judged((LOCAL, of_limit(95, 150, limit_known=False), {98: windows(LOW), 108: windows(HIGH)}))
    assert findings.answer.startswith("Go local supports 103 users")
    text = "the points of the search ran out before it was narrowed down"
    assert any(text in mark.text for mark in findings.marks)


def test_a_search_that_has_not_ended_has_two_loads_to_come() -> None:
    findings = judged((LOCAL, of_limit(95, None, ended=False), {}), status=RunStatus.INTERRUPTED)
    assert findings.at == "a load just inside the limit of each (the search has not ended)"
    assert findings.combinations[0].peak.reason == "the search has not ended"


def test_the_last_lines_of_a_run_have_the_users_supported_with_their_interval() -> None:
    lines = answer_lines(local(), Path("/report.html"))
    head = next(line for line in lines if "users" in line and "rounds" in line)
    row = next(line for line in lines if line.startswith("go local"))
    assert row[: head.index("users supported") + len("users supported")].endswith(" 103")
    assert "102 … 104" in row


def test_reports_lead_with_the_users_supported() -> None:
    findings = local()
    chart, table = ranking(findings)
    assert isinstance(chart, Picture)
    assert isinstance(table, Table)
    assert chart.title == "Users supported, highest first"
    assert "103 users" in chart.wide
    blocks = list(quantities(findings))
    assert next(one.text for one in blocks if isinstance(one, Heading)) == "Just inside the limit of each combination"
    (folded,) = [one for one in blocks if isinstance(one, Fold)]
    (numbers,) = [one for one in folded.blocks if isinstance(one, Table)]
    row = dict(zip(numbers.columns, (one.text for one in numbers.rows[0]), strict=True))
    assert row["#users supported"].startswith("103 (102")
    assert row["#users"].startswith("98")
