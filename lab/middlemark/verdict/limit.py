"""What limited a point: which CPUs were full, whether only the platform filled them, and what was waited for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from middlemark.records.limit import Limit
from middlemark.records.placement import is_platform
from middlemark.records.window import DatabaseFigures, TierFigures
from middlemark.verdict.waiting import Situation, few, seen_of, waits_of
from middlemark.wording import counted

# The thresholds, with their reasons, are in docs/reference/limits.md.
FULL = 0.90
THINKING = 0.10
KNOWN = 0.50


def limit_of(situation: Situation, cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """Return what limited a point: full CPUs, else that its users think, else what was waited for, as far as is known.

    `cpus` and None as in `limiting`.
    """
    limit = limiting(situation.tiers, cpus)
    if limit is None:
        return None
    waits, seen, under_way = waits_of(situation), seen_of(situation), situation.in_progress
    waiting = f"waiting {'; '.join(wait.message for wait in waits)}" if waits else ""
    if limit.by:
        message = f"{limit.message}; {waiting}" if waits else limit.message
    elif situation.users is not None and under_way <= THINKING * situation.users:
        of = counted(situation.users, "virtual user")
        message, waits = f"not limited: of {of} {few(under_way)} on average waited for a response; {limit.message}", ()
    elif waits and seen >= KNOWN * under_way:
        message = f"{waiting}; {limit.message}"
    elif waits:
        rest = f"what {few(under_way - seen)} of {few(under_way)} transactions under way waited for is not known"
        message = f"{waiting}; {rest}; {limit.message}"
    else:
        seen_text = f"of {few(under_way)} transactions under way {few(seen)} were seen on a CPU or waiting"
        message = f"cannot tell what was waited for: {seen_text}; {limit.message}"
    message = "; ".join([message, *_checkpoints(situation.databases)])
    return limit.model_copy(update={"message": message, "waits": waits, "in_progress": under_way, "seen": seen})


def _checkpoints(databases: Mapping[str, DatabaseFigures]) -> list[str]:
    """Return a sentence for each database whose server had a checkpoint in the window."""
    found = []
    for name, figures in databases.items():
        of = "" if len(databases) == 1 else f" of {name}"
        begun, written = figures.checkpoints or 0, figures.checkpoint_mib or 0.0
        if begun or written:
            found.append(f"a checkpoint{of} was at work in the window ({begun} began, {few(written)} MiB written)")
    return found


def limiting(tiers: Mapping[str, TierFigures], cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """Return what limited a point.

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
        """Return which share of these CPUs' time was used for certain."""
        return sum(self.shares.values()) / len(self.cpus)

    @property
    def platform_alone(self) -> bool:
        """Return whether only the platform could use these CPUs."""
        return all(is_platform(name) for name in (*self.shares, *self.also))

    @property
    def other(self) -> str:
        """Return the tier that is not the platform's and used all this by itself; empty when that is none."""
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
    """Return every set of CPUs that is the own of some tiers, with these tiers."""
    own = sorted({cpus[name] for name in shares}, key=sorted)
    unions = (frozenset[int]().union(*some) for count in range(1, len(own) + 1) for some in combinations(own, count))
    return [_place(numbers, shares, cpus) for numbers in dict.fromkeys(unions)]


def _place(numbers: frozenset[int], shares: Mapping[str, float], cpus: Mapping[str, frozenset[int]]) -> _Place:
    inside = {name: share for name, share in shares.items() if cpus[name] <= numbers}
    return _Place(numbers, inside, tuple(name for name in shares if name not in inside and cpus[name] & numbers))
