"""A run that ended early is resumed: what it finished stays, the rest is measured, as if it had never been cut."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from run_command import end_in, finish, resume, running

from middlemark.records.folder import Result, points_aside, read_result
from middlemark.records.manifest import inspect
from middlemark.records.run import RunStatus

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local, json]}
loads: {users: [2]}
think: {constant: 10ms}
phases: {warm: 200ms, settle: 0s, measure: 500ms, drain: 10s}
rounds: 2
"""
LOCAL, JSON = "go/binding=local/2", "go/binding=json/2"
PLACES = [f"{LOCAL}/0", f"{JSON}/0", f"{JSON}/1", f"{LOCAL}/1"]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an experiment of two blocks of two combinations."""
    path = tmp_path_factory.mktemp("experiment") / "cut.yaml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Resumed:
    """A run that was ended and resumed twice: what had been finished each time, and how it ended at last."""

    folder: Path
    dry: subprocess.CompletedProcess[str]
    changed_dry: bool
    first: dict[str, str]
    second: dict[str, str]
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def resumed(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    """Give a run that was interrupted in its second block, resumed, killed later in that block, and resumed."""
    out = tmp_path_factory.mktemp("cut") / "out"
    with running(experiment, out) as run:
        end_in(run, out, f"*/points/{PLACES[2]}", signal.SIGINT)
    (folder,) = out.iterdir()
    before = contents(folder)
    dry = resume(experiment, folder, "--dry-run")
    changed_dry = contents(folder) != before
    first = begins(read_result(folder))
    with running(experiment, out, "--resume", str(folder)) as run:
        end_in(run, out, f"*/points/{PLACES[3]}", signal.SIGKILL)
    second = begins(read_result(folder))
    return Resumed(folder, dry, changed_dry, first, second, resume(experiment, folder))


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return time of change and content of each file, and the time of change of each folder."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
    }


def begins(result: Result) -> dict[str, str]:
    """Return the content of `point.json` of each finished point."""
    return {p.path: (p.folder / "point.json").read_text(encoding="utf-8") for p in result.points if p.finished}


def test_finished_blocks_stay_and_the_block_that_was_cut_is_measured_in_one_segment(resumed: Resumed) -> None:
    result = read_result(resumed.folder)

    assert (list(resumed.first), list(resumed.second)) == (PLACES[:2], PLACES[:3])
    assert result.run.status is RunStatus.FINISHED, resumed.done.stderr
    assert result.run.points == PLACES
    assert [(p.point.index, p.point.segment) for p in result.points if p.point] == [(0, 0), (1, 0), (2, 2), (3, 2)]
    assert resumed.first.items() <= begins(result).items()
    assert [(one.points, one.aside) for one in result.run.resumed] == [(2, []), (2, [f"points/{PLACES[2]}"])]
    (aside,) = points_aside(result)
    assert (aside.folder / "point.json").read_text(encoding="utf-8") == resumed.second[PLACES[2]]


def test_a_dry_run_shows_what_is_left_and_changes_nothing(resumed: Resumed) -> None:
    lines = resumed.dry.stdout.splitlines()

    assert resumed.dry.returncode == 0, resumed.dry.stderr
    assert lines[:2] == ["block 2: go json: 2 users", "block 2: go local: 2 users"]
    assert lines[-2].startswith("2 points, about ")
    assert lines[-1] == f"resuming {resumed.folder}: 2 finished points stay"
    assert not any(line.startswith(("block 1", "search")) for line in lines)
    assert not resumed.changed_dry


def test_the_result_shows_when_and_why_the_run_was_not_measured_in_one_go(resumed: Resumed) -> None:
    run = read_result(resumed.folder).run

    assert [one.reason for one in run.resumed] == ["interrupted by the user", "the lab was killed"]
    times = [run.started, *(t for one in run.resumed for t in (one.ended, one.at)), run.finished]
    assert None not in times
    assert times == sorted(map(str, times))
    assert "resumed 2 times" in resumed.done.stdout.splitlines()[-1]
    assert "2 finished points stay, 1 finished point of a block that was cut is set aside" in resumed.done.stderr
    report = (resumed.folder / "report.html").read_text(encoding="utf-8")
    assert "Set aside: points of blocks that were cut" in report
    assert run.resumed[1].at.replace("T", " ") in report


def test_the_folder_is_that_of_a_finished_run(resumed: Resumed) -> None:
    result = read_result(resumed.folder)
    of_point = files(result.points[0].folder)

    assert resumed.done.returncode == (0 if all(point.valid for point in result.points) else 1)
    assert list(resumed.folder.parent.iterdir()) == [resumed.folder]
    assert [files(point.folder) for point in result.points] == [of_point] * len(PLACES)
    assert inspect(resumed.folder).deviants == ()
    assert [(one.combination, one.repeat) for one in result.run.starts] == [
        (place.rpartition("/2/")[0], int(place[-1])) for place in PLACES
    ]


def test_a_finished_run_is_not_resumed_and_stays_as_it_is(experiment: Path, resumed: Resumed) -> None:
    done = finish(experiment, resumed.folder.parent, "--resume", str(resumed.folder))

    assert (done.returncode, "this run is finished" in done.stderr) == (2, True)
    assert inspect(resumed.folder).deviants == ()


@pytest.mark.full
def test_its_files_are_those_of_a_run_in_one_piece(experiment: Path, resumed: Resumed, tmp_path: Path) -> None:
    finish(experiment, tmp_path)
    (whole,) = tmp_path.iterdir()

    assert {name for name in files(resumed.folder) if not name.startswith("aside/")} == files(whole)
    assert read_result(resumed.folder).run.points == read_result(whole).run.points
