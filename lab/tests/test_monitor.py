"""The monitor: CPU time of whole families, also of those that have ended, and the figures of a window."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from middlemark.judge.samples import SampleSums
from middlemark.monitor.sampler import Schedule, monitoring, sampling_moments, take_sample
from middlemark.records.samples import Sample, Samples, TierSample

CLOCKS = """
import os, time
from middlemark.monitor.sampler import take_sample
for _ in range(5):
    before = time.process_time()
    sample = take_sample({"lab": (os.getpid(),)}, 0)
    print(before, sample.tiers["lab"].cpu_s, time.process_time())
"""
BURN = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"


def sample_once_done(program: str) -> Sample:
    """A sample of a program that has printed `done` and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        sample = take_sample({"web": (process.pid,)}, 0)
        process.communicate("\n")
    return sample


def test_cpu_time_of_children_that_have_ended_is_not_lost() -> None:
    child = BURN.format(seconds=0.3)
    parent = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\nprint('done', flush=True)\ninput()"
    )
    assert sample_once_done(parent).tiers["web"].cpu_s >= 0.3


def test_a_family_includes_the_children_of_children() -> None:
    inner = BURN.format(seconds=0.2) + "print('done', flush=True)\ninput()"
    sample = sample_once_done(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {inner!r}])")
    assert sample.tiers["web"].cpu_s >= 0.2
    assert sample.tiers["web"].rss_mib > 5


def test_samples_are_written_from_the_first_moment_to_the_last(tmp_path: Path) -> None:
    origin = time.monotonic_ns()
    with monitoring({"lab": (os.getpid(),)}, tmp_path / "monitor.ndjson", origin):
        entered = time.monotonic_ns() - origin
    left = time.monotonic_ns() - origin

    samples = list(Samples(tmp_path / "monitor.ndjson"))

    assert len(samples) >= 1
    assert samples[0].t_ns >= 0
    assert entered <= samples[-1].t_ns <= left


@pytest.mark.parametrize(
    ("edges_s", "step_s", "moments_s"),
    [
        # Seconds count from the first edge, as the driver's do.
        ((0.3, 0.6), 1.0, [0, 0.3, 0.6, 1.3, 2.3]),
        # The second at 1.3 s is too close before the second edge: its sample says both.
        ((0.3, 1.4), 1.0, [0, 0.3, 1.4, 2.3]),
        ((0.4,), 0.75, [0, 0.4, 1.15, 1.9]),
        # An edge that is over is none.
        ((-0.1, 0.6), 1.0, [0, 0.6, 1.6]),
        ((), 1.0, [0, 1, 2]),
    ],
)
def test_the_edges_of_a_window_are_sampled_and_stand_for_the_step_next_to_them(
    edges_s: tuple[float, ...], step_s: float, moments_s: list[float]
) -> None:
    planned = itertools.islice(sampling_moments(edges_s, step_s, 0.0), len(moments_s))
    assert list(planned) == pytest.approx(moments_s)


def test_the_monitor_samples_about_each_second_and_where_the_driver_ends_its_intervals(tmp_path: Path) -> None:
    lengths = (1.0, 1.25, 1.5, 2.5, 8.0)
    assert [Schedule.beside((), length).step_s for length in lengths] == [1.0, 1.25, 0.75, 1.25, 1.0]
    # Of intervals of a minute, as those of a day, each has eight samples.
    assert [Schedule.beside((), length).step_s for length in (15.0, 60.0)] == [1.875, 7.5]
    schedule = Schedule.beside((0.8, 1.0), 1.5)
    path = tmp_path / "monitor.ndjson"
    deadline = time.monotonic() + 60
    with monitoring({"lab": (os.getpid(),)}, path, time.monotonic_ns(), schedule):
        while len(list(Samples(path))) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)

    moments = [sample.t_ns / 1e9 for sample in Samples(path)]

    # A busy machine makes samples late; none comes before its moment.
    planned = list(itertools.islice(sampling_moments(schedule.edges_s, schedule.step_s, moments[0]), 4))[1:]
    assert [moment >= due for moment, due in zip(moments[1:], planned, strict=False)][:3] == [True] * 3


def test_of_a_tier_with_several_processes_the_memory_of_each_is_sampled(tmp_path: Path) -> None:
    path, held = tmp_path / "monitor.ndjson", "print('x', flush=True); x = bytearray(50 * 2**20); input()"
    commands = [[sys.executable, "-c", text] for text in (held.replace("50", "1"), held)]
    with ExitStack() as stack:
        pipe = subprocess.PIPE
        some = [stack.enter_context(subprocess.Popen(one, stdin=pipe, stdout=pipe)) for one in commands]
        for one in some:
            stack.callback(one.kill)
        pids = tuple(one.pid for one in some)
        with monitoring({"web": pids, "lab": (os.getpid(),)}, path, time.monotonic_ns(), Schedule(step_s=0.05)):
            deadline = time.monotonic() + 60
            while not _are_apart(path) and time.monotonic() < deadline:
                time.sleep(0.02)  # until the second has made its memory

    assert _are_apart(path)
    sample = list(Samples(path))[-1]
    assert sample.tiers["lab"].processes_mib is None
    sums = SampleSums.of(Samples(path))
    edges = [one.t_ns / 1e9 for one in Samples(path)][-3:]
    names = [name for field, name, _ in sums.held(edges) if field == "rss_mib"]
    assert names == ["web", "lab", "web 1", "web 2"]


def _are_apart(path: Path) -> bool:
    found = [one.tiers["web"].processes_mib for one in Samples(path) if "web" in one.tiers]
    return any(each is not None and each[1] > each[0] + 40 for each in found)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system says no more than clock ticks")
def test_cpu_time_is_not_cut_off_to_clock_ticks() -> None:
    # A program without children: the tests' own process has the database and the browser for children.
    done = subprocess.run([sys.executable, "-c", CLOCKS], capture_output=True, text=True, check=True)

    readings = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(readings) == 5
    for before, sampled, after in readings:
        assert before <= sampled <= after


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "monitor.ndjson"
    whole = Sample(t_ns=1, tiers={"web": TierSample(cpu_s=1, rss_mib=2)}).model_dump_json()
    path.write_text(f"{whole}\n{whole[:20]}", encoding="utf-8")

    assert len(list(Samples(path))) == 1


def test_cpu_time_is_interpolated_at_the_edges_of_the_window() -> None:
    samples = [_sample(0, 0.0, 10), _sample(1, 0.5, 20), _sample(2, 1.5, 30), _sample(3, 1.5, 40)]

    figures = SampleSums.of(samples, (0.5, 1.5)).tiers(100)["web"]

    assert figures.cpu_s == pytest.approx(1.0 - 0.25)
    assert figures.cpu_share == pytest.approx(0.75)
    assert figures.cpu_ms_per_transaction == pytest.approx(7.5)
    assert figures.memory_mean_mib == 20


def test_samples_that_do_not_cover_the_window_give_no_figures() -> None:
    assert SampleSums.of([_sample(0, 0, 1), _sample(1, 1, 1)], (0.5, 2.5)).tiers(1) == {}


def test_a_tier_that_ended_inside_the_window_gives_no_figures() -> None:
    gone = Sample(t_ns=3 * 10**9, tiers={})
    samples = [_sample(0, 0.0, 10), _sample(1, 0.5, 10), _sample(2, 1.0, 10), gone]

    assert set(SampleSums.of(samples, (0.5, 1.5)).tiers(1)) == {"web"}
    assert SampleSums.of(samples, (0.5, 2.5)).tiers(1) == {}


def test_a_tier_whose_processes_have_ended_is_left_out_of_a_sample() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()

    sample = take_sample({"web": (process.pid,), "lab": (os.getpid(),)}, 0)

    assert set(sample.tiers) == {"lab"}


def _sample(second: int, cpu_s: float, rss_mib: float) -> Sample:
    return Sample(t_ns=second * 10**9, tiers={"web": TierSample(cpu_s=cpu_s, rss_mib=rss_mib)})


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process to CPUs")
def test_the_cpus_that_a_tier_may_use_are_told_as_they_are() -> None:
    mine = sorted(os.sched_getaffinity(0))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        os.sched_setaffinity(process.pid, mine[:1])
        sample = take_sample({"web": (process.pid,), "both": (process.pid, os.getpid())}, 0)
        process.communicate(b"\n")

    assert SampleSums.of([sample]).cpus == {"web": frozenset(mine[:1]), "both": frozenset(mine)}
    assert SampleSums.of([sample, sample]).cpu_sets == {
        "web": {frozenset(mine[:1])},
        "both": {frozenset(mine[:1]), frozenset(mine)},
    }
