"""What the driver saw second by second at a point: for the time strips and the percentile curve."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from middlemark.errors import LabError
from middlemark.records.driver_lines import Interval, PhaseName
from middlemark.records.folder import PointResult
from middlemark.records.samples import Sample
from middlemark.workload.latencies import Latencies

# More stretches than this cannot be distinguished on paper.
MAX_STRETCHES = 500
PERCENT = 100.0


@dataclass(frozen=True)
class Stretch:
    """A rate between two moments, in seconds since the driver's `hello`."""

    start_s: float
    end_s: float
    rate: float


@dataclass(frozen=True)
class Timeline:
    """What happened over a point.

    `throughput` in transactions per second, `cpu` of all tiers in % of one CPU, the measured window (start, end; None
    when it was not reached), the window's response times.
    """

    point: PointResult
    throughput: tuple[Stretch, ...]
    cpu: tuple[Stretch, ...]
    window: tuple[float, float] | None
    latencies: Latencies


def timeline(point: PointResult) -> Timeline | None:
    """Return what the driver saw; None when nothing can be read of it."""
    try:
        intervals = [line for line in point.lines() if isinstance(line, Interval) and line.seconds > 0]
        measured = [i for i in intervals if i.phase is PhaseName.MEASURE]
        encoded = [counts.histogram for i in measured for counts in i.transactions.values() if counts.count]
        times = Latencies.merged(map(Latencies.decode, encoded))
    except LabError:
        return None
    if not intervals:
        return None
    window = (measured[0].start_ns / 1e9, measured[-1].end_ns / 1e9) if measured else None
    cpu = _cpu(point.samples(), intervals[-1].end_ns / 1e9)
    return Timeline(point, tuple(_throughput(intervals)), tuple(cpu), window, times)


def _cpu(samples: list[Sample], end_s: float) -> list[Stretch]:
    """Return the CPU use of all tiers between samples; where a tier's clock fell, a process had ended: left out."""
    together = max(1, -(-len(samples) // MAX_STRETCHES))
    chosen = samples[::together]
    found = []
    for earlier, later in pairwise(chosen):
        start, end = earlier.t_ns / 1e9, later.t_ns / 1e9
        spent = [later.tiers[name].cpu_s - tier.cpu_s for name, tier in earlier.tiers.items() if name in later.tiers]
        if start < end <= end_s and min(spent, default=-1.0) >= 0:
            found.append(Stretch(start, end, PERCENT * sum(spent) / (end - start)))
    return found


def _throughput(intervals: list[Interval]) -> list[Stretch]:
    """Return at most MAX_STRETCHES stretches; several intervals become one by their sums, never by smoothing."""
    together = -(-len(intervals) // MAX_STRETCHES)
    found = []
    for first in range(0, len(intervals), together):
        group = intervals[first : first + together]
        start, end = group[0].start_ns / 1e9, group[-1].end_ns / 1e9
        found.append(Stretch(start, end, sum(i.count for i in group) / (end - start)))
    return found
