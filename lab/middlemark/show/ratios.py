"""Tables of how many times faster: against a reference of the same subject, and between subjects at each load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from middlemark.records.figures import RESPONSE_TIME, THROUGHPUT
from middlemark.records.findings import Comparison, Findings, Use
from middlemark.records.naming import choice_text
from middlemark.show.tables import Cell, Field, Heading, Part, Text, ends_of, fold, muted, pivots, table
from middlemark.wording import TIMES, counted


def multiples(findings: Findings) -> Iterator[object]:
    """Yield how many times faster each subject is than another one with everything else alike, load by load."""
    found = [one for one in findings.comparisons if one.use is Use.LOAD]
    if not found:
        return
    subjects = {one.path: one for one in findings.run.combinations}
    several = len({frozenset(one.modes.items()) for one in findings.run.combinations}) > 1

    def row(one: Comparison) -> str:
        return f"{subjects[one.b].subject} ÷ {subjects[one.a].subject}"

    def title(one: Comparison) -> str:
        modes = ", ".join(choice_text(*each) for each in subjects[one.a].modes.items())
        return modes if several else "Times faster"

    yield Heading("Times faster", "at the same load", "times-faster")
    yield Text(
        "Geometric mean over the rounds in which both count, everything else alike; (95 % interval) or [lowest and "
        "highest round]. Of throughput more than 1 is faster, of mean response time less than 1."
    )
    made: dict[tuple[str, str, str], list[Comparison]] = {}
    for one in sorted(found, key=lambda one: one.load_b or 0):
        if not one.not_ranked:
            made.setdefault((title(one), row(one), findings.run.load_name(one.load_b or 0)), []).append(one)
    loads = list(dict.fromkeys(load for _, _, load in made))
    # A pair that stands the other way round in another table is no row of this one.
    for own in dict.fromkeys(title(one) for one in found):
        fields = {place: _multiple(findings, each) for place, each in made.items() if place[0] == own}
        yield from pivots(fields, "not measured", loads)
    for one in found:
        if one.not_ranked:
            yield Text(f"Not compared: {row(one)}: {one.not_ranked}.")
    intervals = sum(one.low is not None for one in found)
    note = "Where too few rounds count, their range stands in the place of an interval."
    if intervals:
        missing = max(1, round(intervals * 0.05))
        note = (
            f"Of {counted(intervals, 'interval')}, each by itself, about {missing} can be expected to miss by chance."
        )
    note += " No word follows from one of them: words stand at the comparisons on top, corrected for their number."
    ranked = findings.times_not_ranked
    yield Text(f"{note} Response times are shown, not ranked: {ranked}." if ranked else note)


def efficiencies(findings: Findings, name: str, reference: str) -> Iterator[object]:
    """Yield the efficiencies against the reference, at own peaks and at the highest load."""
    uses = {Use.REFERENCE_AT_PEAK: "own peaks", Use.REFERENCE: "highest load"}
    found = [one for one in findings.comparisons if one.use in uses and one.metric == THROUGHPUT.name]
    times = {
        (one.a, one.use): one for one in findings.comparisons if one.use in uses and one.metric == RESPONSE_TIME.name
    }
    yield Heading(f"{name} efficiency", id="efficiency")
    yield Text(
        f"Request efficiency is the rate ÷ that of {reference}, latency efficiency the mean response time "
        f"of {reference} ÷ the own. Geometric means of the rounds in which both count, each side at its peak, then "
        "both at the highest load. Same subject and choices, where mean answers agree to 1 % besides chance."
    )

    def latency(one: Comparison) -> Comparison | None:
        return times.get((one.b, one.use))

    rows = table(
        found,
        ("combination", lambda one: findings.name(one.b)),
        ("at", lambda one: uses[one.use]),
        (f"#{findings.run.load_unit}", lambda one: f"{one.load_b:,g}"),
        (f"#{findings.run.load_unit} of the reference", lambda one: f"{one.load_a:,g}"),
        (f"#{name} request efficiency", _efficiency),
        ("#95 % interval", _ends),
        (f"#{name} latency efficiency", lambda one: _efficiency(latency(one))),
        ("#95 % interval", lambda one: _ends(latency(one))),
        ("#rounds", lambda one: len(one.rounds)),
    )
    yield fold("Every efficiency", rows, is_open=len(found) <= 12)
    missing = [one for one in findings.comparisons if one.use in uses and not one.metric]
    names = ("combination", lambda one: findings.name(one.b))
    yield fold("Without an efficiency", table(missing, names, "why there is none: reason"))


def _efficiency(one: Comparison | None) -> Cell:
    return muted("n/a") if one is None or one.ratio is None else Cell(f"{one.ratio:.3f}", exact=one.ratio)


def _ends(one: Comparison | None) -> Cell:
    if one is None or one.ratio is None:
        return muted("no round in which both count")
    if ends := ends_of((one.low, one.high), 3):
        return Cell(ends)
    return muted(f"none: rounds {ends_of(one.ratios, 3)}" if len(one.rounds) > 1 else "none")


def _multiple(findings: Findings, own: Sequence[Comparison]) -> Field:
    parts = []
    for one in own:
        name = "throughput" if one.metric == THROUGHPUT.name else "response time"
        if one.ratio is None:
            return Field(reason=one.reason)
        missing = findings.run.repeats - len(one.rounds)
        rounds = f", {counted(len(one.rounds), 'round')}" if missing else ""
        figure = Cell(f"{_digits(one.ratio)} {TIMES}", exact=one.ratio)
        parts.append(Part(figure, f"{name} ", f"{_spread(one)}{rounds}"))
    return Field(tuple(parts))


def _spread(one: Comparison) -> str:
    if one.low is not None and one.high is not None:
        return f" ({_digits(one.low)} … {_digits(one.high)})"
    return f" [{_digits(min(one.ratios))} … {_digits(max(one.ratios))}]" if len(one.rounds) > 1 else ""


def _digits(ratio: float) -> str:
    """A ratio with about three digits."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"
