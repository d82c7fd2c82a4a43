"""Samples every tier, the databases and the machine each second, and at chosen moments, into `monitor.ndjson`."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from middlemark.monitor.host import host_sample
from middlemark.monitor.threads import Usage, Usages
from middlemark.monitor.watches import Watches
from middlemark.processes.process_table import cpu_clock_ns, process_table
from middlemark.records.placement import LAB
from middlemark.records.samples import Sample, TierSample


@dataclasses.dataclass(frozen=True)
class Schedule:
    """When to sample: each `step_s` seconds, and at `edges_s`, in seconds since the origin."""

    edges_s: tuple[float, ...] = ()
    step_s: float = 1.0

    @classmethod
    def beside(cls, edges_s: tuple[float, ...], interval_s: float) -> Schedule:
        """A sample at each end of the driver's intervals of this length, and about one each second between them.

        Of intervals longer than `MAX_SAMPLES` seconds each has so many: a run that counts minutes lasts for hours.
        """
        return cls(edges_s, interval_s / max(1, min(MAX_SAMPLES, round(interval_s))))


# At least 10 s before the edges of a window there is a sample, as `verdict/witnesses.py` needs it, also of a minute.
MAX_SAMPLES = 8
# Beside the tiers, whose names hold no blank.
NEIGHBOURS = "its neighbours"

Roots = Mapping[str, tuple[int, ...]]


@contextmanager
def monitoring(
    roots: Roots,
    out: Path,
    origin_ns: int,
    schedule: Schedule = Schedule(),  # noqa: B008 (frozen)
    watches: Watches = Watches(),  # noqa: B008 (frozen)
) -> Iterator[None]:
    """Sample every tier (name: its root processes) into `out` until the context ends, and once more then.

    `origin_ns` is the moment on the monotonic clock that the samples' `t_ns` count from. The edges of the `schedule`
    are sampled too: where the load ends, a line between two samples a second apart is no good guess. `watches` are
    asked for each sample.
    Raises the OSError that kept a sample from being written.
    """
    ended = threading.Event()
    failures: list[OSError] = []
    usages = Usages(watches.compilers)
    every = {**roots, **_each_process(roots), NEIGHBOURS: watches.neighbours, LAB: (os.getpid(),)}
    edges = [origin_ns / 1e9 + edge for edge in schedule.edges_s]

    def sample_until_ended() -> None:
        try:
            with out.open("w", encoding="utf-8", buffering=1) as file:
                for due in sampling_moments(edges, schedule.step_s, time.monotonic()):
                    is_last = ended.wait(max(0.0, due - time.monotonic()))
                    members = families(every)
                    sample = _sample_of({tier: members[tier] for tier in roots}, origin_ns, usages)
                    sample = watches.added_to(_with_processes(sample, members))
                    host = host_sample(watches.cpus).model_copy(update=_others(members))
                    sample = sample.model_copy(update={"host": host})
                    file.write(sample.model_dump_json(exclude_none=True) + "\n")
                    if is_last:
                        return
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=sample_until_ended, name="monitor", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if failures:
        raise failures[0]


def take_sample(roots: Roots, origin_ns: int, usages: Usages | None = None) -> Sample:
    """Look at all tiers now. A tier is its roots and all their descendants; one that has ended is left out.

    `usages` keeps from sample to sample what threads have used.
    """
    return _sample_of(families(roots), origin_ns, usages)


def _sample_of(members: Mapping[str, list[int]], origin_ns: int, usages: Usages | None) -> Sample:
    t_ns = time.monotonic_ns() - origin_ns
    found = {tier: _tier(pids) for tier, pids in members.items()}
    used = {tier: usages.of(tier, members[tier]) for tier in found} if usages else {}
    tiers = {tier: _with_usage(sample, used.get(tier)) for tier, sample in found.items() if sample is not None}
    return Sample(t_ns=t_ns, tiers=tiers)


def _each_process(roots: Roots) -> dict[str, tuple[int, ...]]:
    """The root processes of tiers that have several, each by the name of its tier and its number."""
    several = {tier: pids for tier, pids in roots.items() if len(pids) > 1}
    return {f"{tier} {number}": (pid,) for tier, pids in several.items() for number, pid in enumerate(pids, 1)}


def _with_processes(sample: Sample, members: Mapping[str, list[int]]) -> Sample:
    """Add the memory of each process of the tiers that have several; one that has ended has none."""
    tiers = dict(sample.tiers)
    for tier, one in sample.tiers.items():
        found = [_tier(pids) for name, pids in members.items() if name.startswith(f"{tier} ")]
        if found:
            memory = tuple(each.rss_mib if each else 0.0 for each in found)
            tiers[tier] = one.model_copy(update={"processes_mib": memory})
    return sample.model_copy(update={"tiers": tiers})


def _others(members: Mapping[str, list[int]]) -> dict[str, object]:
    """CPU time and memory of the lab's processes that are neither a tier's nor a neighbour's, and of neighbours."""
    taken = {pid for name, pids in members.items() if name != LAB for pid in pids}
    lab = _tier(pid for pid in members[LAB] if pid not in taken)
    neighbours = _tier(members[NEIGHBOURS])
    return {
        "lab_cpu_s": lab.cpu_s if lab else None,
        "lab_rss_mib": lab.rss_mib if lab else None,
        "lab_cpus": lab.cpus if lab else (),
        "neighbours_cpu_s": neighbours.cpu_s if neighbours else None,
    }


def families(roots: Roots) -> dict[str, list[int]]:
    """Return the processes of every tier: its roots and all their descendants.

    One look at the process table serves all tiers; psutil's `children` would take one for each root.
    """
    children: dict[int, list[int]] = {}
    for entry in process_table().values():
        children.setdefault(entry.parent, []).append(entry.pid)
    return {tier: _family(pids, children) for tier, pids in roots.items()}


def _with_usage(sample: TierSample, usage: Usage | None) -> TierSample:
    return sample if usage is None else sample.model_copy(update=dataclasses.asdict(usage))


def sampling_moments(edges: Sequence[float], step_s: float, now: float) -> Iterator[float]:
    """Yield when to sample, on the clock of `now`: now, at the edges still to come, and whole steps from the first.

    The driver counts its intervals from the edge of the window as well, so that both speak of the same stretches. An
    edge stands for the step next to it: CPU use over a few milliseconds would be noise.
    """
    ahead = sorted(edge for edge in edges if edge > now)
    aligned = now + (ahead[0] - now) % step_s if ahead else now
    begins = aligned if aligned - now >= step_s / 2 else aligned + step_s
    steps = (begins + n * step_s for n in itertools.count())
    apart = (step for step in steps if all(abs(step - edge) >= step_s / 2 for edge in ahead))
    return heapq.merge([now], ahead, apart)


def _family(roots: Iterable[int], children: Mapping[int, list[int]]) -> list[int]:
    """Return the roots and all their descendants, parents before their children."""
    family = list(roots)
    for pid in family:
        family += children.get(pid, [])
    return list(dict.fromkeys(family))


def _tier(pids: Iterable[int]) -> TierSample | None:
    """Add up one tier; None when none of its processes lives.

    CPU time of processes that have ended is in their parent's `children_*`, so the sum over the living loses none; a
    parent that is read before its children never counts one twice that ends in between.
    Memory: what each process has for itself, and once the largest part that is shared. Proportional shares (PSS) would
    be exact, but reading them costs more than all the rest: with PostgreSQL at 20 connections 16 ms against 3 ms a
    sample, for 135 instead of 125 MiB.
    """
    cpu_s = own = shared = 0.0
    sets: set[tuple[int, ...]] = set()
    seen = False
    for pid in pids:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError):
            process = psutil.Process(pid)
            with process.oneshot():
                times = process.cpu_times()
                memory = process.memory_info()
            if hasattr(os, "sched_getaffinity"):
                sets.add(tuple(sorted(os.sched_getaffinity(pid))))
            seen = True
            cpu_s += _own_cpu_s(pid, times.user + times.system) + times.children_user + times.children_system
            common = float(getattr(memory, "shared", 0))
            own += memory.rss - common
            shared = max(shared, common)
    if not seen:
        return None
    cpus = tuple(sorted(set[int]().union(*sets)))
    apart = tuple(sorted(sets)) if len(sets) > 1 else None
    return TierSample(cpu_s=cpu_s, rss_mib=(own + shared) / 2**20, cpus=cpus, apart=apart)


def _own_cpu_s(pid: int, ticked_s: float) -> float:
    """Return the CPU time of a process; `ticked_s`, as /proc has it, where its clock cannot be read.

    /proc cuts user and system time off to 10 ms each. With twenty database connections that start at nothing this hid
    up to a tenth of the database's time in a window.
    """
    clock_ns = cpu_clock_ns(pid)
    return ticked_s if clock_ns is None else clock_ns / 1e9
