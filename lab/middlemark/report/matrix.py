"""The matrices of the report: what every row reached with every subject, and what that is of the reference's speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from middlemark.records.folder import Result
from middlemark.records.run import Combination, load_name
from middlemark.report.contents import Layout, Row, layouts
from middlemark.report.efficiency import efficiency_table, missing_table
from middlemark.report.figure import Cell, Table, number, rounded
from middlemark.verdict.efficiency import Efficiency, efficiencies, is_reference, reference_name
from middlemark.verdict.estimate import MIN_ROUNDS
from middlemark.verdict.levels import Estimate, hidden_beside, levels, peak
from middlemark.verdict.metrics import mean_response_ms, throughput_tps
from middlemark.verdict.response_size import size_of
from middlemark.verdict.useful_peak import UsefulPeak, acceptable_mean_ms, useful_peak

NOT_OFFERED, NOT_RUN = "not offered", "not run"


@dataclass(frozen=True)
class Entry:
    """A cell of a matrix: a figure with its unit and what belongs to it, or the reason why there is none.

    `share` (0 … 1) is drawn as a bar with `share_text` beside it.
    """

    figure: Cell | None = None
    unit: str = ""
    notes: tuple[str, ...] = ()
    share: float | None = None
    share_text: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Grid:
    """A matrix: `rows` have a header, what it implies, and an entry for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Entry, ...]], ...]


@dataclass(frozen=True)
class Matrices:
    """All matrices of one set of choices, which `title` names; empty where the run has one set."""

    title: str
    peaks: Grid
    efficiency: Table | None
    missing: Table | None
    useful: Grid
    light: Grid | None


@dataclass(frozen=True)
class MatrixWords:
    """The words of the part: what the efficiency is called, its references and rows, the limit of useful loads in s."""

    name: str
    reference: str
    row: str
    limit_s: str
    few_rounds: bool


def matrices(result: Result) -> list[Matrices]:
    """Return the matrices of a run whose specification names an efficiency; none for any other."""
    found = efficiencies(result)
    return [_matrices(result, layout, found) for layout in layouts(result.run)]


def matrix_words(result: Result) -> MatrixWords | None:
    """Return the words of the part; None where there is none."""
    run = result.run
    if run.specification.efficiency is None or not run.combinations:
        return None
    limits = sorted({acceptable_mean_ms(run, one) / 1000 for one in run.combinations})
    return MatrixWords(
        run.specification.efficiency.name,
        reference_name(run),
        " and ".join(run.specification.efficiency.reference),
        " or ".join(f"{limit:g}" for limit in limits),
        run.repeats < MIN_ROUNDS,
    )


def _matrices(result: Result, layout: Layout, found: dict[str, Efficiency]) -> Matrices:
    run = result.run
    here = [found[c.path] for c in layout.places.values() if c.path in found]
    programs = {row for (row, _), c in layout.places.items() if not is_reference(run, c)}
    light = replace(layout, rows=tuple(row for row in layout.rows if row in programs))
    return Matrices(
        layout.title,
        _grid(layout, lambda c: _peak(result, c, found.get(c.path))),
        efficiency_table(result, here),
        missing_table(here),
        _grid(layout, lambda c: _useful(result, useful_peak(result, c)), brief=True),
        _grid(light, lambda c: _light(result, c), brief=True) if programs else None,
    )


def _grid(layout: Layout, entry: Callable[[Combination], Entry], *, brief: bool = False) -> Grid:
    """Return an entry for every row and subject; `brief`: why one is missing stands in another matrix."""
    rows = tuple(
        (
            " ".join(row),
            layout.marks.get(row, ""),
            tuple(_entry(layout, (row, subject), entry, brief=brief) for subject in layout.subjects),
        )
        for row in layout.rows
    )
    return Grid(layout.subjects, rows)


def _entry(layout: Layout, place: tuple[Row, str], entry: Callable[[Combination], Entry], *, brief: bool) -> Entry:
    combination = layout.places.get(place)
    if combination is not None:
        return entry(combination)
    missing = layout.missing.get(place)
    if missing:
        return Entry(reason=NOT_OFFERED if brief else f"{NOT_OFFERED}: {missing}")
    return Entry(reason=NOT_RUN if brief else f"{NOT_RUN}: not part of this run")


def _peak(result: Result, combination: Combination, efficiency: Efficiency | None) -> Entry:
    found = levels(result, combination)
    top = peak(found)
    if top is None:
        return Entry(reason=_why_none(result, combination))
    run = result.run
    throughput = top.estimate(throughput_tps)
    size = size_of(list(top.verdicts.values()))
    beyond = len(found) > 1 and top.load == found[-1].load
    hidden = hidden_beside(result, combination, top)
    notes = (
        _range(throughput),
        f"at {load_name(top.load, run.load_unit)}" + (" (highest load)" if beyond else ""),
        *([f"no peak: {load_name(hidden.load, run.load_unit)} {hidden.reason}"] if hidden else []),
        f"{rounded(top.estimate(mean_response_ms).mean)} ms · {f'{size.mean:,.0f} B' if size else 'bytes not counted'}",
    )
    share, text = _share(result, efficiency)
    figure = number(throughput.mean)
    return Entry(replace(figure, text=f"≥ {figure.text}") if hidden else figure, "/s", notes, share, text)


def _share(result: Result, efficiency: Efficiency | None) -> tuple[float | None, str]:
    """Return how long the bar of an efficiency is and the words beside it."""
    if efficiency is None:
        return None, ""
    if efficiency.at_peak is None:
        return None, f"no efficiency: {efficiency.reason or efficiency.hidden.partition(':')[0]}"
    ratio = efficiency.at_peak.request.ratio
    if ratio is None:
        return None, "no efficiency: no round in which both count"
    return min(1.0, ratio), f"{ratio:.2f} of {reference_name(result.run)}"


def _useful(result: Result, found: UsefulPeak) -> Entry:
    ended = f"{load_name(found.next_load, result.run.load_unit)}: {found.why_not}" if found.next_load else ""
    if found.level is None:
        return Entry(reason=f"none; {ended or found.why_not}")
    load, level = found.level.load, found.level
    reached = f"{rounded(level.throughput_tps)} /s, response {rounded(level.estimate(mean_response_ms).mean)} ms"
    notes = (reached, f"not at {ended}" if ended else "no higher load was measured")
    figure, _, unit = load_name(load, result.run.load_unit).partition(" ")
    return Entry(Cell(figure, exact=load), unit, notes)


def _light(result: Result, combination: Combination) -> Entry:
    found = levels(result, combination)
    level = found[0] if found else None
    if level is None or not level.verdicts:
        return Entry(reason=_why_none(result, combination))
    response = level.estimate(mean_response_ms)
    return Entry(number(response.mean), "ms", (_range(response), f"at {load_name(level.load, result.run.load_unit)}"))


def _why_none(result: Result, combination: Combination) -> str:
    """Return why a combination has no figure: the first reason of a point that does not count."""
    verdicts = [p.verdict for p in result.points if p.combination == combination and p.verdict]
    reasons = [reason for verdict in verdicts for reason in verdict.reasons]
    return f"no valid point: {reasons[0]}" if reasons else f"{NOT_RUN}: no point was finished"


def _range(found: Estimate) -> str:
    if found.rounds == 1:
        return "1 round"
    between = f"{rounded(found.low)} … {rounded(found.high)}"
    return between if found.is_interval else f"{found.rounds} rounds: {between}"
