"""Tables of what tiers, databases, networks and the machine used, and of what limited each load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from middlemark.records.findings import Findings
from middlemark.records.placement import DRIVER
from middlemark.records.window import Window
from middlemark.show.bars import Bar, BarChart, BarRow
from middlemark.show.chart import colour
from middlemark.show.places import Place, compared, places, tier_names, tier_of
from middlemark.show.tables import (
    Cell,
    Colours,
    Fold,
    Heading,
    Row,
    Table,
    Text,
    barred,
    blocks,
    columns_of,
    fold,
    muted,
    table,
    titled,
)
from middlemark.wording import rounded

MIB = 2**20
MAX_STATEMENTS = 10
REST = "not seen anywhere"
TIER = (
    "#CPU s of a window: cpu_s | #memory MiB: memory_mean_mib | #max MiB: memory_max_mib | "
    "#compiler threads s: compiler_s | "
    "#threads waiting for a CPU: waiting_for_cpu | #switches per s: switches_per_s | #read MiB/s: read_mib_per_s | "
    "#written MiB/s at most: written_mib_per_s"
)
DATABASE = (
    "#commits per s: commits_per_s | #rollbacks per s: rollbacks_per_s | #deadlocks: deadlocks | "
    "#cache hits %: %cache_hit_share | #temporary MiB: temporary_mib | #max locks waited for: max_waiting_locks | "
    "#mean active sessions: mean_active_sessions | #log MiB/s: log_mib_per_s | "
    "#full pages in it per s: full_pages_per_s | #checkpoints begun: checkpoints | "
    "#checkpoints wrote MiB: checkpoint_mib"
)
HOST = (
    "#loopback MiB/s: loopback_mib_per_s | #other networks MiB/s: network_mib_per_s | "
    "#CPUs taken away by the hypervisor: stolen_cpus | #% a task waited for a CPU: %cpu_stalled | "
    "#% for a disk: %io_stalled | #% for memory: %memory_stalled"
)
DISK = "#busy %: %busy | #read MiB/s: read_mib_per_s | #written MiB/s: written_mib_per_s"
POOL = (
    "#sessions with work: seen.in_work | #% of looks all of them: %seen.full | "
    "#given out, as it reports: own.in_use | #% of samples all of them: %own.full | #requests waiting: own.waiting"
)


def tiers(findings: Findings) -> Iterator[object]:
    """Yield for each load what every tier used."""
    most = max((t.cpu_ms_per_transaction for w in findings.rounds for t in w.tiers.values()), default=0.0)
    for number, load in enumerate(sorted(findings.run.loads, reverse=True)):
        every = places(findings, [load])
        rows = [row for name in tier_names(findings.rounds) for one in every for row in one.parts([name], tier_of)]
        found = table(
            (row for row in rows if row.known("cpu_s")),
            ("tier", lambda one: one.part.replace("+", " + ")),
            "combination: name",
            (
                f"#CPU ms per {findings.run.specification.unit}",
                lambda one: barred(one.mean("cpu_ms_per_transaction"), most),
            ),
            *columns_of("#CPU %: %cpu_share | " + TIER, Place.mean),
        )
        yield fold(f"{findings.run.load_name(load)}: CPU and memory of every tier", found, is_open=number == 0)


def surroundings(findings: Findings) -> Iterator[object]:
    """Yield what databases, networks, pools and the machine did, means of the rounds that count."""
    every = places(findings)

    def seen(title: str, figures: str, what: str, of: Callable[[Window], Mapping[str, object]]) -> Fold | None:
        rows = [
            row
            for place in every
            for row in place.parts(
                dict.fromkeys(name for window in place.windows for name in of(window)),
                lambda window, name: of(window).get(name),
            )
        ]
        named = f" | {what}: part" if what else ""
        return fold(title, table(rows, f"combination: at{named}", *columns_of(figures, Place.mean)))

    yield seen("Commits, locks and cache of the databases", DATABASE, "database", lambda window: window.databases)
    yield fold(f"Network of every tier, at {findings.at}", *_network(findings))
    yield fold("Statements that took most time, over all windows compared", _statements(findings))
    yield fold("Connection pools", _pools(every))
    yield seen("The whole machine", HOST, "", lambda window: {"": window.host} if window.host else {})
    yield seen("Disks of the machine", DISK, "disk", lambda window: window.host.disks if window.host else {})


def _network(findings: Findings) -> tuple[object, ...]:
    paths = {findings.name(one.path): one.path for one in findings.run.combinations}
    rows = [row for place in compared(findings) for row in place.parts(tier_names(place.windows), tier_of)]
    unit = findings.run.specification.unit

    def bytes_of(row: Place, driver: str, path: str) -> float | None:
        if row.part != DRIVER:
            return row.mean(path)
        return fmean(getattr(window, driver) for window in row.windows) / MIB

    def each(row: Place, driver: str, path: str) -> float | None:
        moved, rate = bytes_of(row, driver, path), fmean(window.throughput_tps for window in row.windows)
        return None if moved is None or not rate else moved * MIB / rate

    def remark(row: Place) -> Cell:
        if row.part == DRIVER:
            return muted("all it exchanged, with headers of HTTP; over TLS before encryption")
        record = findings.run.deployments.get(paths[row.combination])
        called = {call.to for call in record.driver} if record else set()
        if record and row.part in {"+".join(one.tiers) for one in record.processes if one.name in called}:
            return muted("called by the virtual users: what it exchanged with them is the driver's")
        if not row.known("net_received_mib_per_s"):
            return muted("not counted: the kernel knows no bytes of a process, and its connections were not looked at")
        ended = row.total("connections_ended")
        lost = f"at least: the last bytes of {ended:,} connections that ended are missing"
        return muted(lost if ended else "on its callers' connections")

    found = table(
        rows,
        "combination: name | tier: part",
        ("#received MiB/s", lambda row: bytes_of(row, "bytes_per_s", "net_received_mib_per_s")),
        ("#sent MiB/s", lambda row: bytes_of(row, "sent_bytes_per_s", "net_sent_mib_per_s")),
        (f"#received B per {unit}", lambda row: each(row, "bytes_per_s", "net_received_mib_per_s")),
        (f"#sent B per {unit}", lambda row: each(row, "sent_bytes_per_s", "net_sent_mib_per_s")),
        ("remarks", remark),
    )
    lead = Text(
        "Payload of TCP on the connections over which a tier is called. Connections that come and go between looks, a "
        "second apart, are not in it. Driver and tiers run on one machine: what goes "
        "between them waits for no network, and large answers cost less than between hosts."
    )
    return blocks(lead, found) if found else ()


def _statements(findings: Findings) -> Table | None:
    sums: dict[str, dict[tuple[str, str], tuple[int, float]]] = {}
    for place in compared(findings):
        own = sums.setdefault(place.name, {})
        for one in (each for window in place.windows for each in window.statements):
            calls, total_ms = own.get((one.database, one.query), (0, 0.0))
            own[one.database, one.query] = (calls + one.calls, total_ms + one.total_ms)
    rows = [
        (name, *row)
        for name, own in sums.items()
        for row in sorted(own.items(), key=lambda row: -row[1][1])[:MAX_STATEMENTS]
    ]
    return table(rows, "combination: 0 | database: 1.0 | statement: 1.1 | #calls: 2.0 | #total ms: 2.1")


def _pools(every: Sequence[Place]) -> Table | None:
    """What tiers report of their connections, and what PostgreSQL saw of them."""
    rows: list[tuple[str, Place]] = []
    for place in every:
        for tier in tier_names(place.windows):
            known = dict.fromkeys(name for window in place.windows for name in _databases(window, tier))
            of_tier = place.parts(known, partial(_pool, tier))
            rows += [(tier, one) for one in of_tier if any(map(one.of, one.windows))]

    def mean(row: tuple[str, Place], path: str) -> float | None:
        return row[1].mean(path)

    return table(
        rows,
        "combination: 1.at | tier: 0 | database: 1.part",
        ("#size", lambda row: mean(row, "seen.size") or mean(row, "own.size")),
        *columns_of(POOL, mean),
    )


def _databases(window: Window, tier: str) -> list[str]:
    return [*window.databases, *(window.tiers[tier].pools if tier in window.tiers else ())]


def _pool(tier: str, window: Window, database: str) -> dict[str, object]:
    own = window.tiers[tier].pools.get(database) if tier in window.tiers else None
    seen = window.databases[database].pools.get(tier) if database in window.databases else None
    return {name: pool for name, pool in (("own", own), ("seen", seen)) if pool is not None}


def limits(findings: Findings) -> Iterator[object]:
    """Yield what limited each combination at each load, and where its transactions under way were."""
    every = places(findings)
    known = [(place, window.limit) for place in every for window in place.windows[-1:] if window.limit is not None]
    yield from titled(
        "What limited each load",
        "CPUs are full at 90 %; where only the platform's tiers fill them, the throughput is a peak of the platform. "
        "Where users wait for at most a tenth of their time, think times set it. By the last window that counts.",
        table(known, "combination: 0.at | what limited it: 1.message | a peak of the platform: 1.platform_peak"),
    )
    placed = [place for place in every if any(window.places for window in place.windows)]
    if placed:
        yield from _under_way(placed, findings.run.specification.units)


def _under_way(placed: Sequence[Place], units: str) -> Iterator[object]:
    kinds = list(dict.fromkeys(kind for place in placed for window in place.windows for kind in window.places))
    styles = {**{kind: colour(number) for number, kind in enumerate(kinds)}, REST: "rest"}
    wholes = {place.at: place.mean("under_way") or 0.0 for place in placed}
    stacks = {
        place.at: {one.part: one.mean("0") or 0.0 for one in place.parts(kinds, lambda w, kind: [w.places.get(kind)])}
        for place in placed
    }
    for at, stack in stacks.items():
        stack[REST] = max(0.0, wholes[at] - sum(stack.values()))
    charts = []
    for one in dict.fromkeys(place.combination for place in placed):
        rows = []
        for place in reversed([each for each in placed if each.combination == one]):
            bars = tuple(
                Bar(value, style=styles[kind], title=f"{place.load_name}: {rounded(value)} {kind}")
                for kind, value in stacks[place.at].items()
                if value > 0
            )
            rows.append(BarRow(0, place.load_name, rounded(wholes[place.at]), bars, stacked=True))
        charts.append(BarChart(one, tuple(rows), small=True).figure())
    yield Heading(f"Where the {units} under way were")
    yield Text(
        "Throughput × mean response time is how many were under way on average. Sampled: connections with unread bytes "
        "in the kernel, requests that waited for a connection as the application reports, threads on a CPU or ready "
        "for one, sessions of the databases by what they waited for."
    )
    yield Colours(tuple((style, kind) for kind, style in styles.items()))
    yield Row(tuple(chart for chart in charts if chart is not None))
    columns = ((f"#{kind}", lambda place, kind=kind: stacks[place.at][kind]) for kind in styles)
    yield fold("Numbers", table(placed, "combination: at", ("#under way", lambda one: wholes[one.at]), *columns))
