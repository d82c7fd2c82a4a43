"""Which load comes next in a deployment: the next of a list, one more until a limit, or what a search asks for."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.loads import Loads
from middlemark.experiment.schedule import Deployment
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

    def first(self, deployment: Deployment) -> Load:
        """Return the load of the warm-up of a deployment that has a point: the highest of a list.

        Until a limit it is the first one: what lies above may be far too much.
        """
        if deployment.searching:
            return self._loads.warm
        listed = self._listed(deployment)
        return listed[0] if self._loads.until else max(listed)

    def next_point(self, deployment: Deployment, seen: list[Seen]) -> tuple[Load, int, PointFaults] | None:
        """Return load, repeat and faults of the point after those `seen` in a deployment, None after the last."""
        if deployment.faults:
            return deployment.points[len(seen)] if len(seen) < len(deployment.points) else None
        load = self.next(deployment, seen)
        if load is None:
            return None
        # A search measures a load again when its point did not count.
        repeat = sum(point.load == load for point in seen) if deployment.searching else deployment.repeat
        return load, repeat, ()

    def next(self, deployment: Deployment, seen: list[Seen]) -> Load | None:
        """Return the load of the next point after those `seen` in this deployment, None when it was the last."""
        if deployment.searching:
            load = next_load(seen, self._loads.range)
            return None if load is None else int(load) if self._loads.whole else load
        listed = self._listed(deployment)
        if len(seen) == len(listed) or (self._goes_up(deployment) and seen and not _inside(seen[-1])):
            return None
        return listed[len(seen)]

    def learn(self, deployment: Deployment, seen: list[Seen]) -> None:
        """Take in what a search has found so far."""
        self.searched[deployment.combination.path] = _searched(seen, self._loads, ended=False)

    def end(self, deployment: Deployment, seen: list[Seen]) -> bool:
        """Learn from a deployment that is over; return whether it decided the loads of its combination."""
        path = deployment.combination.path
        if deployment.searching:
            self.searched[path] = _searched(seen, self._loads, ended=True)
            peak = self.searched[path].peak
            self.chosen[path] = [] if peak is None else [peak]
            return True
        if self._goes_up(deployment):
            self.chosen[path] = [_load(point, self._loads) for point in seen]
            if seen and not _inside(seen[-1]):
                self.outside[path] = self.chosen[path][-1]
            return True
        return False

    def _goes_up(self, deployment: Deployment) -> bool:
        """Whether this deployment, the first of its combination, decides how far up the later blocks go."""
        return self._loads.until is not None and deployment.repeat == 0 and not self._loads.search

    def _listed(self, deployment: Deployment) -> list[Load]:
        return self.chosen.get(deployment.combination.path, list(deployment.loads))


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
