"""Which CPUs each role gets: shared out or as written, refused when impossible, inherited by all that is started."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from run_command import finish

from middlemark.databases.database import Database
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.errors import InputError
from middlemark.experiment import preparation
from middlemark.experiment.combinations import combinations
from middlemark.experiment.options import RunOptions
from middlemark.experiment.placing import Places, Sets, Wanted, Wish, placed
from middlemark.experiment.preparation import prepare
from middlemark.monitor.placed import whereabouts
from middlemark.processes.affinity import Core, allowed_cpus, on_cpus, usable_cpus
from middlemark.processes.ending import Part
from middlemark.processes.guard import guard
from middlemark.processes.process import Process, ProcessSpec, last_lines
from middlemark.records.placement import Placement, Whereabouts, cpu_list, cpu_numbers

EXPERIMENT = """\
spec: brokerage
scale: tiny
session: brokerage
subjects: [go]
loads: {users: [4]}
"""
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="this system cannot keep processes on CPUs")


class _Offers:
    def offers(self, _: str) -> tuple[str, ...]:
        return ()


def machine(cpus: int) -> dict[int, Core]:
    return {cpu: (0, cpu) for cpu in range(cpus)}


def wish(
    wanted: Wanted | None = None, *counts: int, own_database: bool = False, written: tuple[int, ...] | None = None
) -> Wish:
    return Wish(wanted, counts, lambda location: f"file: {location}", own_database, written)


def placement(places: Places, *counts: int) -> Placement:
    choices = {"cpus": tuple(map(str, counts))} if counts else {}
    (one,) = combinations({"go": _Offers()}, choices)[0]
    return places.of(one)


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
    found = placement(placed(wish(), machine(cpus)))
    assert found.cpus == {"driver": driver, "database": database, "sut": sut}
    assert found.shared == shared
    assert found.driver_shares == (driver == database)


def test_driver_and_database_have_the_same_cpus_for_every_number_of_the_others() -> None:
    places = placed(wish(None, 1, 2), machine(2))
    one, two = placement(places, 1), placement(places, 2)
    assert one.cpus == {"driver": (0,), "database": (0,), "sut": (1,)}
    assert two.cpus == {"driver": (0,), "database": (0,), "sut": (0, 1)}
    assert (one.shared, two.shared) == (False, True)
    four = placed(wish(None, 1, 2, 4), machine(8))
    assert [placement(four, n).cpus["sut"] for n in (1, 2, 4)] == [(4,), (4, 5), (4, 5, 6, 7)]
    assert placement(four, 1).of("database") == {2, 3}


def test_a_number_chosen_from_those_of_the_file_runs_where_it_runs_among_all() -> None:
    whole = placed(wish(None, 1, 2), machine(4))
    for count in (1, 2):
        narrowed = placed(wish(None, count, written=(1, 2)), machine(4))
        assert placement(narrowed, count) == placement(whole, count)
    assert placement(whole, 1).cpus == {"driver": (0,), "database": (1,), "sut": (2,)}
    other = placement(placed(wish(None, 3, written=(1, 2)), machine(4)), 3)
    assert (other.cpus["sut"], other.shared) == ((1, 2, 3), False)


@needs_linux
def test_the_command_line_narrows_the_numbers_and_moves_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "usable_cpus", lambda: machine(4))
    file = tmp_path / "counted.yaml"
    file.write_text(EXPERIMENT + "cpus: [1, 2]\n", encoding="utf-8")
    options = RunOptions(out=tmp_path / "out")
    whole = prepare(str(file), options)
    narrowed = prepare(str(file), replace(options, modes={"cpus": "1"}))
    (one,) = narrowed.combinations
    assert narrowed.places.of(one) == whole.places.of(one)


def test_parts_of_the_system_may_have_cpus_of_their_own() -> None:
    sets = Sets(driver="0", database=1, sut="2-3", front="1", processor=[3])
    found = placement(placed(wish(sets), machine(4)))
    assert found.of("web+services") == {2, 3}
    assert found.of("web+services+processor") == {2, 3}
    assert found.of("front") == {1}
    assert found.of("processor") == {3}
    assert found.shared
    assert found.said == ("driver: CPU 0; database and front: CPU 1; system under test: CPU 2-3; processor: CPU 3")


def test_a_driver_with_a_cpu_of_its_own_shares_nothing_when_others_share_theirs() -> None:
    found = placement(placed(wish(Sets(driver=0, database=1, sut="1-3")), machine(4)))
    assert found.shared
    assert not found.driver_shares


def threads_of(cores: int) -> dict[int, Core]:
    """Return CPUs as Linux numbers those of cores with two threads: 0 and 2 are the threads of the first of two."""
    return {cpu: (0, cpu % cores) for core in range(cores) for cpu in (core, core + cores)}


def test_threads_of_one_core_stay_together_and_are_told_of_when_they_cannot() -> None:
    apart = placement(placed(wish(), threads_of(4)))
    assert [sorted(apart.of(role)) for role in ("driver", "database", "web")] == [[0, 4], [1, 5], [2, 3, 6, 7]]
    assert (apart.shared_cores, apart.driver_shares, apart.note) == (False, False, "")
    beside = placement(placed(wish(), threads_of(1)))
    assert beside.note == "CPU 0-1 are threads of the same cores: what runs on one slows the other"
    assert (beside.shared, beside.shared_cores) == (False, True)


def test_a_driver_on_a_thread_of_the_databases_core_shares_it_and_says_so() -> None:
    found = placement(placed(wish(), threads_of(2)))
    assert found.cpus == {"driver": (0,), "database": (2,), "sut": (1, 3)}
    assert (found.shared, found.shared_cores, found.driver_shares) == (False, False, True)
    assert found.line.endswith("; CPU 0,2 are threads of the same cores: what runs on one slows the other")


def test_a_driver_on_a_thread_of_a_core_of_what_is_measured_shares_it() -> None:
    found = placement(placed(wish(Sets(driver=0, database=1, sut="2")), threads_of(2)))
    assert (found.shared, found.shared_cores, found.driver_shares) == (False, True, True)
    other = placement(placed(wish(Sets(driver=0, database=1, sut="3")), threads_of(2)))
    assert (other.shared, other.shared_cores, other.driver_shares) == (False, True, False)


def test_a_database_of_the_users_own_may_be_anywhere_so_that_cpus_count_as_shared() -> None:
    found = placement(placed(wish(own_database=True), machine(2)))
    assert "database" not in found.cpus
    assert found.shared
    assert found.note == "the database is one of yours: nobody knows its CPUs"


@pytest.mark.parametrize(("wanted", "usable"), [("none", machine(4)), (None, {})])
def test_where_nothing_is_pinned_everything_is_shared_and_the_reason_is_one_line(
    wanted: Wanted | None, usable: Mapping[int, Core]
) -> None:
    places = placed(wish(wanted), usable)
    found = placement(places)
    assert not found.cpus
    assert found.shared
    assert not places.lab
    reason = "the experiment says so (placement: none)" if wanted else "this system cannot keep processes on CPUs"
    assert found.line.startswith(f"nothing is pinned (shared CPUs); {reason}")


@pytest.mark.parametrize(
    ("addition", "line", "said"),
    [
        ("cpus: [1, 1000]", 6, "cpus: 1000 CPUs are asked for, and only CPU "),
        ("cpus: 0", 6, "cpus: there is at least one"),
        ("cpus: 1\nplacement: none", 6, "cpus: CPUs cannot be counted where nothing is pinned"),
        ("placement:\n  driver: 0\n  database: 0\n  sut: 900-901", 9, "placement: sut cannot have CPU 900-901: only "),
        ("placement:\n  driver: 0\n  database: 0\n  sut: 5-", 9, "placement.sut: '5-' is no list of CPUs"),
        ("placement: {driver: 0, sut: 0}", 6, "the key 'database' is missing"),
        ("placement: {driver: 0, database: 0, sut: 0}\ncpus: 2", 7, "cpus: 2 CPUs are asked for, and only placement "),
        (
            "placement: {driver: 0, database: 0, sut: 0, web: 0}\ncpus: 1",
            7,
            "cpus: this counts the CPUs of sut, and web ",
        ),
        ("placement: some", 6, "placement: Input should be 'none'"),
    ],
)
@needs_linux
def test_an_impossible_placement_is_refused_with_file_and_line_before_anything_starts(
    tmp_path: Path, addition: str, line: int, said: str
) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(EXPERIMENT + addition + "\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        prepare(str(file), RunOptions(out=tmp_path / "out"))
    assert str(refused.value).startswith(f"{file}:{line}: {said}")
    assert not (tmp_path / "out").exists()


@needs_linux
def test_a_number_of_the_command_line_is_refused_there(tmp_path: Path) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(EXPERIMENT, encoding="utf-8")
    with pytest.raises(InputError, match=r"^--set cpus: 1000 CPUs are asked for"):
        prepare(str(file), RunOptions(modes={"cpus": "1000"}))


@needs_linux
def test_a_dry_run_tells_who_would_run_where(tmp_path: Path) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(EXPERIMENT + "placement: none\n", encoding="utf-8")
    done = finish(file, tmp_path / "out", "--dry-run")
    assert "CPUs: nothing is pinned (shared CPUs); the experiment says so (placement: none)" in done.stdout


def test_lists_of_cpus_are_written_and_read_as_linux_does() -> None:
    assert cpu_list((5, 0, 1, 2)) == "0-2,5"
    assert cpu_numbers("0-2,5") == (0, 1, 2, 5)
    for wrong in ("", "a", "2-1", "1-", "-1", "1,,2"):
        with pytest.raises(ValueError, match="is no list of CPUs"):
            cpu_numbers(wrong)


GO = """package main

import "runtime"

func main() { println("processors", runtime.GOMAXPROCS(0), runtime.NumCPU()) }
"""
JAVA = ("java", "-XshowSettings:system", "-version")


@needs_linux
def test_go_counts_the_cpus_it_was_given_before_it_began(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(GO, encoding="utf-8")
    subprocess.run(["go", "build", "-o", "counted", "main.go"], cwd=tmp_path, check=True)  # noqa: S607 (as users have it)
    assert "processors 1 1" in output(tmp_path, str(tmp_path / "counted"))


@needs_linux
def test_a_java_virtual_machine_counts_the_cpus_it_was_given_before_it_began(tmp_path: Path) -> None:
    assert re.search(r"Effective CPU Count: 1$", output(tmp_path, *JAVA), re.MULTILINE)


def output(folder: Path, *command: str) -> str:
    """Return what a program says that is kept on the last CPU of the machine."""
    last = max(usable_cpus())
    spec = ProcessSpec("counted", Part.WEB, command, folder, folder / "log", cpus=frozenset({last}))
    before = os.sched_getaffinity(0)
    with guard() as watch:
        process = Process(spec, watch)
        process.start()
        assert process.wait() == 0
        process.stop()
    assert os.sched_getaffinity(0) == before
    return "\n".join(last_lines(spec.log, 200))


@needs_linux
def test_every_process_of_postgresql_inherits_the_cpus_of_the_postmaster(tmp_path: Path) -> None:
    last = frozenset({max(usable_cpus())})
    with embedded_postgresql(tmp_path / "cluster", cpus=last) as database:
        with database.admin():
            assert cpus_of(database) == {last}
        assert database.server
        database.server.restart()
        with database.admin():
            assert cpus_of(database) == {last}


def cpus_of(database: Database) -> set[frozenset[int]]:
    """Return the sets of CPUs that the processes of a server may use, of sessions too."""
    assert database.server
    postmaster = psutil.Process(database.server.pid)
    processes = [postmaster, *postmaster.children()]
    assert len(processes) > 2
    return {cpus for process in processes for cpus in allowed_cpus(process.pid)}


@contextmanager
def sleeping(*cpus: int) -> Iterator[int]:
    """Give a process that may use these CPUs alone."""
    with on_cpus(cpus):
        process = subprocess.Popen(["sleep", "60"])  # noqa: S607 (as users have it)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="one CPU has no others")
def test_a_process_that_left_its_cpus_is_told_of_by_its_tier() -> None:
    first, second = list(usable_cpus())[:2]
    asked = Placement(cpus={"driver": (first,), "sut": (second,)})
    one, other = frozenset({first}), frozenset({second})
    with sleeping(second) as pid:
        roots = {"web": (pid,)}
        assert whereabouts(asked, roots, {"driver": {one}, "web": {other}}) == Whereabouts()
        os.sched_setaffinity(pid, {first})
        assert whereabouts(asked, roots, {"driver": {other}}).displaced == (
            f"driver could while it was loaded use CPU {second}, not {first}",
            f"web can use CPU {first}, not {second}",
        )


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="one CPU has no others")
def test_processes_that_had_the_tiers_cpus_only_together_were_not_on_them() -> None:
    first, second = list(usable_cpus())[:2]
    asked = Placement(cpus={"driver": (first,), "sut": (first, second)})
    one, other = frozenset({first}), frozenset({second})
    both = cpu_list(one | other)
    with sleeping(first, second) as wide, sleeping(second) as narrow:
        sampled = {"driver": {one}, "web": {one, other, one | other}}
        assert whereabouts(asked, {"web": (wide, narrow)}, sampled).displaced == (
            f"web could while it was loaded use CPU {first} or {second}, not {both}",
            f"web can use CPU {second}, not {both}",
        )


@needs_linux
def test_tiers_of_which_nothing_was_seen_are_named_and_one_that_has_ended_was_sampled() -> None:
    gone = subprocess.Popen(["true"])  # noqa: S607 (as users have it)
    gone.wait()
    asked = Placement(cpus={"driver": (0,), "database": (0,), "sut": (1,)})
    roots = {"web": (gone.pid,), "services": (gone.pid,)}
    assert whereabouts(asked, roots, {"web": {frozenset({1})}}).unseen == ("driver", "database", "services")
    assert whereabouts(Placement(), roots, {}) == Whereabouts()
