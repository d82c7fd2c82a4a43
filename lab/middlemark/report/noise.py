"""The noise floors by which a run is judged, and how each was measured."""

from __future__ import annotations

import shlex

from middlemark.records.folder import Result
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.judgement import percent
from middlemark.verdict.metrics import METRICS


def noise_table(result: Result) -> Table:
    """Return a row for each floor that fits the run; none when nothing was measured."""
    metrics = [one for one in METRICS if any(one.name in floor.floors for floor in result.noise.floors)]
    titles = [metric.title(result.run.specification) for metric in metrics]
    rows = [
        (
            Cell(floor.subject),
            *(_percent(floor.floors.get(metric.name)) for metric in metrics),
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
    return Table(("measured with", *(f"#{title}" for title in titles), *what), tuple(rows))


def noise_command(result: Result) -> str:
    """Return the command that measures a floor for runs as this one; empty where no command does.

    `middlemark noise` measures one combination at the highest load of a list.
    """
    run = result.run
    words = run.command[1:2]
    if not run.combinations or not words or words[0].startswith("-") or run.chosen or run.searched or run.faults:
        return ""
    if run.load_unit != "users":
        return ""
    first = run.combinations[0]
    values = [one.modes.items() for one in run.combinations if one.subject == first.subject]
    differing = [item for item in first.modes.items() if any(item not in others for others in values)]
    chosen = [word for choice, value in differing for word in ("--set", f"{choice}={value}")]
    return shlex.join(["middlemark", "noise", first.subject, "--experiment", *words, *chosen])


def _percent(floor: float | None) -> Cell:
    return Cell("n/a") if floor is None else Cell(percent(floor), exact=floor)
