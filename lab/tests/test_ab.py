"""`middlemark ab`: two versions side by side, through the program."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from ab_servers import ab, command, result_of, served, started, words
from driven import wait_until_ended

from middlemark.ab import comparison, side
from middlemark.ab.comparison import compare
from middlemark.ab.cpu import CpuMeter, Unseen
from middlemark.ab.options import AbOptions, sides_of
from middlemark.ab.result import Metric
from middlemark.ab.sequential import Word
from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.processes.ports import free_port
from middlemark.processes.process_table import PROC, process_table

SHORT = ("--slice", "200ms", "--budget", "12s", "--warm-up", "3s")
LONGER = ("--slice", "200ms", "--budget", "60s")
SESSION = """\
name: twice
think: {constant: 5s}
steps:
  - {id: first, get: /one, expect: {marker: page}}
  - {id: second, get: /two, expect: {marker: page}}
"""


def processes_that_serve(folder: Path) -> list[int]:
    """Return the processes whose command line holds this folder."""
    found = []
    for pid in process_table():
        try:
            if str(folder).encode() in (PROC / str(pid) / "cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def twice_the_work(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Compare a server with one that counts to three times as far, with a limit, once for several tests.

    On a busy machine a side may seem to get faster, which nothing is said against: once it is compared again.
    """
    folder = tmp_path_factory.mktemp("servers")
    sides = started(command(folder, 5_000), command(folder, 15_000))
    for _ in range(2):
        done = ab(*sides, *LONGER, "--fail-if-slower", "20%")
        assert processes_that_serve(folder) == [], "everything that was started is stopped"
        if "was still getting faster" not in done.stdout:
            break
    return done


def test_the_answer_comes_first_in_at_most_twelve_lines(twice_the_work: subprocess.CompletedProcess[str]) -> None:
    lines = twice_the_work.stdout.splitlines()
    assert re.fullmatch(r"B is slower by \d+ … \d+ % \(CPU time per request\)\.", lines[0]), lines
    assert len(lines) <= 12
    assert "pairs of slices of 0.2 s, 4 users" in lines[1]
    assert "The interval is that of these two processes" in twice_the_work.stdout


def test_what_is_slower_by_more_than_the_limit_for_certain_ends_with_1(
    twice_the_work: subprocess.CompletedProcess[str],
) -> None:
    assert twice_the_work.returncode == 1
    assert "FAIL: B is slower by more than 20 % for certain" in twice_the_work.stdout


@pytest.mark.full
def test_a_side_that_is_faster_passes_and_the_json_has_every_slice(tmp_path: Path) -> None:
    sides = started(command(tmp_path, 15_000), command(tmp_path, 5_000))
    result = result_of(ab(*sides, *LONGER, "--fail-if-slower", "20%", "--json", "-"))
    assert (result.word, result.failed, result.decided) == (Word.FASTER, False, True)
    assert result.metric is Metric.CPU_TIME
    assert result.low < result.change < (result.high or 0) < 0
    for letter in ("a", "b"):
        slices = [getattr(pair, letter) for pair in result.pairs]
        side_result = getattr(result, letter)
        assert sum(one.requests for one in slices) == side_result.requests > 0
        assert sum(one.cpu_s for one in slices) * 1000 / side_result.requests == pytest.approx(
            side_result.cpu_ms_per_request
        )
    assert {pair.a_first for pair in result.pairs} == {True, False}, "the order is drawn at random"


def test_the_same_address_twice_is_a_test_of_the_measurement_and_pages_are_addresses(tmp_path: Path) -> None:
    with served(tmp_path) as (address, pid):
        file = tmp_path / "ab.json"
        tables = tmp_path / "ab.csv", tmp_path / "ab.xml"
        written = ("--json", str(file), "--csv", str(tables[0]), "--junit", str(tables[1]))
        done = ab(f"{address}/page?id=1", f"{address}/page?id=1", *SHORT, *written)
        assert done.returncode == 0, done.stderr
        assert "A and B are the same pages: a test of the measurement (A/A), no comparison." in done.stdout
        assert f"pid {pid}" in done.stdout
        assert '"cpu_unseen": null' in file.read_text(encoding="utf-8")
    assert done.stderr == "", "what takes less than 30 s shows nothing"


@pytest.mark.full
def test_two_pages_of_one_server_are_compared(tmp_path: Path) -> None:
    with served(tmp_path) as (address, _):
        result = result_of(ab(f"{address}/one", f"{address}/two", *SHORT, "--json", "-"))
    assert not result.same_address
    assert result.a.cpu_while_held_s is None


@pytest.mark.full
def test_a_session_is_run_by_both_without_its_think_times(tmp_path: Path) -> None:
    session = tmp_path / "twice.yaml"
    session.write_text(SESSION, encoding="utf-8")
    sides = started(command(tmp_path), command(tmp_path))
    result = result_of(ab(*sides, *SHORT, "--session", str(session), "--json", "-"))
    assert result.a.requests > 20 * len(result.pairs)
    assert result.a.errors == result.b.errors == 0


def test_different_bodies_are_pointed_out(tmp_path: Path) -> None:
    sides = started(command(tmp_path), command(tmp_path, how="long"))
    done = ab(*sides, *SHORT, "--path", "/one", "--path", "/two")
    assert "Bodies differ: 4 bytes from A, 304 from B." in done.stdout


@pytest.mark.parametrize(
    ("how", "status", "words_of_error"),
    [
        ("ends", 1, "cannot read its settings"),
        ("elsewhere", 1, "B listens on port"),
        ("error", 1, "A answers 200 and B 500: their work is not the same"),
        ("late-errors", 1, "requests to B failed (status"),
    ],
)
def test_a_side_that_does_not_serve_ends_it_with_the_reason(
    tmp_path: Path, how: str, status: int, words_of_error: str
) -> None:
    done = ab(*started(command(tmp_path), command(tmp_path, how=how)), *SHORT)
    assert (done.returncode, done.stdout) == (status, "")
    assert words_of_error in done.stderr
    assert processes_that_serve(tmp_path) == []


def test_a_page_that_neither_has_is_not_compared(tmp_path: Path) -> None:
    done = ab(*started(*[command(tmp_path, how="missing")] * 2), *SHORT, "--path", "/page")
    assert done.returncode == 2
    assert "both sides answer 404 to GET /page" in done.stderr


@pytest.mark.parametrize(
    ("given", "words_of_error"),
    [
        ((), "expected two addresses or two commands, found 0 and 0"),
        (("http://127.0.0.1:1/",), "expected two addresses or two commands, found 1 and 0"),
        (("127.0.0.1:1", "127.0.0.1:2"), "this is not an address"),
        (("--start", "python3 app.py", "--start", "python3 app.py {port}"), "no place for its port"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--path", "page"), "'page' is not a path"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--slice", "1ms"), "a slice of 1ms is too short"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--budget", "4s"), "4s holds no comparison"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--warm-up", "2m"), "more than half of the budget"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--fail-if-slower", "x"), "'x' is not a share"),
        (("http://127.0.0.1:1/", "http://127.0.0.1:1/", "--path", "/", "--session", "a.yaml"), "its own paths"),
    ],
)
def test_wrong_input_is_named(given: tuple[str, ...], words_of_error: str) -> None:
    done = ab(*given)
    assert (done.returncode, done.stdout) == (2, "")
    assert words_of_error in done.stderr


def test_an_address_that_does_not_answer_is_named() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    done = ab(address, address, *SHORT)
    assert done.returncode == 2
    assert f"nothing answers at {address}" in done.stderr


def options_of(folder: Path) -> AbOptions:
    """Return the options of a short comparison of equal servers."""
    sides = sides_of((), (command(folder), command(folder)), (), has_session=False)
    return AbOptions(sides, slice=Duration(200), budget=Duration(6_000), warm_up=Duration(1_000))


def test_where_cpu_time_is_not_seen_times_are_compared_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "meter_of_process", lambda _: Unseen("it runs on another machine"))
    result = compare(options_of(tmp_path), lambda _: None)
    assert result.metric is Metric.TIME
    assert result.a.cpu_ms_per_request is None
    assert "CPU time of B is not seen: it runs on another machine" in "\n".join(result.lines())
    pair = result.pairs[0]
    assert pair.a.cpu_s is None
    limited = result.model_copy(update={"driver_limited": True})
    assert limited.conclusion().endswith("the driver was the limit. Give fewer --users.")


def test_times_have_no_word_and_fail_no_limit_where_the_driver_was_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "meter_of_process", lambda _: Unseen("it runs on another machine"))
    monkeypatch.setattr(comparison, "DRIVER_LIMIT", -1.0)
    sides = sides_of((), (command(tmp_path), command(tmp_path, rounds=400_000)), (), has_session=False)
    result = compare(dataclasses.replace(options_of(tmp_path), sides=sides, fail_if_slower=0.01), lambda _: None)
    assert result.low > 0.01, "else nothing would be said anyway"
    assert (result.word, result.failed) == (Word.UNDECIDED, False)


def test_a_slice_whose_work_went_with_its_process_costs_that_pair_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, readings, lost = CpuMeter.read_ns, itertools.count(), set[CpuMeter]()

    def without_the_lost(meter: CpuMeter) -> int:
        # Each slice is read before and after; the 26th reading is after one, once the warm-up is over.
        if next(readings) == 25:
            lost.add(meter)
        return read(meter) - (60_000_000_000 if meter in lost else 0)

    monkeypatch.setattr(CpuMeter, "read_ns", without_the_lost)
    result = compare(options_of(tmp_path), lambda _: None)
    assert result.dropped_pairs == 1
    assert len(lost) == 1
    assert all(one.cpu_s is not None and one.cpu_s > 0 for pair in result.pairs for one in (pair.a, pair.b))
    assert any(line.startswith("1 pair dropped: ") for line in result.lines())


def test_a_side_that_ends_in_between_is_an_error(tmp_path: Path) -> None:
    def kill_one(_: str) -> None:
        processes = processes_that_serve(tmp_path)
        if len(processes) == 2:
            os.kill(processes[0], signal.SIGKILL)

    with pytest.raises(TargetError, match=r"ended|failed"):
        compare(options_of(tmp_path), kill_one)
    assert processes_that_serve(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_after_ctrl_c_and_when_the_lab_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    sides = started(command(tmp_path), command(tmp_path))
    with subprocess.Popen(
        words(*sides, "--budget", "10m"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as lab:
        # The lab's own command line holds the folder too, and each driver's plan lies elsewhere.
        while len(processes_that_serve(tmp_path)) < 3:
            assert lab.poll() is None, lab.stderr and lab.stderr.read()
            time.sleep(0.05)
        server_pids = [pid for pid in processes_that_serve(tmp_path) if pid != lab.pid]
        lab.send_signal(how)
        lab.communicate()
    for pid in server_pids:
        wait_until_ended(pid)
    assert lab.returncode == (130 if how is signal.SIGINT else -9)
