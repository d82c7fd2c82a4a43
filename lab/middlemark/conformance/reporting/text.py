"""Says a verification in lines of text: a table of cells, every failure so that it can be understood by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from middlemark.conformance.result import CellResult, ConformanceResult, Difference, Play, PlayOutcome, SubjectResult
from middlemark.wording import counted

_HEAD = ("cell", "cases", "plays", "passed", "failed", "known", "not checked", "values replaced")


def result_lines(result: ConformanceResult) -> Iterator[str]:
    """Yield everything a reader needs, but for the verdict."""
    for subject in result.subjects:
        yield from _subject_lines(subject)
    if result.compared:
        plays = sum(pair.plays for pair in result.compared)
        found = counted(len(result.differences), "difference")
        yield f"Compared with each other: {found} in {counted(plays, 'play')} that two of them have"
        for pair in result.compared:
            yield f"  {pair.one} and {pair.other}: {counted(pair.plays, 'play')}"
        for difference in result.differences:
            yield from _difference_lines(difference)


def verdict(result: ConformanceResult) -> str:
    """Say in one sentence how the verification ended."""
    plays = [play for subject in result.subjects for play in subject.plays]
    played, cases = counted(len(plays), "play"), counted(len({play.case for play in plays}), "case")
    failed = sum(play.outcome is PlayOutcome.FAILED for play in plays)
    known = sum(play.outcome is PlayOutcome.KNOWN for play in plays)
    unchecked = sum(play.outcome is PlayOutcome.NOT_CHECKED for play in plays)
    rest = (f", {counted(known, 'known failure')}" if known else "") + (
        f", {unchecked} not checked" if unchecked else ""
    )
    names = _listed([subject.subject for subject in result.subjects])
    if result.stopped:
        return f"Not verified: stopped {result.stopped} when {played} had ended{rest}."
    missed = sum(len(subject.missed) for subject in result.subjects)
    if failed:
        return f"{names}: {failed} of {played} failed{rest}."
    if missed:
        they = "does not fail any more; take it" if missed == 1 else "do not fail any more; take them"
        return f"{names}: {counted(missed, 'known failure')} {they} out of the list{rest}."
    if result.differences:
        apart = " and ".join(sorted({name for one in result.differences for name in (one.one, one.other)}))
        return f"{apart} differ: {counted(len(result.differences), 'difference')} in {played}{rest}."
    passed = len(plays) - known - unchecked
    return f"Verified: {names} passed {counted(passed, 'play')} of {cases}{rest}{_equal(result)}."


def _equal(result: ConformanceResult) -> str:
    """Say that subjects and their data accesses are equal, only where each pair of them was compared."""
    apart = [f"{pair.one} and {pair.other}" for pair in result.compared if not pair.plays]
    if apart:
        return f", but {', '.join(apart)} have no checked play in common: whether they are equal is not known"
    if not result.compared:
        return ""
    return ", and they are equal" if len(result.subjects) > 1 else ", and its data accesses are equal"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _subject_lines(subject: SubjectResult) -> Iterator[str]:
    yield f"{subject.subject}: {subject.spec} {subject.spec_version}, {subject.seconds:.0f} s"
    yield from _table(subject.cells)
    if subject.not_offered:
        yield f"  not offered, so not verified: {', '.join(subject.not_offered)}"
    for note in subject.notes:
        yield f"  {note}"
    for play in subject.plays:
        if play.outcome is not PlayOutcome.PASSED:
            yield from _play_lines(play)
    for text in subject.missed:
        yield f"KNOWN FAILURE THAT PASSED  {text}"


def _play_lines(play: Play) -> Iterator[str]:
    signs = {PlayOutcome.FAILED: "FAILED", PlayOutcome.KNOWN: "known", PlayOutcome.NOT_CHECKED: "not checked"}
    yield f"{signs[play.outcome]:<12} {play.label}"
    if play.reason:
        yield f"{'':<13}{play.reason}"
    for failure in play.failures:
        step = f"{failure.step}: " if failure.step else ""
        yield f"{'':<13}{failure.where}"
        yield f"{'':<13}{step}{failure.text}"
        if failure.known:
            yield f"{'':<13}known: {failure.known}"


def _difference_lines(difference: Difference) -> Iterator[str]:
    yield f"DIFFERENT    {difference.play}"
    yield f"{'':<13}{difference.what} of {difference.one} / {difference.other}: {difference.text}"


def _table(cells: Sequence[CellResult]) -> Iterator[str]:
    rows = [_HEAD, *(_row(cell) for cell in cells)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for name, *numbers in rows:
        padded = "  ".join(number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        yield f"  {name:<{widths[0]}}  {padded}"


def _row(cell: CellResult) -> tuple[str, ...]:
    counts = (cell.cases, cell.plays, cell.passed, cell.failed, cell.known, cell.not_checked, cell.replaced)
    return (cell.cell, *(str(count) for count in counts))
