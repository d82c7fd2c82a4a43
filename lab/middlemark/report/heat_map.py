"""Heat maps: who runs one tier against who runs the others, in each field the CPU time of every tier and its proof.

Where a run chooses the subject of a tier there is a map for each set of its other choices. A field is shaded by its
figures, which stand in it too; one without figures has the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from middlemark.records.choices import is_mode, tier_run
from middlemark.records.folder import Result
from middlemark.records.placement import is_platform
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, LeftOut, Run
from middlemark.report.figure import Cell, number, rounded
from middlemark.verdict.estimate import MIN_ROUNDS
from middlemark.verdict.levels import Estimate, Level, level_at
from middlemark.verdict.metrics import cpu_ms_per_transaction
from middlemark.verdict.naming import in_words
from middlemark.wording import counted

CONFORMANCE = "conformance"
DARKEST = 45
"""Shade of the largest figure in %; text is read on it in both themes."""


@dataclass(frozen=True)
class TierCost:
    """CPU-ms per transaction of a tier: the mean, `spread` around it in words, and its shade in %."""

    tier: str
    figure: Cell
    spread: str
    shade: float


@dataclass(frozen=True)
class Field:
    """A field: the tiers and notes, or the `reason` why it is empty; `passed` of its conformance, None: not checked."""

    tiers: tuple[TierCost, ...] = ()
    notes: tuple[str, ...] = ()
    conformance: str = ""
    passed: bool | None = None
    reason: str = ""


@dataclass(frozen=True)
class HeatMap:
    """A map of one set of other choices, which `title` names; `rows` are by subject, with a field for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Field, ...]], ...]


@dataclass(frozen=True)
class HeatMaps:
    """All maps of a run: the tier of the rows, those of the columns, and the largest figure of each tier in words."""

    row_tier: str
    column_tiers: str
    scale: str
    few_rounds: bool
    maps: tuple[HeatMap, ...]


def heat_maps(result: Result) -> HeatMaps | None:
    """Return the maps of a run; None where it does not choose who runs a tier.

    Of several such choices the first that differs has the rows, and the others make maps of their own.
    """
    run = result.run
    chosen = [one for one in _choices(run) if tier_run(one)]
    choice = next((one for one in chosen if _differs(run, one)), next(iter(chosen), None))
    tier = choice and tier_run(choice)
    if not choice or not tier:
        return None
    others = [one for one in _choices(run) if one != choice and _differs(run, one)]
    titles = dict.fromkeys(_title(one, others) for one in _all(run))
    largest = _largest(result)
    maps = (_map(result, choice, largest, title, others) for title in titles)
    behind = dict.fromkeys(name for c in run.combinations for name in c.tiers if name != tier)
    return HeatMaps(
        row_tier=tier,
        column_tiers=" and ".join(behind) or "the others",
        scale=", ".join(f"{_shown(name)} {rounded(most)} ms" for name, most in largest.items()),
        few_rounds=run.repeats < MIN_ROUNDS,
        maps=tuple(maps),
    )


def _map(result: Result, choice: str, largest: Mapping[str, float], title: str, others: list[str]) -> HeatMap:
    run = result.run
    places = {_place(c, choice): c for c in run.combinations if _title(c, others) == title}
    missing = {_place(one, choice): one.reason for one in run.left_out if _title(one, others) == title}
    every = [_place(one, choice) for one in _all(run)]
    rows, columns = (tuple(dict.fromkeys(place[axis] for place in every)) for axis in (0, 1))

    def field(place: tuple[str, str]) -> Field:
        combination = places.get(place)
        if combination is not None:
            return _field(result, combination, largest)
        return Field(reason=f"not offered: {missing[place]}" if place in missing else "not part of this run")

    return HeatMap(title, columns, tuple((row, tuple(field((row, column)) for column in columns)) for row in rows))


def _field(result: Result, combination: Combination, largest: Mapping[str, float]) -> Field:
    level = level_at(result, combination, result.run.top_load(combination))
    finished = [p.verdict for p in result.of(combination, level.load) if p.verdict]
    invalid = [verdict for verdict in finished if not verdict.valid]
    word, passed = _conformance(finished)
    lost = f"{len(invalid)} INVALID: {invalid[0].reasons[0]}" if invalid else ""
    if not level.verdicts:
        return Field(conformance=word, passed=passed, reason=lost or "not run: no point was finished")
    total = level.estimate(cpu_ms_per_transaction)
    tiers = tuple(_tier(level, tier, most) for tier, most in largest.items() if _has(level, tier))
    together = f"together {rounded(total.mean)}{_spread(total)}"
    notes = [*([together] if len(tiers) > 1 else []), counted(total.rounds, "round"), *([lost] if lost else [])]
    return Field(tiers, tuple(notes), word, passed)


def _tier(level: Level, tier: str, most: float) -> TierCost:
    found = level.estimate(_cost_of(tier))
    return TierCost(_shown(tier), number(found.mean), _spread(found), DARKEST * found.mean / most if most else 0.0)


def _has(level: Level, tier: str) -> bool:
    return all(tier in verdict.tiers for verdict in level.verdicts.values())


def _spread(found: Estimate) -> str:
    """Return the interval around a mean, the lowest and highest round where there are too few for one."""
    if found.rounds == 1 or math.isnan(found.mean):
        return ""
    if found.is_interval:
        return f" ± {rounded(found.high - found.mean)}"
    return f" ({rounded(found.low)} … {rounded(found.high)})"


def _conformance(verdicts: Iterable[Verdict]) -> tuple[str, bool | None]:
    """Return what the worst point says of its proof, and whether that passed; None: it was not checked."""
    checks = [check for verdict in verdicts for check in verdict.checks if check.name == CONFORMANCE]
    for outcome, passed in ((Outcome.FAILED, False), (Outcome.NOT_CHECKED, None)):
        worst = next((check for check in checks if check.outcome is outcome), None)
        if worst is not None:
            return f"{CONFORMANCE} {outcome}: {worst.message}", passed
    return (f"{CONFORMANCE} {Outcome.PASSED}", True) if checks else ("", None)


def _largest(result: Result) -> dict[str, float]:
    """Return the largest mean of each tier of the platforms over all fields, as requests pass them."""
    found: dict[str, float] = {}
    for combination in result.run.combinations:
        level = level_at(result, combination, result.run.top_load(combination))
        for tier in dict.fromkeys(name for verdict in level.verdicts.values() for name in verdict.tiers):
            if is_platform(tier) and _has(level, tier):
                found[tier] = max(found.get(tier, 0.0), level.estimate(_cost_of(tier)).mean)
    return dict(sorted(found.items(), key=lambda one: _rank(result.run, one[0])))


def _rank(run: Run, label: str) -> tuple[int, str]:
    """Return where the tiers of a process stand: as requests pass them, by the tiers of the run."""
    tiers = list(dict.fromkeys(name for combination in run.combinations for name in combination.tiers))
    first = label.partition("+")[0]
    return (tiers.index(first) if first in tiers else len(tiers), label)


def _cost_of(tier: str) -> Callable[[Verdict], float]:
    return lambda verdict: verdict.tiers[tier].cpu_ms_per_transaction


def _place(one: Combination | LeftOut, choice: str) -> tuple[str, str]:
    """Return the subject of the chosen tier, and that of the others."""
    return one.modes.get(choice, one.subject), one.subject


def _title(one: Combination | LeftOut, others: Iterable[str]) -> str:
    chosen = [(choice, one.modes[choice]) for choice in others if choice in one.modes]
    return ", ".join(f"{choice} {value}" if is_mode(choice) else in_words(choice, value) for choice, value in chosen)


def _all(run: Run) -> list[Combination | LeftOut]:
    return [*run.combinations, *run.left_out]


def _choices(run: Run) -> list[str]:
    return list(dict.fromkeys(choice for one in _all(run) for choice in one.modes))


def _differs(run: Run, choice: str) -> bool:
    return len({one.modes.get(choice) for one in _all(run)}) > 1


def _shown(tier: str) -> str:
    return tier.replace("+", " + ")
