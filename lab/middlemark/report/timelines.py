"""What the driver saw second by second at a point: for the time strips and the percentile curve."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.errors import LabError
from middlemark.load.latencies import Latencies
from middlemark.load.lines import Interval, PhaseName
from middlemark.results.folder import PointResult

# More stretches than this cannot be told apart on paper.
MOST_STRETCHES = 500


@dataclass(frozen=True)
class Stretch:
    """Throughput between two moments, in seconds since the driver's `hello`."""

    start_s: float
    end_s: float
    tps: float


@dataclass(frozen=True)
class Timeline:
    """Throughput over a point, its measured window (start, end; None when it was not reached), its response times."""

    point: PointResult
    stretches: tuple[Stretch, ...]
    window: tuple[float, float] | None
    latencies: Latencies


def timeline(point: PointResult) -> Timeline | None:
    """Return what the driver saw; None when nothing can be read of it."""
    try:
        intervals = [line for line in point.lines() if isinstance(line, Interval) and line.seconds > 0]
    except LabError:
        return None
    if not intervals:
        return None
    measured = [i for i in intervals if i.phase is PhaseName.MEASURE]
    window = (measured[0].start_ns / 1e9, measured[-1].end_ns / 1e9) if measured else None
    encoded = [counts.histogram for i in measured for counts in i.transactions.values() if counts.count]
    return Timeline(point, tuple(_stretches(intervals)), window, Latencies.merged(map(Latencies.decode, encoded)))


def _stretches(intervals: list[Interval]) -> list[Stretch]:
    """Return at most MOST_STRETCHES stretches; several intervals become one by their sums, never by smoothing."""
    together = -(-len(intervals) // MOST_STRETCHES)
    found = []
    for first in range(0, len(intervals), together):
        group = intervals[first : first + together]
        start, end = group[0].start_ns / 1e9, group[-1].end_ns / 1e9
        found.append(Stretch(start, end, sum(i.count for i in group) / (end - start)))
    return found
