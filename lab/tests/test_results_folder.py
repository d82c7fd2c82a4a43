"""A result folder is written whole, read again whatever happened to the run, and can be checked by its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.errors import HostError, InputError
from middlemark.judge.result import findings_differ, judge_folder, read_measured, write_findings
from middlemark.judge.window import AUDIT, ENDED_EARLY, EVIDENCE, INTERVALS, POINT
from middlemark.records.folder import point_folder, read_run, result_folder, write_json
from middlemark.records.point import Audit
from middlemark.records.run import Run, RunStatus
from middlemark.saving import saving_under, write_new

SMALL = Shape(loads=(10,), repeats=1)


def test_what_was_written_is_read_again_in_run_order(tmp_path: Path) -> None:
    measured = read_measured(write_synthetic(tmp_path, Shape(loads=(10, 20), repeats=2)))
    order = [(one.combination.rpartition("=")[2], one.load, one.repeat) for one in measured.windows]
    assert order == [
        (b, u, r) for r, bs in ((0, ("local", "json")), (1, ("json", "local"))) for b in bs for u in (10, 20)
    ]
    assert all(one.valid for one in measured.rounds)
    assert [one.repeat for one in measured.of(COMBINATIONS[0], 20)] == [0, 1]
    assert (measured.expected_windows, measured.unfinished) == (8, {})


def test_the_path_of_run_json_stands_for_its_folder(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    assert result_folder(tmp_path / "run.json") == tmp_path
    assert read_measured(tmp_path / "run.json") == read_measured(tmp_path)


def test_a_result_of_another_version_is_refused_rather_than_misread(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    file = tmp_path / "run.json"
    version = Run.model_fields["v"].default
    text = file.read_text(encoding="utf-8").replace(f'"v": {version}', f'"v": {version + 1}', 1)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="Results of earlier versions cannot be judged again: repeat the run"):
        read_measured(tmp_path)


def test_a_point_that_a_killed_run_was_measuring_is_found_and_not_finished(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=2, stop_after=2, status=RunStatus.RUNNING))
    begun = point_folder(tmp_path, COMBINATIONS[1], 10, 1)
    begun.mkdir(parents=True)
    (begun / "intervals.ndjson").write_text('{"v":1,"t_ns":0,"ty', encoding="utf-8")
    measured = read_measured(tmp_path)
    ((place, why),) = measured.unfinished.items()
    assert place == f"{COMBINATIONS[1].path}/10/1"
    missing = f"{INTERVALS} and {POINT} and {EVIDENCE} and {AUDIT}"
    assert why == f"{ENDED_EARLY}: {missing} missing or cut off"
    assert len(measured.windows) == 2


@pytest.mark.parametrize("name", ["point.json", "evidence.json", "audit.json", "intervals.ndjson"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_window_of_which_a_file_was_cut_is_not_finished(tmp_path: Path, name: str, share: float) -> None:
    file = next(write_synthetic(tmp_path, SMALL).rglob(name))
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    measured = read_measured(tmp_path)
    assert len(measured.windows) == 1
    assert list(measured.unfinished) == [file.parent.relative_to(tmp_path / "points").as_posix()]


def test_what_was_found_is_known_to_differ_from_raw_files_that_changed(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    assert findings_differ(tmp_path, judge_folder(tmp_path)) == ""
    audit = next(tmp_path.rglob("audit.json"))
    write_json(audit, Audit(passed=False, findings=[]))
    found = judge_folder(tmp_path)
    assert "windows" in findings_differ(tmp_path, found)
    (tmp_path / "findings.json").write_text("{", encoding="utf-8")
    assert findings_differ(tmp_path, found) == "it is missing, or of another version"
    write_findings(tmp_path, found)
    assert findings_differ(tmp_path, judge_folder(tmp_path)) == ""


def test_a_folder_that_is_no_result_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this folder is not a result: it has no run.json"):
        read_measured(tmp_path)
    with pytest.raises(InputError, match="this folder is not a result"):
        read_measured(tmp_path / "nowhere")


def test_a_run_that_is_not_ours_is_wrong_input(tmp_path: Path) -> None:
    version = Run.model_fields["v"].default
    (tmp_path / "run.json").write_text(f'{{"v": {version}, "name": "x"}}', encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot read this run \(the key 'status' is missing \(at status\)\)"):
        read_measured(tmp_path)


@pytest.mark.parametrize("path", ["x", "../..", "a/b/c", "a/b/c/d", "a/b/10/²", "a/b/10/0/more", ""])
def test_a_run_that_names_what_is_no_point_is_wrong_input(tmp_path: Path, path: str) -> None:
    run = read_run(write_synthetic(tmp_path, SMALL))
    write_json(tmp_path / "run.json", run.model_copy(update={"points": [path]}))
    with pytest.raises(InputError, match=r"cannot read this run \(points\.0: "):
        read_measured(tmp_path)


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
        pytest.raises(HostError, match=f"no space left under {tmp_path}: free some or choose another place"),
        saving_under(tmp_path),
    ):
        full.write_text("more than nothing", encoding="utf-8")


def test_a_place_that_cannot_be_written_is_the_hosts_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(HostError, match="cannot write"):
        write_json(tmp_path / "file" / "audit.json", Audit(passed=True, findings=[]))


def test_a_new_file_is_written_whole_or_not_at_all_and_replaces_none(tmp_path: Path) -> None:
    file = tmp_path / "session.yaml"
    with pytest.raises(UnicodeEncodeError):
        write_new(file, "begin \ud800")
    assert list(tmp_path.iterdir()) == []
    write_new(file, "mine")
    with pytest.raises(InputError, match="is there already and is not overwritten"):
        write_new(file, "another")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["mine"]
