"""What the searches of a run found, and the points that they spent."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.records.run import Load, Run, Searched
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.naming import short_names
from middlemark.verdict.searches import doubt_text


def search_table(result: Result) -> Table:
    """Return a row for each combination whose loads were searched."""
    names = short_names(result.run.combinations)
    rows = [
        (
            Cell(names.get(path, path)),
            Cell(_peak(result.run, searched)),
            number(searched.throughput_tps),
            Cell(_inside(result.run, searched)),
            count(len(searched.points)),
        )
        for path, searched in result.run.searched.items()
    ]
    return Table(
        ("combination", "highest throughput at", f"#{result.run.specification.rate}", "within the limits", "#points"),
        tuple(rows),
    )


def search_points(result: Result) -> Table:
    """Return a row for each point of each search, in the order in which they were measured."""
    names = short_names(result.run.combinations)
    rows = [
        (
            Cell(names.get(path, path)),
            Cell(f"{point.load:g}"),
            number(point.throughput_tps),
            number(point.mean_ms),
            Cell("within" if point.inside else "outside"),
            Cell("yes" if point.valid else "no: INVALID"),
        )
        for path, searched in result.run.searched.items()
        for point in searched.points
    ]
    rate = result.run.specification.rate
    columns = ("combination", f"#{result.run.load_unit}", f"#{rate}", "#mean ms", "limits", "counts")
    return Table(columns, tuple(rows))


def _peak(run: Run, searched: Searched) -> str:
    if not searched.ended:
        so_far = "nowhere" if searched.peak is None else run.load_name(searched.peak)
        return f"{so_far} so far: the search has not ended"
    if searched.peak is None:
        return "nowhere: no point counts"
    notes = ["" if searched.peak_known else "no points left to narrow it down", doubt_text(run, searched)]
    text = "; ".join(note for note in notes if note)
    return run.load_name(searched.peak) + (f" ({text})" if text else "")


def _inside(run: Run, searched: Searched) -> str:
    low, high = searched.inside, searched.outside
    if low is None:
        return "none" if high is None else f"below {run.load_name(high)}"
    if high is None:
        return f"{run.load_name(low)} and more"
    return f"{run.load_name(low)}, not {_named(high)}" + ("" if searched.limit_known else " (no points left)")


def _named(load: Load) -> str:
    return f"{load:,g}"
