"""Counters of one tier, database or machine over time, as series of numbers."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

from middlemark.records.record import Record

_NUMBERS = (int, float)


class Series:
    """The numbers that records of one kind hold, each with its moment in seconds since the driver's hello.

    8 bytes for each number: a run may last for days.
    """

    def __init__(self, kind: type[Record]) -> None:
        self._moments = array("d")
        self._columns = {name: array("d") for name in kind.model_fields}
        self._unavailable: set[str] = set()

    def append(self, moment_s: float, record: Record) -> None:
        """Add the next record; what is not a number in it is unavailable."""
        self._moments.append(moment_s)
        for name, column in self._columns.items():
            value = getattr(record, name)
            if not isinstance(value, _NUMBERS):
                self._unavailable.add(name)
                value = 0.0
            column.append(value)

    def covers(self, window: tuple[float, float]) -> bool:
        """Return whether there are records before and after the window, which has a length."""
        start_s, end_s = window
        return bool(self._moments) and start_s < end_s and self._moments[0] <= start_s and self._moments[-1] >= end_s

    def at(self, name: str, moment_s: float) -> float:
        """Return a counter at a moment that the records cover, on a line between the two around it."""
        later = bisect_left(self._moments, moment_s)
        earlier = max(0, later - 1)
        length_s = self._moments[later] - self._moments[earlier]
        share = (moment_s - self._moments[earlier]) / length_s if length_s > 0 else 1.0
        before, after = self._columns[name][earlier], self._columns[name][later]
        return before + (after - before) * share

    def grown(self, name: str, window: tuple[float, float]) -> float:
        """Return by how much a counter grew in a window that the records cover."""
        return self.at(name, window[1]) - self.at(name, window[0])

    def rate(self, name: str, window: tuple[float, float], unit: float = 1.0) -> float | None:
        """Return by how many units a counter grew each second; None where it is unavailable."""
        if name in self._unavailable:
            return None
        return self.grown(name, window) / (window[1] - window[0]) / unit

    def sum(self, name: str, window: tuple[float, float]) -> float | None:
        """Return by how much a counter grew in a window; None where it is unavailable."""
        return None if name in self._unavailable else self.grown(name, window)

    def count(self, name: str, window: tuple[float, float]) -> int | None:
        """Return by how much a counter of whole things grew; None where it is unavailable."""
        return None if name in self._unavailable else round(self.grown(name, window))

    def inside(self, name: str, window: tuple[float, float]) -> list[float]:
        """Return the values in the window, its edges included."""
        first, after = bisect_left(self._moments, window[0]), bisect_right(self._moments, window[1])
        return list(self._columns[name][first:after])

    def mean(self, name: str, window: tuple[float, float]) -> float | None:
        """Return the mean of the values in the window; None where it is unavailable."""
        values = [] if name in self._unavailable else self.inside(name, window)
        return sum(values) / len(values) if values else None

    def last(self, name: str) -> list[float]:
        """Return the last value alone."""
        return list(self._columns[name][-1:])
