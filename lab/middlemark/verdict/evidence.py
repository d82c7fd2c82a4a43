"""What a point is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from middlemark.results.point import Audit, TierFigures, TransactionFigures


@dataclass(frozen=True)
class CountedTime:
    """A stretch of the window, about a second, with the transactions completed in it."""

    seconds: float
    transactions: int


@dataclass(frozen=True)
class DriverFigures:
    """The driver's audit of itself over the window.

    `busiest_thread_share`: CPU time ÷ wall time of its busiest thread. Lateness: how late think times and starts fired.
    """

    busiest_thread_share: float
    lateness_p50_ms: float
    lateness_p99_ms: float


@dataclass(frozen=True)
class WindowEvidence:
    """The figures of the measured window, all from the driver's lines and the monitor's samples."""

    window_s: float
    transactions: Mapping[str, TransactionFigures]
    total: TransactionFigures
    errors_by_kind: Mapping[str, int]
    bytes_per_s: float
    series: tuple[CountedTime, ...]
    tiers: Mapping[str, TierFigures]
    driver: DriverFigures


@dataclass(frozen=True)
class PointEvidence:
    """Everything a point is judged by.

    `mix`: expected completions of each transaction in one iteration. `about_changes`: one text for each setting that
    was different after the point; None when it was not looked at. `audit` None: none was made.
    """

    users: int
    think_mean_ms: float
    mix: Mapping[str, float]
    window: WindowEvidence
    audit: Audit | None
    about_changes: tuple[str, ...] | None
    shared_cpus: bool
