"""Which CPUs each role gets: shared out or as written, refused when impossible."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from run_command import finish

from middlemark.errors import InputError
from middlemark.experiment import preparation
from middlemark.experiment.definition import RunOptions
from middlemark.experiment.placing import (
    ALL,
    CpuAllocation,
    CpuSets,
    PlacementRequest,
    RequestedPlacement,
    allocated,
    counted,
    wake_of,
)
from middlemark.experiment.preparation import prepare
from middlemark.processes.affinity import Core
from middlemark.records.placement import Placement, cpu_list, cpu_numbers
from middlemark.records.run import Combination
from middlemark.workload.plan import WakeUps

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
loads: {users: [4]}
"""
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="this system cannot keep processes on CPUs")


def placed(tmp_path: Path, addition: str) -> Path:
    file = tmp_path / "placed.yaml"
    file.write_text(EXPERIMENT + addition, encoding="utf-8")
    return file


def machine(cpus: int) -> dict[int, Core]:
    return {cpu: (0, cpu) for cpu in range(cpus)}


def request(
    sets: RequestedPlacement | None = None,
    *counts: int,
    embedded: bool = True,
    foreign: bool = False,
    written: tuple[int, ...] | None = None,
) -> PlacementRequest:
    return PlacementRequest(sets, counts, lambda location: f"file: {location}", embedded, foreign, written)


def placement(cpus: CpuAllocation, count: int | None = None) -> Placement:
    choices = {} if count is None else {"cpus": str(count)}
    return cpus.of(Combination(subject="go", modes=choices, label="go", path="go"))


@pytest.mark.parametrize(
    ("cpus", "driver", "database", "sut", "shared"),
    [
        (1, (0,), (0,), (0,), True),
        (2, (0,), (0,), (1,), False),
        (3, (0,), (0,), (1, 2), False),
        (4, (0,), (1,), (2, 3), False),
        (8, (0, 1), (2, 3), (4, 5, 6, 7), False),
    ],
)
def test_by_default_the_system_under_test_has_half_of_the_cpus_and_driver_and_database_the_rest(
    cpus: int, driver: tuple[int, ...], database: tuple[int, ...], sut: tuple[int, ...], *, shared: bool
) -> None:
    found = placement(allocated(request(), machine(cpus)))
    assert found.cpus == {"driver": driver, "database": database, "sut": sut}
    assert found.shared == shared
    assert found.driver_shares == (driver == database)


@pytest.mark.parametrize(
    ("cpus", "sets", "numbers"),
    [
        (8, None, (1, 4)),
        (3, None, (1, 2)),
        (2, None, (1,)),
        (8, CpuSets(driver=(0,), sut=(1, 2, 3)), (1, 3)),
    ],
)
def test_all_cpus_are_those_that_the_placement_leaves(
    cpus: int, sets: CpuSets | None, numbers: tuple[int, ...]
) -> None:
    assert counted((1, ALL), sets, machine(cpus)) == numbers


def test_driver_and_database_have_the_same_cpus_for_every_number_of_the_others() -> None:
    cpus = allocated(request(None, 1, 2), machine(2))
    one, two = placement(cpus, 1), placement(cpus, 2)
    assert one.cpus == {"driver": (0,), "database": (0,), "sut": (1,)}
    assert two.cpus == {"driver": (0,), "database": (0,), "sut": (0, 1)}
    assert (one.shared, two.shared) == (False, True)
    four = allocated(request(None, 1, 2, 4), machine(8))
    assert [placement(four, n).cpus["sut"] for n in (1, 2, 4)] == [(4,), (4, 5), (4, 5, 6, 7)]
    assert placement(four, 1).of("database") == {2, 3}


def test_a_number_chosen_from_those_of_the_file_runs_where_it_runs_among_all() -> None:
    whole = allocated(request(None, 1, 2), machine(4))
    for count in (1, 2):
        narrowed = allocated(request(None, count, written=(1, 2)), machine(4))
        assert placement(narrowed, count) == placement(whole, count)
    assert placement(whole, 1).cpus == {"driver": (0,), "database": (1,), "sut": (2,)}
    other = placement(allocated(request(None, 3, written=(1, 2)), machine(4)), 3)
    assert (other.cpus["sut"], other.shared) == ((1, 2, 3), False)


@needs_linux
def test_the_command_line_narrows_the_numbers_and_moves_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "usable_cpus", lambda: machine(4))
    file = placed(tmp_path, "cpus: [1, 2]\n")
    options = RunOptions(out=tmp_path / "out")
    whole = prepare(str(file), options)
    narrowed = prepare(str(file), replace(options, choices={"cpus": "1"}))
    (one,) = narrowed.combinations
    assert narrowed.cpus.of(one) == whole.cpus.of(one)


def test_parts_of_the_system_may_have_cpus_of_their_own() -> None:
    sets = CpuSets(driver="0", database=1, sut="2-3", reverse_proxy="1", tiers={"processor": (3,)})
    found = placement(allocated(request(sets), machine(4)))
    assert found.of("web+services") == {2, 3}
    assert found.of("web+services+processor") == {2, 3}
    assert found.of("reverse-proxy") == {1}
    assert found.of("processor") == {3}
    assert found.shared
    assert found.text == (
        "driver: CPU 0; database and reverse-proxy: CPU 1; system under test: CPU 2-3; processor: CPU 3"
    )


def test_a_tier_keeps_its_cpus_while_those_of_the_rest_are_counted() -> None:
    sets = CpuSets(driver=(0,), database=(1,), sut=(2, 3, 4, 5), tiers={"service": (6, 7)})
    cpus = allocated(request(sets, 1, 2, 4), machine(8))
    counted = {count: placement(cpus, count) for count in (1, 2, 4)}
    assert {count: len(found.of("web")) for count, found in counted.items()} == {1: 1, 2: 2, 4: 4}
    assert {found.of("service") for found in counted.values()} == {frozenset({6, 7})}


def test_each_of_several_database_servers_may_have_cpus_of_its_own() -> None:
    sets = CpuSets(driver=(0,), database=(1,), sut=(3,), tiers={"database.orders": (2,)})
    cpus = allocated(request(sets), machine(4))
    found = placement(cpus)
    assert (found.of("database.catalog"), found.of("database.orders")) == (frozenset({1}), frozenset({2}))
    assert cpus.databases == {"database": {1}, "database.orders": {2}}
    assert not found.shared
    shared = allocated(request(sets.model_copy(update={"sut": (2,)})), machine(4))
    assert placement(shared).shared


def test_a_driver_with_a_cpu_of_its_own_shares_nothing_when_others_share_theirs() -> None:
    found = placement(allocated(request(CpuSets(driver=0, database=1, sut="1-3")), machine(4)))
    assert found.shared
    assert not found.driver_shares


def threads_of(cores: int) -> dict[int, Core]:
    """Return CPUs as Linux numbers those of cores with two threads: 0 and 2 are the threads of the first of two."""
    return {cpu: (0, cpu % cores) for core in range(cores) for cpu in (core, core + cores)}


def test_threads_of_one_core_stay_together_and_are_named_when_they_cannot() -> None:
    apart = placement(allocated(request(), threads_of(4)))
    assert [sorted(apart.of(role)) for role in ("driver", "database", "web")] == [[0, 4], [1, 5], [2, 3, 6, 7]]
    assert (apart.shared_cores, apart.driver_shares, apart.note) == (False, False, "")
    beside = placement(allocated(request(), threads_of(1)))
    assert beside.note == "CPU 0-1 are threads of the same cores: what runs on one slows the other"
    assert (beside.shared, beside.shared_cores) == (False, True)


def test_a_driver_on_a_thread_of_the_databases_core_shares_it_and_says_so() -> None:
    found = placement(allocated(request(), threads_of(2)))
    assert found.cpus == {"driver": (0,), "database": (2,), "sut": (1, 3)}
    assert (found.shared, found.shared_cores, found.driver_shares) == (False, False, True)
    assert found.line.endswith("; CPU 0,2 are threads of the same cores: what runs on one slows the other")


def test_a_driver_on_a_thread_of_a_core_of_what_is_measured_shares_it() -> None:
    found = placement(allocated(request(CpuSets(driver=0, database=1, sut="2")), threads_of(2)))
    assert (found.shared, found.shared_cores, found.driver_shares) == (False, True, True)
    other = placement(allocated(request(CpuSets(driver=0, database=1, sut="3")), threads_of(2)))
    assert (other.shared, other.shared_cores, other.driver_shares) == (False, True, False)


def test_a_database_of_the_users_own_may_be_anywhere_so_that_cpus_count_as_shared() -> None:
    found = placement(allocated(request(embedded=False, foreign=True), machine(2)))
    assert "database" not in found.cpus
    assert found.shared
    assert found.note == "a database is one of yours: its CPUs are unknown"


def test_without_a_database_the_driver_has_what_the_system_under_test_leaves() -> None:
    found = placement(allocated(request(embedded=False), machine(4)))
    assert found.cpus == {"driver": (0, 1), "sut": (2, 3)}
    assert (found.shared, found.driver_shares) == (False, False)


def test_beside_a_server_of_the_users_own_the_lab_places_its_own() -> None:
    found = placement(allocated(request(embedded=True, foreign=True), machine(4)))
    assert found.cpus == {"driver": (0,), "database": (1,), "sut": (2, 3)}
    assert found.shared


@pytest.mark.parametrize(("wanted", "usable"), [("none", machine(4)), (None, {})])
def test_where_nothing_is_pinned_everything_is_shared_and_the_reason_is_one_line(
    wanted: RequestedPlacement | None, usable: Mapping[int, Core]
) -> None:
    cpus = allocated(request(wanted), usable)
    found = placement(cpus)
    assert not found.cpus
    assert found.shared
    assert not cpus.lab
    reason = "the experiment has placement: none" if wanted else "this system cannot keep processes on CPUs"
    assert found.line.startswith(f"nothing is pinned (shared CPUs); {reason}")


@pytest.mark.parametrize(
    ("addition", "line", "message"),
    [
        ("cpus: [1, 1000]", 6, "cpus: 1000 CPUs are requested, and only CPU "),
        ("cpus: 0", 6, "cpus: expected 1 or more"),
        ("cpus: 1\nplacement: none", 6, "cpus: CPUs cannot be counted where nothing is pinned"),
        ("placement:\n  driver: 0\n  database: 0\n  sut: 900-901", 9, "placement: sut cannot have CPU 900-901: only "),
        ("placement:\n  driver: 0\n  database: 0\n  sut: 5-", 9, "placement.sut: '5-' is "),
        ("placement: {driver: 0, sut: 0}", 6, "placement: the key 'database' is missing"),
        ("placement: {driver: 0, database: 0, sut: 0}\ncpus: 2", 7, "cpus: 2 CPUs are requested, and only placement "),
        (
            "placement: {driver: 0, database: 0, sut: 0, tiers: {database.orders: 0}}",
            6,
            "placement.tiers.database.orders: brokerage has no tier 'database.orders'",
        ),
        ("placement: some", 6, "placement: expected 'none'"),
    ],
)
@needs_linux
def test_an_impossible_placement_is_refused_with_file_and_line_before_anything_starts(
    tmp_path: Path, addition: str, line: int, message: str
) -> None:
    file = placed(tmp_path, addition + "\n")
    with pytest.raises(InputError) as refused:
        prepare(str(file), RunOptions(out=tmp_path / "out"))
    assert str(refused.value).startswith(f"{file}:{line}: {message}")
    assert not (tmp_path / "out").exists()


@needs_linux
def test_a_number_of_the_command_line_is_refused_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--set cpus: 1000 CPUs are requested"):
        prepare(str(placed(tmp_path, "")), RunOptions(choices={"cpus": "1000"}))


@needs_linux
def test_a_dry_run_shows_who_would_run_where(tmp_path: Path) -> None:
    done = finish(placed(tmp_path, "placement: none\n"), tmp_path / "out", "--dry-run")
    assert "CPUs: nothing is pinned (shared CPUs); the experiment has placement: none" in done.stdout


def test_lists_of_cpus_are_written_and_read_as_linux_does() -> None:
    assert cpu_list((5, 0, 1, 2)) == "0-2,5"
    assert cpu_numbers("0-2,5") == (0, 1, 2, 5)
    for wrong in ("", "a", "2-1", "1-", "-1", "1,,2"):
        with pytest.raises(ValueError, match=r"is (no|not a) list of CPUs"):
            cpu_numbers(wrong)


APART, SHARED = Placement(shared=False, driver_shares=False), Placement(shared=False)


@pytest.mark.parametrize(
    ("placements", "expected"),
    [([APART, APART], WakeUps.EXACT), ([APART, SHARED], None), ([SHARED], None)],
)
def test_the_driver_wakes_exactly_where_it_has_cpus_of_its_own(
    placements: list[Placement], expected: WakeUps | None
) -> None:
    assert wake_of(None, placements) is expected


def test_an_experiment_decides_for_itself() -> None:
    assert wake_of(WakeUps.COALESCED, [APART]) is WakeUps.COALESCED
    assert wake_of(WakeUps.EXACT, [SHARED]) is WakeUps.EXACT
