"""What limited a point: full CPUs, and what was waited for: connections, locks, the log, disks, threads that read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from middlemark.records.placement import DRIVER, is_database, is_platform
from middlemark.records.samples import CPU, TRANSACTION, ObservedPool
from middlemark.records.window import (
    DatabaseFigures,
    Limit,
    ReportedPoolFigures,
    TierFigures,
    Wait,
    WaitKind,
)
from middlemark.wording import counted

# The thresholds, with their reasons, are in docs/reference/limits.md.
NOTABLE = 0.10
OF_SESSIONS = 0.20
OFTEN = 0.50
FULL = 0.90
THINKING = 0.10
KNOWN = 0.50

_ROW_LOCKS = frozenset({"transactionid", "tuple"})
_WORDS = {
    WaitKind.LOCK: "for a lock",
    WaitKind.LOG: "for the log to be written",
    WaitKind.DISK: "for the disk",
    WaitKind.INTERNAL: "for an internal lock of the database",
    WaitKind.CLIENT: "for the application, while it holds the connection",
    WaitKind.OTHER: "for something else",
}


class Place(StrEnum):
    """Where a transaction under way can be seen. Sessions that wait for the application are seen there, not here."""

    UNREAD = "not read yet"
    POOL = "waiting for a connection"
    APPLICATION = "application: on a CPU or ready for one"
    DATABASE = "database: on a CPU or ready for one"
    LOCKS = "database: locks and the like"
    STORAGE = "database: log and disk"


@dataclass(frozen=True)
class Situation:
    """A point as far as its limit depends on it.

    `in_progress` is how many transactions were under way on average: throughput × mean response time (Little's law).
    `users` None: arrivals follow a timetable, and think times do not hold the load back.
    """

    tiers: Mapping[str, TierFigures]
    databases: Mapping[str, DatabaseFigures]
    in_progress: float
    users: int | None = None


def waits_of(situation: Situation) -> tuple[Wait, ...]:
    """What a notable part of the transactions waited for: what is nearest to the users first.

    Where a connection to a database is waited for, its sessions are all there can be: what a part of these waits for is
    notable then.
    """
    pools = list(_pools(situation))
    limited = {database for database, _ in pools}
    unread = _notable(situation, _unread(situation))
    cpus = _notable(situation, (one for one in _cpus(situation) if not is_database(one.tier)))
    sessions = [
        wait
        for name, figures in situation.databases.items()
        for wait in _sessions(name, figures, situation, all_there_can_be=name in limited)
    ]
    servers = (one for one in _cpus(situation) if is_database(one.tier))
    least = OF_SESSIONS * sum(sum(situation.databases[name].waits.values()) for name in limited)
    ready = [one for one in servers if one.mean and one.mean >= (least or NOTABLE * situation.in_progress)]
    behind = sorted([*sessions, *ready], key=lambda one: -(one.mean or 0.0))
    return (*unread, *(wait for _, wait in pools), *cpus, *behind)


def places(situation: Situation) -> dict[Place, float]:
    """Where the transactions under way were, as far as that was seen: how many on average at each place."""
    own = [one for tier, one in situation.tiers.items() if tier != DRIVER and not is_database(tier)]
    servers = [one for tier, one in situation.tiers.items() if is_database(tier)]
    sessions: dict[WaitKind | None, float] = {}
    for figures in situation.databases.values():
        for kind, events in by_kind(figures.waits).items():
            sessions[kind] = sessions.get(kind, 0.0) + sum(events.values())
    # Sessions that nobody has looked at have at least the CPU time of their server.
    looked = any(figures.looks for figures in situation.databases.values())
    return {
        Place.UNREAD: sum(one.unread or 0.0 for one in own),
        Place.POOL: sum(pool.waiting or 0.0 for one in own for pool in one.pools.values()),
        Place.APPLICATION: sum(one.cpu_share + (one.waiting_for_cpu or 0.0) for one in own),
        Place.DATABASE: sessions.get(None, 0.0) if looked else sum(one.cpu_share for one in servers),
        Place.LOCKS: sum(sessions.get(kind, 0.0) for kind in (WaitKind.LOCK, WaitKind.INTERNAL, WaitKind.OTHER)),
        Place.STORAGE: sum(sessions.get(kind, 0.0) for kind in (WaitKind.LOG, WaitKind.DISK)),
    }


def kind_of(what: str) -> WaitKind | None:
    """What kind of wait an event of PostgreSQL is, `TYPE:EVENT`; None when the session works.

    Source: PostgreSQL's documentation, The Cumulative Statistics System, Wait Events. Names changed with version 17
    (`WALSync`, `WalSync`).
    """
    kind, _, event = what.partition(":")
    if what == CPU:
        return None
    if what == TRANSACTION or kind == "Client":
        return WaitKind.CLIENT
    if event.upper().startswith("WAL") or event == "SyncRep":
        return WaitKind.LOG
    if kind == "IO" or event.upper() == "BUFFERIO":
        return WaitKind.DISK
    kinds = {"Lock": WaitKind.LOCK, "LWLock": WaitKind.INTERNAL, "BufferPin": WaitKind.INTERNAL}
    return kinds.get(kind, WaitKind.INTERNAL if event == "SpinDelay" else WaitKind.OTHER)


def by_kind(waits: Mapping[str, float]) -> dict[WaitKind | None, dict[str, float]]:
    """The mean number of sessions by kind and event; None has those that worked."""
    found: dict[WaitKind | None, dict[str, float]] = {}
    for what, mean in waits.items():
        found.setdefault(kind_of(what), {})[what.partition(":")[2] or what] = mean
    return found


def few(value: float) -> str:
    """A number of sessions, threads or transactions for people: `0.61`, `1.9`, `1,190`."""
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _notable(situation: Situation, waits: Iterator[Wait]) -> list[Wait]:
    return [one for one in waits if one.mean and one.mean >= NOTABLE * situation.in_progress]


def _unread(situation: Situation) -> Iterator[Wait]:
    for tier, figures in situation.tiers.items():
        message = f"for {tier} to read them: {few(figures.unread or 0.0)} requests lay in the kernel"
        yield Wait(kind=WaitKind.UNREAD, tier=tier, mean=figures.unread, message=message)


def _cpus(situation: Situation) -> Iterator[Wait]:
    for tier, figures in situation.tiers.items():
        message = f"for a CPU: {few(figures.waiting_for_cpu or 0.0)} threads of {tier} were ready and had none"
        yield Wait(kind=WaitKind.CPU, tier=tier, mean=figures.waiting_for_cpu, message=message)


def _pools(situation: Situation) -> Iterator[tuple[str, Wait]]:
    for database, figures in situation.databases.items():
        owners = [tier for tier, one in situation.tiers.items() if database in one.pools or tier in figures.pools]
        for tier in owners:
            reported, seen = situation.tiers[tier].pools.get(database), figures.pools.get(tier)
            wait = _pool(situation, tier, reported, seen)
            if wait is not None:
                yield database, wait


def _pool(
    situation: Situation, tier: str, reported: ReportedPoolFigures | None, seen: ObservedPool | None
) -> Wait | None:
    waiting = reported.waiting if reported else None
    use = max((one for one in (reported, seen) if one), key=lambda one: one.full)
    full = f"all {use.size} in {'use' if use is reported else 'work'} in {100 * use.full:.0f} % of the samples"
    if waiting is None:
        if use.full < OFTEN:
            return None
        message = f"for the connection pool of {tier}: {full}, how many waited is n/a"
        return Wait(kind=WaitKind.POOL, tier=tier, mean=None, message=message)
    if waiting < NOTABLE * situation.in_progress:
        return None
    of = f"{few(waiting)} of {few(situation.in_progress)} transactions under way"
    return Wait(kind=WaitKind.POOL, tier=tier, mean=waiting, message=f"for the connection pool of {tier}: {of}, {full}")


def _sessions(name: str, figures: DatabaseFigures, situation: Situation, *, all_there_can_be: bool) -> Iterator[Wait]:
    total = sum(figures.waits.values())
    least = OF_SESSIONS * total if all_there_can_be else NOTABLE * situation.in_progress
    for kind, events in by_kind(figures.waits).items():
        mean = sum(events.values())
        # A session that waits for the application is no reason to wait, unless it keeps others from a connection.
        if kind is None or mean < least or (kind is WaitKind.CLIENT and not all_there_can_be):
            continue
        words = "for row locks" if kind is WaitKind.LOCK and events.keys() <= _ROW_LOCKS else _WORDS[kind]
        most = ", ".join(f"{event} {few(value)}" for event, value in sorted(events.items(), key=lambda e: -e[1])[:2])
        message = f"{words}: {most} of {few(total)} sessions with work"
        where = "" if len(situation.databases) == 1 else f" of {name}"
        yield Wait(kind=kind, tier=name, mean=mean, message=f"{message}{where}")


def limit_of(situation: Situation, cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """What limited a point: full CPUs, else that its users think, else what was waited for, as far as is known.

    `cpus` and None as in `limiting`.
    """
    limit = limiting(situation.tiers, cpus)
    if limit is None:
        return None
    waits, seen, under_way = waits_of(situation), sum(places(situation).values()), situation.in_progress
    seen = min(seen, under_way)
    waiting = f"waiting {'; '.join(wait.message for wait in waits)}" if waits else ""
    if limit.by:
        parts = [limit.message, waiting]
    elif situation.users is not None and under_way <= THINKING * situation.users:
        of, waits = counted(situation.users, "virtual user"), ()
        parts = [f"not limited: of {of} {few(under_way)} on average waited for a response", limit.message]
    elif waits:
        rest = f"what {few(under_way - seen)} of {few(under_way)} transactions under way waited for is not known"
        parts = [waiting, "" if seen >= KNOWN * under_way else rest, limit.message]
    else:
        seen_text = f"of {few(under_way)} transactions under way {few(seen)} were seen on a CPU or waiting"
        parts = [f"cannot tell what was waited for: {seen_text}", limit.message]
    for name, figures in situation.databases.items():
        of = "" if len(situation.databases) == 1 else f" of {name}"
        begun, written = figures.checkpoints or 0, figures.checkpoint_mib or 0.0
        if begun or written:
            parts.append(f"a checkpoint{of} was at work in the window ({begun} began, {few(written)} MiB written)")
    message = "; ".join(part for part in parts if part)
    return limit.model_copy(update={"message": message, "waits": waits, "in_progress": under_way, "seen": seen})


def limiting(tiers: Mapping[str, TierFigures], cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """What limited a point.

    `cpus` are the numbers of the CPUs each tier could use, at least one. A tier is judged by these, not by all of the
    machine; CPUs are full at 90 % of their time. Tiers that are not the platform's make the figure theirs when they
    fill them. None when a tier was not watched, or its CPUs are not known.
    """
    if not tiers or not cpus.keys() >= tiers.keys():
        return None
    places = _places({name: figures.cpu_share for name, figures in tiers.items()}, cpus)
    full = [place for place in places if place.use >= FULL]
    # Where a part of them is full already, all of them together add nothing.
    full = [place for place in full if not any(other.cpus < place.cpus for other in full)]
    if not full:
        most = max(places, key=lambda place: place.use)
        return Limit(by=(), platform_peak=False, message=f"no CPUs were full (most: {most.text})")
    uses = "; ".join(place.text for place in full)
    if all(place.platform_alone for place in full):
        by = tuple(sorted({name for place in full for name in place.shares}))
        return Limit(by=by, platform_peak=True, message=f"limited by {' and '.join(by)}: {uses}")
    shared = not all(place.platform_alone or place.other for place in full)
    sharing = {name for place in full for name in (*place.shares, *place.also)}
    names = sharing if shared else {place.other for place in full} - {""}
    limit = Limit(by=tuple(sorted(names)), platform_peak=False, message="", shared_cpus=shared)
    return limit.model_copy(update={"message": f"limited by {limit.text}, no peak of the platform: {uses}"})


@dataclass(frozen=True)
class _Place:
    """Some CPUs: `shares` has the tiers that could use no others and how many CPUs each used, `also` who could too."""

    cpus: frozenset[int]
    shares: Mapping[str, float]
    also: tuple[str, ...]

    @property
    def use(self) -> float:
        return sum(self.shares.values()) / len(self.cpus)

    @property
    def platform_alone(self) -> bool:
        return all(is_platform(name) for name in (*self.shares, *self.also))

    @property
    def other(self) -> str:
        """The tier that is not the platform's and used all this by itself; empty when that is none."""
        only = next(iter(self.shares)) if len(self.shares) == 1 else ""
        return "" if not only or is_platform(only) else only

    @property
    def text(self) -> str:
        """Return `driver used 95 % of 1 CPU`, or what each of several tiers used of the CPUs they share."""
        of = f"{100 * self.use:.0f} % of {counted(len(self.cpus), 'CPU')}"
        parts = [f"{name} {100 * share / len(self.cpus):.0f} %" for name, share in self.shares.items()]
        used = f"{next(iter(self.shares))} used {of}" if len(parts) == 1 else f"{of} ({', '.join(parts)})"
        return used + (f" which {' and '.join(self.also)} could use too" if self.also else "")


def _places(shares: Mapping[str, float], cpus: Mapping[str, frozenset[int]]) -> list[_Place]:
    own = sorted({cpus[name] for name in shares}, key=sorted)
    unions = (frozenset[int]().union(*some) for count in range(1, len(own) + 1) for some in combinations(own, count))
    return [_place(numbers, shares, cpus) for numbers in dict.fromkeys(unions)]


def _place(numbers: frozenset[int], shares: Mapping[str, float], cpus: Mapping[str, frozenset[int]]) -> _Place:
    inside = {name: share for name, share in shares.items() if cpus[name] <= numbers}
    return _Place(numbers, inside, tuple(name for name in shares if name not in inside and cpus[name] & numbers))
