"""What limited a point: which CPUs were full, and whether it was the platform alone that filled them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.results.point import Limit, TierFigures

FULL = 0.90
# Roles that are not the platform: full, they make the figure theirs.
OTHER_ROLES = frozenset({"driver", "database", "front"})


def limiting(tiers: Mapping[str, TierFigures], cpus: Mapping[str, frozenset[int]]) -> Limit | None:
    """Return what limited a point.

    `cpus` are the numbers of the CPUs each tier could use; tiers that have one in common compete and are looked at
    together. CPUs are full at 90 %. None when a tier was not watched, or nobody knows what it could use.
    """
    if not tiers or not cpus.keys() >= tiers.keys():
        return None
    places = [_Place(names, cpus, tiers) for names in _sharing(list(tiers), cpus)]
    full = [place for place in places if place.use >= FULL]
    if not full:
        most = max(places, key=lambda place: place.use)
        return Limit(by="", platform_peak=False, says=f"no CPUs were full (most: {most.said})")
    others = sorted({name for place in full for name in place.names if not _is_platform(name)})
    said = "; ".join(place.said for place in full)
    if not others:
        names = sorted({name for place in full for name in place.names})
        return Limit(by=" and ".join(names), platform_peak=True, says=f"limited by {' and '.join(names)}: {said}")
    by = " and ".join(others) if all(len(place.names) == 1 for place in full) else "shared CPUs"
    return Limit(by=by, platform_peak=False, says=f"limited by {by}, no peak of the platform: {said}")


class _Place:
    """CPUs and the tiers that used them. `use` is the share of these CPUs' time."""

    def __init__(
        self, names: Sequence[str], cpus: Mapping[str, frozenset[int]], tiers: Mapping[str, TierFigures]
    ) -> None:
        self.names = names
        self._count = len(frozenset().union(*(cpus[name] for name in names)))
        self._shares = {name: tiers[name].cpu_share for name in names}
        self.use = sum(self._shares.values()) / self._count if self._count else 0.0

    @property
    def said(self) -> str:
        """Return `web 95 % of 1 CPU`, or what each of several tiers used of the CPUs they share."""
        of = f"{self._count} CPU" + ("" if self._count == 1 else "s")
        if len(self.names) == 1:
            return f"{self.names[0]} used {100 * self.use:.0f} % of {of}"
        parts = ", ".join(f"{name} {100 * self._shares[name] / self._count:.0f} %" for name in self.names)
        return f"{100 * self.use:.0f} % of {of} ({parts})"


def _sharing(names: list[str], cpus: Mapping[str, frozenset[int]]) -> list[list[str]]:
    """Return the tiers in groups that have CPUs in common, also by way of a third."""
    groups: list[list[str]] = []
    for name in names:
        touching = [group for group in groups if any(cpus[name] & cpus[other] for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([other for group in touching for other in group] + [name])
    return groups


def _is_platform(tier: str) -> bool:
    return OTHER_ROLES.isdisjoint(tier.split("+"))
