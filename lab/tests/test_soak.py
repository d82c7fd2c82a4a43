"""A soak of a day: judged in the memory of an hour, in a small folder; a leak and a stall are named with their time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from held_run import BEFORE_MIB, DAY_S, USERS, Held, write_held

from middlemark.judge.result import judge, judge_folder, read_measured
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.findings import Measured
from middlemark.records.folder import read_run, write_json
from middlemark.records.run import LoadLimits, RunStatus, Searched
from middlemark.records.soak import Quantity, Shape, Soak
from middlemark.show.junit import junit_of
from middlemark.show.page import report_page
from middlemark.show.terminal import answer_lines

# What a lab does at the end of a soak, or when it is asked for a report: the largest memory of that in KiB.
JUDGE = """
import sys
from pathlib import Path
from middlemark.judge.result import judge_folder
from middlemark.show.page import report_page
found = judge_folder(Path(sys.argv[1]))
(soak,) = found.soaks(found.run.combinations[0])
assert len(soak.series[0].values) == int(sys.argv[2]), soak
assert report_page(found)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(peak.split()[1])
"""
HOUR_S = 3600
MAX_MIB_MORE = 16
MAX_FOLDER_BYTES = 500 * 10**6
PRICES = """
version = 1
title = "A made-up price"
[[lines]]
date = "2026-11"
item = "Server"
subjects = ["go"]
price = 1000
currency = "EUR"
per = "purchase"
scope = "software"
source = "made up"
"""


@dataclass(frozen=True)
class Judged:
    """A folder, what it holds, and its only soak."""

    root: Path
    measured: Measured

    @property
    def soak(self) -> Soak:
        """Its only soak."""
        (soak,) = self.measured.soaks(self.measured.run.combinations[0])
        return soak


@pytest.fixture(scope="module")
def stalled(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Give a day in which a process leaks 1 MiB a minute, and all stands still after half an hour."""
    return day(tmp_path_factory.mktemp("stalled"), Held(leak_mib=1.0, stall_s=HOUR_S / 2))


@pytest.fixture(scope="module")
def leaking(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Give a day in which a process leaks 1 MiB a minute, and throughput declines by 2 %."""
    return day(tmp_path_factory.mktemp("leaking"), Held(leak_mib=1.0, decline=0.02))


def day(root: Path, held: Held) -> Judged:
    """Write a folder and read it."""
    write_held(root, held)
    return Judged(root, read_measured(root))


def test_a_leak_and_a_stall_are_named_with_their_time(stalled: Judged) -> None:
    found, soak = judge(stalled.measured), stalled.soak

    assert soak.sustained is False
    assert soak.all_lost_s == HOUR_S / 2
    assert "all throughput was lost after 30 min" in found.answer
    leak = next(one for one in soak.series if one.quantity is Quantity.MEMORY and one.of == "web+services")
    assert leak.shape is Shape.LINE
    assert leak.per_hour == pytest.approx(60, rel=0.01)
    assert leak.after == pytest.approx(BEFORE_MIB + DAY_S / 60, rel=0.01)
    named = "Memory of web+services rises by 60 MiB an hour"
    assert any(mark.text.startswith(named) for mark in found.marks)
    assert named in report_page(found)
    assert any(line.startswith(named) for line in answer_lines(found, stalled.root / "report.html"))
    level = [one.of for one in soak.series if one.quantity is Quantity.MEMORY and one.is_level]
    assert level == ["database.catalog", "database.orders", "driver", "the lab"]
    assert b"all throughput was lost after 30 min" in junit_of([found])


def test_a_slight_decline_of_a_day_is_sustained(leaking: Judged) -> None:
    soak = leaking.soak

    assert soak.sustained
    assert soak.text.startswith("sustained for 24 h (")
    assert len(soak.series[0].values) == DAY_S / 60
    assert soak.series[0].per_hour == pytest.approx(-15 * 0.02 / 24, rel=0.1)
    rates = {one.of: one.values for one in soak.series if one.quantity is Quantity.RATE}
    assert {name: round(60 * sum(value or 0 for value in values)) for name, values in rates.items()} == {
        name: one.count for name, one in leaking.measured.rounds[0].transactions.items()
    }
    disk = [one for one in soak.series if one.quantity is Quantity.DISK]
    assert [one.shape for one in disk] == [Shape.LINE, Shape.LINE]


def test_there_is_no_price_where_a_load_was_not_sustained(stalled: Judged, leaking: Judged, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    sheet = read_price_sheet(tmp_path / "prices.toml")
    lost, held = (
        judge(searched(one.measured).model_copy(update={"prices": sheet})).combinations[0] for one in (stalled, leaking)
    )

    assert lost.cost.value is None
    assert lost.cost.reason.startswith("not sustained, since all throughput was lost after 30 min (")
    assert held.cost.value == pytest.approx(1000 / held.at.figures["throughput"].mean)


def searched(measured: Measured) -> Measured:
    """The same, where a search had found the load before: of a load alone nobody knows whether it is the peak."""
    (one,) = measured.run.combinations
    found = Searched(
        limits=LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001), peak=USERS, throughput_tps=15.0, peak_known=True,
        inside=USERS, outside=None, limit_known=True, points=[],
    )  # fmt: skip
    run = measured.run.model_copy(update={"searched": {one.path: found}, "chosen": {one.path: [USERS]}})
    return measured.model_copy(update={"run": run})


def test_a_soak_that_is_under_way_or_was_killed_is_judged_as_far_as_it_came(tmp_path: Path) -> None:
    folder = write_held(tmp_path, Held(leak_mib=1.0, end_s=3 * HOUR_S))
    run = read_run(tmp_path)
    write_json(tmp_path / "run.json", run.model_copy(update={"status": RunStatus.RUNNING, "finished": None}))
    with (folder / "intervals.ndjson").open("a", encoding="utf-8") as lines:
        lines.write('{"v":1,"t_ns":7,"type":"inter')  # a line that is just being written

    found = judge_folder(tmp_path)

    assert found.rounds == []
    assert "sustained so far, for 3 h of 24 h (" in found.answer
    assert not found.run_is_valid
    page = report_page(found)
    assert "Memory of web+services rises by 60 MiB an hour" in page
    assert "This run has not finished: it is still running, or it was killed." in page


def test_the_folder_of_a_day_is_small(leaking: Judged) -> None:
    size = sum(file.stat().st_size for file in leaking.root.rglob("*") if file.is_file())

    assert 10**7 < size < MAX_FOLDER_BYTES


@pytest.mark.skipif(sys.platform != "linux", reason="a program's largest memory is read from /proc")
def test_a_day_is_judged_in_the_memory_of_an_hour(leaking: Judged, tmp_path: Path) -> None:
    write_held(tmp_path, Held(length_s=HOUR_S))
    peaks = []
    for root, slices in ((tmp_path, 60), (leaking.root, DAY_S // 60)):
        command = [sys.executable, "-c", JUDGE, str(root), str(slices)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 2**10)

    assert peaks[1] <= peaks[0] + MAX_MIB_MORE, peaks
