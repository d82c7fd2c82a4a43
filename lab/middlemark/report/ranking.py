"""CPU time per transaction of every combination, lowest first, among those that may be ranked against each other."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.placement import DRIVER, is_platform
from middlemark.records.run import Combination
from middlemark.report.figure import Cell, Table, count, number, rounded
from middlemark.report.samples import Level, lines
from middlemark.verdict.comparability import comparability_groups, group_name
from middlemark.verdict.estimate import MIN_ROUNDS
from middlemark.verdict.metrics import cpu_ms_per_transaction
from middlemark.verdict.naming import short_names


@dataclass(frozen=True)
class Ranked:
    """The combinations of one comparability group; `group` is its name, empty when there is only one."""

    group: str
    table: Table


def ranking(result: Result) -> list[Ranked]:
    """Return a table for each comparability group at the load compared; none for fewer than two combinations."""
    if len(result.run.combinations) < 2:
        return []
    every = zip(result.run.combinations, lines(result, cpu_ms_per_transaction), strict=True)
    compared = {combination.path: line.at(result.run.top_load(combination)) for combination, line in every}
    levels = {path: level for path, level in compared.items() if level is not None}
    groups = comparability_groups(result)
    names = [group_name(result, group[0]) if len(groups) > 1 else "" for group in groups]
    found = [Ranked(name, _table(result, group, levels)) for name, group in zip(names, groups, strict=True)]
    return [part for part in found if part.table.rows]


def _table(result: Result, group: list[Combination], levels: dict[str, Level]) -> Table:
    names = short_names(result.run.combinations)
    known = [(mean, c) for c in group if c.path in levels and (mean := levels[c.path].mean) is not None]
    known.sort(key=lambda pair: pair[0])
    # The cost of the other tiers is shown and not added.
    tiers = sorted(_tiers(result, group), key=lambda tier: (not is_platform(tier), tier == DRIVER))
    most = max((mean for mean, _ in known), default=0.0)
    rows = [
        (
            Cell(names[c.path]),
            number(mean, bar_of=most),
            Cell(_interval(levels[c.path])),
            count(len(levels[c.path].valid)),
            *(_tier(result, c, tier) for tier in tiers),
        )
        for mean, c in known
    ]
    shown = (f"#{tier.replace('+', ' + ')}" for tier in tiers)
    cost = f"#CPU ms per {result.run.specification.unit}"
    return Table(("combination", cost, "95 % interval", "#rounds", *shown), tuple(rows))


def _tiers(result: Result, group: list[Combination]) -> list[str]:
    """Return the names of all tiers of these combinations, in the order in which they are met."""
    return list(
        dict.fromkeys(t for p in result.points if p.combination in group and p.verdict for t in p.verdict.tiers)
    )


def _tier(result: Result, combination: Combination, tier: str) -> Cell:
    verdicts = [p.verdict for p in result.compared(combination) if p.valid and p.verdict]
    values = [verdict.tiers[tier].cpu_ms_per_transaction for verdict in verdicts if tier in verdict.tiers]
    return number(statistics.fmean(values)) if values else Cell("none")


def _interval(level: Level) -> str:
    if level.interval is None:
        return f"needs {MIN_ROUNDS} rounds"
    low, high = level.interval
    return f"{rounded(low)} … {rounded(high)}"
