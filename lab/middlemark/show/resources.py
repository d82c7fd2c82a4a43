"""Tables of what tiers, databases, networks and the machine used, and of what limited each load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.findings import Findings
from middlemark.records.placement import DRIVER, is_platform
from middlemark.records.window import TierFigures, Window
from middlemark.show.bars import Bar, BarChart, BarRow
from middlemark.show.chart import colour
from middlemark.show.places import Place, compared, places
from middlemark.show.tables import (
    Cell,
    Colours,
    Column,
    Fold,
    Heading,
    Row,
    Table,
    Text,
    Value,
    barred,
    blocks,
    fold,
    muted,
    rounded,
    table,
    titled,
)

PERCENT, MIB = 100.0, 2**20
MAX_STATEMENTS = 10
REST = "not seen anywhere"


Fields = Sequence[tuple[str, str, float]]
"""Columns of figures: title, field, factor."""


@dataclass(frozen=True)
class _Part:
    """A tier, database or disk at a place; `of` finds those of a window by name."""

    place: Place
    name: str
    of: Callable[[Window], Mapping[str, object]]

    def mean(self, field: str, factor: float = 1.0) -> float | None:
        """The mean of a figure of the part."""
        found = self.place.mean(lambda window: getattr(self.of(window).get(self.name), field, None))
        return None if found is None else factor * found


def _tier(place: Place, name: str) -> _Part:
    return _Part(place, name, lambda window: window.tiers)


def tiers(findings: Findings) -> Iterator[object]:
    """Yield for each load what every tier used."""
    most = max((t.cpu_ms_per_transaction for w in findings.rounds for t in w.tiers.values()), default=0.0)
    for number, load in enumerate(sorted(findings.run.loads, reverse=True)):
        rows = [_tier(place, tier) for tier in tier_names(findings.rounds) for place in places(findings, [load])]
        found = table(
            (row for row in rows if row.mean("cpu_s") is not None),
            ("tier", lambda one: one.name.replace("+", " + ")),
            ("combination", lambda one: one.place.name),
            (
                f"#CPU ms per {findings.run.specification.unit}",
                lambda one: barred(one.mean("cpu_ms_per_transaction"), most),
            ),
            ("#CPU %", lambda one: PERCENT * (one.mean("cpu_share") or 0.0)),
            *(
                (f"#{title}", lambda one, field=field: one.mean(field))
                for title, field in (
                    ("CPU s", "cpu_s"),
                    ("memory MiB", "memory_mean_mib"),
                    ("max MiB", "memory_max_mib"),
                    ("compiler threads s", "compiler_s"),
                    ("threads waiting for a CPU", "waiting_for_cpu"),
                    ("switches per s", "switches_per_s"),
                    ("read MiB/s", "read_mib_per_s"),
                    ("written MiB/s at most", "written_mib_per_s"),
                )
            ),
        )
        yield fold(f"{findings.run.load_name(load)}: CPU and memory of every tier", found, is_open=number == 0)


def tier_names(windows: Iterable[Window]) -> list[str]:
    """Every tier that was watched, the platform's first, the driver last."""
    names = {name for window in windows for name in window.tiers}
    return sorted(names, key=lambda name: (not is_platform(name), name == DRIVER, name))


_DATABASE = (
    ("commits per s", "commits_per_s", 1.0),
    ("rollbacks per s", "rollbacks_per_s", 1.0),
    ("deadlocks", "deadlocks", 1.0),
    ("cache hits %", "cache_hit_share", PERCENT),
    ("temporary MiB", "temporary_mib", 1.0),
    ("max locks waited for", "max_waiting_locks", 1.0),
    ("mean active sessions", "mean_active_sessions", 1.0),
    ("log MiB/s", "log_mib_per_s", 1.0),
    ("full pages in it per s", "full_pages_per_s", 1.0),
    ("checkpoints begun", "checkpoints", 1.0),
    ("checkpoints wrote MiB", "checkpoint_mib", 1.0),
)
_HOST = (
    ("loopback MiB/s", "loopback_mib_per_s", 1.0),
    ("other networks MiB/s", "network_mib_per_s", 1.0),
    ("CPUs taken away by the hypervisor", "stolen_cpus", 1.0),
    ("% a task waited for a CPU", "cpu_stalled", PERCENT),
    ("% for a disk", "io_stalled", PERCENT),
    ("% for memory", "memory_stalled", PERCENT),
)
_DISK = (
    ("busy %", "busy", PERCENT),
    ("read MiB/s", "read_mib_per_s", 1.0),
    ("written MiB/s", "written_mib_per_s", 1.0),
)


def surroundings(findings: Findings) -> Iterator[object]:
    """Yield what databases, networks, pools and the machine did, means of the rounds that count."""
    every = places(findings)

    def seen(title: str, fields: Fields, what: str, of: Callable[[Window], Mapping[str, object]]) -> Fold | None:
        rows = [
            _Part(place, name, of) for place in every for name in dict.fromkeys(n for w in place.windows for n in of(w))
        ]
        named: tuple[Column[_Part], ...] = ((what, lambda row: row.name),) if what else ()
        columns = (
            (f"#{head}", lambda row, field=field, factor=factor: row.mean(field, factor))
            for head, field, factor in fields
        )
        return fold(
            title,
            table(rows, ("combination", lambda row: f"{row.place.name}, {row.place.load_name}"), *named, *columns),
        )

    yield seen("Commits, locks and cache of the databases", _DATABASE, "database", lambda window: window.databases)
    yield fold(f"Network of every tier, at {findings.at}", *_network(findings))
    yield fold("Statements that took most time, over all windows compared", _statements(findings))
    yield fold("Connection pools", _pools(every))
    yield seen("The whole machine", _HOST, "", lambda window: {"": window.host} if window.host else {})
    yield seen("Disks of the machine", _DISK, "disk", lambda window: window.host.disks if window.host else {})


def _network(findings: Findings) -> tuple[object, ...]:
    paths = {findings.name(one.path): one.path for one in findings.run.combinations}
    rows = [_tier(place, tier) for place in compared(findings) for tier in tier_names(place.windows)]

    def bytes_of(row: _Part, driver: str, field: str) -> Value:
        if row.name == DRIVER:
            found = row.place.mean(lambda window: getattr(window, driver))
            return None if found is None else found / MIB
        return row.mean(field)

    def remark(row: _Part) -> Cell:
        if row.name == DRIVER:
            return muted("all it exchanged, with headers of HTTP; over TLS before encryption")
        record = findings.run.deployments.get(paths[row.place.combination])
        called = {call.to for call in record.driver} if record else set()
        if record and row.name in {"+".join(one.tiers) for one in record.processes if one.name in called}:
            return muted("called by the virtual users: what it exchanged with them is the driver's")
        if row.mean("net_received_mib_per_s") is None:
            return muted("not counted: the kernel knows no bytes of a process, and its connections were not looked at")
        ended = row.place.total(lambda window: window.tiers[row.name].connections_ended or 0)
        lost = f"at least: the last bytes of {ended:,} connections that ended are missing"
        return muted(lost if ended else "on its callers' connections")

    found = table(
        rows,
        ("combination", lambda row: row.place.name),
        ("tier", lambda row: row.name),
        ("#received MiB/s", lambda row: bytes_of(row, "bytes_per_s", "net_received_mib_per_s")),
        ("#sent MiB/s", lambda row: bytes_of(row, "sent_bytes_per_s", "net_sent_mib_per_s")),
        ("remarks", remark),
    )
    lead = Text(
        "Payload of TCP on the connections over which a tier is called. Linux counts bytes by interface and by "
        "connection, not by process, so that connections that come and go between two looks, a second apart, are not "
        "in it."
    )
    return blocks(lead, found) if found else ()


def _statements(findings: Findings) -> Table | None:
    sums: dict[tuple[str, str, str], tuple[int, float]] = {}
    for place in compared(findings):
        for window in place.windows:
            for one in window.statements:
                key = (place.name, one.database, one.query)
                calls, total_ms = sums.get(key, (0, 0.0))
                sums[key] = (calls + one.calls, total_ms + one.total_ms)
    names = dict.fromkeys(key[0] for key in sums)
    rows = [
        row
        for name in names
        for row in sorted(((key, s) for key, s in sums.items() if key[0] == name), key=lambda r: -r[1][1])[
            :MAX_STATEMENTS
        ]
    ]
    return table(
        rows,
        ("combination", lambda row: row[0][0]),
        ("database", lambda row: row[0][1]),
        ("statement", lambda row: row[0][2]),
        ("#calls", lambda row: row[1][0]),
        ("#total ms", lambda row: row[1][1]),
    )


def _pools(every: list[Place]) -> Table | None:
    rows = [
        (place, tier, database)
        for place in every
        for tier in tier_names(place.windows)
        for database in dict.fromkeys(name for window in place.windows for name in _databases(window, tier))
        if any(_pool(window, tier, database) != (None, None) for window in place.windows)
    ]

    def mean(side: int, field: str, factor: float = 1.0) -> Callable[[tuple[Place, str, str]], Value]:
        def value(row: tuple[Place, str, str]) -> Value:
            found = row[0].mean(lambda window: getattr(_pool(window, row[1], row[2])[side], field, None))
            return None if found is None else factor * found

        return value

    return table(
        rows,
        ("combination", lambda row: f"{row[0].name}, {row[0].load_name}"),
        ("tier", lambda row: row[1]),
        ("database", lambda row: row[2]),
        ("#size", lambda row: mean(1, "size")(row) or mean(0, "size")(row)),
        ("#sessions with work", mean(1, "in_work")),
        ("#% of looks all of them", mean(1, "full", PERCENT)),
        ("#given out, as it reports", mean(0, "in_use")),
        ("#% of samples all of them", mean(0, "full", PERCENT)),
        ("#requests waiting", mean(0, "waiting")),
    )


def _databases(window: Window, tier: str) -> list[str]:
    own = window.tiers.get(tier)
    return [*window.databases, *(own.pools if own else ())]


def _pool(window: Window, tier: str, database: str) -> tuple[object | None, object | None]:
    """What a tier reports of its connections, and what PostgreSQL saw of them."""
    own: TierFigures | None = window.tiers.get(tier)
    seen = window.databases.get(database)
    return (own.pools.get(database) if own else None), (seen.pools.get(tier) if seen else None)


def limits(findings: Findings) -> Iterator[object]:
    """Yield what limited each combination at each load, and where its transactions under way were."""
    spec = findings.run.specification
    known = [(p, w.limit) for p in places(findings) for w in p.windows[-1:] if w.limit is not None]
    yield from titled(
        "What limited each load",
        "CPUs are full at 90 %. Only where nothing but the platform's tiers fills them, the throughput is a peak of "
        "the platform. Where users wait for a tenth of their time at most, their think times set the throughput. Else "
        "it is said what was waited for, or that this cannot be told. By the last window that counts.",
        table(
            known,
            ("combination", lambda row: f"{row[0].name}, {row[0].load_name}"),
            ("what limited it", lambda row: row[1].message),
            ("a peak of the platform", lambda row: row[1].platform_peak),
        ),
    )
    placed = [place for place in places(findings) if any(window.places for window in place.windows)]
    if placed:
        yield from _under_way(placed, spec.units)


def _under_way(placed: Sequence[Place], units: str) -> Iterator[object]:
    kinds = list(dict.fromkeys(kind for place in placed for window in place.windows for kind in window.places))
    styles = {**{kind: colour(number) for number, kind in enumerate(kinds)}, REST: "rest"}

    def stack(place: Place) -> dict[str, float]:
        parts = {kind: place.mean(_at(kind)) or 0.0 for kind in kinds}
        whole = place.mean(lambda window: window.under_way) or 0.0
        return {**parts, REST: max(0.0, whole - sum(parts.values()))}

    charts = []
    for one in dict.fromkeys(place.combination for place in placed):
        rows = []
        for place in reversed([each for each in placed if each.combination == one]):
            bars = tuple(
                Bar(value, style=styles[kind], title=f"{place.load_name}: {rounded(value)} {kind}")
                for kind, value in stack(place).items()
                if value > 0
            )
            whole = rounded(place.mean(lambda window: window.under_way) or 0.0)
            rows.append(BarRow(0, place.load_name, whole, bars, stacked=True))
        charts.append(BarChart(one, tuple(rows), small=True).figure())
    yield Heading(f"Where the {units} under way were")
    yield Text(
        "Throughput × mean response time is how many were under way on average. Where they were is sampled: "
        "connections with unread bytes in the kernel, requests that waited for a connection as the application "
        "reports, threads on a CPU or ready for one, sessions of the databases by what they waited for."
    )
    yield Colours(tuple((style, kind) for kind, style in styles.items()))
    yield Row(tuple(chart for chart in charts if chart is not None))
    columns = ((f"#{kind}", lambda place, kind=kind: stack(place)[kind]) for kind in (*kinds, REST))
    yield fold(
        "Numbers",
        table(
            placed,
            ("combination", lambda one: f"{one.name}, {one.load_name}"),
            ("#under way", lambda one: one.mean(lambda w: w.under_way)),
            *columns,
        ),
    )


def _at(kind: str) -> Callable[[Window], float | None]:
    return lambda window: window.places.get(kind)
