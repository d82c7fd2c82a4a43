"""How often reports on equal builds have a false word, and whether what a build burns lies in its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from checks.verdicts.builds import Family
from middlemark.errors import TargetError
from middlemark.records.findings import Comparison, Findings, Use
from middlemark.verdict.estimate import by_start, needed_in_start, window_variance
from middlemark.verdict.words import Word

MAX_FALSE = 0.05
MIN_COVERED = 0.9


@dataclass(frozen=True)
class OfBuild:
    """What a run says of a `build` against the original; a start counts with as many rounds as `needed`."""

    build: str
    comparison: Comparison
    needed: int


@dataclass(frozen=True)
class Report:
    """What a run says of its builds, at its highest load: `leading` by the leading figure, `others` by all others."""

    leading: tuple[OfBuild, ...]
    others: tuple[OfBuild, ...]

    def of(self, names: Sequence[str]) -> list[Comparison]:
        """The comparisons of these builds by the leading figure."""
        return [one.comparison for one in self.leading if one.build in names]


@dataclass(frozen=True)
class Count:
    """How many of `all` were of the kind that is counted."""

    of_that_kind: int
    all: int

    def __str__(self) -> str:
        """Both numbers, for people."""
        return f"{self.of_that_kind} of {self.all}"


def report_of(findings: Findings, family: Family) -> Report:
    """What a run says; TargetError where it compares other builds, or a build has no estimate."""
    subjects = {one.path: one.subject for one in findings.run.combinations}
    pairs = [one for one in findings.comparisons if one.use is Use.PAIR]
    needed = needed_in_start(findings.run.rounds)
    leading = [one for one in pairs if one.metric == findings.metric]
    compared = [(subjects[one.a], subjects[one.b]) for one in leading]
    if compared != [(family.original, name) for name in family.copies]:
        raise TargetError(f"this run compares {compared}", where=findings.folder, todo="Was it made by this check?")
    for one in leading:
        if one.not_ranked or not one.starts:
            why = one.not_ranked or "too few rounds count"
            raise TargetError(f"nothing is said of {subjects[one.b]}: {why}", where=findings.folder)
    return Report(
        tuple(OfBuild(subjects[one.b], one, needed) for one in leading),
        tuple(OfBuild(subjects[one.b], one, needed) for one in pairs if one.metric != findings.metric),
    )


def false_reports(reports: Sequence[Report], family: Family) -> Count:
    """In how many reports an equal build is said to differ by the leading figure."""
    return Count(sum(any(one.decided for one in report.of(family.equal)) for report in reports), len(reports))


def false_words(reports: Sequence[Report], family: Family) -> Count:
    """How many comparisons of equal builds have a word, by any figure."""
    every = [one for report in reports for one in (*report.leading, *report.others) if one.build in family.equal]
    return Count(sum(one.comparison.decided for one in every), len(every))


def words_of(reports: Sequence[Report], name: str) -> dict[str, int]:
    """How often a build had which word by the leading figure."""
    words = [one.word for report in reports for one in report.of((name,))]
    return {word: words.count(word) for word in dict.fromkeys(words)}


def mean_ratio(reports: Sequence[Report], name: str) -> float:
    """The figure of a build ÷ that of the original: geometric mean of all reports."""
    ratios = [one.ratio for report in reports for one in report.of((name,)) if one.ratio]
    return math.exp(fmean(map(math.log, ratios)))


def covered(reports: Sequence[Report], name: str) -> Count:
    """How many intervals of the processes cover what the build burns: its ratio over all reports."""
    truth = mean_ratio(reports, name)
    found = [(one.processes_low, one.processes_high) for report in reports for one in report.of((name,))]
    covering = [low for low, high in found if low is not None and high is not None and low <= truth <= high]
    return Count(len(covering), len(found))


def starts_apart(reports: Sequence[Report], family: Family) -> float:
    """The standard deviation of the logarithm between starts of equal builds, less what windows give to it."""
    equal = [one for report in reports for one in report.leading if one.build in family.equal]
    return math.sqrt(max(0.0, fmean(map(_variance_of_start, equal))) / 2)


def lines(reports: Sequence[Report], family: Family) -> Iterator[str]:
    """Yield what the reports say together."""
    if family.equal:
        yield f"reports with a word on equal builds: {false_reports(reports, family)} (at most {MAX_FALSE:.0%})"
        yield f"comparisons of equal builds with a word, all figures: {false_words(reports, family)}"
        yield f"spread between starts of equal builds: {100 * starts_apart(reports, family):.1f} %"
    for name in (*family.burning, *family.slow):
        words = ", ".join(f"{word} {count}" for word, count in words_of(reports, name).items())
        yield f"{name}: {words}; figure ÷ that of the original {mean_ratio(reports, name):.3f}"
    for name in family.burning:
        yield f"{name}: its ratio lies in the interval of these processes {covered(reports, name)} times"


def is_met(reports: Sequence[Report], family: Family) -> bool:
    """Whether no more words are false, and no fewer intervals right, than the kit promises."""
    false = false_reports(reports, family)
    right = [covered(reports, name) for name in family.burning]
    return (
        false.of_that_kind <= MAX_FALSE * false.all
        and all(one.of_that_kind >= MIN_COVERED * one.all for one in right)
        and not any(Word.SLOWER in words_of(reports, name) for name in family.slow)
    )


def interval_text(one: OfBuild) -> str:
    """One comparison for people, with the interval of its processes."""
    low, high = one.comparison.processes_low, one.comparison.processes_high
    processes = "unknown" if low is None or high is None else f"{100 * (low - 1):+.1f} … {100 * (high - 1):+.1f} %"
    return f"{one.build}: {one.comparison.verdict}; these processes {processes}"


def _variance_of_start(one: OfBuild) -> float:
    starts = by_start(one.comparison.rounds, one.needed)
    window = window_variance(starts)
    return fmean(fmean(logs) ** 2 for logs in starts) - (window[0] if window else 0.0)
