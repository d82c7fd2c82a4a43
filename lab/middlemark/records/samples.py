"""The lines of `monitor.ndjson`: what tiers, databases and machine use, sample by sample."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from middlemark.records.record import Record

STATEMENTS = "statements.json"


CPU = "CPU"
TRANSACTION = "transaction"


class ReportedPool(Record):
    """What a tier reports of its connections to one database: the most there can be, those given out, requests waiting.

    `waiting`: now, or on average since it was asked before; None where its library does not count them.
    """

    size: int
    in_use: int
    waiting: float | None = None


class ObservedPool(Record):
    """What PostgreSQL saw of a tier's sessions since the sample before, or in a window; it may have `size` at once.

    `in_work`: mean number in a statement or a transaction, `full`: share of the looks at which these were `size`.
    """

    size: int
    in_work: float
    full: float


class SessionsSample(Record):
    """The sessions of one database that had work, looked at so many times since the sample before (`looks`).

    `waits`: mean number of them by what they waited for, as `TYPE:EVENT` of PostgreSQL; `CPU` for nothing, as far as
    PostgreSQL knows; `transaction` for the application, with a transaction open. `pools` are by tier.
    """

    looks: int
    waits: dict[str, float]
    pools: dict[str, ObservedPool] = Field(default_factory=dict)


class DiskSample(Record):
    """One disk since the machine's start: seconds in which it had something to do, bytes."""

    busy_s: float
    read_bytes: int
    written_bytes: int


class TierSample(Record):
    """One tier at one moment: CPU time since its start in seconds, memory in MiB.

    `cpus` are the numbers of the CPUs its processes may use, empty where that is unavailable; `apart` has each set of
    them once when not all processes may use the same, else None. Since the first sample: `switches` counts how often
    one of its threads was put on a CPU, `run_delay_s` is the time that threads were ready and had none, `read_bytes`
    and `written_bytes` went from and to disk; None where unavailable. `unread`: how many connections of clients
    had sent what the tier had not read. `compiler_s`: CPU time of its compiler threads since the first sample, None
    where its description names none. `pools`: what it reports of its connections, by database. `net_received_bytes`,
    `net_sent_bytes`: payload on the connections of its callers; `connections_ended` of them were there at one sample
    and not at the next, so that their last bytes are missing. `processes_mib`: memory of each process with those that
    it has started, where the tier has several; None for one alone.
    """

    cpu_s: float
    rss_mib: float
    processes_mib: tuple[float, ...] | None = None
    cpus: tuple[int, ...] = ()
    apart: tuple[tuple[int, ...], ...] | None = None
    switches: int | None = None
    run_delay_s: float | None = None
    compiler_s: float | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    unread: int | None = None
    net_received_bytes: int | None = None
    net_sent_bytes: int | None = None
    connections_ended: int | None = None
    pools: dict[str, ReportedPool] | None = None


class DatabaseSample(Record):
    """What PostgreSQL counts of the database since it was made; its sessions report about once a second.

    `waiting_locks` (of the whole server), `active_sessions`, `connections` to the database, its `prepared` transactions
    and the `size_bytes` of its files are those of this moment; the watch itself is none. Of the whole server:
    `log_bytes` written to the write-ahead log, `full_pages` in it, `checkpoints` begun and `checkpoint_pages` written
    by them; None where unavailable. `sessions` None: nobody looked.
    """

    commits: int
    rollbacks: int
    deadlocks: int
    blocks_hit: int
    blocks_read: int
    temporary_bytes: int
    waiting_locks: int
    active_sessions: int
    connections: int | None = None
    prepared: int | None = None
    size_bytes: int | None = None
    log_bytes: int | None = None
    full_pages: int | None = None
    checkpoints: int | None = None
    checkpoint_pages: int | None = None
    sessions: SessionsSample | None = None


class CpuSample(Record):
    """One CPU: seconds in which it ran a process, and seconds that a hypervisor gave to others.

    Only differences say something of `busy_s`: its zero is near the machine's start.
    """

    busy_s: float
    steal_s: float


class HostSample(Record):
    """The whole machine since its start: bytes sent over the loopback interface and all others, CPU time taken away.

    `steal_s` is what a hypervisor gave to others; `cpu_stalled_s`, `io_stalled_s` and `memory_stalled_s` the time in
    which a task of the machine waited for it (pressure stall information, `some`). None where unavailable. `cpus` has
    those that roles of the run may use, by number. CPU time and memory of the lab's own processes that are no tier
    (`lab_cpu_s`, `lab_rss_mib`; they may run on `lab_cpus`), and CPU time of subjects that are kept and not measured.
    """

    loopback_bytes: int | None = None
    network_bytes: int | None = None
    steal_s: float | None = None
    cpu_stalled_s: float | None = None
    io_stalled_s: float | None = None
    memory_stalled_s: float | None = None
    disks: dict[str, DiskSample] | None = None
    cpus: dict[int, CpuSample] | None = None
    lab_cpu_s: float | None = None
    lab_rss_mib: float | None = None
    lab_cpus: tuple[int, ...] = ()
    neighbours_cpu_s: float | None = None


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


class Disturbance(Record):
    """One excess of a witness: the share that it `found`, and its `limit`; `text` is both in words."""

    witness: str
    found: float
    limit: float
    text: str

    def is_at_least(self, times: float) -> bool:
        """Whether it found so many times its limit."""
        return self.found >= times * self.limit


def value_at(moments_s: Sequence[float], values: Sequence[float], moment_s: float) -> float:
    """A counter at a moment that its rising moments cover, on a line between the two values around it."""
    later = bisect_left(moments_s, moment_s)
    earlier = max(0, later - 1)
    length_s = moments_s[later] - moments_s[earlier]
    share = (moment_s - moments_s[earlier]) / length_s if length_s > 0 else 1.0
    return values[earlier] + (values[later] - values[earlier]) * share


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
