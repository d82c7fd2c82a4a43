"""The pivot tables of a report: contents by subject, tiers by who runs them, and how many times faster at each load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean, stdev

from middlemark.records.choices import SESSION, tier_run
from middlemark.records.figures import CPU_TIME, RESPONSE_TIME, THROUGHPUT
from middlemark.records.findings import Comparison, Estimate, Findings, Use
from middlemark.records.naming import choice_text
from middlemark.records.placement import is_platform
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, LeftOut, Run
from middlemark.records.window import Window
from middlemark.show.places import Place, compared, tier_names, tier_of
from middlemark.show.ratios import efficiencies
from middlemark.show.tables import Cell, Field, Heading, Part, Pivot, Text, pivots, span, table
from middlemark.wording import counted, rounded

CONFORMANCE, COST = "conformance", "cpu_ms_per_transaction"
DARKEST = 45
"""Shade of the largest figure in %; text is read on it in both themes."""
Item = Combination | LeftOut


def contents(findings: Findings) -> Iterator[object]:
    """Yield the matrices of a specification with an efficiency: peaks, extremes, useful peaks, times at light load."""
    run = findings.run
    efficiency = run.specification.efficiency
    if efficiency is None or not run.combinations:
        return
    laid_out = _layout(run, tuple(efficiency.reference))
    reference, row = " ".join(efficiency.reference.values()), " and ".join(efficiency.reference)
    yield Heading(f"Highest throughput of each {row} on each subject", id="matrix")
    yield Text(
        "Each at the load with its highest mean throughput; below it the 95 % interval (with fewer than three rounds "
        "the lowest and the highest) and the standard deviation (sd) over the rounds, the load (≥: a load next to it "
        "does not count), mean response time and answer. "
        f"The bar is the {efficiency.name} request efficiency, a share of the rate of {reference} on the same subject: "
        "between subjects the absolute rate counts."
    )
    at_peak = {
        one.b: one for one in findings.comparisons if one.use is Use.REFERENCE_AT_PEAK and one.metric != "mean_ms"
    }
    yield from laid_out(lambda one: _peak(findings, one, at_peak.get(one.path), reference), "")
    yield from _extremes(findings, tuple(efficiency.reference))
    yield from efficiencies(findings, efficiency.name, reference)
    yield Heading("Useful peak", id="useful")
    yield Text(
        "The highest load up to which all clients were served equally, without errors and in time; then what ends it."
    )
    yield from laid_out(lambda one: _useful(findings, one), "not offered")
    yield Heading("At light load", id="light")
    yield Text(
        "Mean response time at the lowest load. That of a page at light load ≈ this + the application's own time."
    )
    yield from laid_out(lambda one: _light(findings, one), "not offered")


@dataclass(frozen=True)
class _Extremes:
    """The fastest and the slowest of combinations that differ in the choices of a reference alone."""

    subject: str
    alike: str
    fastest: tuple[str, float, float]
    slowest: tuple[str, float, float]

    @property
    def ratio(self) -> float:
        """Rate of the slowest as a share of the fastest."""
        return self.slowest[1] / self.fastest[1]


def _extremes(findings: Findings, keys: Sequence[str]) -> Iterator[object]:
    """Yield the fastest and the slowest of each subject and its other choices, by the time of the fastest in ms."""
    run = findings.run
    choices = dict.fromkeys(choice for one in run.combinations for choice in one.modes)
    others = [one for one in choices if one not in keys and _differs(run.combinations, one)]
    known: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
    for one in run.combinations:
        level = findings.by_path[one.path].at_load(findings.by_path[one.path].peak.load)
        if not one.is_control and level.repeats and (rate := level.figures[THROUGHPUT.name].mean):
            alike = ", ".join(choice_text(each, one.modes[each]) for each in others if each in one.modes)
            values = {SESSION: run.session, **one.modes}
            name = " ".join(values[key] for key in keys if values.get(key))
            known.setdefault((one.subject, alike or "all"), []).append(
                (name, rate, level.figures[RESPONSE_TIME.name].mean)
            )
    found = [
        _Extremes(subject, alike, max(some, key=itemgetter(1)), min(some, key=itemgetter(1)))
        for (subject, alike), some in known.items()
        if len(some) > 1
    ]
    rows = table(
        sorted(found, key=lambda one: (one.subject, one.fastest[2])),
        "subject: subject | of: alike | fastest: fastest.0 | #/s: fastest.1 | #ms: fastest.2",
        "slowest: slowest.0 | #slowest /s: slowest.1 | #slowest ÷ fastest: ratio",
    )
    if rows:
        yield Heading("Fastest and slowest", id="extremes")
        yield Text("In the order of the fastest one's time: the more an operation does, the smaller the difference.")
        yield rows


def interoperability(findings: Findings) -> Iterator[object]:
    """Yield who runs a tier against who runs the others: in each field the CPU time of every tier, and its proof.

    Of several choices of who runs a tier the first that differs makes the rows, the others tables of their own.
    """
    run = findings.run
    every: list[Item] = [*run.combinations, *run.left_out]
    choices = list(dict.fromkeys(choice for one in every for choice in one.modes))
    chosen = [one for one in choices if tier_run(one)]
    choice = next((one for one in chosen if _differs(every, one)), next(iter(chosen), None))
    if choice is None:
        return
    tier = tier_run(choice) or ""
    behind = " and ".join(dict.fromkeys(name for one in run.combinations for name in one.tiers if name != tier))
    others = [one for one in choices if one != choice and _differs(every, one)]
    found = {one.combination: one for one in compared(findings)}
    largest = _largest(findings, (one for one in found.values() if not one.mark))

    def place(one: Item) -> tuple[str, str, str]:
        named = [choice_text(each, one.modes[each]) for each in others if each in one.modes]
        title = ", ".join(named) or f"CPU-ms per {run.specification.unit}"
        return title, f"{tier} of {one.modes.get(choice, one.subject)}", f"{behind or 'the others'} of {one.subject}"

    scale = ", ".join(f"{name.replace('+', ' + ')} {rounded(most)} ms" for name, most in largest.items())
    heading = (
        f"CPU time per {run.specification.unit} of each tier, by who runs {tier} and who runs {behind or 'the others'}"
    )
    yield Heading(heading, findings.shared, "heat")
    yield Text(
        f"Milliseconds per {run.specification.unit} at {findings.at}: mean of the rounds that count with the lowest "
        "and the highest, together with the 95 % interval. The darker, the more of the largest figure of that tier "
        f"({scale}). Two fields differ for certain only where a comparison of this report says so."
    )
    fields: dict[tuple[str, str, str], Field] = {}
    for one in run.combinations:
        fields.setdefault(place(one), _heat(findings, one, found.get(findings.name(one.path)), largest))
    titles = {title for title, _, _ in fields}
    for missing in run.left_out:
        if place(missing)[0] in titles:
            fields.setdefault(place(missing), Field(reason=f"not offered: {missing.reason}"))
    yield from pivots(fields, "not part of this run")


def _layout(run: Run, keys: Sequence[str]) -> Callable[[Callable[[Combination], Field], str], list[Pivot]]:
    """How to lay out fields: rows by the choices of a reference, columns by subject, tables by the other choices.

    A choice that a row or a subject always makes alike, as a session that needs a mode, makes no table of its own. The
    reason of a combination that is not offered is its own, or that which is given.
    """

    def row(one: Item) -> str:
        values = {SESSION: run.session, **one.modes}
        return " ".join(values.get(key, "default") for key in keys)

    def words(one: Item, choices: Iterable[str]) -> str:
        return ", ".join(choice_text(choice, one.modes[choice]) for choice in choices if choice in one.modes)

    def follows(choice: str, of: Callable[[Combination], str]) -> bool:
        return len({(of(one), one.modes.get(choice)) for one in run.combinations}) == len(
            set(map(of, run.combinations))
        )

    choices = dict.fromkeys(choice for one in run.combinations for choice in one.modes)
    differing = [one for one in choices if one not in keys and _differs(run.combinations, one)]
    of_rows = [one for one in differing if follows(one, row)]
    apart = [one for one in differing if one not in of_rows and not follows(one, lambda each: each.subject)]
    notes = {row(one): words(one, of_rows) for one in run.combinations}

    def laid_out(field: Callable[[Combination], Field], not_offered: str) -> list[Pivot]:
        fields: dict[tuple[str, str, str], Field] = {}
        for one in run.combinations:
            fields.setdefault((words(one, apart) or "At the peak of each", row(one), one.subject), field(one))
        titles = dict.fromkeys(title for title, _, _ in fields)
        for missing in (one for one in run.left_out if one.subject):
            reason = Field(reason=not_offered or f"not offered: {missing.reason}")
            for title in titles:
                fields.setdefault((title, row(missing), missing.subject), reason)
        return pivots(fields, "not run" if not_offered else "not run: not part of this run", run.sessions, notes)

    return laid_out


def _differs(items: Sequence[Item], choice: str) -> bool:
    return len({one.modes.get(choice) for one in items}) > 1


def _size(windows: Sequence[Window]) -> list[str]:
    """Mean size of an answer; none where responses report calls."""
    if any(window.reports_calls for window in windows):
        return []
    sizes = [window.mean_body_bytes for window in windows if window.mean_body_bytes is not None]
    return [f"{fmean(sizes):,.0f} B" if sizes else "bytes not counted"]


def _peak(findings: Findings, combination: Combination, relative: Comparison | None, reference: str) -> Field:
    one = findings.by_path[combination.path]
    level = one.at_load(one.peak.load)
    if one.peak.load is None or not level.repeats:
        return Field(reason=_why_none(findings, combination))
    tps, mean = level.figures[THROUGHPUT.name], level.figures[RESPONSE_TIME.name]
    is_highest = one.peak.above is None and not one.peak.hidden and not one.peak.only_load
    beyond = " (highest load)" if is_highest else ""
    windows = findings.valid(combination, level.load)
    rates = [window.throughput_tps for window in windows]
    deviation = [f"sd {rounded(stdev(rates))}"] if len(rates) > 1 else []
    notes = [", ".join([_range(tps), *deviation]), f"at {findings.run.load_name(level.load)}{beyond}"]
    notes += [f"no peak: {one.peak.hidden}"] if one.peak.hidden else []
    notes.append(" · ".join([f"{rounded(mean.mean)} ms", *_size(windows)]))
    sign = "≥ " if one.peak.hidden else ""
    parts = [Part(Cell(f"{sign}{rounded(tps.mean)}", exact=tps.mean), after="/s")]
    if relative is not None and relative.ratio is not None:
        ratio = relative.ratio
        parts.append(Part(Cell(f"{ratio:.2f}", exact=ratio), after=f"of {reference}", share=min(1.0, ratio)))
    elif relative is not None:
        notes.append(f"no efficiency: {relative.reason}")
    return Field(tuple(parts), tuple((note, "") for note in notes))


def _useful(findings: Findings, combination: Combination) -> Field:
    one, run = findings.by_path[combination.path], findings.run
    useful = one.useful
    ended = f"{run.load_name(useful.next_load)}: {useful.why_not}" if useful.next_load else ""
    if useful.load is None:
        return Field(reason=f"none; {ended or useful.why_not}")
    level = one.at_load(useful.load)
    tps, mean = level.figures[THROUGHPUT.name].mean, level.figures[RESPONSE_TIME.name].mean
    figure, _, unit = run.load_name(useful.load).partition(" ")
    reached = f"{rounded(tps)} /s, response {rounded(mean)} ms"
    last = f"not at {ended}" if ended else "no higher load was measured"
    return Field((Part(Cell(figure, exact=float(useful.load)), after=unit),), ((reached, ""), (last, "")))


def _light(findings: Findings, combination: Combination) -> Field:
    levels = findings.by_path[combination.path].levels
    if not levels or not levels[0].repeats:
        return Field(reason=_why_none(findings, combination))
    mean = levels[0].figures[RESPONSE_TIME.name]
    at = f"at {findings.run.load_name(levels[0].load)}"
    return Field((Part(Cell(rounded(mean.mean), exact=mean.mean), after="ms"),), ((_range(mean), ""), (at, "")))


def _why_none(findings: Findings, combination: Combination) -> str:
    """Why a combination has no figure: the first reason of a window that does not count."""
    windows = [window for window in findings.rounds if window.combination == combination.path]
    reasons = [reason for window in windows for reason in window.reasons]
    return f"no valid window: {reasons[0]}" if reasons else "not run: no window was finished"


def _range(known: Estimate) -> str:
    if known.rounds == 1:
        return "1 round"
    between = span(known.low, known.high)
    return between if known.is_interval else f"{counted(known.rounds, 'round')}: {between}"


def _heat(findings: Findings, combination: Combination, place: Place | None, largest: Mapping[str, float]) -> Field:
    windows = findings.compared(combination)
    invalid = [window for window in windows if not window.valid]
    proof = _conformance(windows)
    lost = f"{len(invalid)} INVALID: {invalid[0].reasons[0]}" if invalid else ""
    if place is None or place.mark:
        return Field(notes=proof, reason=lost or "not run: no window was finished")
    total = findings.by_path[combination.path].at.figures.get(CPU_TIME.name)
    parts = []
    for one in place.parts(largest, tier_of):
        values = one.known(COST)
        if len(values) == len(place.windows):
            mean, most = fmean(values), largest[one.part]
            around = f" ({span(min(values), max(values))})" if len(values) > 1 else ""
            shade = DARKEST * mean / most if most else 0.0
            parts.append(Part(Cell(rounded(mean), exact=mean), f"{one.part.replace('+', ' + ')} ", around, shade))
    together = f"together {rounded(total.mean)} ({span(total.low, total.high)})" if total and len(parts) > 1 else ""
    notes = [(text, "") for text in (together, counted(len(place.windows), "round"), lost) if text]
    return Field(tuple(parts), (*notes, *proof))


def _conformance(windows: Sequence[Window]) -> tuple[tuple[str, str], ...]:
    """What the worst window says of its proof, with the style of that."""
    checks = [check for window in windows for check in window.checks if check.name == CONFORMANCE]
    for outcome, style in ((Outcome.FAILED, "failed"), (Outcome.NOT_CHECKED, "")):
        worst = next((check for check in checks if check.outcome is outcome), None)
        if worst is not None:
            return ((f"{CONFORMANCE} {outcome.value}: {worst.message}", style),)
    return ((f"{CONFORMANCE} {Outcome.PASSED.value}", "passed"),) if checks else ()


def _largest(findings: Findings, found: Iterable[Place]) -> dict[str, float]:
    """The largest mean of each tier of the platforms over all fields, as requests pass them."""
    means: dict[str, float] = {}
    for place in found:
        for one in place.parts(filter(is_platform, tier_names(place.windows)), tier_of):
            means[one.part] = max(means.get(one.part, 0.0), one.mean(COST) or 0.0)
    sequence = list(dict.fromkeys(name for one in findings.run.combinations for name in one.tiers))

    def place_of(tier: str) -> tuple[float, str]:
        first = tier.partition("+")[0]
        return (sequence.index(first) if first in sequence else math.inf, tier)

    return {tier: means[tier] for tier in sorted(means, key=place_of)}
