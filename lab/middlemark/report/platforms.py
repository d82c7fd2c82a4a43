"""What a platform costs besides CPU time and memory: how long it starts, how much code it is."""

from __future__ import annotations

import statistics

from middlemark.records.folder import Result
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.naming import short_names

ALL_PROCESSES = "all, one after the other"


def start_table(result: Result) -> Table | None:
    """Return the start-up time of each process of each combination, of several also the sum; None without starts."""
    names = short_names(result.run.combinations)
    rows = [
        (Cell(names[path]), Cell(process), count(len(seconds)), *_spread(seconds))
        for path in names
        for process, seconds in _starts(result, path).items()
    ]
    columns = ("combination", "process", "#starts", "#median s", "#min s", "#max s")
    return Table(columns, tuple(rows)) if rows else None


def code_table(result: Result) -> Table | None:
    """Return the lines of code by tier of each platform, once for each choice on which they depend; None without."""
    found = result.run.code
    tiers = list(dict.fromkeys(tier for code in found for tier in code.tiers))
    rows = [
        (
            Cell(", ".join((code.platform, *code.modes.values()))),
            *(count(code.tiers.get(tier, 0)) for tier in tiers),
            count(sum(code.tiers.values())),
        )
        for code in found
    ]
    return Table(("platform", *(f"#{tier}" for tier in tiers), "#sum"), tuple(rows)) if rows else None


def _starts(result: Result, path: str) -> dict[str, list[float]]:
    """Return the seconds of every start of a combination, by process."""
    found: dict[str, list[float]] = {}
    for start in result.run.starts:
        if start.combination == path:
            whole = {ALL_PROCESSES: sum(start.seconds.values())} if len(start.seconds) > 1 else {}
            for process, seconds in (start.seconds | whole).items():
                found.setdefault(process, []).append(seconds)
    return found


def _spread(seconds: list[float]) -> tuple[Cell, Cell, Cell]:
    return number(statistics.median(seconds)), number(min(seconds)), number(max(seconds))
