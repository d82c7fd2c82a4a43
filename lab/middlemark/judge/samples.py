"""What tiers, databases and the machine used in a window, from one reading of the monitor's samples."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from middlemark.judge.pools import ObservedSums, ReportedSums
from middlemark.records.placement import LAB, is_platform
from middlemark.records.record import Record
from middlemark.records.samples import (
    DatabaseSample,
    DiskSample,
    HostSample,
    Sample,
    SessionsSample,
    TierSample,
    value_at,
)
from middlemark.records.window import (
    DatabaseFigures,
    DiskFigures,
    HostFigures,
    Stretch,
    TierFigures,
)

Span = tuple[float, float]
"""Begin and end of a window, in seconds since the driver's hello."""

# What PostgreSQL reads and writes at once, as it is built everywhere.
PAGE_BYTES = 8192
MIB = 2**20
# What /proc counts CPU time in, where no finer clock can be read (time(7), USER_HZ).
TICK_S = 0.01
# A sample is taken a little behind the moment it is due, never so much behind the edges of the window.
LATE_S = 0.25
PERCENT = 100.0


class Series:
    """The numbers that records of one kind hold, each with its moment; 8 bytes for each: a run may last for days.

    What is never a number takes none.
    """

    def __init__(self, kind: type[Record]) -> None:
        self._names = tuple(kind.model_fields)
        self._moments = array("d")
        self._columns: dict[str, array[float]] = {}
        self._unavailable: set[str] = set()

    def __len__(self) -> int:
        """Number of records."""
        return len(self._moments)

    def append(self, moment_s: float, record: Record) -> None:
        """Add the next record; what is not a number in it is unavailable."""
        for name in self._names:
            value = getattr(record, name)
            if not isinstance(value, int | float):
                self._unavailable.add(name)
            elif name not in self._columns:
                self._columns[name] = array("d", bytes(len(self._moments) * self._moments.itemsize))
            if name in self._columns:
                self._columns[name].append(value if isinstance(value, int | float) else 0.0)
        self._moments.append(moment_s)

    def covers(self, span: Span) -> bool:
        """Whether there are records before and after a span that has a length."""
        return (
            bool(self._moments) and span[0] < span[1] and self._moments[0] <= span[0] and self._moments[-1] >= span[1]
        )

    def at(self, name: str, moment_s: float) -> float:
        """A counter at a moment that the records cover, on a line between the two around it."""
        return value_at(self._moments, self._columns[name], moment_s) if name in self._columns else 0.0

    def grown(self, name: str, span: Span, unit: float = 1.0) -> float | None:
        """By how many units a counter grew; None where it is unavailable."""
        if name in self._unavailable:
            return None
        return (self.at(name, span[1]) - self.at(name, span[0])) / unit

    def rate(self, name: str, span: Span, unit: float = 1.0) -> float | None:
        """By how many units a counter grew each second; None where it is unavailable."""
        grown = self.grown(name, span, unit)
        return None if grown is None else grown / (span[1] - span[0])

    def whole(self, name: str, span: Span) -> int | None:
        """By how much a counter of whole things grew; None where it is unavailable."""
        grown = self.grown(name, span)
        return None if grown is None else round(grown)

    def inside(self, name: str, span: Span) -> list[float]:
        """The values in a span, its edges included; none where they are unavailable."""
        if name in self._unavailable:
            return []
        first, after = bisect_left(self._moments, span[0]), bisect_right(self._moments, span[1])
        return list(self._columns[name][first:after])

    def mean(self, name: str, span: Span) -> float | None:
        """The mean of the values in a span; None where it has none."""
        values = self.inside(name, span)
        return sum(values) / len(values) if values else None

    def means(self, name: str, edges_s: Sequence[float]) -> list[float] | None:
        """The mean between each edge and the next, on a line between samples where there is none; None: unavailable.

        Not a number before the first sample and after the last.
        """
        if name in self._unavailable or name not in self._columns:
            return None
        found = []
        for span in pairwise(edges_s):
            middle = (span[0] + span[1]) / 2
            covered = self._moments[0] <= middle <= self._moments[-1]
            mean = self.mean(name, span)
            found.append(mean if mean is not None else self.at(name, middle) if covered else math.nan)
        return found

    def last(self, name: str) -> float:
        """The last value."""
        return self._columns[name][-1]


@dataclass
class _Sessions:
    """The looks of the window at one database's sessions, added up; each weighs the same.

    A sample has the looks since the one before, and one is taken at each edge of the window.
    """

    looks: int = 0
    waits: dict[str, float] = field(default_factory=dict)
    pools: dict[str, ObservedSums] = field(default_factory=dict)

    def add(self, sample: SessionsSample) -> None:
        self.looks += sample.looks
        for what, mean in sample.waits.items():
            self.waits[what] = self.waits.get(what, 0.0) + mean * sample.looks
        for tier, pool in sample.pools.items():
            self.pools.setdefault(tier, ObservedSums()).add(sample.looks, pool)


class SampleSums:
    """What the samples of a load add up to. `span` is its window; None: only courses are asked for."""

    def __init__(self, span: Span | None = None) -> None:
        self.cpu_sets: dict[str, frozenset[frozenset[int]]] = {}
        self._span = span
        self._number = 0
        self._tiers: dict[str, Series] = {}
        self._processes: dict[str, Series] = {}
        self._databases: dict[str, Series] = {}
        self._sessions: dict[str, _Sessions] = {}
        self._reported: dict[str, dict[str, ReportedSums]] = {}
        self._host, self._disks = Series(HostSample), dict[str, Series]()
        self._fine_clock = self._compilers = False
        self._spent: list[tuple[float, float, float]] = []
        self._before: Sample | None = None

    @classmethod
    def of(cls, samples: Iterable[Sample], span: Span | None = None) -> SampleSums:
        """The sums of some samples."""
        sums = cls(span)
        for sample in samples:
            sums.add(sample)
        return sums

    def add(self, sample: Sample) -> None:
        """Take in the next sample."""
        self._number += 1
        moment_s = sample.t_ns / 1e9
        for tier, one in sample.tiers.items():
            self._add_tier(tier, moment_s, one)
        for name, database in sample.databases.items():
            self._databases.setdefault(name, Series(DatabaseSample)).append(moment_s, database)
            sessions = self._sessions.setdefault(name, _Sessions())
            if database.sessions is not None and self._has(moment_s):
                sessions.add(database.sessions)
        if sample.host is not None:
            self._host.append(moment_s, sample.host)
            for name, disk in (sample.host.disks or {}).items():
                self._disks.setdefault(name, Series(DiskSample)).append(moment_s, disk)
        self._add_spent(sample)

    def tiers(self, transactions: int) -> dict[str, TierFigures]:
        """Each tier's figures in the window; a tier whose samples do not cover it is left out.

        CPU time at the window's edges is interpolated between the samples around them.
        """
        return {name: self._tier(name, series, transactions) for name, series in self._covered(self._tiers)}

    def databases(self) -> dict[str, DatabaseFigures]:
        """What each database did in the window, by its name; one whose samples do not cover it is left out."""
        return {name: self._database(name, series) for name, series in self._covered(self._databases)}

    def host(self) -> HostFigures | None:
        """What the whole machine did in the window; None when the samples do not cover it."""
        span, series = self._span, self._host
        if span is None or not series.covers(span):
            return None
        return HostFigures(
            loopback_mib_per_s=series.rate("loopback_bytes", span, MIB),
            network_mib_per_s=series.rate("network_bytes", span, MIB),
            stolen_cpus=series.rate("steal_s", span),
            cpu_stalled=series.rate("cpu_stalled_s", span),
            io_stalled=series.rate("io_stalled_s", span),
            memory_stalled=series.rate("memory_stalled_s", span),
            disks={
                name: DiskFigures(
                    busy=disk.rate("busy_s", span) or 0.0,
                    read_mib_per_s=disk.rate("read_bytes", span, MIB) or 0.0,
                    written_mib_per_s=disk.rate("written_bytes", span, MIB) or 0.0,
                )
                for name, disk in self._covered(self._disks)
            },
        )

    def held(self, edges_s: Sequence[float]) -> Iterator[tuple[str, str, list[float]]]:
        """Yield what processes, the lab and databases held between each edge and the next: field, name, means.

        The processes are those of each tier together, of one that has several each as well.
        """
        every = [("rss_mib", name, series) for name, series in (self._tiers | self._processes).items()]
        every += [("lab_rss_mib", LAB, self._host)]
        of_databases = ("connections", "prepared", "size_bytes")
        every += [(column, name, series) for column in of_databases for name, series in self._databases.items()]
        for column, name, series in every:
            if (means := series.means(column, edges_s)) is not None:
                yield column, name, means

    @property
    def cpus(self) -> dict[str, frozenset[int]]:
        """The CPUs that each tier could use; a tier of which that is not known is left out."""
        return {tier: frozenset[int]().union(*sets) for tier, sets in self.cpu_sets.items()}

    def cpu_between(self, edges_s: Sequence[float]) -> tuple[float, ...]:
        """CPU seconds of the platform's tiers between each edge and the next.

        None at all when one of them is missing in a sample, or the samples do not cover the edges.
        """
        return self._between("cpu_s", edges_s)

    def compiler_between(self, edges_s: Sequence[float]) -> tuple[float, ...]:
        """CPU seconds of the compiler threads of the platform's tiers, as `cpu_between`; none where none was seen."""
        return self._between("compiler_s", edges_s) if self._compilers else ()

    @property
    def cpu_step_s(self) -> float:
        """The step in which the system counted the CPU time of the platform's tiers: a clock tick, else a nanosecond.

        User and system time of each tier are cut off for themselves.
        """
        platform = self._platform()
        return 1e-9 if self._fine_clock or not platform else 2 * len(platform) * TICK_S

    def cpu_course(self, most: int, end_s: float) -> list[Stretch]:
        """CPU use of all tiers in % of one CPU up to a moment, in at most so many stretches.

        Where a tier's clock fell, a process had ended: left out.
        """
        spent = [one for one in self._spent if one[1] <= end_s]
        together = max(1, -(-len(spent) // most))
        parts = (spent[begin : begin + together] for begin in range(0, len(spent), together))
        return [
            Stretch(
                start_s=part[0][0],
                end_s=part[-1][1],
                rate=PERCENT * sum(s for _, _, s in part) / sum(end - start for start, end, _ in part),
            )
            for part in parts
        ]

    def _add_tier(self, tier: str, moment_s: float, one: TierSample) -> None:
        self._tiers.setdefault(tier, Series(TierSample)).append(moment_s, one)
        for number, memory in enumerate(one.processes_mib or (), 1):
            process = TierSample(cpu_s=0.0, rss_mib=memory)
            self._processes.setdefault(f"{tier} {number}", Series(TierSample)).append(moment_s, process)
        if one.cpus:
            sets = map(frozenset, one.apart or (one.cpus,))
            self.cpu_sets[tier] = self.cpu_sets.get(tier, frozenset()).union(sets)
        if is_platform(tier):
            ticks = one.cpu_s / TICK_S
            self._fine_clock = self._fine_clock or abs(ticks - round(ticks)) >= 1e-6
        self._compilers = self._compilers or one.compiler_s is not None
        for database, pool in (one.pools or {}).items():
            if self._has(moment_s):
                self._reported.setdefault(tier, {}).setdefault(database, ReportedSums()).add(pool)

    def _add_spent(self, sample: Sample) -> None:
        before, self._before = self._before, sample
        if before is None or sample.t_ns <= before.t_ns:
            return
        # In their sequence, as a sum of floats depends on it.
        spent = [one.cpu_s - before.tiers[name].cpu_s for name, one in sample.tiers.items() if name in before.tiers]
        if min(spent, default=-1.0) >= 0:
            self._spent.append((before.t_ns / 1e9, sample.t_ns / 1e9, sum(spent)))

    def _has(self, moment_s: float) -> bool:
        """Whether what was seen until a moment, since the sample before, is the window's."""
        return self._span is not None and self._span[0] < moment_s - LATE_S <= self._span[1]

    def _covered(self, series: Mapping[str, Series]) -> Iterator[tuple[str, Series]]:
        return ((name, one) for name, one in series.items() if self._span is not None and one.covers(self._span))

    def _platform(self) -> list[Series]:
        return [series for tier, series in self._tiers.items() if is_platform(tier)]

    def _between(self, name: str, edges_s: Sequence[float]) -> tuple[float, ...]:
        platform = self._platform()
        if not platform or len(edges_s) < 2 or any(len(one) < self._number for one in platform):
            return ()
        if not all(one.covers((edges_s[0], edges_s[-1])) for one in platform):
            return ()
        readings = [sum(one.at(name, edge) for one in platform) for edge in edges_s]
        return tuple(after - before for before, after in pairwise(readings))

    def _tier(self, name: str, series: Series, transactions: int) -> TierFigures:
        span = self._span or (0.0, 0.0)
        cpu_s = series.grown("cpu_s", span) or 0.0
        memory = series.inside("rss_mib", span) or [series.last("rss_mib")]
        pools = {database: sums.figures for database, sums in self._reported.get(name, {}).items()}
        return TierFigures(
            cpu_s=cpu_s,
            cpu_share=cpu_s / (span[1] - span[0]),
            cpu_ms_per_transaction=cpu_s * 1000 / transactions if transactions else 0.0,
            memory_mean_mib=sum(memory) / len(memory),
            memory_max_mib=max(memory),
            pools=pools,
            **{figure: of(series, span) for figure, of in _OF_TIER.items()},
        )

    def _database(self, name: str, series: Series) -> DatabaseFigures:
        span, sessions = self._span or (0.0, 0.0), self._sessions[name]
        hit, read = series.grown("blocks_hit", span) or 0.0, series.grown("blocks_read", span) or 0.0
        looks = sessions.looks
        return DatabaseFigures(
            cache_hit_share=hit / (hit + read) if hit + read > 0 else None,
            looks=looks,
            waits={what: total / looks for what, total in sorted(sessions.waits.items())} if looks else {},
            pools={tier: sums.figures for tier, sums in sessions.pools.items()},
            **{figure: of(series, span) for figure, of in _OF_DATABASE.items()},
        )


_OF_TIER: Mapping[str, Callable[[Series, Span], float | int | None]] = {
    "switches_per_s": lambda series, span: series.rate("switches", span),
    "waiting_for_cpu": lambda series, span: series.rate("run_delay_s", span),
    "compiler_s": lambda series, span: series.grown("compiler_s", span),
    "read_mib_per_s": lambda series, span: series.rate("read_bytes", span, MIB),
    "written_mib_per_s": lambda series, span: series.rate("written_bytes", span, MIB),
    "unread": lambda series, span: series.mean("unread", span),
    "net_received_mib_per_s": lambda series, span: series.rate("net_received_bytes", span, MIB),
    "net_sent_mib_per_s": lambda series, span: series.rate("net_sent_bytes", span, MIB),
    "connections_ended": lambda series, span: series.whole("connections_ended", span),
}
_OF_DATABASE: Mapping[str, Callable[[Series, Span], float | int | None]] = {
    "commits_per_s": lambda series, span: series.rate("commits", span),
    "rollbacks_per_s": lambda series, span: series.rate("rollbacks", span),
    "deadlocks": lambda series, span: series.whole("deadlocks", span),
    "temporary_mib": lambda series, span: series.grown("temporary_bytes", span, MIB),
    "max_waiting_locks": lambda series, span: round(max(series.inside("waiting_locks", span), default=0)),
    "mean_active_sessions": lambda series, span: series.mean("active_sessions", span) or 0.0,
    "log_mib_per_s": lambda series, span: series.rate("log_bytes", span, MIB),
    "full_pages_per_s": lambda series, span: series.rate("full_pages", span),
    "checkpoints": lambda series, span: series.whole("checkpoints", span),
    "checkpoint_mib": lambda series, span: series.grown("checkpoint_pages", span, MIB / PAGE_BYTES),
}
