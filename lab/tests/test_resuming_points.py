"""Which points of a run that ended early stay when it is resumed, and what they show of the loads to come."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.duration import Duration
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.finished import Finished, finished, leave_finished, remaining, verdict_of
from middlemark.experiment.limits import Limits
from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.loads import Loads, Steps
from middlemark.experiment.schedule import Deployment, schedule, schedule_search
from middlemark.records.folder import SEARCH, point_folder, read_result
from middlemark.records.run import Combination, Load

LOCAL, JSON = COMBINATIONS
LOADS = (10, 30)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the result of two blocks of two combinations at two loads."""
    return write_synthetic(tmp_path_factory.mktemp("made"), Shape(loads=LOADS))


def cut(made: Path, root: Path, points: int, combinations: tuple[Combination, ...] = COMBINATIONS) -> Path:
    """Return a copy of a result that has only the first so many points of these combinations."""
    shutil.copytree(made, root, dirs_exist_ok=True)
    order = [(one, load) for one in schedule(combinations, LOADS, 2) for load in one.loads]
    stay = [point_folder(root, one.combination, load, one.repeat) for one, load in order[:points]]
    for point in read_result(root).points:
        if point.folder not in stay:
            shutil.rmtree(point.folder)
    return root


def counted(found: Finished) -> tuple[int, int]:
    return len(found.stay), len(found.aside)


@pytest.mark.parametrize(
    ("points", "stay", "aside"), [(0, 0, 0), (1, 0, 1), (3, 0, 3), (4, 4, 0), (5, 4, 1), (7, 4, 3), (8, 8, 0)]
)
def test_of_compared_combinations_whole_blocks_stay(
    made: Path, tmp_path: Path, points: int, stay: int, aside: int
) -> None:
    root = cut(made, tmp_path, points)

    found = finished(root, schedule(COMBINATIONS, LOADS, 2), Loads(users=LOADS))

    assert counted(found) == (stay, aside)
    first = [point_folder(root, combination, load, 0) for combination in COMBINATIONS for load in LOADS]
    assert list(found.stay[:4]) == first[:stay]


@pytest.mark.parametrize("points", [1, 2, 3])
def test_of_one_combination_every_finished_point_stays(made: Path, tmp_path: Path, points: int) -> None:
    root = cut(made, tmp_path, points, (LOCAL,))

    assert counted(finished(root, schedule((LOCAL,), LOADS, 2), Loads(users=LOADS))) == (points, 0)


@pytest.mark.parametrize(
    ("points", "rest"),
    [
        (0, [(LOCAL, 0, LOADS), (JSON, 0, LOADS), (JSON, 1, LOADS[::-1]), (LOCAL, 1, LOADS[::-1])]),
        (3, [(LOCAL, 0, LOADS), (JSON, 0, LOADS), (JSON, 1, LOADS[::-1]), (LOCAL, 1, LOADS[::-1])]),
        (5, [(JSON, 1, LOADS[::-1]), (LOCAL, 1, LOADS[::-1])]),
        (8, []),
    ],
)
def test_of_a_block_that_was_cut_all_is_left(
    made: Path, tmp_path: Path, points: int, rest: list[tuple[Combination, int, tuple[Load, ...]]]
) -> None:
    root, deployments, loads = cut(made, tmp_path, points), schedule(COMBINATIONS, LOADS, 2), Loads(users=LOADS)

    lacking = remaining(root, deployments, loads, finished(root, deployments, loads))

    assert [(one.combination, one.repeat, one.loads) for one in lacking] == rest


def test_of_one_combination_the_loads_are_left_that_have_no_point(made: Path, tmp_path: Path) -> None:
    root, deployments, loads = cut(made, tmp_path, 3, (LOCAL,)), schedule((LOCAL,), LOADS, 2), Loads(users=LOADS)

    lacking = remaining(root, deployments, loads, finished(root, deployments, loads))

    assert [(one.repeat, one.loads) for one in lacking] == [(1, LOADS[:1])]


def test_points_with_faults_are_in_no_block(tmp_path: Path) -> None:
    root = write_synthetic(tmp_path, Shape(loads=(30,), repeats=2, stop_after=3))
    faults = ((parse_fault("kill-web@1s"),), (parse_fault("kill-database@1s"),))
    deployments = [Deployment(combination, 0, (30,), faults) for combination in COMBINATIONS]

    found = finished(root, deployments, Loads(users=(30,)))

    # Both points of json, whose second one the synthetic run measures third, and the first of local.
    assert [folder.relative_to(root).as_posix() for folder in found.stay] == [
        "points/go/binding=local/30/0",
        "points/go/binding=json/30/0",
        "points/go/binding=json/30/1",
    ]
    assert found.aside == ()
    lacking = remaining(root, deployments, Loads(users=(30,)), found)
    assert [(one.combination, one.faults) for one in lacking] == [(LOCAL, faults[1:])]


@pytest.mark.parametrize("name", ["verdict.json", "audit.json", "point.json", "intervals.ndjson"])
def test_a_point_that_was_written_by_half_is_not_finished(made: Path, tmp_path: Path, name: str) -> None:
    root = cut(made, tmp_path, 2, (LOCAL,))
    file = point_folder(root, LOCAL, 30, 0) / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    found = finished(root, schedule((LOCAL,), LOADS, 2), Loads(users=LOADS))
    leave_finished(root, found, 0)

    assert counted(found) == (1, 0)
    assert not point_folder(root, LOCAL, 30, 0).exists()
    assert point_folder(root, LOCAL, 10, 0).is_dir()


def test_a_whole_block_stays_behind_one_that_is_not_whole_any_more(made: Path, tmp_path: Path) -> None:
    root = cut(made, tmp_path, 8)
    (point_folder(root, JSON, 10, 0) / "verdict.json").write_bytes(b"")

    found = finished(root, schedule(COMBINATIONS, LOADS, 2), Loads(users=LOADS))

    assert {folder.name for folder in found.stay} == {"1"}
    assert counted(found) == (4, 3)


def test_a_ramp_until_a_limit_goes_as_far_as_its_first_block_went(tmp_path: Path) -> None:
    loads = Loads(users=(10, 30, 60), until=Limits(mean=Duration(1)))
    deployments = schedule(COMBINATIONS, loads.levels, 2)
    root = write_synthetic(tmp_path, Shape(loads=(10,), stop_after=3))

    found = finished(root, deployments, loads)

    # Every synthetic mean is above 1 ms: the first load is outside, and no combination has another one.
    assert counted(found) == (2, 1)
    assert found.chooser.chosen == {LOCAL.path: [10], JSON.path: [10]}
    assert found.chooser.outside == {LOCAL.path: 10, JSON.path: 10}
    lacking = remaining(root, deployments, loads, found)
    assert [(one.combination, one.repeat, one.loads) for one in lacking] == [(JSON, 1, (10,)), (LOCAL, 1, (10,))]


def test_a_ramp_whose_first_block_was_cut_has_decided_nothing(tmp_path: Path) -> None:
    loads = Loads(users=(10, 30, 60), until=Limits(mean=Duration(1)))
    root = write_synthetic(tmp_path, Shape(loads=(10,), stop_after=1))

    found = finished(root, schedule(COMBINATIONS, loads.levels, 2), loads)

    assert counted(found) == (0, 1)
    assert (found.chooser.chosen, found.chooser.outside) == ({}, {})


def test_a_search_goes_on_from_the_points_it_has(tmp_path: Path) -> None:
    loads = Loads(users=Steps.model_validate({"from": 10, "to": 200}), search="peak", points=4)
    deployments = schedule_search((LOCAL,), 2)
    root, measured = tmp_path / "result", list[Load]()

    while (load := next_load(root, deployments[0], loads, measured)) is not None:
        search_point(root, load)
        measured.append(load)
        found = finished(root, deployments, loads)
        assert [one.load for one in found.chooser.searched[LOCAL.path].points] == measured
        assert counted(found) == (len(measured), 0)
        # Only with its last point it has ended, and shows at which load the blocks are.
        assert found.chooser.searched[LOCAL.path].ended == (len(measured) == loads.points)
        assert bool(found.chooser.chosen) == (len(measured) == loads.points)
        ended = len(measured) == loads.points
        rest = [(one.searching, one.repeat, one.loads) for one in remaining(root, deployments, loads, found)]
        peak = tuple(found.chooser.chosen.get(LOCAL.path, ()))
        assert rest == [(True, 0, ())] * (not ended) + [(False, 0, peak), (False, 1, peak)]

    assert len(set(measured)) == loads.points


def next_load(root: Path, deployment: Deployment, loads: Loads, measured: list[Load]) -> Load | None:
    """Return the load that a search in one go asks for after these."""
    verdicts = [(load, verdict_of(point_folder(root, LOCAL, load, 0, SEARCH))) for load in measured]
    seen = [loads.limits.seen(load, verdict) for load, verdict in verdicts if verdict]
    return LoadChooser(loads).next(deployment, seen)


def search_point(root: Path, load: Load) -> None:
    """Put a finished point into a search."""
    made = write_synthetic(root.parent / f"made-{load}", Shape((LOCAL,), (int(load),), 1))
    place = point_folder(root, LOCAL, load, 0, SEARCH)
    place.parent.mkdir(parents=True)
    point_folder(made, LOCAL, load, 0).rename(place)
