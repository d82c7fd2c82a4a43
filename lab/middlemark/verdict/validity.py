"""Whether a run is valid: it ended, its data are right, and enough of its windows count."""

from __future__ import annotations

from collections import Counter

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, RunStatus
from middlemark.verdict.estimate import needed_in_start

DATA = ("errors", "audit", "settings", "placement", "drained", "conformance")
"""Conditions that speak of the application, its data and its processes, and not of how it was measured."""


def run_is_valid(result: Result) -> bool:
    """Whether the run finished with right data, every peak found and windows enough: the condition of exit status 0.

    A window that is INVALID because the driver was the limit, say, is no failure while enough others of its start
    count. A point above the load of the comparison may be INVALID where it is outside the limits: that is how its load
    was found to be too high.
    """
    run = result.run
    if any(found.peak is None for found in run.searched.values()):
        return False
    if run.status is not RunStatus.FINISHED or sum(p.finished for p in result.points) < result.expected_points:
        return False
    if run.faults:
        return all(p.valid for p in result.points)
    if any(p.verdict and has_wrong_data(p.verdict) and not is_too_high(result, p) for p in result.points):
        return False
    return all(_has_enough(result, one) for one in run.combinations)


def has_wrong_data(verdict: Verdict) -> bool:
    """Whether the application, its data or its processes were not as they must be."""
    return any(check.name in DATA and check.outcome is Outcome.FAILED for check in verdict.checks)


def _has_enough(result: Result, combination: Combination) -> bool:
    """Whether in each whole start enough windows of a combination count."""
    run, valid, all_of = result.run, Counter[int](), Counter[int]()
    for point in result.compared(combination):
        valid[run.start_of(point.repeat)] += point.valid
        all_of[run.start_of(point.repeat)] += 1
    needed = needed_in_start(run.rounds)
    return all(valid[start] >= min(needed, count) for start, count in all_of.items())


def is_too_high(result: Result, point: PointResult) -> bool:
    """Whether a point is outside the limits of its combination, and not what is compared."""
    run, combination = result.run, point.combination
    if combination is None or point.load == run.top_load(combination):
        return False
    return run.is_outside(combination, point.load)
