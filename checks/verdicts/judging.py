"""How often reports on equal builds have a false word, and whether what a build burns lies in its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from checks.verdicts.builds import Family
from middlemark.errors import TargetError
from middlemark.records.folder import Result
from middlemark.records.run import Combination
from middlemark.verdict.estimate import Comparison, Interval, LogRatio, by_start, window_variance
from middlemark.verdict.metrics import leading
from middlemark.verdict.pairwise import PairwiseComparison, all_pairwise_comparisons
from middlemark.verdict.words import Word

MAX_FALSE = 0.05
MIN_COVERED = 0.9


@dataclass(frozen=True)
class Report:
    """What a run says of its builds, each against the original, at its highest load: `leading` by the leading metric.

    `others` are the comparisons by all other metrics.
    """

    leading: tuple[PairwiseComparison, ...]
    others: tuple[PairwiseComparison, ...]

    def of(self, names: Sequence[str]) -> list[PairwiseComparison]:
        """Return the comparisons of these builds by the leading metric."""
        return [one for one in self.leading if one.b.subject in names]


@dataclass(frozen=True)
class Count:
    """How many of `all` were of the kind that is counted."""

    of_that_kind: int
    all: int

    def __str__(self) -> str:
        """Both numbers, for people."""
        return f"{self.of_that_kind} of {self.all}"


def report_of(result: Result, family: Family) -> Report:
    """Return what a run says; TargetError where it compares other builds, or a build has no estimate."""
    by_metric = all_pairwise_comparisons(result)
    first = leading(result.run.specification).name
    others = tuple(one for name, every in by_metric.items() if name != first for one in every)
    report = Report(tuple(by_metric[first]), others)
    found = [_names(one.a, one.b) for one in report.leading]
    if found != [(family.original, name) for name in family.copies]:
        raise TargetError(f"this run compares {found}", where=str(result.folder), todo="Was it made by this check?")
    for one in report.leading:
        if one.not_ranked or one.comparison.estimate is None:
            why = one.not_ranked or "too few rounds count"
            raise TargetError(f"nothing is said of {one.b.subject}: {why}", where=str(result.folder))
    return report


def false_reports(reports: Sequence[Report], family: Family) -> Count:
    """Return in how many reports an equal build is said to differ by the leading metric."""
    return Count(sum(any(one.decided for one in report.of(family.equal)) for report in reports), len(reports))


def false_words(reports: Sequence[Report], family: Family) -> Count:
    """Return how many comparisons of equal builds have a word, by any metric."""
    every = [one for report in reports for one in (*report.leading, *report.others) if one.b.subject in family.equal]
    return Count(sum(one.decided for one in every), len(every))


def words_of(reports: Sequence[Report], name: str) -> dict[Word, int]:
    """Return how often a build had which word by the leading metric."""
    words = [one.judgement.word for report in reports for one in report.of((name,))]
    return {word: words.count(word) for word in dict.fromkeys(words)}


def mean_ratio(reports: Sequence[Report], name: str) -> float:
    """Return the figure of a build ÷ that of the original: geometric mean of all reports."""
    return math.exp(fmean(_estimate(one).log for report in reports for one in report.of((name,))))


def covered(reports: Sequence[Report], name: str) -> Count:
    """Return how many intervals of the processes cover what the build burns: its ratio over all reports."""
    truth = mean_ratio(reports, name)
    found = [_estimate(one).of_processes() for report in reports for one in report.of((name,))]
    return Count(sum(one is not None and one.low <= truth <= one.high for one in found), len(found))


def starts_apart(reports: Sequence[Report], family: Family) -> float:
    """Return the standard deviation of the logarithm between starts of equal builds, less what windows give to it."""
    beyond = [_variance_of_start(one.comparison) for report in reports for one in report.of(family.equal)]
    return math.sqrt(max(0.0, fmean(beyond)) / 2)


def lines(reports: Sequence[Report], family: Family) -> Iterator[str]:
    """Yield what the reports say together."""
    if family.equal:
        yield f"reports with a word on equal builds: {false_reports(reports, family)} (at most {MAX_FALSE:.0%})"
        yield f"comparisons of equal builds with a word, all metrics: {false_words(reports, family)}"
        yield f"spread between starts of equal builds: {100 * starts_apart(reports, family):.1f} %"
    for name in (*family.burning, *family.slow):
        words = ", ".join(f"{word.value} {count}" for word, count in words_of(reports, name).items())
        yield f"{name}: {words}; figure ÷ that of the original {mean_ratio(reports, name):.3f}"
    for name in family.burning:
        yield f"{name}: its ratio lies in the interval of these processes {covered(reports, name)} times"


def is_met(reports: Sequence[Report], family: Family) -> bool:
    """Tell whether no more words are false, and no fewer intervals right, than the kit promises."""
    false = false_reports(reports, family)
    right = [covered(reports, name) for name in family.burning]
    return (
        false.of_that_kind <= MAX_FALSE * false.all
        and all(one.of_that_kind >= MIN_COVERED * one.all for one in right)
        and not any(Word.SLOWER in words_of(reports, name) for name in family.slow)
    )


def interval_text(one: PairwiseComparison) -> str:
    """One comparison for people, with the interval of its processes."""
    processes = _estimate(one).of_processes()
    return f"{one.b.subject}: {one.judgement.verdict}; these processes {_percent(processes)}"


def _percent(interval: Interval | None) -> str:
    return "unknown" if interval is None else f"{100 * (interval.low - 1):+.1f} … {100 * (interval.high - 1):+.1f} %"


def _variance_of_start(comparison: Comparison) -> float:
    starts = by_start(comparison.rounds, comparison.terms.needed)
    window = window_variance(starts)
    return fmean(fmean(logs) ** 2 for logs in starts) - (window[0] if window else 0.0)


def _estimate(one: PairwiseComparison) -> LogRatio:
    assert one.comparison.estimate is not None  # noqa: S101 (for the type checker: report_of has seen it)
    return one.comparison.estimate


def _names(a: Combination, b: Combination) -> tuple[str, str]:
    return a.subject, b.subject
