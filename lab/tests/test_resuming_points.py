"""Which points of a run that ended early stay when it is resumed, and which starts are still to be run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.duration import Duration
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.loads import Limits, LoadChooser, Loads, Steps
from middlemark.experiment.resuming import Finished, finished, leave_finished
from middlemark.experiment.schedule import StartPlan, schedule, schedule_faults
from middlemark.judge.result import read_measured
from middlemark.records.folder import POINTS, SEARCH, point_folder, point_folders
from middlemark.records.run import Combination, Load
from middlemark.records.window import Part

LOCAL, JSON = COMBINATIONS
LOADS = (10, 30)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the result of two starts, each of two rounds of two combinations at two loads."""
    return write_synthetic(tmp_path_factory.mktemp("made"), Shape(loads=LOADS, repeats=4))


def plans(*combinations: Combination, starts: int = 2) -> list[StartPlan]:
    return schedule([combinations or COMBINATIONS], starts, 2)


def cut(made: Path, root: Path, points: int, combinations: tuple[Combination, ...] = COMBINATIONS) -> Path:
    """Return a copy of a result that has only the first so many points of these combinations."""
    shutil.copytree(made, root, dirs_exist_ok=True)
    order = [(one, load, repeat) for repeat in range(4) for load in LOADS for one in combinations]
    stay = [point_folder(root, one, load, repeat) for one, load, repeat in order[:points]]
    for folder in point_folders(root / POINTS):
        if folder not in stay:
            shutil.rmtree(folder)
    return root


def found_in(root: Path, plans: Sequence[StartPlan], loads: Loads) -> Finished:
    """Look through the windows of a result folder."""
    return finished(read_measured(root).windows, plans, loads)


def counted(found: Finished) -> tuple[int, int]:
    return len(found.stay), len(found.aside)


def numbers(rest: list[StartPlan]) -> list[int]:
    return [plan.number for plan in rest]


@pytest.mark.parametrize(
    ("points", "finds", "rest"),
    [
        (0, (0, 0), [0, 1]),
        (3, (0, 3), [0, 1]),
        (4, (4, 0), [1, 2]),  # a start with one of two rounds stays as it is, and another one takes its place
        (6, (4, 2), [1, 2]),
        (8, (8, 0), [1]),
        (12, (12, 0), [2]),
        (16, (16, 0), [2]),  # nothing is lacking: one more start
    ],
)
def test_whole_rounds_stay_and_a_start_that_was_cut_has_another_one_in_its_place(
    made: Path, tmp_path: Path, points: int, finds: tuple[int, int], rest: list[int]
) -> None:
    root = cut(made, tmp_path, points)

    found = found_in(root, plans(), Loads(users=LOADS))

    assert counted(found) == finds
    assert numbers(found.remaining(plans())) == rest
    assert {window.repeat for window in found.stay} == {*range(finds[0] // 4)}


def test_groups_of_combinations_are_finished_each_by_itself(made: Path, tmp_path: Path) -> None:
    root = cut(made, tmp_path, 8, (LOCAL,))
    apart = schedule([(LOCAL,), (JSON,)], 2, 2)

    found = found_in(root, apart, Loads(users=LOADS))

    assert counted(found) == (8, 0)
    assert [(plan.number, plan.group) for plan in found.remaining(apart)] == [(0, (JSON,)), (1, (JSON,))]


@pytest.mark.parametrize(
    ("local", "json", "rest"),
    [
        ((2,), (1,), [(1, LOCAL), (1, JSON)]),  # only rounds of the same start are compared
        ((2, 1), (2,), [(2, LOCAL), (2, JSON)]),
        ((2, 2), (2,), [(1, JSON)]),
        ((2, 2), (2, 2), [(2, LOCAL), (2, JSON)]),
    ],
)
def test_groups_meet_in_the_starts_that_are_added(
    local: tuple[int, ...], json: tuple[int, ...], rest: list[tuple[int, Combination]]
) -> None:
    found = Finished((), (), LoadChooser(Loads(users=LOADS)), rounds={(LOCAL,): local, (JSON,): json})
    apart = schedule([(LOCAL,), (JSON,)], len(local), 2)
    assert [(plan.number, plan.group[0]) for plan in found.remaining(apart)] == rest


def test_points_with_faults_are_in_no_round(tmp_path: Path) -> None:
    root = write_synthetic(tmp_path, Shape(loads=(30,), repeats=2, stop_after=3))
    faults = ((parse_fault("kill-web@1s"),), (parse_fault("kill-database@1s"),))

    found = found_in(
        root, schedule_faults(COMBINATIONS, {one.path: faults for one in COMBINATIONS}), Loads(users=(30,))
    )

    assert counted(found) == (3, 0)


@pytest.mark.parametrize("name", ["evidence.json", "audit.json", "point.json", "intervals.ndjson"])
def test_a_point_that_was_written_by_half_is_not_finished(made: Path, tmp_path: Path, name: str) -> None:
    root = cut(made, tmp_path, 4, (LOCAL,))
    file = point_folder(root, LOCAL, 30, 1) / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    found = found_in(root, plans(LOCAL), Loads(users=LOADS))
    leave_finished(root, found, 0)

    assert counted(found) == (2, 1)
    assert not point_folder(root, LOCAL, 30, 1).exists()
    assert point_folder(root, LOCAL, 10, 0).is_dir()


def test_rounds_behind_one_that_is_not_whole_any_more_are_set_aside(made: Path, tmp_path: Path) -> None:
    root = cut(made, tmp_path, 16)
    (point_folder(root, JSON, 10, 0) / "evidence.json").write_bytes(b"")

    found = found_in(root, plans(), Loads(users=LOADS))

    assert {window.repeat for window in found.stay} == {2, 3}
    assert counted(found) == (8, 7)


def test_a_ramp_until_a_limit_goes_as_far_as_its_first_round_went(tmp_path: Path) -> None:
    loads = Loads(users=(10, 30, 60), until=Limits(mean=Duration(1)))
    root = write_synthetic(tmp_path, Shape(loads=(10,), stop_after=3))

    found = found_in(root, plans(), loads)

    # Every synthetic mean is above 1 ms: the first load is outside, and no combination has another one.
    assert counted(found) == (2, 1)
    assert found.chooser.chosen == {LOCAL.path: [10], JSON.path: [10]}
    assert found.chooser.outside == {LOCAL.path: 10, JSON.path: 10}


def test_a_ramp_whose_first_round_was_cut_has_decided_nothing_of_those_that_lack(tmp_path: Path) -> None:
    loads = Loads(users=(10, 30, 60), until=Limits(mean=Duration(1)))
    root = write_synthetic(tmp_path, Shape(loads=(10,), stop_after=1))

    found = found_in(root, plans(), loads)

    assert counted(found) == (0, 1)
    assert JSON.path not in found.chooser.chosen


def test_a_search_goes_on_from_the_points_it_has(tmp_path: Path) -> None:
    loads = Loads(users=Steps.model_validate({"from": 10, "to": 200}), search="peak", points=4)
    root, measured = tmp_path / "result", list[Load]()

    while (load := next_load(root, loads, measured)) is not None:
        search_point(root, load)
        measured.append(load)
        found = found_in(root, plans(LOCAL), loads)
        ended = len(measured) == loads.points
        assert [one.load for one in found.chooser.searched[LOCAL.path].points] == measured
        assert counted(found) == (len(measured), 0)
        # Only with its last point it has ended, and shows at which load the rounds are.
        assert found.chooser.searched[LOCAL.path].ended == ended
        assert bool(found.chooser.chosen) == ended
        assert [one.load for one in found.seen.get(LOCAL.path, ())] == ([] if ended else measured)
        assert numbers(found.remaining(plans(LOCAL))) == [0, 1]

    assert len(set(measured)) == loads.points


def next_load(root: Path, loads: Loads, measured: list[Load]) -> Load | None:
    """Return the load that a search in one go asks for after these."""
    windows = {one.load: one for one in read_measured(root).windows if one.part is Part.SEARCH} if measured else {}
    place = LoadChooser(loads).next_searched(LOCAL, [loads.limits.seen(windows[load]) for load in measured])
    return None if place is None else place[0]


def search_point(root: Path, load: Load) -> None:
    """Put a finished point into a search."""
    made = write_synthetic(root.parent / f"made-{load}", Shape((LOCAL,), (int(load),), 1))
    place = point_folder(root, LOCAL, load, 0, SEARCH)
    place.parent.mkdir(parents=True)
    point_folder(made, LOCAL, load, 0).rename(place)
    shutil.copy(made / "run.json", root)
