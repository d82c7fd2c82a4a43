"""How two sides compare over starts and rounds: their ratio, its interval, and the figures that a word follows from.

Two levels of chance: windows differ within a start, and starts of one and the same program differ from each other.
Sources: Kalibera and Jones, Rigorous benchmarking in reasonable time (2013), for the two levels; Smyth, Linear models
and empirical Bayes methods (2004), for a variance that is partly known before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from middlemark.records.figures import Better
from middlemark.records.findings import Round, Spread
from middlemark.verdict.student import t_quantile, tail_probability

LEVEL = 0.05
# A start of more than three rounds may lose some, but not all but two; one of two or three may lose one.
MIN_ROUNDS = 3
# A difference that needs more starts than these is not worth the promise.
MAX_MORE_STARTS = 30


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a ratio."""

    low: float
    high: float


UNKNOWN = Spread(0.0, 0.0)


@dataclass(frozen=True)
class Prior:
    """What is known of a side beside its windows: the spread between its starts, and by how much it may still change.

    `rest`: by how much the logarithm of its cost may still fall, or of its rate rise; 0 for a warm side.
    """

    spread: Spread = UNKNOWN
    rest: float = 0.0


@dataclass(frozen=True)
class Terms:
    """How two sides are compared: which value is better, what is known of each, and with how many rounds of a start.

    A start in which fewer rounds have both sides does not count.
    """

    better: Better = Better.HIGHER
    a: Prior = Prior()
    b: Prior = Prior()
    needed: int = 1


@dataclass(frozen=True)
class LogRatio:
    """The logarithm of a ratio: its standard error over starts (`platforms`) and windows only (`processes`).

    Each error has its degrees of freedom; None where there is nothing to tell it from. `up` and `down` are by how much
    the logarithm may still rise and fall as a side becomes warm. `starts` counts those that count.
    """

    log: float
    starts: int
    platforms: tuple[float, float] | None
    processes: tuple[float, float] | None
    up: float = 0.0
    down: float = 0.0

    def interval(self, level: float = LEVEL) -> Interval | None:
        """Interval of the ratio of the platforms, wide enough for what a side may still change."""
        if self.platforms is None:
            return None
        half = t_quantile(1 - level, self.platforms[1]) * self.platforms[0]
        return Interval(_exp(self.log - half - self.down), _exp(self.log + half + self.up))

    def of_processes(self, level: float = LEVEL) -> Interval | None:
        """Interval of the ratio of the processes that were measured, as they were: not that of the next start."""
        if self.processes is None:
            return None
        half = t_quantile(1 - level, self.processes[1]) * self.processes[0]
        return Interval(_exp(self.log - half), _exp(self.log + half))

    def p_value(self, *, rests: bool = True) -> float | None:
        """Probability that equal sides lie at least that far apart, beyond what the slower one may still gain.

        `rests` False: as if both were warm.
        """
        if self.platforms is None:
            return None
        error, degrees = self.platforms
        gain = (self.down if self.log > 0 else self.up) if rests else 0.0
        apart = max(0.0, abs(self.log) - gain)
        if error == 0:
            return 0.0 if apart else 1.0
        return tail_probability(apart / error, degrees)

    def more_starts(self, level: float) -> int | None:
        """How many more starts would decide a difference of this size; None for more than can be promised."""
        if self.platforms is None:
            return None
        error, degrees = self.platforms
        apart = abs(self.log) - (self.down if self.log > 0 else self.up)
        if error == 0:
            return None
        for more in range(1, MAX_MORE_STARTS + 1):
            shrunk = error * math.sqrt(self.starts / (self.starts + more))
            if apart > 0 and tail_probability(apart / shrunk, degrees + more) < level:
                return more
        return None


@dataclass(frozen=True)
class Ratio:
    """B ÷ A over rounds. `ratio` is the geometric mean, of the rounds of a start and then of the starts.

    `interval` is the 95 % interval of the platforms. It and the estimate are None where too few rounds have both sides.
    """

    rounds: tuple[Round, ...]
    ratio: float | None
    estimate: LogRatio | None
    terms: Terms = Terms()

    @property
    def is_enough(self) -> bool:
        """Whether there are rounds enough: starts of one round each leave the spread of windows to the starts."""
        return self.estimate is not None and (self.terms.needed > 1 or self.estimate.starts >= MIN_ROUNDS)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the platforms."""
        return self.estimate.interval() if self.estimate and self.is_enough else None


def compare(rounds: Sequence[Round], terms: Terms | None = None) -> Ratio:
    """How the sides compare; without `terms` nothing is known of them but the rounds.

    Raises:
        ValueError: a figure is not above zero, so that it has no ratio.
    """
    terms = terms or Terms()
    if any(not (one.a > 0 and one.b > 0) for one in rounds):
        raise ValueError("a ratio needs figures above zero")
    if not rounds:
        return Ratio((), None, None, terms)
    starts = by_start(rounds, terms.needed)
    estimate = estimated(starts, terms) if starts else None
    log = estimate.log if estimate else fmean(fmean(logs) for logs in by_start(rounds, 1))
    return Ratio(tuple(rounds), _exp(log), estimate, terms)


def by_start(rounds: Sequence[Round], needed: int) -> list[list[float]]:
    """Log ratios of every start that has as many rounds as needed."""
    starts: dict[int, list[float]] = {}
    for one in rounds:
        # Logarithms are subtracted, not those of ratios taken: equal figures give exactly 0 at any size.
        starts.setdefault(one.start, []).append(math.log(one.b) - math.log(one.a))
    return [logs for logs in starts.values() if len(logs) >= needed]


def needed_in_start(rounds: int) -> int:
    """How many of the rounds of a start both sides must have."""
    return min(rounds, MIN_ROUNDS if rounds > MIN_ROUNDS else MIN_ROUNDS - 1)


def estimated(starts: Sequence[Sequence[float]], terms: Terms) -> LogRatio:
    """The estimate from log ratios (B less A) of each round of each start; there must be one."""
    means = [fmean(logs) for logs in starts]
    log, between = fmean(means), len(means) - 1
    squares = math.fsum((mean - log) ** 2 for mean in means)
    window = window_variance(starts)
    platforms = _pooled(squares, between, terms, window)
    processes = None if window is None else (math.sqrt(window[0] / len(means)), window[1])
    up, down = (terms.a.rest, terms.b.rest) if terms.better is Better.LOWER else (terms.b.rest, terms.a.rest)
    error = None if platforms is None else (math.sqrt(platforms[0] / len(means)), platforms[1])
    return LogRatio(log, len(means), error, processes, up, down)


def window_variance(starts: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """Variance that windows give to the mean of a start, with its degrees of freedom; None with one round each."""
    means = [fmean(logs) for logs in starts]
    degrees = sum(len(logs) - 1 for logs in starts)
    if not degrees:
        return None
    squares = math.fsum((log - mean) ** 2 for logs, mean in zip(starts, means, strict=True) for log in logs)
    return squares / degrees * fmean(1 / len(logs) for logs in starts), degrees


def likely_difference(terms: Terms, numbers: tuple[int, int], window: float, level: float) -> float:
    """The smallest ratio above 1 that so many starts and rounds (`numbers`) are likely to decide at a level.

    `window` is the standard deviation of the log difference of two windows. Likely: in about 85 of 100 runs, as the
    estimate lies a standard error beyond the half width of the interval.
    """
    starts, rounds = numbers
    known = _known_before(terms, (window**2 / rounds, starts * max(1, rounds - 1)))
    variance, degrees = known or (math.inf, 1)
    if rounds == 1:
        degrees = 0  # single windows of starts show both spreads at once, and nothing is known of them before
    error = math.sqrt(variance / starts)
    return _exp((t_quantile(1 - level, degrees + starts - 1) + 1) * error)


def _pooled(
    squares: float, between: int, terms: Terms, window: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Variance of the mean of a start and its degrees of freedom: known before, and seen between the starts."""
    known = _known_before(terms, window)
    if known is None:
        return (squares / between, between) if between else None
    variance, degrees = known
    return (degrees * variance + squares) / (degrees + between), degrees + between


def _known_before(terms: Terms, window: tuple[float, float] | None) -> tuple[float, float] | None:
    """Variance that spreads and windows give to the mean of a start; None where one of them is not known.

    Its degrees of freedom are those of a sum of variances (Satterthwaite, Biometrics Bulletin 2, 1946).
    """
    sides = (terms.a.spread, terms.b.spread)
    if window is None or not all(one.degrees > 0 for one in sides):
        return None
    parts = [*((one.sigma**2, one.degrees) for one in sides), window]
    variance = math.fsum(part for part, _ in parts)
    if variance == 0:
        return 0.0, min(degrees for _, degrees in parts)
    return variance, variance**2 / math.fsum(part**2 / degrees for part, degrees in parts)


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))
