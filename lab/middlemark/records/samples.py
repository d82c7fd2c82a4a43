"""The lines of `monitor.ndjson`: what tiers, databases and machine use, sample by sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from middlemark.records.record import Record

STATEMENTS = "statements.json"


class TierSample(Record):
    """One tier at one moment: CPU time since its start in seconds, memory in MiB.

    `cpus` are the numbers of the CPUs its processes may use, empty where that is unavailable; `apart` has each set of
    them once when not all processes may use the same, else None. Since the first sample: `switches` counts how often
    one of its threads was put on a CPU, `run_delay_s` is the time that threads were ready and had none, `read_bytes`
    and `written_bytes` went from and to disk; None where unavailable.
    """

    cpu_s: float
    rss_mib: float
    cpus: tuple[int, ...] = ()
    apart: tuple[tuple[int, ...], ...] | None = None
    switches: int | None = None
    run_delay_s: float | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None


class DatabaseSample(Record):
    """What PostgreSQL counts of the database since it was made; its sessions report about once a second.

    `waiting_locks` (of the whole server) and `active_sessions` are those of this moment; the watch itself is none.
    """

    commits: int
    rollbacks: int
    deadlocks: int
    blocks_hit: int
    blocks_read: int
    temporary_bytes: int
    waiting_locks: int
    active_sessions: int


class HostSample(Record):
    """The whole machine since its start: bytes sent over the loopback interface and all others, CPU time taken away.

    `steal_s` is what a hypervisor gave to others. None where unavailable.
    """

    loopback_bytes: int | None = None
    network_bytes: int | None = None
    steal_s: float | None = None


class Statement(Record):
    """A statement of a database over a point: how often it ran, and how long that took altogether."""

    database: str
    query: str
    calls: int
    total_ms: float


class Statements(Record):
    """`statements.json`: the slowest of each database over a point by their total time, ramp and drain included."""

    v: Literal[1] = 1
    statements: list[Statement]


class Sample(Record):
    """One line: tiers, databases by name, and the machine at `t_ns`, which counts from the driver's hello."""

    v: Literal[1] = 1
    t_ns: int
    tiers: dict[str, TierSample]
    databases: dict[str, DatabaseSample] = Field(default_factory=dict)
    host: HostSample | None = None


class Samples:
    """The samples of a file, up to a last line that was cut off; none when there is no file.

    They are read anew each time they are iterated over, and never held together: a day has 86,400 of them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Sample]:
        """Yield each sample."""
        if not self._path.is_file():
            return
        with self._path.open("rb") as file:
            for line in file:
                try:
                    yield Sample.model_validate_json(line)
                except ValidationError:
                    return
