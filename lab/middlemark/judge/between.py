"""Compares the results of separate runs: a word follows only where the spread between runs is known."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from middlemark.errors import InputError
from middlemark.judge.answer import LeadingFigure
from middlemark.judge.groups import circumstances, unequal
from middlemark.records.between import Between, BetweenRuns, DifferingValue, RunSpread, letter
from middlemark.records.figures import BY_NAME, COMPARED, Better, Figure, leading
from middlemark.records.findings import Findings
from middlemark.records.run import Combination, Load, Run
from middlemark.verdict.estimate import Interval, LogRatio, Ratio, Terms
from middlemark.verdict.words import DECIDED, Word, judge
from middlemark.wording import counted

FIELDS = (
    "spec", "spec_version", "scales", "sessions", "think", "load_unit", "placement", "phases", "rounds", "repeats",
    "seed", "profile", "commit", "changed", "versions", "inputs", "requested",
)  # fmt: skip
# Other figures are then no sign of another build. Kernel and libraries may be what is compared.
PREVENTS = {
    "spec",
    "spec_version",
    "scales",
    "sessions",
    "think",
    "load_unit",
    "placement",
    "cpu",
    "cpus",
    "memory_mib",
}
UNKNOWN = "spread between runs unknown"
MAX_DIGITS = 16
# Of one build three runs; two alone say next to nothing.
MIN_DEGREES = 2
# More than these make a sentence too long to read.
MAX_NAMED = 3

Spreads = Callable[[Run, str], RunSpread | None]
"""The spread between runs of a subject on the machine of a run; None where it is not known."""


def compare_results(results: Sequence[Findings], spread_of: Spreads) -> Between:
    """Compare each result with the first one.

    Raises InputError for fewer than two, for a run with faults, and where no combination is in two of them.
    """
    _check(results)
    differing, metric = _differing(results), leading(results[0].run.specification)
    prevents = [one.what for one in differing if one.prevents]
    found: list[tuple[BetweenRuns, LogRatio]] = []
    not_compared = []
    for place, combination in itertools.product(range(1, len(results)), results[0].run.combinations):
        loads = _loads(results[0], results[place], combination)
        if isinstance(loads, str):
            not_compared.append(loads)
            continue
        spread = spread_of(results[0].run, combination.subject)
        for figure in dict.fromkeys([metric, *COMPARED]):
            pair = _pair(
                (results[0], results[place]), combination, loads, (figure, spread if figure is metric else None)
            )
            if pair is not None:
                found.append((pair[0].model_copy(update={"run": place}), pair[1]))
    words = [one for one in found if one[0].metric == metric.name]
    compared = _judged(words, metric, "the results are not comparable" if prevents else "")
    others = [record for record, _ in found if record.metric != metric.name]
    answer = f"The results are not comparable: they differ in {', '.join(prevents)}." if prevents else ""
    if not found and not answer:
        answer = f"Nothing could be compared: {'; '.join(not_compared)}."
    return Between(
        results=tuple(results),
        differing=tuple(differing),
        compared=(*compared, *others),
        not_compared=tuple(not_compared),
        metric=metric.name,
        same_build=all(one.run.inputs == results[0].run.inputs for one in results[1:]),
        answer=answer or _answer(results, compared),
    )


def slower_by(found: Between, share: float) -> list[BetweenRuns]:
    """The comparisons in which a run is slower than A by more than a share for certain, by the figure that leads."""
    known = [(one, one.low, one.high) for one in found.leading() if one.decided]
    costs = BY_NAME[found.metric].costs
    return [one for one, low, high in known if low and high and (low if costs else 1 / high) > 1 + share]


def _check(results: Sequence[Findings]) -> None:
    if len(results) < 2:
        raise InputError("one result has nothing to be compared with", where="RESULT", todo="Give two or more")
    for one in results:
        if one.run.faults:
            todo = "Give results of runs without faults"
            raise InputError("a run with faults has no figures to compare", where=one.folder, todo=todo)
    twice = [name for name, number in Counter(one.folder for one in results).items() if number > 1]
    if twice:
        todo = "Give each result once; results are told apart by the names of their folders"
        raise InputError("two results have this name", where=twice[0], todo=todo)
    first = results[0].run.combinations
    if not any(combination in one.run.combinations for one in results[1:] for combination in first):
        raise InputError(
            "no combination of this result is in another one",
            where=results[0].folder,
            todo=f"Give results of the same experiment; this one has {', '.join(one.label for one in first)}",
        )


def _differing(results: Sequence[Findings]) -> list[DifferingValue]:
    """In what the results differ from the first one, that which prevents a comparison first."""
    values: dict[tuple[str, str, str], list[str]] = {}
    runs = [one.run for one in results]
    for place, run in enumerate(runs[1:], 1):
        for one in differences(runs[0], run, FIELDS):
            of_all = values.setdefault((one.field, one.what, one.key), [_value(one.old, "as in A")] * len(runs))
            of_all[0], of_all[place] = _value(one.old, "its own"), _value(one.new, "another")
    validity = tuple("valid" if one.run_is_valid else one.status or "not valid" for one in results)
    invalid = {*validity} != {"valid"}
    found = [DifferingValue(what="validity of the runs", values=validity, prevents=True)] if invalid else []
    found += [
        DifferingValue(what=f"{what}: {key}" if key else what, values=tuple(texts), prevents=field in PREVENTS)
        for (field, what, key), texts in values.items()
    ]
    return sorted(found, key=lambda one: not one.prevents)


def _value(text: str, otherwise: str) -> str:
    is_digest = len(text) >= 2 * MAX_DIGITS and not set(text) - set("0123456789abcdef")
    return (text[:MAX_DIGITS] if is_digest else text) or otherwise


def _loads(a: Findings, b: Findings, combination: Combination) -> tuple[Load, Load] | str:
    """The loads at which two runs compare a combination: peaks of searches, else the highest of both; or why not."""
    name, other = a.name(combination.path), next((one for one in b.run.combinations if one == combination), None)
    if other is None:
        return f"{name} is not in {b.folder}"
    if unlike := unequal(circumstances(a, combination), circumstances(b, other)):
        return f"{name} in {b.folder}: {', '.join(unlike)}"
    one, two = a.by_path[combination.path], b.by_path[combination.path]
    if a.run.searched and one.at.repeats and two.at.repeats:
        return one.load, two.load
    both = {level.load for level in one.levels if level.repeats} & {level.load for level in two.levels if level.repeats}
    if a.run.searched or not both:
        return f"{name} in {b.folder}: no load at which both have rounds that count"
    return max(both), max(both)


def _pair(
    results: tuple[Findings, Findings],
    combination: Combination,
    loads: tuple[Load, Load],
    by: tuple[Figure, RunSpread | None],
) -> tuple[BetweenRuns, LogRatio] | None:
    """A figure of a combination in both runs, `run` to be filled in; None where one has none of it above zero.

    The interval is that of the builds where the spread is known, else that of the runs alone.
    """
    sides, (figure, spread) = [], by
    for one, load in zip(results, loads, strict=True):
        known = one.by_path[combination.path].at_load(load).figures.get(figure.name)
        starts: dict[int, list[float]] = {}
        for window in one.valid(combination, load):
            starts.setdefault(one.run.start_of(window.repeat), []).append(figure.of(window))
        if known is None or any(not value > 0 for values in starts.values() for value in values):
            return None
        sides.append((known, [[math.log(value) for value in values] for values in starts.values()]))
    (a, logs_a), (b, logs_b) = sides
    log = fmean(map(fmean, logs_b)) - fmean(map(fmean, logs_a))
    rests = [one.by_path[combination.path].remaining_change if figure.warms else 0.0 for one in results]
    up, down = rests if figure.better is Better.LOWER else rests[::-1]
    processes = _error(_variance(logs_a), _variance(logs_b))
    platforms = None if spread is None else (spread.sigma * math.sqrt(2), float(spread.degrees))
    if platforms and processes and processes[0] > platforms[0]:
        # Runs of longer windows, or quieter ones, made the ledger: it must not hide how far these windows scatter.
        platforms = processes[0], min(platforms[1], processes[1])
    estimate = LogRatio(log, 2, platforms, processes, up, down)
    record = BetweenRuns(
        combination=combination.path,
        name=results[0].name(combination.path),
        metric=figure.name,
        run=0,
        load=loads[0],
        a=a,
        b=b,
        ratio=math.exp(log),
        spread=spread,
        **_ends(estimate.interval() or estimate.of_processes()),
    )
    return record, estimate


def _variance(starts: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Variance of the mean of a run, with its degrees of freedom: between its starts, of one start between windows."""
    values = [fmean(logs) for logs in starts] if len(starts) > 1 else list(starts[0])
    return (variance(values) / len(values), len(values) - 1) if len(values) > 1 else (math.nan, 0)


def _error(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, float] | None:
    """Standard error of a difference with its degrees of freedom (Welch, 1947); None where a side has one value."""
    if not (a[1] and b[1]):
        return None
    total = a[0] + b[0]
    below = a[0] ** 2 / a[1] + b[0] ** 2 / b[1]
    return math.sqrt(total), total**2 / below if below else float(a[1] + b[1])


def _ends(ends: Interval | None) -> dict[str, float | None]:
    return {"low": ends.low if ends else None, "high": ends.high if ends else None}


def _judged(pairs: Sequence[tuple[BetweenRuns, LogRatio]], metric: Figure, prevented: str) -> list[BetweenRuns]:
    """Words for the comparisons whose spread is known, corrected by Holm; the others say why they have none."""
    terms = Terms(metric.better, needed=2)
    judged: list[BetweenRuns] = []
    changes: dict[str, object]
    found = judge([Ratio((), record.ratio, estimate, terms) for record, estimate in pairs])
    for (record, _), one in zip(pairs, found, strict=True):
        if prevented or one.interval is None:
            changes = {"word": Word.UNDECIDED.value, "verdict": Word.UNDECIDED.value, "reason": prevented or UNKNOWN}
        else:
            decided = one.word in DECIDED
            changes = {"word": one.word.value, "verdict": one.verdict, "decided": decided, **_ends(one.interval)}
        judged.append(record.model_copy(update=changes))
    return judged


def _answer(results: Sequence[Findings], compared: Sequence[BetweenRuns]) -> str:
    of = LeadingFigure(results[0].run)
    if len(compared) == 1:
        return f"{_sentence(compared[0], of)}."
    decided = [one for one in compared if one.decided]
    equal = sum(one.word == Word.EQUAL for one in compared)
    undecided = [one for one in compared if not one.decided and one.word != Word.EQUAL]
    parts = [f"{one.name} of run {letter(one.run)} is {one.verdict}" for one in decided]
    parts += [f"{equal} of {counted(len(compared), 'comparison')} equal within 5 %"] if equal else []
    named = ", ".join(f"{one.name} of run {letter(one.run)} {_times(one)}" for one in undecided)
    few = named if len(undecided) <= MAX_NAMED else f"{len(undecided)} of {counted(len(compared), 'comparison')}"
    why = next((f" ({one.reason})" for one in undecided if one.reason), "")
    if not parts:
        return f"Cannot tell whether the {of.name} differs from that of run A: {few}{why}."
    parts += [f"cannot tell: {few}{why}"] if undecided else []
    return f"By {of.name}: {'; '.join(parts)}."


def _times(one: BetweenRuns) -> str:
    return f"{one.ratio:.2f} times" if one.low is None else f"{one.low:.2f} to {one.high:.2f} times"


def _sentence(one: BetweenRuns, of: LeadingFigure) -> str:
    times, verb = _times(one), of.verb(phrase=False)
    who = f"{one.name} of run {letter(one.run)}"
    if one.decided:
        return f"{who} {verb} {times} the {of.what} of run A"
    if one.word == Word.EQUAL:
        return f"{who} {verb} as {of.much} {of.what} as run A, within 5 %"
    return f"Cannot tell whether {who} differs from run A: {times} ({one.reason or 'the runs differ too much'})"


def run_spread(levels: Mapping[str, Mapping[str, Mapping[str, float]]]) -> RunSpread | None:
    """The spread between runs from what they have shown; None with fewer than three runs of one build.

    `levels` has, by build and run, the leading figure of each place of a subject. Places of a run share it, and so add
    no degrees of freedom.
    """
    squares, degrees, runs = 0.0, 0, 0
    for by_run in levels.values():
        common = set.intersection(*(set(places) for places in by_run.values())) if by_run else set()
        if len(by_run) < 2 or not common:
            continue
        logs = [[math.log(places[place]) for places in by_run.values()] for place in sorted(common)]
        squares += fmean(variance(values) for values in logs) * (len(by_run) - 1)
        degrees, runs = degrees + len(by_run) - 1, runs + len(by_run)
    if degrees < MIN_DEGREES:
        return None
    return RunSpread(sigma=math.sqrt(squares / degrees), degrees=degrees, runs=runs)


OF_THE_MACHINE = ("system", "kernel", "cpu", "cpus", "limits", "kernel_settings")
NAMES = {
    "repeats": "rounds of all starts",
    "rounds": "rounds of a start",
    "requested": "the experiment with its options",
    "changed": "the files that are in no commit",
    "spec": "the specification",
    "specification": "what its spec.toml has",
    "spec_version": "the version of the specification",
    "load_unit": "the unit of the loads",
    "think": "the think time",
    "placement": "the CPUs of the roles",
    "cpu": "the machine's CPU",
    "cpus": "the number of CPUs that may be used",
    "limits": "limits of processes",
    "kernel_settings": "settings of the kernel",
    "memory_mib": "the memory of the machine",
}
# The system keeps a little of the memory for itself, and not the same after each start.
MEMORY_TOLERANCE = 0.01


@dataclass(frozen=True)
class Difference:
    """A field in which two runs differ, of a mapping one `key` of it; `old` and `new` where these are short texts."""

    field: str
    key: str = ""
    old: str = ""
    new: str = ""

    @property
    def what(self) -> str:
        """The field in words."""
        return NAMES.get(self.field, self.field)


def differences(before: Run, after: Run, fields: Sequence[str]) -> Iterator[Difference]:
    """Yield the differences in these fields of two runs, then those of their machines."""
    for name in fields:
        yield from _different(name, getattr(before, name), getattr(after, name))
    for name in OF_THE_MACHINE:
        yield from _different(name, getattr(before.host, name), getattr(after.host, name))
    memory = before.host.memory_mib, after.host.memory_mib
    if not math.isclose(*memory, rel_tol=MEMORY_TOLERANCE):
        yield Difference("memory_mib", old=f"{memory[0]} MiB", new=f"{memory[1]} MiB")


def _different(name: str, old: object, new: object) -> Iterator[Difference]:
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                yield Difference(name, str(key), _short(old.get(key)), _short(new.get(key)))
    elif name == "requested":
        yield Difference(name)
    else:
        yield Difference(name, old=_short(old), new=_short(new))


def _short(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) else ""
