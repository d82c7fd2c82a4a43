"""The page of results that are compared, and the same in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from middlemark.records.between import Between, BetweenRuns, letter
from middlemark.records.figures import BY_NAME
from middlemark.show.bars import BarChart
from middlemark.show.junit import Case, Suite, junit_xml
from middlemark.show.lead import ranked_row
from middlemark.show.page import rendered
from middlemark.show.tables import Cell, Section, Style, Table, Text, blocks, ends_of, muted, table
from middlemark.show.terminal import MAX_LINES, WIDTH, columns, cut, printable
from middlemark.wording import TIMES, counted, rounded

MAX_DIFFERING = 8


def between_page(found: Between) -> str:
    """The page: the answer, what differs, every window of each, every ratio, and the results."""
    sections = (
        Section("differences", "What differs between the runs", blocks(*_differing(found))),
        Section("windows", "Every window", blocks(*_windows(found))),
        Section("ratios", "Every figure that two runs have", blocks(*_ratios(found))),
        Section("results", "The results", blocks(_results(found))),
    )
    runs = counted(len(found.results), "run")
    return rendered(
        found.results[0].run,
        f"{runs} compared",
        sections,
        aside=runs,
        answer=found.answer,
        basis=_basis(found),
        banner="",
        chips=(),
        lead=(),
        source="the findings of these results",
        command="compare",
        lab=found.results[0].lab,
    )


def between_lines(found: Between, page: Path) -> list[str]:
    """At most 25 lines for a terminal: the answer, what differs, the ratios, and the page, which is the last line."""
    lines = [*textwrap.wrap(found.answer, WIDTH), *textwrap.wrap(_basis(found), WIDTH), ""]
    lines += [f"{letter(place)}: {one.folder}" for place, one in enumerate(found.results[:MAX_DIFFERING])]
    differing = [
        f"{'NOT COMPARABLE ' if one.prevents else 'differs: '}{one.what} ({' | '.join(one.values)})"
        for one in found.differing[:MAX_DIFFERING]
    ]
    rows = [("", "A", "", "ratio", "interval", ""), *map(_line, found.leading())]
    ratios = ["", *columns(rows)] if len(rows) > 1 else []
    what = [*differing, *(f"not compared: {one}" for one in found.not_compared)]
    room = max(1, MAX_LINES - len(lines) - len(ratios) - 4)
    lines += ["", *(cut(one, WIDTH) for one in what[:room])]
    more = len(found.differing) + len(found.not_compared) - len(what[:room])
    lines += [f"… and {more} more on the page"] if more > 0 else []
    lines += ratios
    return [printable(line) for line in (*lines[: MAX_LINES - 2], "", str(page))]


def between_junit(found: Between, too_slow: Sequence[BetweenRuns]) -> bytes:
    """A case for each comparison by the figure that leads; skipped without a word, failed where it is too slow."""
    cases = [
        Case(
            f"{one.name}: run {letter(one.run)} compared with A",
            one.metric,
            failure=_text(one) if one in too_slow else "",
            skipped="" if one.decided or not one.reason else _text(one),
            text=_text(one),
        )
        for one in found.leading()
    ]
    return junit_xml("middlemark compare", [Suite("compare", cases)])


def _basis(found: Between) -> str:
    known = next((one.spread for one in found.leading() if one.spread), None)
    spread = "spread between runs unknown: three runs of one build on this machine make it known"
    if known:
        spread = f"spread between runs {100 * known.sigma:.1f} %, known from {counted(known.runs, 'run')}"
    built = "All were built of the same inputs." if found.same_build else "They were built of different inputs."
    return f"Separate runs; {spread}. {built}"


def _differing(found: Between) -> Iterator[object]:
    if found.prevented:
        what = ", ".join(one.what for one in found.prevented)
        yield Text(
            f"Not comparable, as they differ in {what}. Ratios are shown and say nothing of the builds.", "failed"
        )
    yield table(
        found.differing,
        ("what", lambda one: Cell(one.what, style=Style.FAILED if one.prevents else Style.PLAIN)),
        *(f"{letter(place)}: values.{place}" for place in range(len(found.results))),
        "keeps them from being compared: prevents",
    )
    if not found.differing:
        yield Text("Nothing that the results hold: the same inputs, versions, experiment and machine.")
    for reason in found.not_compared:
        yield Text(f"Not compared: {reason}.")


def _windows(found: Between) -> Iterator[object]:
    figure = BY_NAME[found.metric]
    title = figure.titled(found.results[0].run.specification)
    for path in dict.fromkeys(one.combination for one in found.compared):
        rows = [
            replace(ranked_row(one, figure, one.by_path[path]), name=f"{letter(place)}: {one.folder}", more="")
            for place, one in enumerate(found.results)
            if path in one.by_path
        ]
        name = found.results[0].name(path)
        note = "A bar is the mean of a start, a dot a window, the line the 95 % interval of the mean within the run."
        yield BarChart(f"{name}: {title}", tuple(rows), note).figure()


def _ratios(found: Between) -> Iterator[object]:
    yield Text(
        "The interval is that of the builds where the spread between runs is known, else that of these runs alone: "
        "the next run of the same build may lie outside."
    )
    specification = found.results[0].run.specification
    yield table(
        found.compared,
        "combination: name",
        ("figure", lambda one: BY_NAME[one.metric].titled(specification)),
        ("run", lambda one: letter(one.run)),
        "#A: a.mean | #of the run: b.mean",
        ("#ratio", lambda one: Cell(f"{one.ratio:.3f} {TIMES}", exact=one.ratio)),
        ("interval", _interval),
        ("verdict", _text),
    )


def _interval(one: BetweenRuns) -> Cell:
    ends = ends_of((one.low, one.high), 3)
    return Cell(f"{ends} ({'builds' if one.spread else 'these runs'})") if ends else muted("none")


def _results(found: Between) -> Table | None:
    return table(
        enumerate(found.results),
        ("run", lambda row: letter(row[0])),
        "result: 1.folder",
        ("started", lambda row: row[1].run.started.replace("T", " ")),
        ("commit", lambda row: f"{row[1].run.commit}{' and changed files' if row[1].run.changed else ''}"),
        ("machine", lambda row: f"{row[1].run.host.cpus} × {row[1].run.host.cpu}, {row[1].run.host.memory_mib:,} MiB"),
        "valid: 1.run_is_valid | its answer: 1.answer",
    )


def _line(one: BetweenRuns) -> tuple[str, ...]:
    figures = rounded(one.a.mean), f"{letter(one.run)} {rounded(one.b.mean)}", f"{one.ratio:.3f}"
    return one.name, *figures, ends_of((one.low, one.high), 3), _text(one)


def _text(one: BetweenRuns) -> str:
    return f"{one.verdict}: {one.reason}" if one.reason else one.verdict
