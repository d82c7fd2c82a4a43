"""Sums over a window's samples of connection pools. The samples are not kept: a day has thousands."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.records.samples import ObservedPool, ReportedPool
from middlemark.records.window import ReportedPoolFigures


@dataclass
class ReportedSums:
    """Samples of a pool as its tier reports it, added up; `counted` of them said how many requests waited."""

    number: int = 0
    size: int = 0
    in_use: int = 0
    full: int = 0
    counted: int = 0
    waiting: float = 0.0

    def add(self, pool: ReportedPool) -> None:
        """Add a sample."""
        self.number += 1
        self.size = max(self.size, pool.size)
        self.in_use += pool.in_use
        self.full += pool.in_use >= pool.size
        if pool.waiting is not None:
            self.counted += 1
            self.waiting += pool.waiting

    @property
    def figures(self) -> ReportedPoolFigures:
        """The means."""
        return ReportedPoolFigures(
            size=self.size,
            in_use=self.in_use / self.number,
            full=self.full / self.number,
            waiting=self.waiting / self.counted if self.counted else None,
        )


@dataclass
class ObservedSums:
    """Looks at a pool's sessions, added up; each look weighs the same."""

    looks: int = 0
    size: int = 0
    in_work: float = 0.0
    full: float = 0.0

    def add(self, looks: int, pool: ObservedPool) -> None:
        """Add so many looks, of which the pool has the means."""
        self.looks += looks
        self.size = max(self.size, pool.size)
        self.in_work += looks * pool.in_work
        self.full += looks * pool.full

    @property
    def figures(self) -> ObservedPool:
        """The means."""
        return ObservedPool(size=self.size, in_work=self.in_work / self.looks, full=self.full / self.looks)
