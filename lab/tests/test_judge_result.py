"""A result folder is judged from its raw files, as often as one likes: ranks, what is unfinished, and exit status 0."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from made_result import HIGH, JSON, LOCAL, LOW, SOAP, Made, changed, combination, costing, made
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.errors import InputError
from middlemark.judge.result import (
    ALL_PROCESSES,
    DATA,
    findings_differ,
    judge,
    judge_folder,
    read_measured,
    run_is_valid,
    write_findings,
)
from middlemark.records.findings import Findings, Measured, Starts
from middlemark.records.folder import FINDINGS, point_folder, set_aside, write_json
from middlemark.records.point import Audit, AuditFinding, Outcome
from middlemark.records.run import RunStatus, Start
from middlemark.records.window import Part

GRPC = combination("go", binding="grpc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A result of two rounds of two combinations."""
    return write_synthetic(tmp_path / "result", Shape(loads=(10,)))


def test_findings_made_twice_of_the_same_raw_files_are_equal(folder: Path) -> None:
    first, second = judge_folder(folder), judge(read_measured(folder))
    assert first == second
    assert first.model_dump_json() == second.model_dump_json()
    assert Findings.model_validate_json((folder / FINDINGS).read_bytes()) == first
    assert findings_differ(folder, first) == ""


def test_each_raw_file_is_opened_once(folder: Path) -> None:
    program = (
        "import sys; from collections import Counter; from pathlib import Path\n"
        "from middlemark.judge.result import judge_folder\n"
        "opened = Counter()\n"
        "sys.addaudithook(lambda event, words: event == 'open' and opened.update([str(words[0])]))\n"
        "judge_folder(Path(sys.argv[1]))\n"
        "print(*(f'{number} {path}' for path, number in opened.items()), sep='\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True)
    opened = [line.split(" ", 1) for line in done.stdout.splitlines() if str(folder) in line]
    raw = {str(file) for file in (folder / "points").rglob("*") if file.is_file()}
    assert raw <= {path for _, path in opened}
    assert {number for number, _ in opened} == {"1"}


def test_findings_that_are_not_what_the_raw_files_show_are_named_by_their_parts(folder: Path) -> None:
    place = point_folder(folder, COMBINATIONS[0], 10, 1)
    broken = AuditFinding(rule="orders", outcome=Outcome.FAILED, message="1 of 412 lost", count=1)
    write_json(place / "audit.json", Audit(passed=False, findings=[broken]))
    findings = judge_folder(folder)
    named = findings_differ(folder, findings).removeprefix("in ").split(", ")
    assert {"windows", "combinations", "comparisons", "marks", "run_is_valid"} <= set(named)
    assert not {"run", "ledger", "metric", "at"} & set(named)

    write_findings(folder, findings)
    assert findings_differ(folder, judge_folder(folder)) == ""
    (folder / FINDINGS).write_text(json.dumps({"v": 2}), encoding="utf-8")
    assert findings_differ(folder, findings) == "it is missing, or of another version"
    (folder / FINDINGS).unlink()
    assert findings_differ(folder, findings) == "it is missing, or of another version"


def test_a_window_without_all_its_files_is_unfinished(folder: Path) -> None:
    first, second, third = (point_folder(folder, COMBINATIONS[0], 10, 0), point_folder(folder, COMBINATIONS[0], 10, 1),
                            point_folder(folder, COMBINATIONS[1], 10, 0))  # fmt: skip
    (first / "evidence.json").unlink()
    (second / "audit.json").write_text('{"v":1,', encoding="utf-8")
    lines = (third / "intervals.ndjson").read_text(encoding="utf-8").splitlines(keepends=True)
    (third / "intervals.ndjson").write_text("".join([*lines[:3], "no line\n", *lines[3:]]), encoding="utf-8")
    measured = read_measured(folder)
    expected = [one.relative_to(folder / "points").as_posix() for one in (first, second, third)]
    assert sorted(measured.unfinished) == sorted(expected)
    assert [window.combination for window in measured.rounds] == [COMBINATIONS[1].path]


def test_what_was_set_aside_is_read_and_counts_for_nothing(folder: Path) -> None:
    place = point_folder(folder, COMBINATIONS[1], 10, 1)
    path = place.relative_to(folder / "points").as_posix()
    set_aside(folder, place, "0")
    measured = read_measured(folder)
    assert len(measured.rounds) == 3
    (aside,) = (one for one in measured.windows if one.part is Part.ASIDE)
    assert (aside.path, aside.place) == (f"aside/0/points/{path}", path)
    assert aside.aside == "its round was cut"
    assert len(measured.of(COMBINATIONS[1], 10)) == 1


def test_a_folder_that_is_no_result_or_an_earlier_versions_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this folder is not a result"):
        read_measured(tmp_path)
    (folder / "run.json").write_text(json.dumps({"v": 0}), encoding="utf-8")
    with pytest.raises(InputError, match="cannot read this run"):
        read_measured(folder)


def ranks(of: Measured) -> dict[str, int | None]:
    return {one.name: one.rank for one in judge(of).combinations}


def test_those_that_cannot_be_told_apart_share_a_rank_and_the_next_one_is_left_out() -> None:
    costs = ((LOCAL, HIGH), (JSON, LOW), (SOAP, (1.01, 1.0, 1.0, 1.01)), (GRPC, (2.0, 2.02, 1.98, 2.0)))
    of = made([(one, 10, costing(*cost)) for one, cost in costs])
    assert ranks(of) == {"local": 3, "json": 1, "soap": 1, "grpc": 4}
    assert [one.name for one in judge(of).ranked("")] == ["json", "soap", "local", "grpc"]


def test_a_rank_is_shared_with_its_first_and_not_with_a_chain() -> None:
    costs = ((LOCAL, LOW), (JSON, (1.0, 1.06, 0.98, 1.04)), (SOAP, (1.05, 1.06, 1.04, 1.05)))
    of = made([(one, 10, costing(*cost)) for one, cost in costs])
    # Each is as much as the next one; the last is more than the first.
    assert ranks(of) == {"local": 1, "json": 1, "soap": 3}


def test_too_few_rounds_to_tell_share_a_rank_and_without_any_there_is_none() -> None:
    lost = (SOAP, 10, costing(9.0, 9.0, failed="errors"))
    of = made([(LOCAL, 10, costing(1.0, 1.0)), (JSON, 10, costing(2.0, 2.0)), lost])
    assert ranks(of) == {"local": 1, "json": 1, "soap": None}
    assert [one.name for one in judge(of).ranked("")] == ["local", "json", "soap"]


def test_by_throughput_the_first_rank_is_the_highest() -> None:
    of = made([(one, 10, [Made(tps, 5.0)] * 3) for one, tps in ((LOCAL, 100.0), (JSON, 200.0))])
    led = changed(of, specification=of.run.specification.model_copy(update={"leads_with": ("throughput",)}))
    assert ranks(led) == {"local": 2, "json": 1}


def test_ranks_count_within_a_group_and_a_control_has_none() -> None:
    groups = [combination("go", binding=binding, cpus=cpus) for cpus in "12" for binding in ("local", "json")]
    again = groups[0].model_copy(update={"label": "again", "path": f"{groups[0].path},again"})
    costs = (HIGH, LOW, LOW, HIGH)
    of = made(
        [*((one, 10, costing(*cost)) for one, cost in zip(groups, costs, strict=True)), (again, 10, costing(*HIGH))]
    )
    found = judge(of)
    assert [found.by_path[one.path].rank for one in (*groups, again)] == [2, 1, 1, 2, None]
    assert len({found.by_path[one.path].group for one in groups}) == 2


def test_percentiles_end_where_fewer_than_ten_responses_lie_beyond(folder: Path) -> None:
    one = judge_folder(folder).combinations[0]
    assert one.responses == sum(window.total.count for window in read_measured(folder).valid(COMBINATIONS[0], 10))
    last = max(one.percentiles)
    assert one.responses * (100 - last) / 100 >= 10 > one.responses * (100 - last) / 1000
    assert list(one.percentiles.values()) == sorted(one.percentiles.values())


def test_the_time_to_start_is_that_of_each_process_and_of_all() -> None:
    seconds = ({"web": 1.0, "services": 2.0}, {"web": 3.0, "services": 2.0}, {"web": 1.5, "services": 2.0})
    starts = [Start(combination=LOCAL.path, start=number, seconds=one) for number, one in enumerate(seconds)]
    other = LOCAL.model_copy(update={"path": "go/session=other", "runs_on": LOCAL.path})
    found = judge(made([(LOCAL, 10, costing(1.0)), (other, 10, costing(1.0))], starts=starts))
    web, services, whole = found.combinations[0].starts
    assert found.by_path[other.path].starts == found.combinations[0].starts
    assert web == Starts(process="web", number=3, median_s=1.5, min_s=1.0, max_s=3.0)
    assert (services.median_s, whole.process, whole.median_s, whole.max_s) == (2.0, ALL_PROCESSES, 3.5, 5.0)


def with_failures(condition: str, *repeats: int) -> Measured:
    """A start of three rounds in which a condition failed in these windows of one combination."""
    rounds = [costing(1.0, failed=condition if repeat in repeats else "")[0] for repeat in range(3)]
    return made([(LOCAL, 10, rounds), (JSON, 10, costing(*LOW[:3]))], rounds=3)


def test_a_window_in_which_the_driver_was_the_limit_is_no_failure_while_enough_others_count() -> None:
    assert run_is_valid(with_failures("driver CPU"))
    assert run_is_valid(with_failures("driver CPU", 1))
    assert not run_is_valid(with_failures("driver CPU", 0, 1))


@pytest.mark.parametrize("condition", DATA)
def test_a_single_window_with_wrong_data_is_a_failure(condition: str) -> None:
    assert not run_is_valid(with_failures(condition, 1))


def test_a_run_that_was_interrupted_is_not_valid() -> None:
    assert not run_is_valid(changed(with_failures(""), status=RunStatus.INTERRUPTED))


def test_a_start_that_was_cut_is_expected_to_have_the_rounds_it_has() -> None:
    of = made([(one, 10, costing(*LOW)) for one in (LOCAL, JSON)], rounds=3, repeats=6)
    assert not run_is_valid(of)
    assert run_is_valid(changed(of, cut={one.path: 2 for one in (LOCAL, JSON)}))
