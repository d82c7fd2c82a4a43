"""A disturbed window is recognized by the machine alone: no figure of what is measured can make it one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from middlemark.monitor.sampler import monitoring
from middlemark.monitor.watches import Watches
from middlemark.processes.affinity import on_cpus, usable_cpus
from middlemark.records.samples import CpuSample, DatabaseSample, HostSample, Sample, Samples, TierSample
from middlemark.verdict.witnesses import FOREIGN_LIMIT, MIN_WINDOW_S, disturbances

# What a witness may know: samples of the machine and of CPU time, and where processes run.
BLIND = {
    "errors", "records", "records.placement", "records.record", "records.samples", "verdict", "verdict.witnesses",
}  # fmt: skip
WINDOW = (2.0, 10.0)
TRIES = 5


def imported(module: str) -> set[str]:
    """Return the modules of the lab that are there when one has been imported."""
    program = f"import sys, middlemark.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.removeprefix("middlemark.") for name in done.stdout.split() if name.startswith("middlemark.")}


def test_the_witnesses_import_nothing_that_has_figures_of_what_is_measured() -> None:
    assert imported("verdict.witnesses") <= BLIND
    # What is imported by way of others is there, too.
    assert "records.point" in imported("judge.window")


def looks(
    grown: Mapping[str, float], tiers: Mapping[str, tuple[float, tuple[int, ...]]], *, lab: tuple[int, ...] = (0,)
) -> list[Sample]:
    """Return a sample each second for ten; `grown` are counters per second, tiers have CPU s a second and CPUs."""
    busy = {0: grown.get("busy 0", 0.3), 1: grown.get("busy 1", 0.5)}
    return [
        Sample(
            t_ns=n * 10**9,
            tiers={name: TierSample(cpu_s=n * cpu_s, rss_mib=1, cpus=cpus) for name, (cpu_s, cpus) in tiers.items()},
            host=HostSample(
                cpus={
                    cpu: CpuSample(busy_s=5 + n * one, steal_s=n * grown.get(f"steal {cpu}", 0.0))
                    for cpu, one in busy.items()
                },
                lab_cpu_s=n * 0.02,
                lab_cpus=lab,
                neighbours_cpu_s=n * grown["neighbours"] if "neighbours" in grown else None,
                memory_stalled_s=n * grown.get("memory", 0.0),
            ),
        )
        for n in range(11)
    ]


APART = {"web": (0.49, (1,)), "driver": (0.2, (0,)), "database": (0.05, (0,))}


@pytest.mark.parametrize(
    ("grown", "found"),
    [
        ({}, []),
        ({"steal 1": 0.009}, []),
        ({"steal 1": 0.02}, ["steal: a hypervisor took 2.0 % of CPU 1 (limit: 1 %)"]),
        ({"steal 0": 0.5}, []),  # none of the subject's
        ({"busy 1": 0.55}, ["foreign CPU time: processes outside the run took 6.0 % of CPU 1 (limit: 2 %)"]),
        ({"busy 0": 0.9}, []),
        ({"busy 1": 0.505}, []),
        ({"busy 1": 0.52, "neighbours": 0.02}, []),
        (
            {"busy 1": 0.54, "neighbours": 0.04},
            ["idle neighbours: subjects that are kept and not measured used 4.0 % of one CPU (limit: 3 %)"],
        ),
        (
            {"memory": 0.03},
            ["memory pressure: a task of the machine waited for memory in 3.0 % of the time (limit: 1 %)"],
        ),
    ],
)
def test_each_witness_reports_what_exceeds_its_limit(grown: Mapping[str, float], found: list[str]) -> None:
    reported = disturbances(looks(grown, APART), WINDOW)
    assert [f"{one.witness}: {one.text}" for one in reported] == found
    assert all(one.found > one.limit for one in reported)


def test_who_shares_a_cpu_with_the_subject_brings_his_others_in() -> None:
    shared = {"web": (0.49, (1,)), "driver": (0.2, (0, 1)), "database": (0.06, (0,))}
    # CPUs 0 and 1 were busy for 0.8 s a second: 0.75 by tiers, 0.02 by the lab on CPU 0.
    assert disturbances(looks({}, shared), WINDOW) == ()
    (one,) = disturbances(looks({"busy 0": 0.4}, shared), WINDOW)
    assert one.text == "processes outside the run took 6.5 % of CPU 0-1 (limit: 2 %)"
    (one,) = disturbances(looks({"busy 0": 0.4}, shared, lab=()), WINDOW)
    assert one.found == pytest.approx(0.075)


def test_what_cannot_be_seen_is_not_reported() -> None:
    samples = looks({"busy 1": 0.9, "steal 1": 0.9}, APART)
    assert disturbances(samples, (2.0, 22.0)) == ()
    assert disturbances([one.model_copy(update={"host": HostSample()}) for one in samples], WINDOW) == ()
    assert disturbances([], WINDOW) == ()


def test_a_window_of_few_ticks_of_the_clock_is_not_judged() -> None:
    samples = looks({"busy 1": 0.9}, {"web": (0.49, (1,)), "driver": (0.2, (0,))})
    assert len(disturbances(samples, (2.0, 5.0))) == 1
    assert disturbances(samples, (2.0, 4.9)) == ()


def test_foreign_time_is_not_judged_beside_a_database_server_of_the_users_own() -> None:
    numbers = dict.fromkeys(DatabaseSample.model_fields, 0) | {"sessions": None}
    shop = DatabaseSample.model_validate(numbers)
    samples = looks({"busy 1": 0.9}, {"web": (0.49, (1,)), "driver": (0.2, (0,))})
    assert len(disturbances(samples, WINDOW)) == 1
    assert disturbances([one.model_copy(update={"databases": {"shop": shop}}) for one in samples], WINDOW) == ()


EVERY_CPU = frozenset(usable_cpus())
BURN = """
import time
while True:
    begin, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < {share} * 0.05: pass
    time.sleep(max(0, begin + 0.05 - time.monotonic()))
"""


@contextmanager
def burning(share: float, cpu: int) -> Iterator[int]:
    """Run a process that takes so much of a CPU, and that no process of the lab has started, for all one can see."""
    command = [sys.executable, "-c", BURN.format(share=share)]
    launch = ["sh", "-c", '"$@" >&2 & echo $!', "sh", *command]
    pid = int(subprocess.run(launch, stdout=subprocess.PIPE, text=True, check=True).stdout)
    try:
        os.sched_setaffinity(pid, {cpu})
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)


def foreign_share(file: Path, subject: int) -> float:
    """Watch a subject on its CPU for some seconds; return the share of it that others took, 0 below the limit."""
    begin = time.monotonic_ns()
    # What other tests of this process have started, as a database, is the lab's own and may run on every CPU.
    with monitoring({"web": (subject,)}, file, begin, watches=Watches(cpus=EVERY_CPU)):
        time.sleep(4)
    samples = list(Samples(file))
    # On a busy machine samples come late: only a window between two of them is covered.
    start_s, window_s = samples[0].t_ns / 1e9, (samples[-1].t_ns - samples[0].t_ns) / 1e9 - 0.1
    assert window_s >= MIN_WINDOW_S
    found = disturbances(samples, (start_s, start_s + window_s))
    return next((one.found for one in found if one.witness == "foreign CPU time"), 0.0)


@pytest.mark.skipif(sys.platform != "linux" or len(usable_cpus()) < 2, reason="needs Linux and two CPUs")
def test_a_neighbour_that_takes_a_fifth_of_the_subjects_cpu_is_seen(tmp_path: Path) -> None:
    *_, lab, cpu = usable_cpus()
    with on_cpus({lab}), burning(0.3, cpu) as subject:
        alone = foreign_share(tmp_path / "alone", subject)
        with burning(0.2, cpu):
            beside = foreign_share(tmp_path / "beside", subject)
    # Other programs of a shared machine are in both; where they leave less than the neighbour wants, it takes the rest.
    assert beside > FOREIGN_LIMIT
    assert beside > alone or alone > 0.4


@pytest.mark.skipif(sys.platform != "linux" or len(usable_cpus()) < 2, reason="needs Linux and two CPUs")
def test_a_subject_alone_on_its_cpu_has_no_foreign_time(tmp_path: Path) -> None:
    *_, lab, cpu = usable_cpus()
    with on_cpus({lab}), burning(0.3, cpu) as subject:
        # The programs of a shared machine come and go: one window without them is enough.
        quiet = any(foreign_share(tmp_path / str(n), subject) == 0 for n in range(TRIES))
    # On a machine that others load all the time no window is without them.
    assert quiet or os.getloadavg()[0] > len(usable_cpus())
