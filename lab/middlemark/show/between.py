"""The page of results that are compared, and the same in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from middlemark.records.between import Between, BetweenRuns, DifferingValue, letter
from middlemark.records.figures import BY_NAME
from middlemark.records.findings import Findings
from middlemark.show.bars import BarChart, BarRow
from middlemark.show.junit import Case, Suite, junit_xml
from middlemark.show.lead import ranked_row
from middlemark.show.page import rendered
from middlemark.show.tables import Cell, Section, Style, Table, Text, blocks, muted, rounded, table
from middlemark.show.terminal import WIDTH, columns, printable
from middlemark.wording import TIMES, counted

MAX_LINES = 24
MAX_DIFFERING = 8


def between_page(found: Between) -> str:
    """The page: the answer, what differs, every window of each, every ratio, and the results."""
    sections = [
        Section("differences", "What differs between the runs", blocks(*_differing(found))),
        Section("windows", "Every window", blocks(*_windows(found))),
        Section("ratios", "Every figure that two runs have", blocks(*_ratios(found))),
        Section("results", "The results", blocks(_results(found))),
    ]
    first = found.results[0]
    return rendered(
        title=f"{first.run.name}: {counted(len(found.results), 'run')} compared",
        kicker=f"{first.run.name} · {first.run.spec} {first.run.spec_version} · {counted(len(found.results), 'run')}",
        answer=found.answer,
        basis=_basis(found),
        description=first.run.description,
        banner="",
        chips=[],
        lead=(),
        sections=[one for one in sections if one.blocks],
        source="the findings of these results",
        command="compare",
        lab=first.lab,
    )


def between_lines(found: Between, page: Path) -> list[str]:
    """At most 25 lines for a terminal: the answer, what differs, the ratios, and the page, which is the last line."""
    lines = [*textwrap.wrap(found.answer, WIDTH), *textwrap.wrap(_basis(found), WIDTH), ""]
    letters = [letter(place) for place in range(len(found.results))]
    lines += [f"{each}: {one.folder}" for each, one in zip(letters, found.results, strict=True)][:MAX_DIFFERING]
    lines += ["", *(_differing_line(one) for one in found.differing[:MAX_DIFFERING])]
    more = len(found.differing) - MAX_DIFFERING
    lines += [f"… and {counted(more, 'more difference')}"] if more > 0 else []
    lines += [textwrap.shorten(f"not compared: {one}", WIDTH, placeholder=" …") for one in found.not_compared]
    head = ("", "A", "", "ratio", "interval", "")
    rows = [head, *map(_line, found.leading())]
    lines += ["", *(line[:WIDTH] for line in columns(rows))] if len(rows) > 1 else []
    return [printable(line) for line in (*lines[: MAX_LINES - 1], "", str(page))]


def between_junit(found: Between, fail_if_slower: float | None) -> bytes:
    """A case for each comparison by the figure that leads; skipped without a word, failed where it is too slow."""
    cases = [
        Case(
            f"{one.name}: run {letter(one.run)} beside A",
            one.metric,
            failure=_text(one) if is_too_slow(one, fail_if_slower) else "",
            skipped="" if one.decided or not one.reason else _text(one),
            text=_text(one),
        )
        for one in found.leading()
    ]
    return junit_xml("middlemark compare", [Suite("compare", cases)])


def is_too_slow(one: BetweenRuns, fail_if_slower: float | None) -> bool:
    """Whether a run is slower than A by more than a share for certain."""
    if fail_if_slower is None or not one.decided or one.low is None or one.high is None:
        return False
    worse = one.low if BY_NAME[one.metric].costs else 1 / one.high
    return worse > 1 + fail_if_slower


def _basis(found: Between) -> str:
    known = next((one.spread for one in found.leading() if one.spread), None)
    spread = "spread between runs unknown"
    if known:
        spread = f"spread between runs {100 * known.sigma:.1f} %, known from {counted(known.runs, 'run')}"
    built = "The inputs of all are the same." if found.same_build else "The inputs differ."
    return f"Separate runs; {spread}. {built}"


def _differing(found: Between) -> Iterator[object]:
    if found.prevented:
        what = ", ".join(one.what for one in found.prevented)
        yield Text(
            f"Not comparable, as they differ in {what}. Ratios are shown and say nothing of the builds.", "failed"
        )
    letters = [letter(place) for place in range(len(found.results))]
    yield table(
        found.differing,
        ("what", lambda one: Cell(one.what, style=Style.FAILED if one.prevents else Style.PLAIN)),
        *((each, lambda one, place=place: one.values[place]) for place, each in enumerate(letters)),
        ("keeps them from being compared", lambda one: "yes" if one.prevents else "no"),
    )
    if not found.differing:
        yield Text("Nothing that the results hold: the same inputs, versions, experiment and machine.")
    for reason in found.not_compared:
        yield Text(f"Not compared: {reason}.")


def _windows(found: Between) -> Iterator[object]:
    figure = BY_NAME[found.metric]
    title = figure.titled(found.results[0].run.specification)
    for path in dict.fromkeys(one.combination for one in found.compared):
        rows = [_row(one, path, letter(place)) for place, one in enumerate(found.results) if path in one.by_path]
        name = found.results[0].name(path)
        note = "A bar is the mean of a start, a dot a window, the line the 95 % interval of the mean within the run."
        yield BarChart(f"{name}: {title}", tuple(rows), note).figure()


def _row(findings: Findings, path: str, name: str) -> BarRow:
    row = ranked_row(findings, BY_NAME[findings.metric], findings.by_path[path])
    return BarRow(row.series, f"{name}: {findings.folder}", row.text, row.bars, low=row.low, high=row.high)


def _ratios(found: Between) -> Iterator[object]:
    yield Text(
        "The interval is that of the builds where the spread between runs is known, else that of these runs alone: "
        "the next run of the same build may lie outside."
    )
    specification = found.results[0].run.specification
    yield table(
        found.compared,
        ("combination", lambda one: one.name),
        ("figure", lambda one: BY_NAME[one.metric].titled(specification)),
        ("run", lambda one: letter(one.run)),
        ("#A", lambda one: one.a.mean),
        ("#of the run", lambda one: one.b.mean),
        ("#ratio", lambda one: Cell(f"{one.ratio:.3f} {TIMES}", exact=one.ratio)),
        ("interval", lambda one: muted("none") if one.low is None else _interval(one)),
        ("verdict", lambda one: _text(one)),
    )


def _interval(one: BetweenRuns) -> str:
    kind = "builds" if one.spread else "these runs"
    return f"{one.low or 0:.3f} … {one.high or 0:.3f} ({kind})"


def _results(found: Between) -> Table | None:
    return table(
        enumerate(found.results),
        ("run", lambda row: letter(row[0])),
        ("result", lambda row: row[1].folder),
        ("started", lambda row: row[1].run.started.replace("T", " ")),
        ("commit", lambda row: f"{row[1].run.commit}{' and changed files' if row[1].run.changed else ''}"),
        ("machine", lambda row: f"{row[1].run.host.cpus} × {row[1].run.host.cpu}, {row[1].run.host.memory_mib:,} MiB"),
        ("valid", lambda row: row[1].run_is_valid),
        ("its answer", lambda row: row[1].answer),
    )


def _differing_line(one: DifferingValue) -> str:
    mark = "NOT COMPARABLE " if one.prevents else "differs: "
    return textwrap.shorten(f"{mark}{one.what} ({' | '.join(one.values)})", WIDTH, placeholder=" …")


def _line(one: BetweenRuns) -> tuple[str, ...]:
    ends = "" if one.low is None or one.high is None else f"{one.low:.3f} … {one.high:.3f}"
    figures = rounded(one.a.mean), f"{letter(one.run)} {rounded(one.b.mean)}", f"{one.ratio:.3f}"
    return one.name, *figures, ends, _text(one)


def _text(one: BetweenRuns) -> str:
    return f"{one.verdict}: {one.reason}" if one.reason else one.verdict
