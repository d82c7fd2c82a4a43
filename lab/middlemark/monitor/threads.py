"""What the kernel tells of threads and processes: how often and how long they waited for a CPU, and their disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
NANOSECONDS = 10**9

_Key = tuple[str, int, int]
_Counts = tuple[int, ...]


@dataclass(frozen=True)
class Usage:
    """What a tier has used since it was first looked at, also by what has ended since; None what is not told."""

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
        """Look at a tier's processes; what the system tells is 0 on the first look."""
        begins = tier not in self._sums
        sums = self._sums.setdefault(tier, [0, 0, 0, 0])
        threads_told = disk_told = False
        for key, counts in _counts(tier, pids):
            of_thread = bool(key[2])
            threads_told, disk_told = threads_told or of_thread, disk_told or not of_thread
            before = self._last.get(key, counts if begins else (0,) * len(counts))
            # A thread that has the number of one that ended counts from its own beginning.
            added = [now - then if now >= then else now for now, then in zip(counts, before, strict=True)]
            for place, more in enumerate(added, start=0 if of_thread else 2):
                sums[place] += more
            self._last[key] = counts
        return Usage(
            sums[0] if threads_told else None,
            sums[1] / NANOSECONDS if threads_told else None,
            sums[2] if disk_told else None,
            sums[3] if disk_told else None,
        )


def _counts(tier: str, pids: Iterable[int]) -> Iterator[tuple[_Key, _Counts]]:
    """Yield the counters of each thread (its number behind the process's), and of each process (0 behind it)."""
    for pid in pids:
        with suppress(OSError, ValueError):
            yield (tier, pid, 0), _disk(pid)
        with suppress(OSError):
            for thread in (PROC / str(pid) / "task").iterdir():
                with suppress(OSError, ValueError):
                    yield (tier, pid, int(thread.name)), _waiting(thread)


def _waiting(thread: Path) -> _Counts:
    """Return how often a thread was put on a CPU, and for how many ns it was ready and had none.

    Source: Documentation/scheduler/sched-stats.rst of Linux, /proc/<pid>/schedstat; each thread has its own.
    """
    _, delay, times = (thread / "schedstat").read_text(encoding="ascii").split()
    return int(times), int(delay)


def _disk(pid: int) -> _Counts:
    """Return the bytes a process has had read from disk and will have written to it: proc(5), /proc/<pid>/io."""
    lines = (PROC / str(pid) / "io").read_text(encoding="ascii").splitlines()
    values = dict(line.split(": ") for line in lines)
    return int(values["read_bytes"]), int(values["write_bytes"])
