"""Loads of an experiment: lists, ramps, limits and searches, and which load comes next."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated_server import SimulatedServer

from middlemark.errors import InputError
from middlemark.experiment.definition import RunOptions, apply, read_experiment
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.loads import LoadChooser, Loads
from middlemark.records.run import Combination, Load
from middlemark.search.seen import Seen

FILE = "spec: brokerage\nscale: tiny\nsubjects: [go]\nsessions: brokerage\nloads: "
LOCAL, JSON = (
    Combination(subject="go", modes={"binding": b}, label=f"go {b}", path=f"go/binding={b}") for b in ("local", "json")
)


def loads(tmp_path: Path, text: str) -> Loads:
    """Return the loads of an experiment file."""
    path = tmp_path / "loads.yaml"
    path.write_text(FILE + text + "\n", encoding="utf-8")
    return read_experiment(path).loads


@pytest.mark.parametrize(
    ("text", "levels", "unit"),
    [
        ("{users: [10, 30]}", (10, 30), "users"),
        ("{users: {from: 10, to: 100}}", (10, 20, 40, 80, 100), "users"),
        ("{users: {from: 1, to: 4, factor: 1.2}}", (1, 2, 3, 4), "users"),
        ("{rate: [0.5, 2]}", (0.5, 2), "sessions per second"),
        ("{rate: {from: 100, to: 900, factor: 3}, of: requests}", (100, 300, 900), "requests per second"),
        ("{rate: {from: 1234, to: 5678, factor: 2}}", (1234, 2470, 4940, 5678), "sessions per second"),
    ],
)
def test_loads_are_a_list_or_a_geometric_ramp_of_users_or_of_a_rate(
    tmp_path: Path, text: str, levels: tuple[Load, ...], unit: str
) -> None:
    read = loads(tmp_path, text)

    assert read.levels == pytest.approx(levels)
    assert read.unit == unit


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{users: [1], rate: [1]}", "either users or rates"),
        ("{}", "write the loads"),
        ("{users: [1.5]}", "whole"),
        ("{users: {from: 9, to: 3}}", "`to` is below `from`"),
        ("{users: {from: 9, to: 30, facto: 2}}", "Did you mean 'factor'"),
        ("{search: peak, users: [1, 2]}", "a search has a range"),
        ("{search: pike}", "'peak'"),
        ("{search: limit, users: [1, 2]}", "a search has a range"),
        ("{search: limit, rate: {from: 1, to: 9}}", "loads.search: `limit` needs a range of users, not of rates"),
        ("{users: [1], until: {mean: 3}}", "'3' is (no|not a) duration"),
        ("{users: [1], points: 5}", "loads.points: only a search has"),
        ("{search: peak, users: {from: 1, to: 9, factor: 3}}", "loads.users.factor: a search takes no steps"),
        ("{users: [1], of: requests}", "loads.of: only a `rate`"),
        ("{users: [1], arrivals: poisson}", "loads.arrivals: only a `rate`"),
        ("{search: peak, max_users: 5}", "loads.max_users: only a `rate`"),
        ("{users: {from: 10}}", "loads.users: a ramp has both ends"),
        ("{rate: {to: 10}}", "loads.rate: a ramp has both ends"),
    ],
)
def test_loads_that_do_not_fit_together_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"loads.yaml:5: .*{message}"):
        loads(tmp_path, text)


def test_users_of_the_command_line_replace_a_search(tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    path.write_text(FILE + "{search: peak}\n", encoding="utf-8")

    assert apply(RunOptions(users=(5, 3)), read_experiment(path)).loads.levels == (3, 5)


def test_faults_refuse_a_limit_that_would_do_nothing(tmp_path: Path) -> None:
    path = tmp_path / "limited.yaml"
    path.write_text(FILE + "{users: [1, 2], until: {mean: 3s}}\n", encoding="utf-8")
    faults = (parse_fault("kill-web@3s"),)

    with pytest.raises(InputError, match="a run with faults has no limit"):
        apply(RunOptions(faults=faults), read_experiment(path))
    assert apply(RunOptions(faults=faults, users=(5, 3)), read_experiment(path)).loads.levels == (5,)


def climbed(chooser: LoadChooser, combination: Combination, server: SimulatedServer) -> list[Load]:
    """Return the loads of a first round on a server, and let `chooser` learn from them."""
    seen: list[Seen] = []
    while (load := chooser.next_climbed(seen)) is not None:
        seen.append(server.measured(load))
    chooser.learn_climb(combination, seen)
    return [point.load for point in seen]


def searched(chooser: LoadChooser, combination: Combination, server: SimulatedServer) -> list[Load]:
    """Return the loads of a search on a server, and let `chooser` learn from them."""
    seen: list[Seen] = []
    while (place := chooser.next_searched(combination, seen)) is not None:
        seen.append(server.measured(place[0]))
    chooser.learn_search(combination, seen, ended=True)
    return [point.load for point in seen]


def test_a_ramp_ends_with_the_first_load_outside_the_limits_and_later_rounds_have_the_same_loads() -> None:
    chooser = LoadChooser(Loads.model_validate({"users": {"from": 1, "to": 1000}, "until": {"mean": "3s"}}))
    slow = SimulatedServer(0.0, channels=1, service_s=0.5, contention=0.0, response_limit_s=3.0)
    quick = SimulatedServer(0.0, channels=1, service_s=0.1, contention=0.0, response_limit_s=3.0)

    assert (chooser.is_climbing(LOCAL), chooser.warm(LOCAL)) == (True, 1)
    assert climbed(chooser, LOCAL, slow) == [1, 2, 4, 8]
    assert climbed(chooser, JSON, quick) == [1, 2, 4, 8, 16, 32]
    assert (chooser.is_climbing(LOCAL), chooser.warm(LOCAL)) == (False, 8)
    assert chooser.loads_of(LOCAL) == [1, 2, 4, 8]
    assert chooser.chosen == {LOCAL.path: [1, 2, 4, 8], JSON.path: [1, 2, 4, 8, 16, 32]}
    assert chooser.outside == {LOCAL.path: 8, JSON.path: 32}


def test_a_warm_up_has_the_highest_load_of_a_list() -> None:
    assert LoadChooser(Loads.model_validate({"users": [10, 20, 40]})).warm(LOCAL) == 40


def test_a_ramp_whose_last_load_keeps_the_limits_has_no_load_outside_them() -> None:
    chooser = LoadChooser(Loads.model_validate({"users": [1, 2], "until": {"mean": "3s"}}))
    quick = SimulatedServer(0.0, channels=1, service_s=0.1, contention=0.0, response_limit_s=3.0)

    assert climbed(chooser, LOCAL, quick) == [1, 2]
    assert chooser.outside == {}


def test_a_search_decides_the_load_of_the_rounds_of_its_combination() -> None:
    chooser = LoadChooser(Loads.model_validate({"search": "peak", "users": {"from": 1, "to": 100}, "points": 6}))
    server = SimulatedServer(0.0, channels=4, service_s=0.01, contention=0.2, response_limit_s=0.05)

    assert (chooser.is_searching(LOCAL), chooser.warm(LOCAL)) == (True, 10)
    spent = searched(chooser, LOCAL, server)
    found = chooser.searched[LOCAL.path]

    assert len(spent) <= 6
    assert [point.load for point in found.points] == spent
    assert found.peak == 4
    assert (chooser.is_searching(LOCAL), chooser.is_searching(JSON)) == (False, True)
    assert chooser.loads_of(LOCAL) == [4]


def test_a_search_for_the_limit_decides_two_loads_around_it_and_the_higher_one_is_outside() -> None:
    until = {"mean": "500ms"}
    chooser = LoadChooser(Loads.model_validate({"search": "limit", "users": {"from": 1, "to": 1000}, "until": until}))
    server = SimulatedServer(0.0, channels=2, service_s=0.01, contention=0.0, response_limit_s=0.5)

    searched(chooser, LOCAL, server)

    low, high = chooser.loads_of(LOCAL)
    assert low < 100 < high
    assert chooser.outside == {LOCAL.path: high}
    assert chooser.warm(LOCAL) == high
    assert chooser.searched[LOCAL.path].goal == "limit"


def test_a_search_ends_below_its_range_where_no_more_files_may_be_open() -> None:
    loads = Loads.model_validate({"search": "limit", "users": {"from": 1, "to": 1000}})
    chooser = LoadChooser(loads, {LOCAL.path: 30})
    quick = SimulatedServer(1.0, channels=8, service_s=0.001, contention=0.0, response_limit_s=3.0)

    assert max(searched(chooser, LOCAL, quick)) == 30
    assert max(searched(chooser, JSON, quick)) == 1000
    assert chooser.loads_of(LOCAL) == [30]


def test_a_search_for_the_limit_whose_range_ends_inside_it_has_rounds_at_the_highest_load() -> None:
    chooser = LoadChooser(Loads.model_validate({"search": "limit", "users": {"from": 1, "to": 40}}))

    searched(chooser, LOCAL, SimulatedServer(1.0, channels=8, service_s=0.01, contention=0.0, response_limit_s=3.0))

    assert chooser.loads_of(LOCAL) == [40]
    assert chooser.outside == {}


def test_a_point_of_a_search_that_did_not_count_is_measured_again_in_a_folder_of_its_own() -> None:
    chooser = LoadChooser(Loads.model_validate({"search": "peak", "users": {"from": 4, "to": 100}}))
    wrong = Seen(4, 100.0, 0.01, 0.1, counts=False)

    assert chooser.next_searched(LOCAL, []) == (4, 0)
    assert chooser.next_searched(LOCAL, [wrong]) == (4, 1)
    chooser.learn_search(LOCAL, [wrong, wrong], ended=False)
    assert [(one.load, one.valid) for one in chooser.searched[LOCAL.path].points] == [(4, False), (4, False)]
    assert chooser.searched[LOCAL.path].doubtful == [4]


def test_a_search_in_which_no_point_counts_has_no_rounds() -> None:
    chooser = LoadChooser(Loads.model_validate({"search": "peak"}))

    chooser.learn_search(LOCAL, [Seen(1, 100.0, 0.01, 0.1, counts=False)], ended=True)

    assert chooser.searched[LOCAL.path].peak is None
    assert chooser.loads_of(LOCAL) == []
