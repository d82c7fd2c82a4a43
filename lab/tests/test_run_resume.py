"""A run that ended early is resumed: what it finished stays, the rest is measured, as if it had never been cut."""

from __future__ import annotations

import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from run_command import end_in, finish, found_in, resume, running

from middlemark.judge.result import read_measured
from middlemark.records.findings import Measured
from middlemark.records.folder import inspect, read_run
from middlemark.records.run import RunStatus
from middlemark.records.window import Part

# The run of the fixture is interrupted and resumed twice, which takes half a minute or more.
pytestmark = pytest.mark.full

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
replacements: 0
work: false
"""
LOCAL, JSON = "go/binding=local/2", "go/binding=json/2"
# A start of two rounds that was cut in its second one, the start that took its place, cut like it, and the last one.
ROUNDS = [0, 2, 4, 5]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an experiment of one start: two rounds of two combinations."""
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
    """Give a run that was interrupted in its second round, resumed, killed in the second round then, and resumed."""
    out = tmp_path_factory.mktemp("cut") / "out"
    with running(experiment, out) as run:
        end_in(run, out, "*/points/*/*/*/1", signal.SIGINT)
    (folder,) = out.iterdir()
    before = contents(folder)
    dry = resume(experiment, folder, "--dry-run")
    changed_dry = contents(folder) != before
    found_in(folder)
    first = begins(folder)
    with running(experiment, out, "--resume", str(folder)) as run:
        end_in(run, out, "*/points/*/*/*/3", signal.SIGKILL)
    second = begins(folder)
    return Resumed(folder, dry, changed_dry, first, second, resume(experiment, folder))


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return time of change and content of each file, and the time of change of each folder."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
    }


def begins(folder: Path) -> dict[str, str]:
    """Return the content of `point.json` of each finished point."""
    paths = [window.path for window in read_measured(folder).rounds]
    return {path: (folder / "points" / path / "point.json").read_text(encoding="utf-8") for path in paths}


def status_of(result: Measured) -> int:
    return 0 if all(window.valid for window in result.rounds) else 1


def test_complete_rounds_stay_and_another_start_takes_the_place_of_one_that_was_cut(resumed: Resumed) -> None:
    result = found_in(resumed.folder)

    assert result.run.status is RunStatus.FINISHED, resumed.done.stderr
    assert [one.repeat for one in result.rounds] == [number for number in ROUNDS for _ in (LOCAL, JSON)]
    assert [one.segment for one in result.rounds] == [0, 0, 1, 1, 2, 2, 2, 2]
    assert (result.run.repeats, set(result.run.cut.values())) == (6, {2})
    assert result.expected_windows == len(result.rounds)
    before, after = resumed.first | resumed.second, begins(resumed.folder)
    kept = [one.path for one in result.rounds if one.repeat in (0, 2)]
    assert {path: before[path] for path in kept} == {path: after[path] for path in kept}


def test_what_was_finished_of_a_round_that_was_cut_is_shown_as_set_aside(resumed: Resumed) -> None:
    result = found_in(resumed.folder)

    aside = [one for one in result.windows if one.part is Part.ASIDE]
    assert [f"points/{one.place}" for one in aside] == [path for one in result.run.resumed for path in one.aside]
    assert all(one.aside == "its round was cut" for one in aside)
    assert all((resumed.folder / one.path / "evidence.json").is_file() for one in aside)


def test_a_dry_run_shows_what_is_left_and_changes_nothing(resumed: Resumed) -> None:
    lines = resumed.dry.stdout.splitlines()

    assert resumed.dry.returncode == 0, resumed.dry.stderr
    assert lines[0] == "start 2: go json, go local: 2 rounds at 2 users"
    assert lines[-2].startswith("4 windows, at most ")
    assert lines[-1].startswith(f"resuming {resumed.folder}: 2 finished points stay")
    assert not any(line.startswith("start 1") for line in lines)
    assert not resumed.changed_dry


def test_the_result_shows_when_and_why_the_run_was_not_measured_in_one_go(resumed: Resumed) -> None:
    run = read_run(resumed.folder)

    assert [one.reason for one in run.resumed] == ["interrupted by the user", "the lab was killed"]
    times = [run.started, *(t for one in run.resumed for t in (one.ended, one.at)), run.finished]
    assert None not in times
    assert times == sorted(map(str, times))
    assert "The run was resumed 2 times." in resumed.done.stdout.splitlines()
    report = (resumed.folder / "report.html").read_text(encoding="utf-8")
    assert run.resumed[1].at.replace("T", " ") in report


def test_the_folder_is_that_of_a_finished_run(resumed: Resumed) -> None:
    result = found_in(resumed.folder)
    of_each = [files(resumed.folder / "points" / one.path) for one in result.rounds]

    assert resumed.done.returncode == status_of(result)
    assert list(resumed.folder.parent.iterdir()) == [resumed.folder]
    assert of_each == of_each[:1] * len(of_each)
    assert inspect(resumed.folder).deviants == ()
    starts = sorted((one.combination, one.start) for one in result.run.starts)
    assert starts == [(f"go/binding={binding}", start) for binding in ("json", "local") for start in (0, 1, 2)]


def test_a_finished_run_is_resumed_with_one_more_start(experiment: Path, resumed: Resumed, tmp_path: Path) -> None:
    folder = tmp_path / resumed.folder.name
    shutil.copytree(resumed.folder, folder)

    done = finish(experiment, tmp_path, "--resume", str(folder))

    result = found_in(folder)
    assert (done.returncode, result.run.status) == (status_of(result), RunStatus.FINISHED)
    assert [one.repeat for one in result.rounds] == [number for number in (*ROUNDS, 6, 7) for _ in (LOCAL, JSON)]
    assert result.run.repeats == 8
