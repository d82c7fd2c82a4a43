"""Where each combination reached its highest throughput: found by a search, or the best of the loads of a list."""

from __future__ import annotations

from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.run import Combination, Load
from middlemark.verdict.levels import Level, hidden_beside, level_at, levels, peak
from middlemark.verdict.multiples import why_none_counts
from middlemark.verdict.searches import doubt_text


@dataclass(frozen=True)
class Peak:
    """The highest throughput of a combination: the load, and the rounds that count there.

    `load` None: nowhere, for the `reason`. `level` None: no round counts at the load, for the `reason`; what the search
    saw there is `searched_tps`. `beside` are the loads next to it that were measured: the true peak lies between them;
    None where nothing was measured there. `remark` is what else is to be known. `only_load`: of a single load nobody
    knows whether it is the peak.
    """

    combination: Combination
    load: Load | None
    level: Level | None
    reason: str = ""
    searched_tps: float | None = None
    beside: tuple[Load | None, Load | None] = (None, None)
    remark: str = ""
    only_load: bool = False


def peaks(result: Result) -> list[Peak]:
    """Return the peak of each combination, in the run's order."""
    searched = result.run.searched
    return [
        _of_search(result, one) if one.path in searched else _of_list(result, one) for one in result.run.combinations
    ]


def _of_search(result: Result, combination: Combination) -> Peak:
    found = result.run.searched[combination.path]
    if found.peak is None:
        reason = "no point of the search counts" if found.ended else "the search has not ended"
        return Peak(combination, None, None, reason)
    level = level_at(result, combination, found.peak)
    loads = [point.load for point in found.points if point.valid]
    doubt = doubt_text(result.run, found)
    ended = ("" if found.peak_known else "not narrowed down", f"the search ended {doubt}" if doubt else "")
    remark = "; ".join(part for part in ended if part) if found.ended else "the search has not ended"
    return Peak(
        combination,
        found.peak,
        level if level.verdicts else None,
        "" if level.verdicts else why_none_counts(result.of(combination, found.peak)),
        found.throughput_tps,
        _beside(loads, found.peak),
        remark,
    )


def _of_list(result: Result, combination: Combination) -> Peak:
    found = levels(result, combination)
    top = peak(found)
    if top is None:
        every = [point for level in found for point in result.of(combination, level.load)]
        return Peak(combination, None, None, why_none_counts(every) or "not measured")
    loads = [level.load for level in found if level.verdicts]
    hidden = hidden_beside(result, combination, top)
    if hidden:
        # A bar for the best load that counts would stand beside peaks of others, and be taken for one.
        remark = f"the peak is not known: at {result.run.load_name(hidden.load)} {hidden.reason}"
        return Peak(combination, None, None, "not known", remark=remark)
    if len(found) == 1:
        return Peak(combination, top.load, top, remark="the only load", only_load=True)
    remark = "the highest load: the peak may lie beyond" if top.load == max(loads) else ""
    return Peak(combination, top.load, top, beside=_beside(loads, top.load), remark=remark)


def _beside(loads: list[Load], load: Load) -> tuple[Load | None, Load | None]:
    below, above = [one for one in loads if one < load], [one for one in loads if one > load]
    return max(below, default=None), min(above, default=None)
