"""A result folder is written whole, read again whatever happened to the run, and can be checked by its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.errors import HostError, InputError
from middlemark.records.driver_lines import Interval
from middlemark.records.folder import point_folder, read_result, saving_under, write_json
from middlemark.records.point import Audit
from middlemark.records.run import RunStatus

SMALL = Shape(loads=(10,), repeats=1)


def test_what_was_written_is_read_again_in_run_order(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10, 20), repeats=2)))
    order = [(p.combination.modes["binding"], p.load, p.repeat) for p in result.points if p.combination]
    assert order == [
        (b, u, r) for r, bs in ((0, ("local", "json")), (1, ("json", "local"))) for b in bs for u in (10, 20)
    ]
    assert all(p.finished and p.valid for p in result.points)
    assert [p.repeat for p in result.of(COMBINATIONS[0], 20)] == [0, 1]
    assert result.expected_points == 8


def test_the_path_of_run_json_stands_for_its_folder(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    assert read_result(tmp_path / "run.json").folder == tmp_path


def test_a_result_of_another_version_is_refused_rather_than_misread(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    file = tmp_path / "run.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"v": 1', '"v": 2', 1), encoding="utf-8")
    with pytest.raises(InputError, match="another version of Middlemark"):
        read_result(tmp_path)


def test_the_drivers_lines_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    point = read_result(write_synthetic(tmp_path, SMALL)).points[0]
    assert sum(isinstance(line, Interval) for line in point.lines()) == 13
    (point.folder / "intervals.ndjson").unlink()
    assert list(point.lines()) == []


def test_a_point_that_a_killed_run_was_measuring_is_found_and_not_finished(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=2, stop_after=2, status=RunStatus.RUNNING))
    begun = point_folder(tmp_path, COMBINATIONS[1], 10, 1)
    begun.mkdir(parents=True)
    (begun / "intervals.ndjson").write_text('{"v":1,"t_ns":0,"ty', encoding="utf-8")
    last = read_result(tmp_path).points[-1]
    assert (last.combination, last.load, last.repeat) == (COMBINATIONS[1], 10, 1)
    assert not last.finished
    assert list(last.lines()) == []


def test_half_a_verdict_is_no_verdict(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, SMALL))
    file = result.points[0].folder / "verdict.json"
    file.write_bytes(file.read_bytes()[:200])
    points = read_result(tmp_path).points
    assert [p.finished for p in points] == [False, True]
    assert points[0].point is not None


def test_a_folder_that_is_no_result_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this folder is not a result: it has no run.json"):
        read_result(tmp_path)
    with pytest.raises(InputError, match="this folder is not a result"):
        read_result(tmp_path / "nowhere")


def test_a_run_that_is_not_ours_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"v": 1, "name": "x"}', encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot read this run \(status: Field required\)"):
        read_result(tmp_path)


@pytest.mark.parametrize("path", ["x", "../..", "a/b/c", "a/b/c/d", "a/b/10/²", "a/b/10/0/more", ""])
def test_a_run_that_names_what_is_no_point_is_wrong_input(tmp_path: Path, path: str) -> None:
    result = read_result(write_synthetic(tmp_path, SMALL))
    write_json(tmp_path / "run.json", result.run.model_copy(update={"points": [path]}))
    with pytest.raises(InputError, match=r"cannot read this run \(points\.0: "):
        read_result(tmp_path)


def test_a_record_replaces_the_old_one_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "audit.json"
    write_json(file, Audit(passed=False, findings=[]))
    write_json(file, Audit(passed=True, findings=[]))
    assert Audit.model_validate_json(file.read_bytes()).passed
    assert [p.name for p in file.parent.iterdir()] == ["audit.json"]


def test_a_full_disk_says_where_and_what_to_do(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with (
        pytest.raises(HostError, match=f"no space left under {tmp_path}: free some or choose --out"),
        saving_under(tmp_path),
    ):
        full.write_text("more than nothing", encoding="utf-8")


def test_a_place_that_cannot_be_written_is_the_hosts_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(HostError, match="cannot write"):
        write_json(tmp_path / "file" / "audit.json", Audit(passed=True, findings=[]))
