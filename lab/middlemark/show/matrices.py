"""The pivot tables of a report: contents by subject, tiers by who runs them, and how many times faster at each load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from middlemark.records.choices import SESSION, tier_run
from middlemark.records.figures import CPU_TIME, RESPONSE_TIME, THROUGHPUT
from middlemark.records.findings import CombinationFinding, Comparison, Estimate, Findings, Level, Use
from middlemark.records.naming import choice_text
from middlemark.records.placement import is_platform
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, LeftOut, Run
from middlemark.records.window import Window
from middlemark.show.pivot import Field, Part, Settings, pivots
from middlemark.show.ratios import efficiencies
from middlemark.show.tables import Cell, Heading, Text, rounded, span
from middlemark.wording import counted

CONFORMANCE = "conformance"
DARKEST = 45
"""Shade of the largest figure in %; text is read on it in both themes."""
Item = Combination | LeftOut


def contents(findings: Findings) -> Iterator[object]:
    """Yield the matrices of a specification with an efficiency: peaks, useful peaks and times at light load."""
    run = findings.run
    efficiency = run.specification.efficiency
    if efficiency is None or not run.combinations:
        return
    layout = _Layout(run, tuple(efficiency.reference))
    reference, row = " ".join(efficiency.reference.values()), " and ".join(efficiency.reference)
    yield Heading(f"Highest throughput of each {row} on each subject", id="matrix")
    yield Text(
        "Each at its own peak: the load with the highest mean throughput over the rounds that count. Below it the 95 % "
        "interval of the mean (with fewer than three rounds the lowest and the highest), the load (at the highest load "
        "the true peak may lie beyond; ≥ where a load next to it does not count), the mean response time and the mean "
        f"answer. The bar is the {efficiency.name} request efficiency: the rate as a share of that of {reference} on "
        "the same subject. Between subjects the absolute rate counts, and nothing is ranked by efficiency."
    )
    at_peak = {
        one.b: one for one in findings.comparisons if one.use is Use.REFERENCE_AT_PEAK and one.metric != "mean_ms"
    }
    yield from layout.pivots(lambda one: _peak(findings, one, at_peak.get(one.path), reference))
    yield from efficiencies(findings, efficiency.name, reference)
    yield Heading("Useful peak", id="useful")
    yield Text(
        "The highest load up to which all clients were served equally, without errors and in acceptable time, shown by "
        "enough rounds that count; then what ends it, or why more is not known."
    )
    yield from layout.pivots(lambda one: _useful(findings, one), brief=True)
    yield Heading("At light load", id="light")
    yield Text(
        "Mean response time at the lowest load. The response time of a page at light load ≈ this + the application's "
        "own time."
    )
    yield from layout.pivots(lambda one: _light(findings, one), brief=True)


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
    largest = _largest(findings)

    def title(one: Item) -> str:
        named = [choice_text(each, one.modes[each]) for each in others if each in one.modes]
        return ", ".join(named) or f"CPU-ms per {run.specification.unit}"

    def row(one: Item) -> str:
        return f"{tier} of {one.modes.get(choice, one.subject)}"

    def column(one: Item) -> str:
        return f"{behind or 'the others'} of {one.subject}"

    scale = ", ".join(f"{name.replace('+', ' + ')} {rounded(most)} ms" for name, most in largest.items())
    heading = (
        f"CPU time per {run.specification.unit} of each tier, by who runs {tier} and who runs {behind or 'the others'}"
    )
    yield Heading(heading, findings.shared, "heat")
    yield Text(
        f"Milliseconds per {run.specification.unit} at {findings.at}: the mean of the rounds that count, with ± half "
        "of its 95 % interval (with fewer than three rounds the lowest and the highest). The darker, the more of the "
        f"largest figure of that tier ({scale}). Two fields differ for certain only where a comparison of this report "
        "says so."
    )
    missing = {(title(one), row(one), column(one)): f"not offered: {one.reason}" for one in run.left_out}
    settings = Settings[Combination](row, column, title, lambda own: _heat(findings, own[0], largest), missing)
    yield from pivots(run.combinations, settings)


class _Layout:
    """Rows by the choices of a reference, columns by subject; a table for each set of the other choices.

    A choice that a row or a subject always makes alike, as a session that needs a mode, makes no table of its own.
    """

    def __init__(self, run: Run, keys: tuple[str, ...]) -> None:
        self._run, self._keys = run, keys
        choices = dict.fromkeys(choice for one in run.combinations for choice in one.modes)
        differing = [one for one in choices if one not in keys and _differs(run.combinations, one)]
        self._of_rows = [one for one in differing if self._follows(one, self._row)]
        self._apart = [one for one in differing if one not in self._of_rows and not self._follows(one, _subject)]
        self._notes = {self._row(one): self._words(one, self._of_rows) for one in run.combinations}

    def pivots(self, field: Callable[[Combination], Field], *, brief: bool = False) -> Iterator[object]:
        """Yield the tables; `brief`: why a field is empty stands in another one."""
        missing: dict[tuple[str, str, str], str] = {}
        for one in self._run.left_out:
            if one.subject:
                reason = "not offered" if brief else f"not offered: {one.reason}"
                for title in dict.fromkeys(map(self._title, self._run.combinations)):
                    missing.setdefault((title, self._row(one), one.subject), reason)
        rows = sorted({*map(self._row, self._run.combinations), *(row for _, row, _ in missing)}, key=self._place)
        settings = Settings[Combination](
            self._row,
            _subject,
            self._title,
            lambda own: field(own[0]),
            missing,
            "not run" if brief else "not run: not part of this run",
            lambda row: self._notes.get(row, ""),
            tuple(rows),
        )
        yield from pivots(self._run.combinations, settings)

    def _row(self, one: Item) -> str:
        values = {SESSION: self._run.session, **one.modes}
        return " ".join(values.get(key, "default") for key in self._keys)

    def _place(self, row: str) -> int:
        """Sessions in the order of the run, everything else as it comes."""
        return self._run.sessions.index(row) if row in self._run.sessions else len(self._run.sessions)

    def _title(self, one: Item) -> str:
        return self._words(one, self._apart) or "At the peak of each"

    def _words(self, one: Item, choices: Iterable[str]) -> str:
        return ", ".join(choice_text(choice, one.modes[choice]) for choice in choices if choice in one.modes)

    def _follows(self, choice: str, of: Callable[[Combination], str]) -> bool:
        """Whether what a combination chose follows from another property of it."""
        seen: dict[str, str | None] = {}
        every = self._run.combinations
        return all(seen.setdefault(of(one), one.modes.get(choice)) == one.modes.get(choice) for one in every)


def _subject(one: Item) -> str:
    return one.subject


def _differs(items: Sequence[Item], choice: str) -> bool:
    return len({one.modes.get(choice) for one in items}) > 1


def _best(one: CombinationFinding) -> Level | None:
    level = one.at_load(one.peak.load)
    return level if one.peak.load is not None and level.repeats else None


def _peak(findings: Findings, combination: Combination, relative: Comparison | None, reference: str) -> Field:
    one = findings.by_path[combination.path]
    level = _best(one)
    if level is None:
        return Field(reason=_why_none(findings, combination))
    tps, mean = level.figures[THROUGHPUT.name], level.figures[RESPONSE_TIME.name]
    beyond = " (highest load)" if "may lie beyond" in one.peak.remark else ""
    sizes = [w.mean_body_bytes for w in findings.valid(combination, level.load) if w.mean_body_bytes is not None]
    size = f"{fmean(sizes):,.0f} B" if sizes else "bytes not counted"
    notes = [
        _range(tps),
        f"at {findings.run.load_name(level.load)}{beyond}",
        *([f"no peak: {one.peak.hidden}"] if one.peak.hidden else []),
        f"{rounded(mean.mean)} ms · {size}",
    ]
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
    return between if known.is_interval else f"{known.rounds} rounds: {between}"


def _heat(findings: Findings, combination: Combination, largest: Mapping[str, float]) -> Field:
    windows = findings.compared(combination)
    valid = [window for window in windows if window.valid]
    invalid = [window for window in windows if not window.valid]
    proof = _conformance(windows)
    lost = [(f"{len(invalid)} INVALID: {invalid[0].reasons[0]}", "")] if invalid else []
    if not valid:
        reason = lost[0][0] if lost else "not run: no window was finished"
        return Field(notes=(*proof,), reason=reason)
    total = findings.by_path[combination.path].at.figures.get(CPU_TIME.name)
    parts = []
    for tier, most in largest.items():
        values = [window.tiers[tier].cpu_ms_per_transaction for window in valid if tier in window.tiers]
        if len(values) == len(valid):
            mean = fmean(values)
            shade = DARKEST * mean / most if most else 0.0
            name = tier.replace("+", " + ")
            parts.append(Part(Cell(rounded(mean), exact=mean), f"{name} ", _around(values), shade))
    together = (
        [(f"together {rounded(total.mean)} ({span(total.low, total.high)})", "")] if total and len(parts) > 1 else []
    )
    notes = [*together, (counted(len(valid), "round"), ""), *lost, *proof]
    return Field(tuple(parts), tuple(notes))


def _around(values: Sequence[float]) -> str:
    return f" ({span(min(values), max(values))})" if len(values) > 1 else ""


def _conformance(windows: Sequence[Window]) -> list[tuple[str, str]]:
    """What the worst window says of its proof, with the style of that."""
    checks = [check for window in windows for check in window.checks if check.name == CONFORMANCE]
    for outcome, style in ((Outcome.FAILED, "failed"), (Outcome.NOT_CHECKED, "")):
        worst = next((check for check in checks if check.outcome is outcome), None)
        if worst is not None:
            return [(f"{CONFORMANCE} {outcome.value}: {worst.message}", style)]
    return [(f"{CONFORMANCE} {Outcome.PASSED.value}", "passed")] if checks else []


def _largest(findings: Findings) -> dict[str, float]:
    """The largest mean of each tier of the platforms over all fields, as requests pass them."""
    found: dict[str, float] = {}
    sequence = list(dict.fromkeys(name for one in findings.run.combinations for name in one.tiers))
    for combination in findings.run.combinations:
        valid = findings.valid(combination, findings.run.top_load(combination))
        for tier in dict.fromkeys(name for window in valid for name in window.tiers if is_platform(name)):
            values = [window.tiers[tier].cpu_ms_per_transaction for window in valid if tier in window.tiers]
            found[tier] = max(found.get(tier, 0.0), fmean(values))

    def place(tier: str) -> tuple[float, str]:
        first = tier.partition("+")[0]
        return (sequence.index(first) if first in sequence else math.inf, tier)

    return {tier: found[tier] for tier in sorted(found, key=place)}
