"""Tables of contrasts: choices that a specification sets against each other, everything else alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from middlemark.records.choices import ANY_PROXY
from middlemark.records.figures import BY_NAME, CPU_TIME, THROUGHPUT
from middlemark.records.findings import Comparison, Findings
from middlemark.records.run_parts import ContrastRecord
from middlemark.show.tables import Cell, Field, Part, Text, ends_of, fold, pivots
from middlemark.wording import TIMES, counted, sentence


def contrasts(findings: Findings) -> Iterator[object]:
    """Yield a table for each contrast: rows by the other choices, columns by subject."""
    spec = findings.run.specification
    figure = BY_NAME[findings.metric]
    other = THROUGHPUT if figure is CPU_TIME else CPU_TIME
    comparisons = [one for one in findings.comparisons if one.contrasts]
    if not comparisons:
        return
    yield Text(
        f"{sentence(figure.titled(spec))} at {findings.at}, geometric mean over the rounds in which both count, with "
        f"its 95 % interval; below it the word, and the ratio of {other.titled(spec)}. The words of all comparisons of "
        "this report share the 5 % of false ones."
    )
    beside = {
        (one.a, one.b): f"{other.titled(spec)} {one.ratio:.2f} {TIMES}"
        for one in comparisons
        if one.metric == other.name and one.ratio is not None
    }
    for contrast in spec.contrasts:
        shown = [one for one in comparisons if one.metric == figure.name and contrast.name in one.contrasts]
        if shown:
            fields = dict(_fields(findings, contrast, shown, beside))
            yield fold(f"{contrast.name}: {_summary(shown)}", *pivots(fields, "not part of this run"))


def _fields(
    findings: Findings,
    contrast: ContrastRecord,
    shown: Sequence[Comparison],
    beside: Mapping[tuple[str, str], str],
) -> Iterator[tuple[tuple[str, str, str], Field]]:
    every = {one.path: one for one in findings.run.combinations}
    open_choices = {choice for choice, value in contrast.upper.items() if value == ANY_PROXY}
    named = contrast.upper.keys() - open_choices
    choices = dict.fromkeys(choice for one in every.values() for choice in one.modes if choice not in named)
    differing = [one for one in choices if len({each.modes.get(one) for each in every.values()}) > 1]
    for one in shown:
        upper = every[one.b]
        row = " ".join(upper.modes[choice] for choice in differing if choice in upper.modes)
        yield ("", row or contrast.name, upper.subject), _field(one, beside.get((one.a, one.b), ""))


def _field(one: Comparison, beside: str) -> Field:
    if one.ratio is None:
        return Field(reason=one.reason)
    ends = ends_of((one.low, one.high))
    word = f"not ranked: {one.not_ranked}" if one.not_ranked else one.verdict
    notes = (ends or f"{counted(len(one.rounds), 'round')}: {ends_of(one.ratios)}", word, beside)
    figure = Cell(f"{one.ratio:.2f} {TIMES}", exact=one.ratio)
    return Field((Part(figure),), tuple((note, "") for note in notes if note))


def _summary(shown: Sequence[Comparison]) -> str:
    """From the lowest ratio to the highest, and how many are certain."""
    ratios = [one.ratio for one in shown if one.ratio is not None]
    if not ratios:
        return "no round in which both count"
    spread = f"{min(ratios):.2f} … {max(ratios):.2f}" if len(ratios) > 1 else f"{ratios[0]:.2f}"
    return f"{spread} {TIMES}, {sum(one.decided for one in shown)} of {len(shown)} certain"
