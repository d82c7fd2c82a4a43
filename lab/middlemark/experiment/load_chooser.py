"""The loads of each combination: those of a list, those up to a limit, or the peak that a search finds."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.experiment.loads import Loads
from middlemark.records.run import Combination, Load, Searched, SearchedPoint
from middlemark.search.search import found, next_load
from middlemark.search.seen import Seen


class LoadChooser:
    """The loads of one run, as far as they are known.

    By the path of a combination: `chosen` are its loads, `outside` is the first of them outside the limits.
    """

    def __init__(self, loads: Loads) -> None:
        self.chosen: dict[str, list[Load]] = {}
        self.outside: dict[str, Load] = {}
        self.searched: dict[str, Searched] = {}
        self._loads = loads

    def loads_of(self, combination: Combination) -> list[Load]:
        """Loads of the rounds: those written, until a limit or a search has decided them."""
        return self.chosen.get(combination.path, list(self._loads.levels))

    def is_searching(self, combination: Combination) -> bool:
        """Whether its load is still to be searched."""
        return self._loads.search is not None and combination.path not in self.chosen

    def is_climbing(self, combination: Combination) -> bool:
        """Whether its next round goes up until a limit, and decides how far up later rounds go."""
        return self._loads.search is None and self._loads.until is not None and combination.path not in self.chosen

    def warm(self, combination: Combination) -> Load:
        """Load of its warm-up: the highest of its rounds.

        Before a limit is known it is the lowest: what lies above may be far too much.
        """
        if self.is_searching(combination):
            return self._loads.warm
        listed = self.loads_of(combination)
        # A search that found no peak leaves no load.
        return (listed[0] if self.is_climbing(combination) else max(listed)) if listed else self._loads.warm

    def next_searched(self, seen: Sequence[Seen]) -> tuple[Load, int] | None:
        """Load of a search's next point and how often it was measured before; None after the last point."""
        load = next_load(list(seen), self._loads.range)
        if load is None:
            return None
        return int(load) if self._loads.whole else load, sum(point.load == load for point in seen)

    def next_climbed(self, seen: Sequence[Seen]) -> Load | None:
        """Next load on the way up, None after the last one or the first outside the limits."""
        levels = self._loads.levels
        if len(seen) == len(levels) or (seen and not _inside(seen[-1])):
            return None
        return levels[len(seen)]

    def learn_search(self, combination: Combination, seen: Sequence[Seen], *, ended: bool) -> None:
        """Take in what a search has found; once it has `ended` the peak is the load of the rounds."""
        result = _searched(list(seen), self._loads, ended=ended)
        self.searched[combination.path] = result
        if ended:
            self.chosen[combination.path] = [] if result.peak is None else [result.peak]

    def learn_climb(self, combination: Combination, seen: Sequence[Seen]) -> None:
        """Take in how far a combination went up."""
        self.chosen[combination.path] = [_load(point, self._loads) for point in seen]
        if seen and not _inside(seen[-1]):
            self.outside[combination.path] = self.chosen[combination.path][-1]


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
        limits=loads.limits.record,
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
        at_edge=result.at_edge,
        doubtful=[_load(point, loads) for point in result.doubtful],
    )
