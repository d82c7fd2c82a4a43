"""Means over the window of what was looked at many times: sessions of databases, and the pools that tiers report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.records.point import ObservedPoolFigures, ReportedPoolFigures
from middlemark.records.samples import ObservedPool, ReportedPool, SessionsSample

Window = tuple[float, float]

# A sample is taken a little behind the moment it is due, never so much behind the edges of the window.
_LATE_S = 0.25


@dataclass
class SessionMeans:
    """The looks of the window at one database's sessions, added up.

    A sample has the looks since the one before. One is taken at each edge of the window, so that those behind its begin
    up to its end are the window's.
    """

    looks: int = 0
    _waits: dict[str, float] = field(default_factory=dict)
    _pools: dict[str, list[tuple[int, ObservedPool]]] = field(default_factory=dict)

    def add(self, sample: SessionsSample | None, window: Window, moment_s: float) -> None:
        """Take in the looks of a sample, if it is of the window; each weighs the same."""
        if sample is None or not _within(window, moment_s):
            return
        self.looks += sample.looks
        for what, mean in sample.waits.items():
            self._waits[what] = self._waits.get(what, 0.0) + mean * sample.looks
        for tier, pool in sample.pools.items():
            self._pools.setdefault(tier, []).append((sample.looks, pool))

    def figures(self) -> dict[str, object]:
        """Return `looks`, `waits` and `pools` of a database's figures."""
        looks = self.looks
        return {
            "looks": looks,
            "waits": {what: total / looks for what, total in sorted(self._waits.items())} if looks else {},
            "pools": {tier: _seen(pools) for tier, pools in self._pools.items()},
        }


@dataclass
class PoolMeans:
    """What a tier reported of one pool in the samples of the window."""

    _reports: list[ReportedPool] = field(default_factory=list)

    def add(self, pool: ReportedPool, window: Window, moment_s: float) -> None:
        """Take in what it reported in a sample, if that is of the window."""
        if _within(window, moment_s):
            self._reports.append(pool)

    def figures(self) -> ReportedPoolFigures | None:
        """Return the means; None when it reported nothing in the window."""
        reports = self._reports
        if not reports:
            return None
        waiting = [one.waiting for one in reports if one.waiting is not None]
        return ReportedPoolFigures(
            size=max(one.size for one in reports),
            in_use=sum(one.in_use for one in reports) / len(reports),
            full=sum(one.in_use >= one.size for one in reports) / len(reports),
            waiting=sum(waiting) / len(waiting) if waiting else None,
        )


def pool_figures(reported: Mapping[tuple[str, str], PoolMeans], tier: str) -> dict[str, ReportedPoolFigures]:
    """Return the pools of one tier by database."""
    found = {database: means.figures() for (owner, database), means in reported.items() if owner == tier}
    return {database: figures for database, figures in found.items() if figures is not None}


def _within(window: Window, moment_s: float) -> bool:
    """Say whether what was seen until a moment, since the sample before, is the window's."""
    return window[0] < moment_s - _LATE_S <= window[1]


def _seen(pools: list[tuple[int, ObservedPool]]) -> ObservedPoolFigures:
    looks = sum(number for number, _ in pools)
    return ObservedPoolFigures(
        size=max(pool.size for _, pool in pools),
        in_work=sum(number * pool.in_work for number, pool in pools) / looks,
        full=sum(number * pool.full for number, pool in pools) / looks,
    )
