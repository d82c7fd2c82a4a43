"""Which load comes next in a serving: the next of a list, one more until a limit, or what a search asks for."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Serving
from middlemark.records.run import Combination, Load, Searched, SearchedPoint
from middlemark.search.search import found, next_load
from middlemark.search.seen import Seen


class Choosing:
    """The loads of one run, as far as they are known.

    By the path of a combination: `chosen` are its loads, `outside` is the first of them outside the limits.
    """

    def __init__(self, loads: Loads) -> None:
        self.chosen: dict[str, list[Load]] = {}
        self.outside: dict[str, Load] = {}
        self.searched: dict[str, Searched] = {}
        self._loads = loads

    def first(self, serving: Serving) -> Load:
        """Return the load of the warm-up of a serving that has a point: the highest of a list.

        Until a limit it is the first one: what lies above may be far too much.
        """
        if serving.searching:
            return self._loads.warm
        written = self._written(serving)
        return written[0] if self._loads.until else max(written)

    def next_point(self, serving: Serving, seen: list[Seen]) -> tuple[Load, int, PointFaults] | None:
        """Return load, repeat and faults of the point after those `seen` in this serving, None when it was the last."""
        if serving.faults:
            return serving.points[len(seen)] if len(seen) < len(serving.points) else None
        load = self.next(serving, seen)
        return None if load is None else (load, serving.repeat, ())

    def next(self, serving: Serving, seen: list[Seen]) -> Load | None:
        """Return the load of the next point after those `seen` in this serving, None when it was the last."""
        if serving.searching:
            load = next_load(seen, self._loads.range)
            return None if load is None else int(load) if self._loads.whole else load
        written = self._written(serving)
        if len(seen) == len(written) or (self._goes_up(serving) and seen and not _inside(seen[-1])):
            return None
        return written[len(seen)]

    def learn(self, serving: Serving, seen: list[Seen]) -> None:
        """Take in what a search has found so far."""
        self.searched[serving.combination.path] = _searched(seen, self._loads, ended=False)

    def end(self, serving: Serving, seen: list[Seen]) -> bool:
        """Learn from a serving that is over; say whether it decided the loads of its combination."""
        path = serving.combination.path
        if serving.searching:
            self.searched[path] = _searched(seen, self._loads, ended=True)
            peak = self.searched[path].peak
            self.chosen[path] = [] if peak is None else [peak]
            return True
        if self._goes_up(serving):
            self.chosen[path] = [_load(point, self._loads) for point in seen]
            if seen and not _inside(seen[-1]):
                self.outside[path] = self.chosen[path][-1]
            return True
        return False

    def _goes_up(self, serving: Serving) -> bool:
        """Whether this serving, the first of its combination, decides how far up the later blocks go."""
        return self._loads.until is not None and serving.repeat == 0 and not self._loads.search

    def _written(self, serving: Serving) -> list[Load]:
        return self.chosen.get(serving.combination.path, list(serving.loads))


def not_yet_searched(loads: Loads, combinations: Sequence[Combination]) -> dict[str, Searched]:
    """Return what is known before the searches of a run, for each combination by its path; nothing without searches."""
    if loads.search is None:
        return {}
    return {combination.path: _searched([], loads, ended=False) for combination in combinations}


def _inside(point: Seen) -> bool:
    return not point.failing and point.strain < 1


def _load(point: Seen, loads: Loads) -> Load:
    return int(point.load) if loads.whole else point.load


def _searched(seen: list[Seen], loads: Loads, *, ended: bool) -> Searched:
    result = found(seen, loads.range)
    return Searched(
        limits=loads.limits.said(),
        peak=None if result.peak is None else _load(result.peak, loads),
        throughput_tps=result.throughput,
        peak_known=result.peak_known,
        inside=None if result.inside is None else _load(result.inside, loads),
        outside=None if result.outside is None else _load(result.outside, loads),
        limit_known=result.limit_known,
        points=[
            SearchedPoint(
                load=_load(point, loads),
                throughput_tps=point.throughput,
                mean_ms=1000 * point.response_s,
                inside=_inside(point),
                valid=point.counts,
            )
            for point in seen
        ],
        ended=ended,
    )
