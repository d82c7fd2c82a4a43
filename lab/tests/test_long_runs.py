"""A run of a day: neither merging its lines nor reading them takes more memory than those of a few minutes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from long_run import peak_mib, window_counts, write_run, write_samples

from middlemark.errors import InputError
from middlemark.records.driver_lines import DriverLines
from middlemark.workload.driver import driver_path
from middlemark.workload.window import driven

# What reads all of a run: the figures of its window and their judgement, and the courses that a report draws.
READ = """
import sys
from pathlib import Path
from middlemark.audit.driver_report import ReportOfDriver
from middlemark.judge.window import MAX_STRETCHES, read_load
from middlemark.verdict.drift import cpu_cost_drift_check, throughput_drift_check
heard = ReportOfDriver()
load = read_load(Path(sys.argv[1]), hear=heard.hear)
figures = load.window
assert heard.report is not None and load.self_audit is not None and load.host is not None
assert abs(load.tiers["web"].cpu_share - 0.37) < 1e-6 and load.cpu_sets.keys() == load.tiers.keys()
assert abs(load.databases["shop"].commits_per_s - 60) < 1e-6
assert cpu_cost_drift_check(figures.course, load.cpu).outcome == "passed"
assert figures.response_times.count == figures.total.count
assert 0 < max(map(len, (load.throughput_course, load.cpu_course))) <= MAX_STRETCHES
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(peak.split()[1], figures.total.count, throughput_drift_check(figures.course).outcome)
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a program's largest memory is read from /proc")
LENGTHS = pytest.mark.parametrize(
    ("short", "long"),
    [(200, 2_000), pytest.param(600, 86_400, marks=[pytest.mark.full, pytest.mark.timeout(3_600)])],
)
# What a run of any length may take more than a short one, and each interval of it: the compact series.
NOISE_MIB = 4.0
BYTES_OF_AN_INTERVAL = 1_200


def _read(folder: Path, intervals: int) -> float:
    """Return the largest memory of a lab that reads a run of so many intervals, in MiB."""
    folder.mkdir()
    write_run(folder / "intervals.ndjson", intervals)
    write_samples(folder / "monitor.ndjson", intervals)
    done = subprocess.run([sys.executable, "-c", READ, str(folder)], capture_output=True, text=True, check=True)
    kib, count, drift = done.stdout.split()
    assert (int(count), drift) == (sum(window_counts(intervals).values()), "passed")
    return int(kib) / 2**10


def _merged(folder: Path, intervals: int) -> float:
    """Return the largest memory of the driver that merges two shares of a run of so many intervals, in MiB."""
    folder.mkdir()
    files = [folder / "one", folder / "other"]
    for index, file in enumerate(files):
        write_run(file, intervals, share=(index, 2))
    merged = folder / "intervals.ndjson"
    peak = peak_mib([str(driver_path()), "merge", *map(str, files)], merged)
    # The lab reads them, and finds that the merged intervals are the merged window.
    figures = driven(DriverLines(merged)).whole
    counts = {name: one.count for name, one in figures.transactions.items()}
    assert counts == {name: 2 * count for name, count in window_counts(intervals).items()}
    assert sum(one.count for one in figures.course) == figures.total.count
    return peak


@LENGTHS
def test_the_lab_reads_a_long_run_in_the_memory_of_a_short_one(tmp_path: Path, short: int, long: int) -> None:
    few, many = _read(tmp_path / "short", short), _read(tmp_path / "long", long)

    assert many <= few + NOISE_MIB + long * BYTES_OF_AN_INTERVAL / 2**20, f"{few:.0f} MiB, {many:.0f} MiB"


@LENGTHS
def test_lines_of_a_long_run_are_merged_in_the_memory_of_a_short_one(tmp_path: Path, short: int, long: int) -> None:
    few, many = _merged(tmp_path / "short", short), _merged(tmp_path / "long", long)

    assert many <= few + NOISE_MIB, f"{few:.0f} MiB, {many:.0f} MiB"


def test_a_file_that_lacks_a_line_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "intervals.ndjson"
    write_run(file, 12)
    texts = file.read_text(encoding="utf-8").splitlines()
    lost = next(number for number, text in enumerate(texts) if json.loads(text)["type"] == "interval")
    file.write_text("\n".join(texts[:lost] + texts[lost + 2 :]) + "\n", encoding="utf-8")

    with pytest.raises(InputError, match="lines are missing or were changed"):
        driven(DriverLines(file))
