"""The four figures below the headline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.report.figure import rounded
from middlemark.report.samples import lines
from middlemark.verdict.contests import contests
from middlemark.verdict.kinds import kinds
from middlemark.verdict.naming import short_names
from middlemark.verdict.sharing import sharing
from middlemark.verdict.yardsticks import CPU_TIME, cpu_ms_per_transaction, throughput_tps
from middlemark.wording import TIMES


@dataclass(frozen=True)
class Value:
    """A figure in large type; `series` gives the marker of the combination it belongs to."""

    text: str
    series: int | None = None


@dataclass(frozen=True)
class KeyFigure:
    """A figure in large type (or one for each combination), what it is, and what to know about it."""

    values: tuple[Value, ...]
    label: str
    note: str


def key_figures(result: Result) -> list[KeyFigure]:
    """Return the ratio (or the response time when there is one combination), cost, throughput and what counts."""
    users = f"at {result.run.top_name}, mean of the blocks"
    return [
        _ratio(result) if len(result.run.combinations) > 1 else _response(result),
        KeyFigure(_values(result, cpu_ms_per_transaction), "CPU-ms per transaction", users),
        KeyFigure(_values(result, throughput_tps), "transactions per second", users),
        _counted(result),
    ]


def _ratio(result: Result) -> KeyFigure:
    names = list(short_names(result.run.combinations).values())
    found = contests(result, CPU_TIME)
    ratios = [c.comparison.ratio for c in found if c.comparison.ratio is not None]
    against = f"CPU time per transaction, {names[1]} ÷ {names[0]}"
    if len(found) > 1:
        against = "CPU time per transaction against the first of the same kind"
        if len(kinds(result)) == 1:
            against = f"CPU time per transaction against {names[0]}"
    if not ratios:
        return KeyFigure((Value("none"),), against, "no block in which both count")
    if len(found) > 1:
        return KeyFigure(
            (Value(f"{min(ratios):.2f} … {max(ratios):.2f} {TIMES}"),), against, f"{len(found)} combinations"
        )
    return KeyFigure((Value(f"{ratios[0]:.2f} {TIMES}"),), against, found[0].verdict)


def _response(result: Result) -> KeyFigure:
    note = "mean of the blocks" if result.run.percentiles_ranked else f"{sharing(result.run)}: shown, not ranked"
    return KeyFigure(_values(result, lambda v: v.total.mean_ms), "mean response time in ms", note)


def _counted(result: Result) -> KeyFigure:
    valid = sum(p.valid for p in result.points)
    invalid = sum(p.verdict is not None and not p.valid for p in result.points)
    missing = result.expected_points - valid - invalid
    notes = [f"{n} {word}" for n, word in ((invalid, "INVALID"), (missing, "not finished")) if n > 0]
    return KeyFigure(
        (Value(f"{valid} of {result.expected_points}"),), "points count", ", ".join(notes) or "none INVALID"
    )


def _values(result: Result, figure: Callable[[Verdict], float]) -> tuple[Value, ...]:
    """Return the value of each combination at the highest load; of many, the range."""
    means = [line.levels[-1].mean if line.levels else None for line in lines(result, figure)]
    known = [mean for mean in means if mean is not None]
    if not known:
        return (Value("none"),)
    if len(means) == 1:
        return (Value(rounded(known[0])),)
    if len(means) > 2:
        return (Value(f"{rounded(min(known))} … {rounded(max(known))}"),)
    return tuple(Value("none" if mean is None else rounded(mean), series) for series, mean in enumerate(means))
