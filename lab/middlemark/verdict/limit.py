"""What limited a point: which CPUs were full, and whether it was the platform alone that filled them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from middlemark.records.point import Limit, TierFigures

FULL = 0.90
# Roles that are not the platform: full, they make the figure theirs.
OTHER_ROLES = frozenset({"driver", "database", "front"})


def limiting(tiers: Mapping[str, TierFigures], cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """Return what limited a point.

    `cpus` are the numbers of the CPUs each tier could use, at least one. A tier is judged by these, not by all of the
    machine; CPUs are full at 90 % of their time. None when a tier was not watched, or nobody knows what it could use.
    """
    if not tiers or not cpus.keys() >= tiers.keys():
        return None
    places = _places({name: figures.cpu_share for name, figures in tiers.items()}, cpus)
    full = [place for place in places if place.use >= FULL]
    # Where a part of them is full already, all of them together tell less.
    full = [place for place in full if not any(other.cpus < place.cpus for other in full)]
    if not full:
        most = max(places, key=lambda place: place.use)
        return Limit(by="", platform_peak=False, says=f"no CPUs were full (most: {most.said})")
    said = "; ".join(place.said for place in full)
    if all(place.platform_alone for place in full):
        by = " and ".join(sorted({name for place in full for name in place.shares}))
        return Limit(by=by, platform_peak=True, says=f"limited by {by}: {said}")
    others = sorted({place.other for place in full if place.other})
    by = " and ".join(others) if all(place.platform_alone or place.other for place in full) else "shared CPUs"
    return Limit(by=by, platform_peak=False, says=f"limited by {by}, no peak of the platform: {said}")


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
        """Tell whether nobody but the platform could use these CPUs."""
        return all(_is_platform(name) for name in (*self.shares, *self.also))

    @property
    def other(self) -> str:
        """Return the tier that is not the platform and used all this by itself; empty when that is none."""
        only = next(iter(self.shares)) if len(self.shares) == 1 else ""
        return "" if _is_platform(only) else only

    @property
    def said(self) -> str:
        """Return `web used 95 % of 1 CPU`, or what each of several tiers used of the CPUs they share."""
        count = len(self.cpus)
        of = f"{100 * self.use:.0f} % of {count} CPU" + ("" if count == 1 else "s")
        parts = [f"{name} {100 * share / count:.0f} %" for name, share in self.shares.items()]
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


def _is_platform(tier: str) -> bool:
    return OTHER_ROLES.isdisjoint(tier.split("+"))
