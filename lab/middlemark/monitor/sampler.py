"""Samples CPU time and memory of every tier once a second into `monitor.ndjson`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from middlemark.monitor.samples import Sample, TierSample
from middlemark.target.process_table import process_table

SECONDS_BETWEEN_SAMPLES = 1.0

Roots = Mapping[str, tuple[int, ...]]


@contextmanager
def monitoring(roots: Roots, out: Path, origin_ns: int) -> Iterator[None]:
    """Sample every tier (name: its root processes) into `out` until the context ends, and once more then.

    `origin_ns` is the moment on the monotonic clock that the samples' `t_ns` count from.
    Raises the OSError that kept a sample from being written.
    """
    ended = threading.Event()
    failures: list[OSError] = []

    def sample_until_ended() -> None:
        try:
            with out.open("w", encoding="utf-8", buffering=1) as file:
                due = time.monotonic()
                while True:
                    file.write(take_sample(roots, origin_ns).model_dump_json() + "\n")
                    if ended.is_set():
                        return
                    due += SECONDS_BETWEEN_SAMPLES
                    ended.wait(max(0.0, due - time.monotonic()))
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


def take_sample(roots: Roots, origin_ns: int) -> Sample:
    """Look at all tiers now. A tier is its roots and all their descendants."""
    parents = {pid: entry.parent for pid, entry in process_table().items()}
    t_ns = time.monotonic_ns() - origin_ns
    return Sample(t_ns=t_ns, tiers={tier: _tier(_family(pids, parents)) for tier, pids in roots.items()})


def _family(roots: Iterable[int], parents: Mapping[int, int]) -> set[int]:
    family = set(roots)
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return family


def _tier(pids: Iterable[int]) -> TierSample:
    """Add up one tier.

    CPU time of processes that have ended is in their parent's `children_*`, so the sum over the living loses none.
    Memory: what each process has for itself, and once the largest part that is shared. Proportional shares would be
    exact, but reading them of every PostgreSQL backend costs more than the tier's own work at low loads.
    """
    cpu_s = own = shared = 0.0
    for pid in pids:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process = psutil.Process(pid)
            with process.oneshot():
                times = process.cpu_times()
                memory = process.memory_info()
            cpu_s += times.user + times.system + times.children_user + times.children_system
            common = float(getattr(memory, "shared", 0))
            own += memory.rss - common
            shared = max(shared, common)
    return TierSample(cpu_s=cpu_s, rss_mib=(own + shared) / 2**20)
