"""The four figures below the headline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from middlemark.report.figure import rounded
from middlemark.report.samples import lines
from middlemark.results.folder import Result
from middlemark.results.point import Verdict
from middlemark.verdict.headline import TIMES, contests, cpu_ms_per_transaction, throughput_tps
from middlemark.verdict.naming import short_names


@dataclass(frozen=True)
class KeyFigure:
    """One figure in large type, what it is, and what to know about it."""

    value: str
    label: str
    note: str


def key_figures(result: Result) -> list[KeyFigure]:
    """Return the ratio (or the response time when there is one combination), cost, throughput and what counts."""
    users = f"at {max(result.run.loads, default=0)} users, mean of the blocks"
    return [
        _ratio(result) if len(result.run.combinations) > 1 else _response(result),
        KeyFigure(_values(result, cpu_ms_per_transaction), "CPU-ms per transaction", users),
        KeyFigure(_values(result, throughput_tps), "transactions per second", users),
        _counted(result),
    ]


def _ratio(result: Result) -> KeyFigure:
    names = list(short_names(result.run.combinations).values())
    found = [c.comparison for c in contests(result, cpu_ms_per_transaction)]
    ratios = [c.ratio for c in found if c.ratio is not None]
    against = f"CPU time per transaction, {names[1]} ÷ {names[0]}"
    if len(found) > 1:
        against = f"CPU time per transaction against {names[0]}"
    if not ratios:
        return KeyFigure("none", against, "no block in which both count")
    if len(found) > 1:
        return KeyFigure(f"{min(ratios):.2f} … {max(ratios):.2f} {TIMES}", against, f"{len(found)} combinations")
    return KeyFigure(f"{ratios[0]:.2f} {TIMES}", against, found[0].verdict)


def _response(result: Result) -> KeyFigure:
    note = "shared CPUs: shown, not ranked" if result.run.shared_cpus else "mean of the blocks"
    return KeyFigure(_values(result, lambda v: v.total.mean_ms), "mean response time in ms", note)


def _counted(result: Result) -> KeyFigure:
    valid = sum(p.valid for p in result.points)
    invalid = sum(p.verdict is not None and not p.valid for p in result.points)
    missing = result.expected_points - valid - invalid
    notes = [f"{n} {word}" for n, word in ((invalid, "INVALID"), (missing, "not finished")) if n > 0]
    return KeyFigure(f"{valid} of {result.expected_points}", "points count", ", ".join(notes) or "none INVALID")


def _values(result: Result, figure: Callable[[Verdict], float]) -> str:
    """Return the value of each combination at the highest load; of many, the range."""
    values = [line.levels[-1].mean for line in lines(result, figure) if line.levels]
    known = [value for value in values if value is not None]
    if not known:
        return "none"
    if len(values) > 2:
        return f"{rounded(min(known))} … {rounded(max(known))}"
    return " · ".join("none" if value is None else rounded(value) for value in values)
