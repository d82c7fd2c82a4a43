"""Users supported by each combination of a run that searched the limit: a value for each round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.findings import Measured, Peak
from middlemark.records.run import Combination, Load, LoadLimits, Run, Searched
from middlemark.records.window import Part, Window
from middlemark.verdict.supported import crossings

Place = tuple[str, Load]
"""A combination, by its path, at a load."""


def with_users_supported(run: Run, windows: Sequence[Window]) -> list[Window]:
    """The windows; those just inside the limit have `users_at_limit`: the load at which their round crosses it.

    A round has that load if both of its windows count, and if all rounds together cross the limit near their loads.
    """
    rounds: dict[Place, dict[int, Window]] = {}
    for window in windows:
        if window.part is Part.ROUND and window.valid:
            rounds.setdefault((window.combination, window.load), {})[window.repeat] = window
    if not run.seeks_limit:
        return list(windows)
    found: dict[str, float] = {}
    for path, loads in run.chosen.items():
        if len(loads) == 2 and run.limits is not None:
            low, high = (rounds.get((path, load), {}) for load in loads)
            found |= _crossed(
                run.limits, (loads[0], loads[1]), {one: (low[one], high[one]) for one in low if one in high}
            )
    return [
        one.model_copy(update={"users_at_limit": found.get(one.path)}) if one.part is Part.ROUND else one
        for one in windows
    ]


def limit_of(measured: Measured, combination: Combination, found: Searched, why_none_counts: str) -> Peak:
    """The load at which a combination is compared in a search for the limit: just inside it."""
    run = measured.run
    if not found.ended:
        return Peak(load=None, reason="the search has not ended")
    loads = run.loads_of(combination)
    if not loads:
        return Peak(load=None, reason=limit_remark(measured, combination))
    low, *above = loads
    return Peak(
        load=low, reason=why_none_counts, above=above[0] if above else None, remark=limit_remark(measured, combination)
    )


def limit_remark(measured: Measured, combination: Combination) -> str:
    """Why a combination has no number of users supported, or why the search left it uncertain; else empty."""
    run, found = measured.run, measured.run.searched[combination.path]
    if found.inside is None:
        reached = "" if found.outside is None else f", which {run.load_name(found.outside)} already reached"
        return f"no load is inside the limits{reached}"
    if found.outside is None:
        ended = "" if found.limit_known else " before its points ran out"
        return f"every load up to {run.load_name(found.inside)} is inside the limits{ended}"
    if found.failing:
        return f"responses fail from {run.load_name(found.outside)} on, and their mean crosses no limit"
    low, high = ({one.repeat for one in measured.valid(combination, load)} for load in run.loads_of(combination))
    if not low & high:
        return "no round counts at both loads around the limit"
    if all(window.users_at_limit is None for window in measured.compared(combination)):
        return "the rounds show no crossing of the limit near their loads"
    return "" if found.limit_known else "the points of the search ran out before it was narrowed down"


def _crossed(
    limits: LoadLimits, loads: tuple[Load, Load], rounds: Mapping[int, tuple[Window, Window]]
) -> dict[str, float]:
    """Where each round crosses the limit, by the path of its lower window."""
    strains = [
        (limits.strain(low.total.mean_ms, low.total.p90_ms), limits.strain(high.total.mean_ms, high.total.p90_ms))
        for low, high in rounds.values()
    ]
    values = crossings(loads, strains) or []
    return {low.path: value for (low, _), value in zip(rounds.values(), values, strict=False)}
