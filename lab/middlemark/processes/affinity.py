"""Which CPUs processes may use: Linux keeps a set of them for every thread, and what a thread starts inherits it.

The system calls are sched_setaffinity(2) and sched_getaffinity(2); an ordinary user may use them on what is his. macOS
has nothing of the kind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from middlemark.errors import HostError
from middlemark.records.placement import cpu_list, cpu_numbers

Core = tuple[int, int]
_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/{}"


def usable_cpus() -> dict[int, Core]:
    """Return the CPUs that this process may use with the core (package, core) of each; empty where none can be chosen.

    Cores come one after the other, the threads of one beside each other.
    """
    if not hasattr(os, "sched_setaffinity"):
        return {}
    cores = {cpu: _core(cpu) for cpu in os.sched_getaffinity(0)}
    return dict(sorted(cores.items(), key=lambda item: (item[1], item[0])))


@contextmanager
def on_cpus(cpus: Collection[int]) -> Iterator[None]:
    """Keep this thread, and what it starts meanwhile, on these CPUs; on none: leave it where it is.

    What was started stays there when the context ends. Raises HostError when the system refuses.
    """
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    move(0, cpus)
    try:
        yield
    finally:
        move(0, before)


@contextmanager
def threads_on_cpus(names: Mapping[int, Collection[str]], cpus: Collection[int]) -> Iterator[None]:
    """Let the threads with these names, by process id, use these CPUs until the context ends.

    Then they, and the threads of such a name that they have started, may use those of their process again. Threads
    that are gone are passed over.
    """
    _move_threads(names, lambda _: cpus)
    try:
        yield
    finally:
        _move_threads(names, os.sched_getaffinity)


def _move_threads(names: Mapping[int, Collection[str]], cpus_of: Callable[[int], Collection[int]]) -> None:
    for pid, wanted in names.items():
        with suppress(OSError):
            cpus = cpus_of(pid)
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with suppress(OSError):
                    if (thread / "comm").read_text(encoding="utf-8", errors="replace").rstrip("\n") in wanted:
                        os.sched_setaffinity(int(thread.name), cpus)


def allowed_cpus(pid: int) -> frozenset[frozenset[int]]:
    """Return the CPUs that threads of a process may use, each set once; none when it is gone or nobody knows."""
    allowed: set[frozenset[int]] = set()
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                allowed.add(frozenset(_allowed(thread / "status")))
    return frozenset(allowed - {frozenset()})


def _allowed(status: Path) -> tuple[int, ...]:
    for line in status.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return cpu_numbers(line.partition(":")[2].strip())
    return ()


def move(thread: int, cpus: Collection[int]) -> None:
    """Keep a thread, by its number (0: this one), on these CPUs; HostError when the system refuses."""
    try:
        os.sched_setaffinity(thread, cpus)
    except OSError as error:
        raise HostError(
            f"processes cannot be kept on CPU {cpu_list(cpus)} ({error.strerror})",
            where="sched_setaffinity",
            todo="Write `placement: none` into the experiment to run them anywhere",
        ) from error


def _core(cpu: int) -> Core:
    """Return package and core of a CPU; where the system does not tell, each CPU is a core of its own."""
    try:
        package, core = (
            int(Path(_TOPOLOGY.format(cpu, name)).read_text()) for name in ("physical_package_id", "core_id")
        )
    except (OSError, ValueError):
        return -1, cpu
    return package, core
