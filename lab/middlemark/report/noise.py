"""The noise floors by which a run is judged, and how each was measured."""

from __future__ import annotations

from middlemark.report.figure import Cell, Table, count, number
from middlemark.results.folder import Result
from middlemark.verdict.judgement import percent
from middlemark.verdict.yardsticks import YARDSTICKS


def noise_table(result: Result) -> Table:
    """Return a row for each floor that fits the run; none when nothing was measured."""
    names = [yardstick.name for yardstick in YARDSTICKS]
    rows = [
        (
            Cell(floor.subject),
            *(_percent(floor.floors.get(name)) for name in names),
            count(floor.pairs),
            Cell(str(floor.load)),
            Cell(floor.think),
            number(floor.window_s),
            Cell(floor.measured.replace("T", " ")),
            Cell(floor.result),
        )
        for floor in result.noise.floors
    ]
    what = ("#pairs", "#users", "think time", "#window s", "measured", "in the result")
    return Table(("measured with", *(f"#{name}" for name in names), *what), tuple(rows))


def _percent(floor: float | None) -> Cell:
    return Cell("not measured") if floor is None else Cell(percent(floor), exact=floor)
