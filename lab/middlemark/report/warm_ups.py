"""The warm-ups: how long each took, what ended it, and the CPU time per transaction on the way."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.records.warm_up import WarmUp
from middlemark.report.figure import Cell, Table, number
from middlemark.verdict.naming import short_names
from middlemark.verdict.warm_ups import ending_text, start_text
from middlemark.wording import counted

# More do not fit into a line.
SHOWN = 12


def warm_up_table(result: Result) -> Table:
    """Return a row for each warm-up, in the order in which they were."""
    names = short_names(result.run.combinations)
    rows = [
        (
            Cell(names.get(one.combination, one.combination)),
            Cell(start_text(one)),
            Cell(f"{counted(one.users, 'user')} without think time" if one.users else "the measured load"),
            number(one.seconds),
            Cell(ending_text(one)),
            Cell(_course(one)),
            Cell(_shares(one)),
        )
        for one in result.run.warm_ups
    ]
    course = f"CPU ms per {result.run.specification.unit}, from begin to end"
    return Table(("combination", "start", "by", "#seconds", "ended", course, "compiler, % of CPU time"), tuple(rows))


def _course(warm_up: WarmUp) -> str:
    """Return the CPU ms of the course; those of the look at the measured load stand behind a bar."""
    parts = ([one.cpu_ms for one in warm_up.course if one.at_load == at_load] for at_load in (False, True))
    return " | ".join(_values(part) for part in parts if part)


def _shares(warm_up: WarmUp) -> str:
    """Return the compiler's share in per cent, in the same stretches."""
    known = [(one.compiler_share, one.at_load) for one in warm_up.course]
    parts = ([100 * share for share, there in known if share is not None and there == at] for at in (False, True))
    return " | ".join(_values(part) for part in parts if part)


def _values(values: list[float]) -> str:
    """Return all values, or evenly chosen ones of many, the first and the last among them."""
    if len(values) > SHOWN:
        values = [values[round(n * (len(values) - 1) / (SHOWN - 1))] for n in range(SHOWN)]
    return " ".join(f"{value:.3g}" for value in values)
