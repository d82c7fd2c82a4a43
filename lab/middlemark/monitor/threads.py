"""What the kernel counts of threads and processes: how often and how long they waited for a CPU, and their disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

PROC = Path("/proc")
NANOSECONDS = 10**9

_Key = tuple[str, int, int]
_Counts = tuple[int, ...]


@dataclass(frozen=True)
class Usage:
    """What a tier has used since it was first looked at, also by what has ended since; None what is unavailable."""

    switches: int | None
    run_delay_s: float | None
    read_bytes: int | None
    written_bytes: int | None


class Usages:
    """Adds up counters that end with their thread or process: what was seen of it last stays in the sum."""

    def __init__(self) -> None:
        self._last: dict[_Key, _Counts] = {}
        self._sums: dict[str, list[int]] = {}

    def of(self, tier: str, pids: Iterable[int]) -> Usage:
        """Look at a tier's processes; every counter is 0 on the first look."""
        begins = tier not in self._sums
        sums = self._sums.setdefault(tier, [0, 0, 0, 0])
        has_threads = has_disk = False
        for key, counts in _counts(tier, pids):
            of_thread = bool(key[2])
            has_threads, has_disk = has_threads or of_thread, has_disk or not of_thread
            before = self._last.get(key, counts if begins else (0,) * len(counts))
            # A thread that has the number of one that ended counts from its own beginning.
            added = [now - then if now >= then else now for now, then in zip(counts, before, strict=True)]
            for place, more in enumerate(added, start=0 if of_thread else 2):
                sums[place] += more
            self._last[key] = counts
        return Usage(
            sums[0] if has_threads else None,
            sums[1] / NANOSECONDS if has_threads else None,
            sums[2] if has_disk else None,
            sums[3] if has_disk else None,
        )


def _counts(tier: str, pids: Iterable[int]) -> Iterator[tuple[_Key, _Counts]]:
    """Yield the counters of each thread (its number behind the process's), and of each process (0 behind it)."""
    for pid in pids:
        disk = _disk(pid)
        if disk is not None:
            yield (tier, pid, 0), disk
        with suppress(OSError):
            for thread in (PROC / str(pid) / "task").iterdir():
                with suppress(OSError, ValueError):
                    yield (tier, pid, int(thread.name)), _waiting(thread)


def _disk(pid: int) -> _Counts | None:
    """Return the bytes a process has had read from disk and will have written to it; None where unavailable."""
    try:
        counters = psutil.Process(pid).io_counters()
    except (psutil.Error, AttributeError):  # macOS has none
        return None
    return counters.read_bytes, counters.write_bytes


def _waiting(thread: Path) -> _Counts:
    """Return how often a thread was put on a CPU, and for how many ns it was ready and had none.

    Source: Documentation/scheduler/sched-stats.rst of Linux, /proc/<pid>/schedstat; each thread has its own. psutil
    knows nothing of the waiting.
    """
    _, delay, times = (thread / "schedstat").read_text(encoding="ascii").split()
    return int(times), int(delay)
