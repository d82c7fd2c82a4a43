"""What the kernel counts of threads and processes: their waiting for a CPU, what compiler threads use, their disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil

PROC = Path("/proc")
NANOSECONDS = 10**9

_Key = tuple[str, int, int]
_Counts = tuple[int, ...]
Names = Mapping[str, frozenset[str]]
# A thread has its parent's name until it gives itself one: a moment later it has its own.
LOOKS_AT_A_NAME = 2
_OF_THREADS = 3


@dataclass(frozen=True)
class Usage:
    """What a tier has used since it was first looked at, also by what has ended since; None what is unavailable.

    `compiler_s`: CPU time of the threads with the names that its tier declares; None where none was ever seen.
    """

    switches: int | None
    run_delay_s: float | None
    compiler_s: float | None
    read_bytes: int | None
    written_bytes: int | None


class Usages:
    """Adds up counters that end with their thread or process: what was seen of it last stays in the sum.

    `compilers` are the names of compiler threads by tier.
    """

    def __init__(self, compilers: Names = MappingProxyType({})) -> None:
        self._compilers = compilers
        self._seen: set[str] = set()
        self._last: dict[_Key, _Counts] = {}
        self._sums: dict[str, list[int]] = {}
        self._names: dict[_Key, tuple[str, int]] = {}

    def of(self, tier: str, pids: Iterable[int]) -> Usage:
        """Look at a tier's processes; every counter is 0 on the first look."""
        begins = tier not in self._sums
        sums = self._sums.setdefault(tier, [0] * (_OF_THREADS + 2))
        has_threads = has_disk = False
        for key, counts in self._counts(tier, pids):
            of_thread = bool(key[2])
            has_threads, has_disk = has_threads or of_thread, has_disk or not of_thread
            before = self._last.get(key, counts if begins else (0,) * len(counts))
            # A thread that has the number of one that ended counts from its own beginning.
            added = [now - then if now >= then else now for now, then in zip(counts, before, strict=True)]
            for place, more in enumerate(added, start=0 if of_thread else _OF_THREADS):
                sums[place] += more
            self._last[key] = counts
        return Usage(
            sums[0] if has_threads else None,
            sums[1] / NANOSECONDS if has_threads else None,
            sums[2] / NANOSECONDS if has_threads and tier in self._seen else None,
            sums[_OF_THREADS] if has_disk else None,
            sums[_OF_THREADS + 1] if has_disk else None,
        )

    def _counts(self, tier: str, pids: Iterable[int]) -> Iterator[tuple[_Key, _Counts]]:
        """Yield the counters of each thread (its number behind the process's), and of each process (0 behind it)."""
        for pid in pids:
            disk = _disk(pid)
            if disk is not None:
                yield (tier, pid, 0), disk
            with suppress(OSError):
                for thread in (PROC / str(pid) / "task").iterdir():
                    with suppress(OSError, ValueError):
                        key = (tier, pid, int(thread.name))
                        yield key, self._of_thread(key, thread)

    def _of_thread(self, key: _Key, thread: Path) -> _Counts:
        """Return how often a thread was put on a CPU, for how many ns it was ready and had none, and ns of compiling.

        Source: Documentation/scheduler/sched-stats.rst of Linux, /proc/<pid>/schedstat; each thread has its own. psutil
        knows nothing of the waiting.
        """
        spent, delay, times = map(int, (thread / "schedstat").read_text(encoding="ascii").split())
        compiles = key[0] in self._compilers and self._name(key, thread) in self._compilers[key[0]]
        if compiles:
            self._seen.add(key[0])
        return times, delay, spent if compiles else 0

    def _name(self, key: _Key, thread: Path) -> str:
        """Return a thread's name, read once more after it was first seen."""
        name, looks = self._names.get(key, ("", 0))
        if looks < LOOKS_AT_A_NAME:
            name = (thread / "comm").read_text(encoding="utf-8", errors="replace").rstrip("\n")
            self._names[key] = name, looks + 1
        return name


def _disk(pid: int) -> _Counts | None:
    """Return the bytes a process has had read from disk and will have written to it; None where unavailable."""
    try:
        counters = psutil.Process(pid).io_counters()
    except (psutil.Error, AttributeError):  # macOS has none
        return None
    return counters.read_bytes, counters.write_bytes
