"""A search that is cut is resumed from the points it has: none is measured again; the result is that of one in one go.

Loads are chosen by what was measured, so that no two searches need have the same ones: the result is held to what the
search asks for after the points that stand in it.
"""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from run_command import end_in, finish, found_in, resume, running

from middlemark.experiment.definition import read_experiment
from middlemark.records.folder import inspect, read_run
from middlemark.records.run import Load, Run, RunStatus
from middlemark.records.window import Part, Window
from middlemark.search.limit import around
from middlemark.search.search import Goal, next_load
from middlemark.search.seen import Seen

pytestmark = [pytest.mark.full, pytest.mark.long]

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local]}
loads: {users: {from: 1, to: 64}, search: peak, points: 4}
think: {constant: 10ms}
phases: {warm: 200ms, settle: 0s, measure: 1s, drain: 10s}
rounds: 1
replacements: 0
work: false
"""
COMBINATION, POINTS = "go/binding=local", 4
# Where the load stands in <part>/<subject>/<modes>/<load>/<repeat>.
LOAD = 3


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a search of four points, and one block at the peak."""
    path = tmp_path_factory.mktemp("experiment") / "cut.yaml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Resumed:
    """A search that was cut twice: after each cut the finished points and the lines of a dry run; how it ended."""

    folder: Path
    kept: list[dict[str, bytes]]
    dry: list[list[str]]
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def resumed(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    """Give a search for the peak, cut twice and resumed to its end."""
    return cut_twice(experiment, tmp_path_factory.mktemp("cut") / "out")


def cut_twice(experiment: Path, out: Path) -> Resumed:
    """Kill a search in its second point, interrupt it in its third, and resume it to its end."""
    kept, dry, more = list[dict[str, bytes]](), list[list[str]](), list[str]()
    for number, how in ((2, signal.SIGKILL), (3, signal.SIGINT)):
        with running(experiment, out, *more) as run:
            end_in(run, out, f"*/search/{COMBINATION}/*/*", how, number)
        (folder,) = out.iterdir()
        more = ["--resume", str(folder)]
        kept.append(contents(folder))
        dry.append(resume(experiment, folder, "--dry-run").stdout.splitlines())
    return Resumed(folder, kept, dry, resume(experiment, folder))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of each file of the finished points of the search in a result folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for place in places(folder)
        for path in place.rglob("*")
        if path.is_file()
    }


def loads(run: Run) -> list[Load]:
    return [point.load for point in run.searched[COMBINATION].points]


def places(folder: Path) -> list[Path]:
    """Return the folders of the points of the search; one that was INVALID is measured once more at the same load."""
    measured = loads(read_run(folder))
    search = folder / "search" / COMBINATION
    return [search / str(load) / str(measured[:number].count(load)) for number, load in enumerate(measured)]


def searched(folder: Path) -> list[Window]:
    """The windows of the search, in order."""
    by_path = {f"search/{one.path}": one for one in found_in(folder).windows if one.part is Part.SEARCH}
    return [by_path[place.relative_to(folder).as_posix()] for place in places(folder)]


def test_no_finished_point_of_a_search_is_measured_again(resumed: Resumed) -> None:
    result = found_in(resumed.folder)

    assert result.run.status is RunStatus.FINISHED, resumed.done.stderr
    assert [(one.points, one.aside) for one in result.run.resumed] == [(1, []), (2, [])]
    assert [one.reason for one in result.run.resumed] == ["the lab was killed", "interrupted by the user"]
    after = contents(resumed.folder)
    assert all(kept.items() <= after.items() for kept in resumed.kept)
    assert [window.segment for window in searched(resumed.folder)] == [0, 1, 2, 2]


def test_a_search_that_was_cut_asks_for_the_loads_it_would_have_asked_for(experiment: Path, resumed: Resumed) -> None:
    seen = as_the_search_chooses(experiment, resumed.folder)

    found = read_run(resumed.folder).searched[COMBINATION]
    assert found.ended
    assert len(found.points) == POINTS
    counted = [point for point in seen if point.counts and not point.failing]
    assert found.peak == (max(counted, key=lambda point: point.throughput).load if counted else None)


def as_the_search_chooses(experiment: Path, folder: Path) -> list[Seen]:
    """Return the points of a search, each at the load that the search asks for after those before it."""
    written = read_experiment(experiment).loads
    seen = [written.limits.seen(window) for window in searched(folder)]
    chosen = [next_load(seen[:number], written.range, written.search or Goal.PEAK) for number in range(len(seen) + 1)]
    assert chosen == [*(one.load for one in seen), None]
    return seen


def test_a_search_for_the_limit_that_was_cut_ends_in_rounds_around_it(tmp_path: Path) -> None:
    experiment = tmp_path / "limit.yaml"
    wanted = EXPERIMENT.replace("search: peak", "search: limit, until: {mean: 20ms}")
    experiment.write_text(wanted, encoding="utf-8")
    resumed = cut_twice(experiment, tmp_path / "out")

    seen = as_the_search_chooses(experiment, resumed.folder)
    run = read_run(resumed.folder)
    assert run.status is RunStatus.FINISHED, resumed.done.stderr
    assert run.searched[COMBINATION].goal == "limit"
    loads = around(seen, read_experiment(experiment).loads.range)
    assert sorted(run.points) == sorted(f"{COMBINATION}/{load:g}/0" for load in loads)
    after = contents(resumed.folder)
    assert all(kept.items() <= after.items() for kept in resumed.kept)


def test_its_folder_is_that_of_a_search_in_one_piece(experiment: Path, resumed: Resumed, tmp_path: Path) -> None:
    finish(experiment, tmp_path)
    (whole,) = tmp_path.iterdir()

    assert inspect(resumed.folder).deviants == ()
    cut, one_piece = (read_run(folder) for folder in (resumed.folder, whole))
    assert all(run.points == at_the_peak(run) for run in (cut, one_piece))
    assert [(one.combination, one.start) for one in cut.starts] == [(COMBINATION, 0)]
    # A busy machine may have left a search without a point that counts, or made it measure one once more.
    alike = len(cut.points) == len(one_piece.points)
    if alike and [place.name for place in places(resumed.folder)] == [place.name for place in places(whole)]:
        assert shape(resumed.folder) == shape(whole)


def at_the_peak(run: Run) -> list[str]:
    peak = run.searched[COMBINATION].peak
    return [] if peak is None else [f"{COMBINATION}/{peak}/0"]


def shape(folder: Path) -> list[str]:
    """Return the names of all files, with the number of a point in the search instead of its load."""
    numbers = {str(load): f"point {number}" for number, load in enumerate(loads(read_run(folder)))}
    names = []
    for path in filter(Path.is_file, folder.rglob("*")):
        name = list(path.relative_to(folder).parts)
        if name[0] in ("search", "points"):
            name[LOAD] = numbers[name[LOAD]] if name[0] == "search" else "the peak"
        names.append("/".join(name))
    return sorted(names)


def test_a_dry_run_shows_that_the_search_is_resumed_from_its_points(resumed: Resumed) -> None:
    for lines, finished in zip(resumed.dry, (1, 2), strict=True):
        peak = "the peak of each, searched at the first start in 1 … 64 users, at most 4 windows"
        assert lines[0] == f"start 1: go local: 1 round at {peak}"
        assert lines[-2].startswith(f"{POINTS + 1 - finished} windows, at most ")
        assert f": {finished} finished point" in lines[-1]
