"""The answer of a result as lines for a terminal: at most 25, none longer than 120 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from middlemark.records.figures import BY_NAME, CPU_TIME, RESPONSE_TIME, THROUGHPUT, USERS_SUPPORTED
from middlemark.records.findings import CombinationFinding, Findings
from middlemark.show.tables import span
from middlemark.wording import counted, rounded

WIDTH = 120
USERS_HEAD = ("users supported", "95 % interval")
HEAD = ("CPU ms/{unit}", "95 % interval", "{unit}s/s", "mean ms", "rounds")
MAX_LINES, MAX_ANSWER, MAX_BASIS, MAX_NOTES, MIN_NAME = 25, 4, 2, 8, 20


def answer_lines(findings: Findings, report: Path) -> list[str]:
    """The answer, the ranking, what is to be known, and where the report is, which is the last line."""
    lines = [*_wrapped(findings.answer, MAX_ANSWER), *_wrapped(findings.basis, MAX_BASIS)]
    notes = _notes([one.text for one in findings.marks])
    end = [*(["", *notes] if notes else []), "", report.as_uri(), str(report)]
    # An empty line and the names of the columns stand above the rows.
    rows = list(_rows(findings, MAX_LINES - len(lines) - len(end) - 2))
    return [printable(line) for line in (*lines, *(["", *rows] if rows else []), *end)]


def printable(line: str) -> str:
    """A line without characters that control a terminal: names and messages come from outside."""
    return "".join(c if c.isprintable() else "\ufffd" for c in line)


def _notes(texts: Sequence[str]) -> list[str]:
    """The first texts, each whole, as far as there is room; and how many more there are."""
    notes: list[str] = []
    for place, text in enumerate(texts):
        lines = _wrapped(text, MAX_NOTES)
        if len(notes) + len(lines) > MAX_NOTES:
            return [*notes, f"In the report: {counted(len(texts) - place, 'more mark')}."]
        notes += lines
    return notes


def _wrapped(text: str, most: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, max_lines=most, placeholder=" …")


def heads(unit: str) -> tuple[str, ...]:
    """Names of the columns of `figures_of`."""
    return tuple(name.format(unit=unit) for name in HEAD)


def figures_of(one: CombinationFinding) -> tuple[str, ...]:
    """The figures of a combination at the load at which it is compared, as `HEAD` names them."""
    figures = one.at.figures
    cpu = figures.get(CPU_TIME.name)
    return (
        rounded(cpu.mean) if cpu else "n/a",
        span(cpu.low, cpu.high) if cpu and cpu.is_interval else "",
        *(rounded(figures[name].mean) if name in figures else "n/a" for name in (THROUGHPUT.name, RESPONSE_TIME.name)),
        str(len(one.at.repeats)),
    )


def _users_of(one: CombinationFinding) -> tuple[str, ...]:
    users = one.at.figures.get(USERS_SUPPORTED.name)
    if users is None:
        return ("n/a", "")
    return (rounded(users.mean), span(users.low, users.high) if users.is_interval else "")


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows below their heads as lines, all columns but the first and the last aligned right; names make room."""
    between = sum(2 + max(map(len, column)) for column in list(zip(*rows, strict=True))[1:-1])
    widest = max(len(row[-1]) for row in rows[1:])
    name = max(MIN_NAME, WIDTH - between - widest - 2)
    rows = [[cut(row[0], name), *row[1:-1], cut(row[-1], max(widest, MIN_NAME))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *middle, last = row
        numbers = (text.rjust(width) for text, width in zip(middle, widths[1:-1], strict=True))
        yield cut("  ".join((first.ljust(widths[0]), *numbers, last)).rstrip(), WIDTH)


def cut(text: str, most: int) -> str:
    """A text of so many characters at most, which ends with … where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _rows(findings: Findings, most: int) -> Iterator[str]:
    if findings.run.faults or not findings.combinations:
        return
    metric = BY_NAME[findings.metric]
    every = [one for group in findings.groups for one in findings.ranked(group)]
    shown = every if len(every) <= most else every[: most - 1]
    pairs = {one.b: one for one in findings.compared_by(metric.name)}

    firsts = {pair.a for pair in pairs.values()}
    common = f"compared with {findings.name(firsts.pop())}" if len(firsts) == 1 else ""
    supported = findings.run.seeks_limit
    head = ("", *(USERS_HEAD if supported else ()), *heads(findings.run.specification.unit), common)

    def last(one: CombinationFinding) -> str:
        pair = pairs.get(one.path)
        if pair is None:
            return ""
        return "not ranked" if pair.not_ranked else pair.verdict

    def name(one: CombinationFinding) -> str:
        return f"{f'{one.rank}. ' if one.rank else ''}{one.name}"

    rows = [head]
    rows += [(name(one), *(_users_of(one) if supported else ()), *figures_of(one), last(one)) for one in shown]
    yield from columns(rows)
    if len(every) > len(shown):
        yield f"… and {len(every) - len(shown)} more in the report"
